// JPEG XL to planes.
#include "../status.hpp"
#include "buffer.hpp"
#include "pictures.hpp"

#include <jxl/decode.h>

#include <algorithm>
#include <cstring>
#include <memory>

using namespace cleanplate;

struct cs_jxl {
  JxlDecoder *decoder = JxlDecoderCreate(nullptr);
  JxlBasicInfo basic = {};
  cs_picture_info info = {};
  std::vector<uint8_t> profile;
  size_t metadataLimit = 0;

  /// The box that is being read, and where it goes; null for one that is thrown away.
  std::vector<uint8_t> chunk = std::vector<uint8_t>(1 << 16);
  std::vector<uint8_t> box;
  std::vector<uint8_t> *target = nullptr;
  bool isInBox = false;
  std::vector<uint8_t> exif;
  std::vector<uint8_t> xmp;

  ~cs_jxl() { JxlDecoderDestroy(decoder); }

  void takeChunk() {
    const size_t left = JxlDecoderReleaseBoxBuffer(decoder);
    const size_t length = chunk.size() - left;
    if (target != nullptr && box.size() + length <= metadataLimit) {
      box.insert(box.end(), chunk.begin(), chunk.begin() + static_cast<ptrdiff_t>(length));
    } else {
      target = nullptr;
      box.clear();
    }
  }

  void endBox() {
    if (!isInBox) return;
    takeChunk();
    if (target != nullptr && target->empty()) target->swap(box);
    box.clear();
    isInBox = false;
  }

  void beginBox() {
    endBox();
    JxlBoxType type;
    if (JxlDecoderGetBoxType(decoder, type, JXL_TRUE) != JXL_DEC_SUCCESS) return;
    target = std::memcmp(type, "Exif", 4) == 0 ? &exif : std::memcmp(type, "xml ", 4) == 0 ? &xmp : nullptr;
    if (target == nullptr) return;
    isInBox = JxlDecoderSetBoxBuffer(decoder, chunk.data(), chunk.size()) == JXL_DEC_SUCCESS;
  }

  /// Runs the decoder up to the next event that is not about boxes.
  JxlDecoderStatus step() {
    while (true) {
      const JxlDecoderStatus status = JxlDecoderProcessInput(decoder);
      if (status == JXL_DEC_BOX) {
        beginBox();
      } else if (status == JXL_DEC_BOX_NEED_MORE_OUTPUT) {
        takeChunk();
        JxlDecoderSetBoxBuffer(decoder, chunk.data(), chunk.size());
      } else {
        if (status == JXL_DEC_SUCCESS) endBox();
        return status;
      }
    }
  }
};

namespace {

struct Output {
  const cs_target_plane *planes;
  int32_t channels;
  int32_t bits;
};

void putPixels(void *opaque, size_t x, size_t y, size_t count, const void *pixels) {
  const auto &output = *static_cast<const Output *>(opaque);
  const auto width = static_cast<size_t>(output.planes[0].width);
  if (y >= static_cast<size_t>(output.planes[0].height) || x >= width) return;
  const auto columns = static_cast<int32_t>(std::min(count, width - x));
  if (output.bits == 16) {
    splitRow(static_cast<const uint16_t *>(pixels), columns, output.channels, output.planes, output.channels,
             static_cast<int32_t>(x), static_cast<int32_t>(y));
  } else {
    splitRow(static_cast<const uint8_t *>(pixels), columns, output.channels, output.planes, output.channels,
             static_cast<int32_t>(x), static_cast<int32_t>(y));
  }
}

void readBasicInfo(cs_jxl &jxl) {
  if (JxlDecoderGetBasicInfo(jxl.decoder, &jxl.basic) != JXL_DEC_SUCCESS || jxl.basic.xsize > INT32_MAX ||
      jxl.basic.ysize > INT32_MAX) {
    throw Failure(CS_BAD_DATA, "the header is broken");
  }
  if (jxl.basic.exponent_bits_per_sample > 0) throw Failure(CS_UNSUPPORTED, "floating-point samples");
  if (jxl.basic.bits_per_sample > 16) {
    throw Failure(CS_UNSUPPORTED, std::to_string(jxl.basic.bits_per_sample) + " bits a sample");
  }
  for (uint32_t channel = 0; channel < jxl.basic.num_extra_channels && channel < 16; ++channel) {
    JxlExtraChannelInfo extra;
    if (JxlDecoderGetExtraChannelInfo(jxl.decoder, channel, &extra) == JXL_DEC_SUCCESS &&
        extra.type == JXL_CHANNEL_BLACK) {
      throw Failure(CS_UNSUPPORTED, "CMYK colours");
    }
  }
  // The decoder has applied the orientation already, to the size as well.
  jxl.info = {static_cast<int32_t>(jxl.basic.xsize), static_cast<int32_t>(jxl.basic.ysize),
              jxl.basic.bits_per_sample > 8 ? 16 : 8, jxl.basic.num_color_channels == 1 ? 1 : 3, 1};
}

bool isSRGB(const cs_jxl &jxl) {
  JxlColorEncoding encoding;
  if (JxlDecoderGetColorAsEncodedProfile(jxl.decoder, nullptr, JXL_COLOR_PROFILE_TARGET_DATA, &encoding) !=
      JXL_DEC_SUCCESS) {
    return false;
  }
  return encoding.transfer_function == JXL_TRANSFER_FUNCTION_SRGB && encoding.white_point == JXL_WHITE_POINT_D65 &&
         (encoding.color_space == JXL_COLOR_SPACE_GRAY || encoding.primaries == JXL_PRIMARIES_SRGB);
}

void readProfile(cs_jxl &jxl) {
  size_t length = 0;
  if (isSRGB(jxl) ||
      JxlDecoderGetICCProfileSize(jxl.decoder, nullptr, JXL_COLOR_PROFILE_TARGET_DATA, &length) != JXL_DEC_SUCCESS) {
    return;
  }
  jxl.profile.resize(length);
  if (JxlDecoderGetColorAsICCProfile(jxl.decoder, nullptr, JXL_COLOR_PROFILE_TARGET_DATA, jxl.profile.data(), length) !=
      JXL_DEC_SUCCESS) {
    jxl.profile.clear();
  }
}

[[noreturn]] void fail(JxlDecoderStatus status) {
  throw Failure(CS_BAD_DATA, status == JXL_DEC_NEED_MORE_INPUT ? "it ends early" : "the data are broken");
}

}  // namespace

extern "C" cs_status cs_jxl_open(cs_bytes file, size_t metadata_limit, cs_jxl **jxl) {
  *jxl = nullptr;
  return guarded([&] {
    auto result = std::make_unique<cs_jxl>();
    if (result->decoder == nullptr) throw std::bad_alloc();
    result->metadataLimit = metadata_limit;
    const int events = JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FULL_IMAGE | JXL_DEC_BOX;
    JxlDecoderSubscribeEvents(result->decoder, events);
    JxlDecoderSetDecompressBoxes(result->decoder, JXL_TRUE);
    JxlDecoderSetInput(result->decoder, file.bytes, file.count);
    JxlDecoderCloseInput(result->decoder);
    while (true) {
      const JxlDecoderStatus status = result->step();
      if (status == JXL_DEC_BASIC_INFO) {
        readBasicInfo(*result);
      } else if (status == JXL_DEC_COLOR_ENCODING) {
        readProfile(*result);
        break;
      } else {
        fail(status);
      }
    }
    *jxl = result.release();
  });
}

extern "C" void cs_jxl_free(cs_jxl *jxl) { delete jxl; }

extern "C" cs_picture_info cs_jxl_info(const cs_jxl *jxl) { return jxl->info; }

extern "C" int32_t cs_jxl_is_animated(const cs_jxl *jxl) { return jxl->basic.have_animation == JXL_TRUE ? 1 : 0; }

extern "C" cs_bytes cs_jxl_profile(const cs_jxl *jxl) { return cs_bytes{jxl->profile.data(), jxl->profile.size()}; }

extern "C" cs_status cs_jxl_read(cs_jxl *jxl, const cs_target_plane *planes, int32_t accepts_damaged) {
  return guarded([&] {
    Output output = {planes, jxl->info.channels, jxl->info.bits};
    const JxlPixelFormat format = {static_cast<uint32_t>(jxl->info.channels),
                                   jxl->info.bits == 16 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    bool hasPicture = false;
    while (true) {
      const JxlDecoderStatus status = jxl->step();
      if (status == JXL_DEC_NEED_IMAGE_OUT_BUFFER) {
        if (JxlDecoderSetImageOutCallback(jxl->decoder, &format, putPixels, &output) != JXL_DEC_SUCCESS) {
          throw Failure(CS_LIBRARY_FAILURE, "the decoder takes no output");
        }
      } else if (status == JXL_DEC_FULL_IMAGE) {
        hasPicture = true;
        // The first frame of an animation is enough.
        if (jxl->basic.have_animation == JXL_TRUE) break;
      } else if (status == JXL_DEC_SUCCESS) {
        break;
      } else {
        if (hasPicture) break;
        if (accepts_damaged != 0 && JxlDecoderFlushImage(jxl->decoder) == JXL_DEC_SUCCESS) {
          hasPicture = true;
          break;
        }
        fail(status);
      }
    }
    if (!hasPicture) throw Failure(CS_BAD_DATA, "it holds no picture");
  });
}

extern "C" cs_metadata cs_jxl_metadata(const cs_jxl *jxl) {
  cs_metadata result = {};
  // The offset of the TIFF header, from its own end, comes first.
  if (jxl->exif.size() > 4) {
    const size_t offset =
        size_t{jxl->exif[0]} << 24 | size_t{jxl->exif[1]} << 16 | size_t{jxl->exif[2]} << 8 | jxl->exif[3];
    if (offset < jxl->exif.size() - 4)
      result.exif = cs_bytes{jxl->exif.data() + 4 + offset, jxl->exif.size() - 4 - offset};
  }
  result.xmp = cs_bytes{jxl->xmp.data(), jxl->xmp.size()};
  return result;
}
