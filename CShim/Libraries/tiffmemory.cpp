#include "tiffmemory.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace cleanplate {
namespace {

TiffMemory &memory(thandle_t handle) { return *static_cast<TiffMemory *>(handle); }

tmsize_t readBytes(thandle_t handle, void *target, tmsize_t count) {
  TiffMemory &self = memory(handle);
  const uint64_t size = self.size();
  if (count <= 0 || self.position >= size) return 0;
  const uint64_t length = std::min<uint64_t>(static_cast<uint64_t>(count), size - self.position);
  const uint8_t *from = self.writes ? self.output.data() : self.input.bytes;
  std::memcpy(target, from + self.position, length);
  self.position += length;
  return static_cast<tmsize_t>(length);
}

tmsize_t writeBytes(thandle_t handle, void *source, tmsize_t count) {
  TiffMemory &self = memory(handle);
  if (!self.writes || count <= 0) return 0;
  const uint64_t end = self.position + static_cast<uint64_t>(count);
  try {
    if (end > self.output.size()) self.output.resize(end);
  } catch (const std::bad_alloc &) {
    return -1;
  }
  std::memcpy(self.output.data() + self.position, source, static_cast<size_t>(count));
  self.position = end;
  return count;
}

toff_t seek(thandle_t handle, toff_t offset, int origin) {
  TiffMemory &self = memory(handle);
  if (origin == SEEK_CUR) offset += self.position;
  if (origin == SEEK_END) offset += self.size();
  self.position = offset;
  return offset;
}

int closeNothing(thandle_t) { return 0; }

toff_t totalSize(thandle_t handle) { return memory(handle).size(); }

int map(thandle_t handle, void **base, toff_t *length) {
  TiffMemory &self = memory(handle);
  if (self.writes) return 0;
  *base = const_cast<uint8_t *>(self.input.bytes);
  *length = self.input.count;
  return 1;
}

void unmap(thandle_t, void *, toff_t) {}

int keepError(TIFF *, void *user, const char *, const char *format, va_list arguments) {
  auto &self = *static_cast<TiffMemory *>(user);
  if (self.firstError.empty()) {
    char text[240];
    std::vsnprintf(text, sizeof text, format, arguments);
    self.firstError = text;
  }
  return 1;
}

/// What codecs warn of although every sample comes out as it was meant.
bool isHarmless(const char *format) {
  static const char *const remarks[] = {"Old-style LZW codes", "JPEG strip size exceeds expected dimensions"};
  return std::any_of(std::begin(remarks), std::end(remarks),
                     [&](const char *remark) { return std::strstr(format, remark) != nullptr; });
}

int keepWarning(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments) {
  // Warnings about tags are remarks; those of codecs tell where they went on after damage.
  if (!static_cast<TiffMemory *>(user)->isDecoding || isHarmless(format)) return 1;
  return keepError(tiff, user, module, format, arguments);
}

}  // namespace

TIFF *TiffMemory::open(const char *mode) {
  writes = mode[0] == 'w';
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (options == nullptr) return nullptr;
  // A directory of a hostile file may claim anything.
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, tmsize_t{1} << 30);
  TIFFOpenOptionsSetErrorHandlerExtR(options, keepError, this);
  TIFFOpenOptionsSetWarningHandlerExtR(options, keepWarning, this);
  TIFF *file = TIFFClientOpenExt("memory", mode, this, readBytes, writeBytes, seek, closeNothing, totalSize, map, unmap,
                                 options);
  TIFFOpenOptionsFree(options);
  return file;
}

}  // namespace cleanplate
