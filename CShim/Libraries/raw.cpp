// Cameras' RAW files to planes, by LibRaw.
#include "../status.hpp"
#include "include/CShimLibraries.h"

#include <libraw/libraw.h>

#include <memory>

using namespace cleanplate;

struct cs_raw {
  LibRaw processor;
  cs_raw_info info = {};
  int damages = 0;
};

namespace {

void require(int code) {
  if (code == LIBRAW_SUCCESS) return;
  switch (code) {
  case LIBRAW_UNSUFFICIENT_MEMORY: throw std::bad_alloc();
  case LIBRAW_FILE_UNSUPPORTED:
  case LIBRAW_NOT_IMPLEMENTED: throw Failure(CS_UNSUPPORTED, libraw_strerror(code));
  default: throw Failure(CS_BAD_DATA, libraw_strerror(code));
  }
}

/// LibRaw's flip, from the value 0, 3, 5 or 6 to Exif's.
int32_t orientation(int flip) {
  switch (flip) {
  case 3: return 3;
  case 5: return 8;
  case 6: return 6;
  default: return 1;
  }
}

}  // namespace

extern "C" cs_status cs_raw_open(cs_bytes file, cs_raw **raw) {
  *raw = nullptr;
  return guarded([&] {
    auto result = std::make_unique<cs_raw>();
    // The type of the last parameter, an offset, depends on LibRaw's version.
    result->processor.set_dataerror_handler(
        [](void *data, const char *, auto) { ++static_cast<cs_raw *>(data)->damages; }, result.get());
    require(result->processor.open_buffer(const_cast<uint8_t *>(file.bytes), file.count));
    const libraw_image_sizes_t &sizes = result->processor.imgdata.sizes;
    if (result->processor.imgdata.idata.filters == 0 && result->processor.imgdata.idata.colors != 3 &&
        result->processor.imgdata.idata.colors != 1) {
      throw Failure(CS_UNSUPPORTED, "a sensor of this kind");
    }
    // Read before `output_params.user_flip` makes LibRaw leave the picture as it is stored.
    result->info = {sizes.width, sizes.height, result->processor.imgdata.idata.colors == 1 ? 1 : 3,
                    orientation(sizes.flip)};
    *raw = result.release();
  });
}

extern "C" void cs_raw_free(cs_raw *raw) { delete raw; }

extern "C" cs_raw_info cs_raw_header(const cs_raw *raw) { return raw->info; }

extern "C" void cs_raw_white_balance(const cs_raw *raw, float multipliers[4]) {
  const libraw_colordata_t &colour = raw->processor.imgdata.color;
  // Where the camera tells none, daylight stands in.
  const bool hasCamera = colour.cam_mul[0] > 0 && colour.cam_mul[1] > 0 && colour.cam_mul[2] > 0;
  const float *source = hasCamera ? colour.cam_mul : colour.pre_mul;
  for (int channel = 0; channel < 4; ++channel) multipliers[channel] = source[channel];
  if (!(multipliers[3] > 0)) multipliers[3] = multipliers[1];
}

extern "C" cs_status cs_raw_read(cs_raw *raw, const float multipliers[4], int32_t accepts_damaged, uint16_t *pixels) {
  return guarded([&] {
    libraw_output_params_t &parameters = raw->processor.imgdata.params;
    for (int channel = 0; channel < 4; ++channel) parameters.user_mul[channel] = multipliers[channel];
    parameters.output_bps = 16;
    parameters.output_color = 1;
    // The transfer curve of sRGB.
    parameters.gamm[0] = 1 / 2.4;
    parameters.gamm[1] = 12.92;
    parameters.user_flip = 0;
    // Whatever LibRaw would derive from one frame's own samples would differ from frame to frame.
    parameters.no_auto_bright = 1;
    parameters.adjust_maximum_thr = 0;
    require(raw->processor.unpack());
    if (raw->damages > 0 && accepts_damaged == 0) throw Failure(CS_BAD_DATA, "the sensor's data are broken");
    require(raw->processor.dcraw_process());
    int width = 0, height = 0, colours = 0, bits = 0;
    raw->processor.get_mem_image_format(&width, &height, &colours, &bits);
    if (bits != 16 || colours != raw->info.channels || width != raw->info.width || height != raw->info.height) {
      throw Failure(CS_UNSUPPORTED, "a picture whose size changes in development");
    }
    require(raw->processor.copy_mem_image(pixels, width * colours * 2, 0));
  });
}
