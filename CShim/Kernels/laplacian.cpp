// The Laplacian of a picture: what tells how sharp it is.
#include "../instructions.hpp"
#include "include/CShimKernels.h"

#include <algorithm>

namespace {

using cleanplate::onThisProcessor;
using cleanplate::V3;

/// The 3x3 kernel with 8 in the middle and -1 around it.
CS_INLINE void respond(const uint8_t *here, ptrdiff_t stride, int width, int16_t *responses) {
  const uint8_t *above = here - stride, *below = here + stride;
  for (int x = 0; x < width; ++x) {
    const auto column = [=](int x) CS_INLINED { return int16_t(above[x] + here[x] + below[x]); };
    responses[x] = int16_t(9 * here[x] - (column(x - 1) + column(x) + column(x + 1)));
  }
}

/// Columns of a block, and of the blocks that are worked on at once.
constexpr int side = 8, chunk = 8 * side;

/// What adds up in columns, two of them at a time for the squares.
struct ColumnSums {
  int16_t sum[chunk] = {};
  int32_t squares[chunk / 2] = {};

  CS_INLINE void add(const int16_t *responses) {
    for (int x = 0; x < chunk; ++x) sum[x] = int16_t(sum[x] + responses[x]);
    for (int x = 0; x < chunk / 2; ++x) {
      const int32_t left = responses[2 * x], right = responses[2 * x + 1];
      squares[x] += left * left + right * right;
    }
  }

  CS_INLINE cs_response_sums block(int first) const {
    cs_response_sums result{};
    for (int x = 0; x < side; ++x) result.sum += sum[first + x];
    for (int x = 0; x < side / 2; ++x) result.squares += uint32_t(squares[first / 2 + x]);
    return result;
  }
};

}  // namespace

extern "C" {

void cs_laplacian_row(const uint8_t *samples, ptrdiff_t stride, int32_t width, int16_t *responses) {
  onThisProcessor<V3>([=](auto) CS_INLINED { respond(samples, stride, width, responses); });
}

void cs_laplacian_blocks(const uint8_t *samples, ptrdiff_t stride, int32_t width, int32_t rows,
                         cs_response_sums *blocks) {
  onThisProcessor<V3>([=](auto) CS_INLINED {
    for (int left = 0; left < width; left += chunk) {
      ColumnSums sums;
      // What is not written stays 0.
      int16_t responses[chunk] = {};
      for (int y = 0; y < rows; ++y) {
        const uint8_t *here = samples + y * stride + left;
        if (left + chunk <= width)
          respond(here, stride, chunk, responses);
        else
          respond(here, stride, width - left, responses);
        sums.add(responses);
      }
      for (int x = left; x < std::min(left + chunk, width); x += side) blocks[x / side] = sums.block(x - left);
    }
  });
}

}  // extern "C"
