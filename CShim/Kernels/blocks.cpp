// Sums and means of squares and rectangles of bytes.
#include "../instructions.hpp"
#include "include/CShimKernels.h"

#include <algorithm>
#include <cstring>

namespace {

/// The sum of two neighbours, which are read as one number: a loop over bytes by themselves takes thrice as long.
CS_INLINE uint16_t bothBytes(const uint8_t *pair) {
  uint16_t both;
  std::memcpy(&both, pair, sizeof both);
  return uint16_t((both & 255) + (both >> 8));
}

/// As many rows as their sums fit 16 bits.
constexpr int32_t rowsAtOnce = 257;

/// Adds up columns.
CS_INLINE void sumDown(const uint8_t *samples, ptrdiff_t stride, int32_t rows, int32_t count, uint16_t *line) {
  for (int32_t x = 0; x < count; ++x) line[x] = samples[x];
  for (int32_t y = 1; y < rows; ++y) {
    const uint8_t *row = samples + y * stride;
    for (int32_t x = 0; x < count; ++x) line[x] = uint16_t(line[x] + row[x]);
  }
}

/// Adds runs of a line to sums. `fixed` is how long they are where that is known beforehand, or 0.
template <int32_t fixed> CS_INLINE void sumAcross(const uint16_t *line, int32_t across, int32_t count, uint32_t *sums) {
  const int32_t length = fixed > 0 ? fixed : across;
  for (int32_t block = 0; block < count; ++block) {
    uint32_t sum = 0;
    for (int32_t x = 0; x < length; ++x) sum += line[block * length + x];
    sums[block] += sum;
  }
}

}  // namespace

extern "C" {

void cs_halve_row(const uint8_t *above, const uint8_t *below, int32_t count, uint8_t *means) {
  cleanplate::onThisProcessor([=](auto) CS_INLINED {
    for (int32_t x = 0; x < count; ++x)
      means[x] = uint8_t((bothBytes(above + 2 * x) + bothBytes(below + 2 * x) + 2) >> 2);
  });
}

void cs_sum_blocks(const uint8_t *samples, ptrdiff_t stride, int32_t across, int32_t down, int32_t count,
                   uint16_t *line, uint32_t *sums) {
  cleanplate::onThisProcessor([=](auto) CS_INLINED {
    std::fill_n(sums, count, 0u);
    for (int32_t y = 0; y < down; y += rowsAtOnce) {
      sumDown(samples + y * stride, stride, std::min(down - y, rowsAtOnce), across * count, line);
      switch (across) {
      case 2: sumAcross<2>(line, across, count, sums); break;
      case 3: sumAcross<3>(line, across, count, sums); break;
      case 4: sumAcross<4>(line, across, count, sums); break;
      case 5: sumAcross<5>(line, across, count, sums); break;
      case 6: sumAcross<6>(line, across, count, sums); break;
      default: sumAcross<0>(line, across, count, sums);
      }
    }
  });
}

}  // extern "C"
