// Planes to TIFF, deflated with a horizontal predictor.
#include "../status.hpp"
#include "buffer.hpp"
#include "pictures.hpp"
#include "tiffmemory.hpp"

#include <algorithm>

using namespace cleanplate;

namespace {

struct Closer {
  void operator()(TIFF *file) const { TIFFClose(file); }
};

void writeStrips(TIFF *file, TiffMemory &memory, const cs_plane *planes, int32_t count, uint32_t rowsPerStrip) {
  const int32_t height = planes[0].height;
  const size_t rowBytes = static_cast<size_t>(planes[0].width) * count * (planes[0].bits / 8);
  std::vector<uint8_t> strip(rowBytes * rowsPerStrip);
  for (uint32_t top = 0, index = 0; top < static_cast<uint32_t>(height); top += rowsPerStrip, ++index) {
    const uint32_t rows = std::min(rowsPerStrip, static_cast<uint32_t>(height) - top);
    for (uint32_t y = 0; y < rows; ++y) {
      uint8_t *row = strip.data() + y * rowBytes;
      if (planes[0].bits == 16) {
        joinRow(planes, count, static_cast<int32_t>(top + y), reinterpret_cast<uint16_t *>(row));
      } else {
        joinRow(planes, count, static_cast<int32_t>(top + y), row);
      }
    }
    if (TIFFWriteEncodedStrip(file, index, strip.data(), static_cast<tmsize_t>(rowBytes * rows)) < 0) {
      throw Failure(CS_LIBRARY_FAILURE, memory.message("a strip could not be written"));
    }
  }
}

}  // namespace

extern "C" cs_status cs_tiff_write(const cs_plane *planes, int32_t count, cs_bytes profile, cs_buffer **file) {
  *file = nullptr;
  return guarded([&] {
    if (count < 1 || count > 4 || (planes[0].bits != 8 && planes[0].bits != 16)) {
      throw Failure(CS_INVALID_ARGUMENT, "one to four planes of 8 or 16 bits");
    }
    TiffMemory memory;
    const int64_t rowBytes = int64_t{planes[0].width} * count * (planes[0].bits / 8);
    // Past 4 GB the offsets of a classic TIFF run out.
    const bool isBig = rowBytes * planes[0].height > int64_t{0xF0000000};
    std::unique_ptr<TIFF, Closer> tiff(memory.open(isBig ? "w8" : "w"));
    if (tiff == nullptr) throw Failure(CS_LIBRARY_FAILURE, memory.message("no memory"));
    const auto rowsPerStrip =
        static_cast<uint32_t>(std::clamp<int64_t>((int64_t{1} << 18) / rowBytes, 1, planes[0].height));
    TIFFSetField(tiff.get(), TIFFTAG_IMAGEWIDTH, static_cast<uint32_t>(planes[0].width));
    TIFFSetField(tiff.get(), TIFFTAG_IMAGELENGTH, static_cast<uint32_t>(planes[0].height));
    TIFFSetField(tiff.get(), TIFFTAG_BITSPERSAMPLE, planes[0].bits);
    TIFFSetField(tiff.get(), TIFFTAG_SAMPLESPERPIXEL, count);
    TIFFSetField(tiff.get(), TIFFTAG_PHOTOMETRIC, count >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    if (count % 2 == 0) {
      uint16_t alpha = EXTRASAMPLE_UNASSALPHA;
      TIFFSetField(tiff.get(), TIFFTAG_EXTRASAMPLES, uint16_t{1}, &alpha);
    }
    TIFFSetField(tiff.get(), TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff.get(), TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    TIFFSetField(tiff.get(), TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
    TIFFSetField(tiff.get(), TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
    TIFFSetField(tiff.get(), TIFFTAG_ROWSPERSTRIP, rowsPerStrip);
    if (profile.count > 0) {
      TIFFSetField(tiff.get(), TIFFTAG_ICCPROFILE, static_cast<uint32_t>(profile.count), profile.bytes);
    }
    writeStrips(tiff.get(), memory, planes, count, rowsPerStrip);
    if (TIFFFlush(tiff.get()) != 1)
      throw Failure(CS_LIBRARY_FAILURE, memory.message("the directory could not be written"));
    tiff.reset();
    *file = new cs_buffer{std::move(memory.output)};
  });
}
