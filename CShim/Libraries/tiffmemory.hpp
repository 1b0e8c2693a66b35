// libtiff over bytes in memory, its errors kept instead of printed.
#pragma once

#include "include/CShimLibraries.h"

#include <tiffio.h>

#include <memory>
#include <string>
#include <vector>

namespace cleanplate {

/// The bytes behind a `TIFF`: `input` when reading, `output` when writing. It must outlive the `TIFF`.
struct TiffMemory {
  cs_bytes input = {nullptr, 0};
  std::vector<uint8_t> output;
  uint64_t position = 0;
  bool writes = false;
  /// Whether samples are being decoded: then warnings tell of damage, too.
  bool isDecoding = false;
  std::string firstError;

  /// A handle on the bytes, or null.
  TIFF *open(const char *mode);
  /// From now on complaints are about samples; what was said of tags is forgotten.
  void beginDecoding() {
    isDecoding = true;
    firstError.clear();
  }
  /// The first thing that libtiff complained of, or `otherwise`.
  std::string message(const char *otherwise) const { return firstError.empty() ? otherwise : firstError; }
  uint64_t size() const { return writes ? output.size() : input.count; }
};

}  // namespace cleanplate
