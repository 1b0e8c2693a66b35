// Bytes that travel from C++ to the caller.
#pragma once

#include "include/CShimLibraries.h"

#include <string>
#include <vector>

struct cs_buffer {
  std::vector<uint8_t> bytes;
};

namespace cleanplate {

/// A buffer of its own; null for no bytes at all.
inline cs_buffer *makeBuffer(const void *bytes, size_t count) {
  if (count == 0) return nullptr;
  const auto *start = static_cast<const uint8_t *>(bytes);
  return new cs_buffer{std::vector<uint8_t>(start, start + count)};
}

inline std::string toString(cs_bytes bytes) {
  return bytes.count == 0 ? std::string() : std::string(reinterpret_cast<const char *>(bytes.bytes), bytes.count);
}

}  // namespace cleanplate
