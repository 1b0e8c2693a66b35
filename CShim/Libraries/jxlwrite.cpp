// Planes to JPEG XL.
#include "../status.hpp"
#include "buffer.hpp"
#include "pictures.hpp"

#include <jxl/encode.h>
#include <jxl/thread_parallel_runner.h>

#include <algorithm>
#include <memory>

using namespace cleanplate;

namespace {

void require(JxlEncoderStatus status, const char *what) {
  if (status != JXL_ENC_SUCCESS) throw Failure(CS_LIBRARY_FAILURE, what);
}

/// The Butteraugli distance that `cjxl` takes for a quality.
float distance(int32_t quality) {
  const auto q = static_cast<float>(quality);
  return q >= 30 ? 0.1f + (100 - q) * 0.09f : 53.0f / 3000 * q * q - 23.0f / 20 * q + 25;
}

void addBox(JxlEncoder *encoder, const JxlBoxType type, const std::vector<uint8_t> &contents) {
  require(JxlEncoderAddBox(encoder, type, contents.data(), contents.size(), JXL_FALSE), "a box was refused");
}

void setColours(JxlEncoder *encoder, bool isGrey, cs_bytes profile) {
  if (profile.count > 0) {
    require(JxlEncoderSetICCProfile(encoder, profile.bytes, profile.count), "the colour profile was refused");
    return;
  }
  JxlColorEncoding encoding;
  JxlColorEncodingSetToSRGB(&encoding, isGrey ? JXL_TRUE : JXL_FALSE);
  require(JxlEncoderSetColorEncoding(encoder, &encoding), "the colour space was refused");
}

void addPicture(JxlEncoderFrameSettings *settings, const cs_plane *planes, int32_t count) {
  const bool isDeep = planes[0].bits > 8;
  const size_t rowBytes = static_cast<size_t>(planes[0].width) * count * (isDeep ? 2 : 1);
  std::vector<uint8_t> pixels(rowBytes * planes[0].height);
  for (int32_t y = 0; y < planes[0].height; ++y) {
    uint8_t *row = pixels.data() + static_cast<size_t>(y) * rowBytes;
    if (isDeep) {
      joinRow(planes, count, y, reinterpret_cast<uint16_t *>(row));
    } else {
      joinRow(planes, count, y, row);
    }
  }
  const JxlPixelFormat format = {static_cast<uint32_t>(count), isDeep ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8,
                                 JXL_NATIVE_ENDIAN, 0};
  require(JxlEncoderAddImageFrame(settings, &format, pixels.data(), pixels.size()), "the picture was refused");
}

std::vector<uint8_t> finish(JxlEncoder *encoder) {
  std::vector<uint8_t> result(1 << 20);
  size_t used = 0;
  while (true) {
    uint8_t *next = result.data() + used;
    size_t left = result.size() - used;
    const JxlEncoderStatus status = JxlEncoderProcessOutput(encoder, &next, &left);
    used = static_cast<size_t>(next - result.data());
    if (status == JXL_ENC_SUCCESS) break;
    if (status != JXL_ENC_NEED_MORE_OUTPUT) throw Failure(CS_LIBRARY_FAILURE, "the encoder failed");
    result.resize(result.size() * 2);
  }
  result.resize(used);
  return result;
}

}  // namespace

extern "C" cs_status cs_jxl_write(const cs_plane *planes, int32_t count, int32_t quality, int32_t workers,
                                  cs_bytes profile, cs_metadata metadata, cs_buffer **file) {
  *file = nullptr;
  return guarded([&] {
    // Workers may leave before the runner that they belong to, never after it.
    const std::unique_ptr<void, void (*)(void *)> runner(
        JxlThreadParallelRunnerCreate(nullptr, static_cast<size_t>(workers)), JxlThreadParallelRunnerDestroy);
    const std::unique_ptr<JxlEncoder, void (*)(JxlEncoder *)> encoder(JxlEncoderCreate(nullptr), JxlEncoderDestroy);
    if (encoder == nullptr || runner == nullptr) throw std::bad_alloc();
    require(JxlEncoderSetParallelRunner(encoder.get(), JxlThreadParallelRunner, runner.get()), "no threads");
    const bool isLossless = quality >= 100;
    const bool hasBoxes = metadata.exif.count > 0 || metadata.xmp.count > 0;
    if (hasBoxes) require(JxlEncoderUseBoxes(encoder.get()), "no boxes");

    JxlBasicInfo info;
    JxlEncoderInitBasicInfo(&info);
    info.xsize = static_cast<uint32_t>(planes[0].width);
    info.ysize = static_cast<uint32_t>(planes[0].height);
    info.bits_per_sample = planes[0].bits > 8 ? 16 : 8;
    info.num_color_channels = static_cast<uint32_t>(count);
    info.uses_original_profile = isLossless ? JXL_TRUE : JXL_FALSE;
    require(JxlEncoderSetBasicInfo(encoder.get(), &info), "the header was refused");
    setColours(encoder.get(), count == 1, profile);

    if (metadata.exif.count > 0) {
      std::vector<uint8_t> exif(4, 0);
      exif.insert(exif.end(), metadata.exif.bytes, metadata.exif.bytes + metadata.exif.count);
      addBox(encoder.get(), "Exif", exif);
    }
    if (metadata.xmp.count > 0) {
      addBox(encoder.get(), "xml ", {metadata.xmp.bytes, metadata.xmp.bytes + metadata.xmp.count});
    }
    if (hasBoxes) JxlEncoderCloseBoxes(encoder.get());

    JxlEncoderFrameSettings *settings = JxlEncoderFrameSettingsCreate(encoder.get(), nullptr);
    // Effort 7, the default, takes three times as long for 2 % of the bytes.
    require(JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, 5), "the effort was refused");
    if (isLossless) {
      require(JxlEncoderSetFrameLossless(settings, JXL_TRUE), "lossless coding was refused");
    } else {
      require(JxlEncoderSetFrameDistance(settings, distance(quality)), "the quality was refused");
    }
    addPicture(settings, planes, count);
    JxlEncoderCloseInput(encoder.get());
    *file = new cs_buffer{finish(encoder.get())};
  });
}
