// Memory for samples.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace cleanplate::onednn {

/// Lines of caches and the widest registers have as many bytes.
constexpr size_t line = 64;

struct Free {
  void operator()(void *memory) const { std::free(memory); }
};
using Room = std::unique_ptr<void, Free>;

inline size_t roundedUp(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// Fresh memory. A large piece comes in huge pages where the system has them: to get one by one the small pages that
/// kernels fill once takes longer than to fill them.
inline Room room(size_t bytes) {
  constexpr size_t huge = size_t(2) << 20;
  const bool isLarge = bytes >= huge;
  const size_t unit = isLarge ? huge : line;
  const size_t rounded = roundedUp(bytes, unit);
  Room made(std::aligned_alloc(unit, rounded));
  if (!made) throw std::bad_alloc();
  if (isLarge) madvise(made.get(), rounded, MADV_HUGEPAGE);
  return made;
}

}  // namespace cleanplate::onednn
