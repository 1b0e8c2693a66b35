// Where small squares of one picture are found in another one that shows them displaced.
#include "../instructions.hpp"
#include "../vectors.hpp"
#include "include/CShimKernels.h"

#include <cstring>

namespace {

constexpr int side = CS_PATCH_BLOCK, width = CS_PATCH_SIDE, patches = CS_PATCHES;
static_assert(side == 16 && patches == side - width + 1, "a row of a block is a vector");

using Bytes = cleanplate::Vector<uint8_t, side>;
using Words = cleanplate::Vector<uint16_t, side>;

/// By how much the samples of a row differ.
CS_INLINE Words apart(const uint8_t *one, const uint8_t *other) {
  Bytes a, b;
  std::memcpy(&a, one, side);
  std::memcpy(&b, other, side);
  return __builtin_convertvector(__builtin_elementwise_max(a, b) - __builtin_elementwise_min(a, b), Words);
}

/// The sums of five neighbours, by the first of them.
CS_INLINE Words sumAcross(Words words) {
  static_assert(width == 5);
  const Words none = 0;
  const Words two = words + __builtin_shufflevector(words, none, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
  const Words four = two + __builtin_shufflevector(two, none, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17);
  return four + __builtin_shufflevector(words, none, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19);
}

/// What the samples of all patches differ by.
struct Differences {
  Words rows[side];

  CS_INLINE void add(const cs_patch_plane &plane, ptrdiff_t offset) {
    for (int y = 0; y < side; ++y)
      rows[y] += apart(plane.one + y * plane.stride, plane.other + offset + y * plane.stride);
  }

  /// Clears the lanes of `alike` of patches that differ by more than `most`; tells whether any is left.
  CS_INLINE bool limit(Words (&alike)[patches], uint16_t most) const {
    Words down = 0, any = 0;
    for (int y = 0; y < width - 1; ++y) down += rows[y];
    for (int y = 0; y < patches; ++y) {
      down += rows[y + width - 1];
      alike[y] &= Words(sumAcross(down) <= most);
      any |= alike[y];
      down -= rows[y];
    }
    return __builtin_reduce_or(any) != 0;
  }
};

CS_INLINE void find(const cs_patch_plane *planes, int32_t count, uint16_t brightness, uint16_t others,
                    const cs_place *shifts, int32_t shiftCount, uint16_t *found) {
  const Words bits = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048};
  for (int32_t shift = 0; shift < shiftCount; ++shift) {
    Words alike[patches];
    for (Words &row : alike) row = uint16_t(0xffff);
    for (int32_t first = 0; first < 2 && first < count; ++first) {
      Differences differences = {};
      for (int32_t k = first; k < (first == 0 ? 1 : count); ++k)
        differences.add(planes[k], shifts[shift].y * planes[k].stride + shifts[shift].x);
      if (!differences.limit(alike, first == 0 ? brightness : others)) break;
    }
    for (int y = 0; y < patches; ++y) found[shift * side + y] = __builtin_reduce_or(alike[y] & bits);
  }
}

}  // namespace

extern "C" void cs_find_patches(const cs_patch_plane *planes, int32_t count, uint16_t brightness, uint16_t others,
                                const cs_place *shifts, int32_t shift_count, uint16_t *found) {
  cleanplate::onThisProcessor<cleanplate::V3>(
      [=](auto) CS_INLINED { find(planes, count, brightness, others, shifts, shift_count, found); });
}
