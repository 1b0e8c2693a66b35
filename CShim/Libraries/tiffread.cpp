// TIFF to planes: libtiff's calls take varargs, which Swift does not import.
#include "../status.hpp"
#include "buffer.hpp"
#include "pictures.hpp"
#include "tiffmemory.hpp"

#include <algorithm>
#include <cstring>

namespace {

using namespace cleanplate;

constexpr uint16_t photometricMosaic = 32803;
constexpr uint16_t photometricLinearRaw = 34892;

}  // namespace

struct cs_tiff {
  TiffMemory memory;
  TIFF *file = nullptr;
  cs_picture_info info = {};
  bool isRaw = false;
  uint16_t samples = 1;
  uint16_t fileBits = 1;
  uint16_t photometric = PHOTOMETRIC_MINISBLACK;
  /// Palettes, packed bits and subsampled chroma go through libtiff's own conversion to R, G, B.
  bool converts = false;

  ~cs_tiff() {
    if (file != nullptr) TIFFClose(file);
  }
};

namespace {

[[noreturn]] void unsupported(const std::string &what) { throw Failure(CS_UNSUPPORTED, what); }

bool looksRaw(const cs_tiff &tiff) {
  if (tiff.photometric == photometricMosaic || tiff.photometric == photometricLinearRaw) return true;
  uint32_t kind = 0;
  uint16_t count = 0;
  const void *value = nullptr;
  if (TIFFGetField(tiff.file, TIFFTAG_DNGVERSION, &value) == 1) return true;
  // Cameras put a reduced picture first and the mosaic in a sub-directory.
  TIFFGetField(tiff.file, TIFFTAG_SUBFILETYPE, &kind);
  return (kind & FILETYPE_REDUCEDIMAGE) != 0 && TIFFGetField(tiff.file, TIFFTAG_SUBIFD, &count, &value) == 1 &&
         count > 0;
}

void readHeader(cs_tiff &tiff) {
  uint32_t width = 0, height = 0;
  uint16_t orientation = 1, format = SAMPLEFORMAT_UINT, compression = COMPRESSION_NONE;
  if (TIFFGetField(tiff.file, TIFFTAG_IMAGEWIDTH, &width) != 1 ||
      TIFFGetField(tiff.file, TIFFTAG_IMAGELENGTH, &height) != 1 || width == 0 || height == 0 || width > INT32_MAX ||
      height > INT32_MAX) {
    throw Failure(CS_BAD_DATA, "the directory names no size");
  }
  TIFFGetFieldDefaulted(tiff.file, TIFFTAG_BITSPERSAMPLE, &tiff.fileBits);
  TIFFGetFieldDefaulted(tiff.file, TIFFTAG_SAMPLESPERPIXEL, &tiff.samples);
  TIFFGetFieldDefaulted(tiff.file, TIFFTAG_SAMPLEFORMAT, &format);
  TIFFGetFieldDefaulted(tiff.file, TIFFTAG_ORIENTATION, &orientation);
  TIFFGetFieldDefaulted(tiff.file, TIFFTAG_COMPRESSION, &compression);
  if (TIFFGetField(tiff.file, TIFFTAG_PHOTOMETRIC, &tiff.photometric) != 1) {
    tiff.photometric = tiff.samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
  }
  tiff.info = {static_cast<int32_t>(width), static_cast<int32_t>(height), tiff.fileBits == 16 ? 16 : 8, 1,
               orientation >= 1 && orientation <= 8 ? orientation : 1};
  tiff.isRaw = looksRaw(tiff);
  if (tiff.isRaw) return;

  if (format == SAMPLEFORMAT_IEEEFP) unsupported("floating-point samples");
  if (format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID) unsupported("signed or complex samples");
  if (tiff.samples == 0 || tiff.samples > 16) unsupported(std::to_string(tiff.samples) + " samples a pixel");
  if (tiff.fileBits != 1 && tiff.fileBits != 2 && tiff.fileBits != 4 && tiff.fileBits != 8 && tiff.fileBits != 16) {
    unsupported(std::to_string(tiff.fileBits) + " bits a sample");
  }
  switch (tiff.photometric) {
  case PHOTOMETRIC_MINISBLACK:
  case PHOTOMETRIC_MINISWHITE: tiff.converts = tiff.fileBits < 8; break;
  case PHOTOMETRIC_RGB:
    if (tiff.samples < 3 || tiff.fileBits < 8) unsupported("R, G, B packed like this");
    tiff.info.channels = 3;
    break;
  case PHOTOMETRIC_PALETTE:
    if (tiff.fileBits > 8) unsupported("a palette of more than 8 bits");
    tiff.info.channels = 3;
    tiff.converts = true;
    break;
  case PHOTOMETRIC_YCBCR:
    tiff.info.channels = 3;
    if (compression == COMPRESSION_JPEG) {
      // libjpeg converts and interpolates.
      TIFFSetField(tiff.file, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    } else {
      tiff.converts = true;
    }
    break;
  case PHOTOMETRIC_SEPARATED: unsupported("CMYK colours");
  case PHOTOMETRIC_CIELAB:
  case PHOTOMETRIC_ICCLAB:
  case PHOTOMETRIC_ITULAB: unsupported("CIE L*a*b* colours");
  default: unsupported("photometric interpretation " + std::to_string(tiff.photometric));
  }
  if (tiff.converts) tiff.info.bits = 8;
}

/// Fails, or remembers that it would have.
void rowFailed(cs_tiff &tiff, bool acceptsDamaged) {
  if (!acceptsDamaged) throw Failure(CS_BAD_DATA, tiff.memory.message("the picture's data are broken"));
}

std::unique_ptr<cs_tiff> opened(cs_bytes file) {
  auto result = std::make_unique<cs_tiff>();
  result->memory.input = file;
  result->file = result->memory.open("r");
  if (result->file == nullptr) throw Failure(CS_BAD_DATA, result->memory.message("the header is broken"));
  return result;
}

/// Whether the current directory has a picture like the first.
bool isPageLike(cs_tiff &tiff, const cs_picture_info &first) {
  uint32_t kind = 0;
  TIFFGetField(tiff.file, TIFFTAG_SUBFILETYPE, &kind);
  if ((kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0) return false;
  try {
    readHeader(tiff);
  } catch (const Failure &) {
    return false;
  }
  return !tiff.isRaw && tiff.info.width == first.width && tiff.info.height == first.height &&
         tiff.info.bits == first.bits && tiff.info.channels == first.channels;
}

void split(const cs_tiff &tiff, const uint8_t *pixels, int32_t count, int32_t stride, const cs_target_plane *planes,
           int32_t planeCount, int32_t x, int32_t y) {
  const bool invert = tiff.photometric == PHOTOMETRIC_MINISWHITE;
  if (tiff.info.bits == 16) {
    splitRow(reinterpret_cast<const uint16_t *>(pixels), count, stride, planes, planeCount, x, y, invert);
  } else {
    splitRow(pixels, count, stride, planes, planeCount, x, y, invert);
  }
}

void readStrips(cs_tiff &tiff, const cs_target_plane *planes, bool acceptsDamaged, bool separate) {
  const tmsize_t length = TIFFScanlineSize(tiff.file);
  const int64_t needed = int64_t{tiff.info.width} * (tiff.info.bits / 8) * (separate ? 1 : tiff.samples);
  if (length < needed) throw Failure(CS_BAD_DATA, "rows are shorter than the picture is wide");
  std::vector<uint8_t> row(static_cast<size_t>(length));
  const int32_t passes = separate ? tiff.info.channels : 1;
  for (int32_t pass = 0; pass < passes; ++pass) {
    for (int32_t y = 0; y < tiff.info.height; ++y) {
      if (TIFFReadScanline(tiff.file, row.data(), static_cast<uint32_t>(y), static_cast<uint16_t>(pass)) != 1) {
        rowFailed(tiff, acceptsDamaged);
        std::fill(row.begin(), row.end(), 0);
      }
      if (separate) {
        split(tiff, row.data(), tiff.info.width, 1, planes + pass, 1, 0, y);
      } else {
        split(tiff, row.data(), tiff.info.width, tiff.samples, planes, tiff.info.channels, 0, y);
      }
    }
  }
}

void readTiles(cs_tiff &tiff, const cs_target_plane *planes, bool acceptsDamaged, bool separate) {
  uint32_t tileWidth = 0, tileHeight = 0;
  TIFFGetField(tiff.file, TIFFTAG_TILEWIDTH, &tileWidth);
  TIFFGetField(tiff.file, TIFFTAG_TILELENGTH, &tileHeight);
  const tmsize_t length = TIFFTileSize(tiff.file);
  const tmsize_t rowLength = TIFFTileRowSize(tiff.file);
  if (tileWidth == 0 || tileHeight == 0 || length <= 0 || rowLength <= 0)
    throw Failure(CS_BAD_DATA, "tiles without a size");
  if (length > (tmsize_t{1} << 28)) unsupported("tiles of more than 256 MB");
  const int64_t needed = int64_t{tileWidth} * (tiff.info.bits / 8) * (separate ? 1 : tiff.samples);
  if (rowLength < needed || length / rowLength < static_cast<tmsize_t>(tileHeight)) {
    throw Failure(CS_BAD_DATA, "tiles are smaller than they claim");
  }
  std::vector<uint8_t> tile(static_cast<size_t>(length));
  const int32_t passes = separate ? tiff.info.channels : 1;
  for (int32_t pass = 0; pass < passes; ++pass) {
    for (int64_t top = 0; top < tiff.info.height; top += tileHeight) {
      for (int64_t left = 0; left < tiff.info.width; left += tileWidth) {
        if (TIFFReadTile(tiff.file, tile.data(), static_cast<uint32_t>(left), static_cast<uint32_t>(top), 0,
                         static_cast<uint16_t>(pass)) < 0) {
          rowFailed(tiff, acceptsDamaged);
          std::fill(tile.begin(), tile.end(), 0);
        }
        const auto columns = static_cast<int32_t>(std::min<int64_t>(tileWidth, tiff.info.width - left));
        const auto rows = static_cast<int32_t>(std::min<int64_t>(tileHeight, tiff.info.height - top));
        for (int32_t y = 0; y < rows; ++y) {
          const uint8_t *from = tile.data() + y * rowLength;
          if (separate) {
            split(tiff, from, columns, 1, planes + pass, 1, static_cast<int32_t>(left), static_cast<int32_t>(top) + y);
          } else {
            split(tiff, from, columns, tiff.samples, planes, tiff.info.channels, static_cast<int32_t>(left),
                  static_cast<int32_t>(top) + y);
          }
        }
      }
    }
  }
}

void readConverted(cs_tiff &tiff, const cs_target_plane *planes, bool acceptsDamaged) {
  TIFFRGBAImage picture;
  char message[1024] = "";
  if (TIFFRGBAImageBegin(&picture, tiff.file, acceptsDamaged ? 0 : 1, message) != 1) unsupported(message);
  // As stored: whoever asked turns the picture.
  picture.req_orientation = picture.orientation;
  const auto width = static_cast<size_t>(tiff.info.width), height = static_cast<size_t>(tiff.info.height);
  std::vector<uint32_t> raster;
  int isRead = 0;
  try {
    raster.resize(width * height);
    isRead = TIFFRGBAImageGet(&picture, raster.data(), tiff.info.width, tiff.info.height);
  } catch (...) {
    TIFFRGBAImageEnd(&picture);
    throw;
  }
  TIFFRGBAImageEnd(&picture);
  if (isRead != 1) rowFailed(tiff, acceptsDamaged);
  for (size_t y = 0; y < height; ++y) {
    splitRow(reinterpret_cast<const uint8_t *>(raster.data() + y * width), tiff.info.width, 4, planes,
             tiff.info.channels, 0, static_cast<int32_t>(y));
  }
}

}  // namespace

extern "C" cs_status cs_tiff_open(cs_bytes file, uint16_t directory, cs_tiff **tiff) {
  *tiff = nullptr;
  return guarded([&] {
    auto result = opened(file);
    if (directory > 0 && TIFFSetDirectory(result->file, directory) != 1) {
      throw Failure(CS_BAD_DATA, result->memory.message("a directory is broken"));
    }
    readHeader(*result);
    *tiff = result.release();
  });
}

extern "C" cs_status cs_tiff_pages(cs_bytes file, int32_t accepts_damaged, uint16_t *directories, int32_t capacity,
                                   int32_t *count) {
  *count = 0;
  return guarded([&] {
    const auto tiff = opened(file);
    readHeader(*tiff);
    const cs_picture_info first = tiff->info;
    if (capacity > 0) directories[(*count)++] = 0;
    if (tiff->isRaw) return;
    for (uint16_t directory = 1; *count < capacity && TIFFLastDirectory(tiff->file) == 0; ++directory) {
      if (TIFFReadDirectory(tiff->file) != 1) {
        if (accepts_damaged != 0) return;
        throw Failure(CS_BAD_DATA, tiff->memory.message("a directory is broken"));
      }
      if (isPageLike(*tiff, first)) directories[(*count)++] = directory;
      if (directory == UINT16_MAX) return;
    }
  });
}

extern "C" void cs_tiff_free(cs_tiff *tiff) { delete tiff; }

extern "C" cs_picture_info cs_tiff_info(const cs_tiff *tiff) { return tiff->info; }

extern "C" int32_t cs_tiff_is_raw(const cs_tiff *tiff) { return tiff->isRaw ? 1 : 0; }

extern "C" cs_bytes cs_tiff_profile(const cs_tiff *tiff) {
  uint32_t length = 0;
  void *profile = nullptr;
  if (TIFFGetField(tiff->file, TIFFTAG_ICCPROFILE, &length, &profile) != 1) return cs_bytes{nullptr, 0};
  return cs_bytes{static_cast<const uint8_t *>(profile), length};
}

extern "C" cs_status cs_tiff_read(cs_tiff *tiff, const cs_target_plane *planes, int32_t accepts_damaged) {
  return guarded([&] {
    uint16_t layout = PLANARCONFIG_CONTIG;
    TIFFGetFieldDefaulted(tiff->file, TIFFTAG_PLANARCONFIG, &layout);
    const bool separate = layout == PLANARCONFIG_SEPARATE && tiff->samples > 1;
    tiff->memory.beginDecoding();
    if (tiff->converts) {
      readConverted(*tiff, planes, accepts_damaged != 0);
    } else if (TIFFIsTiled(tiff->file) != 0) {
      readTiles(*tiff, planes, accepts_damaged != 0, separate);
    } else {
      readStrips(*tiff, planes, accepts_damaged != 0, separate);
    }
    // Codecs go on after damage: rows are told to have been read that are not as they were.
    if (accepts_damaged == 0 && !tiff->memory.firstError.empty()) throw Failure(CS_BAD_DATA, tiff->memory.firstError);
  });
}
