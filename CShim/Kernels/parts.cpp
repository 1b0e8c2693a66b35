// Weighted means of a picture's samples: the picture over other pixels.
#include "../instructions.hpp"
#include "../vectors.hpp"
#include "include/CShimKernels.h"

#include <algorithm>
#include <cstring>

// A fused multiply-add rounds differently from a multiplication and an addition, and not every processor has one.
#pragma STDC FP_CONTRACT OFF

using cleanplate::Vector;

namespace {

/// Rows whose sum is formed in one go.
constexpr int most = 3;

/// Sums `count` rows of bytes, each by its weight, on top of what `line` holds unless `isFirst`.
template <int count>
CS_INLINE void addRows(const uint8_t *const *rows, const float *weights, bool isFirst, int width, float *line) {
  for (int x = 0; x < width; ++x) {
    float sum = isFirst ? 0 : line[x];
    for (int tap = 0; tap < count; ++tap) sum += weights[tap] * float(rows[tap][x]);
    line[x] = sum;
  }
}

/// One row of averages at the picture's width.
CS_INLINE void averageDown(const cs_plane &picture, const cs_parts &rows, int y, float *line) {
  const auto *first = static_cast<const uint8_t *>(picture.samples) + rows.first[y] * picture.stride;
  bool isFirst = true;
  for (int tap = 0; tap < rows.taps;) {
    const uint8_t *sources[most];
    float weights[most];
    int count = 0;
    for (; tap < rows.taps && count < most; ++tap) {
      const float weight = rows.weights[(tap / 4 * rows.count + y) * 4 + tap % 4];
      if (weight != 0) sources[count] = first + tap * picture.stride, weights[count++] = weight;
    }
    if (count == 1) addRows<1>(sources, weights, isFirst, picture.width, line);
    if (count == 2) addRows<2>(sources, weights, isFirst, picture.width, line);
    if (count == 3) addRows<3>(sources, weights, isFirst, picture.width, line);
    isFirst = isFirst && count == 0;
  }
}

using Four = Vector<float, 4>;
using Words = Vector<int32_t, 4>;
using Bytes = Vector<uint8_t, 4>;

CS_INLINE Four load(const float *from) {
  Four result;
  std::memcpy(&result, from, sizeof result);
  return result;
}

/// The averages of four parts of a line, out of the products of four of its samples at a time, which are then turned
/// into a sample of each part: the samples of a part do not lie as far apart as the parts do.
CS_INLINE Four averageAcross(const float *line, const cs_parts &parts, int part) {
  Four sum = 0;
  for (int tap = 0; tap < parts.taps; tap += 4) {
    const float *weights = parts.weights + ptrdiff_t(tap / 4 * parts.count + part) * 4;
    const float *from = line + tap;
    const int32_t *first = parts.first + part;
    const Four a = load(from + first[0]) * load(weights), b = load(from + first[1]) * load(weights + 4);
    const Four c = load(from + first[2]) * load(weights + 8), d = load(from + first[3]) * load(weights + 12);
    const Four abLow = __builtin_shufflevector(a, b, 0, 4, 1, 5), cdLow = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Four abHigh = __builtin_shufflevector(a, b, 2, 6, 3, 7), cdHigh = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    sum += __builtin_shufflevector(abLow, cdLow, 0, 1, 4, 5);
    sum += __builtin_shufflevector(abLow, cdLow, 2, 3, 6, 7);
    sum += __builtin_shufflevector(abHigh, cdHigh, 0, 1, 4, 5);
    if (tap + 3 < parts.taps) sum += __builtin_shufflevector(abHigh, cdHigh, 2, 3, 6, 7);
  }
  return sum;
}

}  // namespace

extern "C" void cs_average_row(const cs_plane *picture, const cs_parts *columns, const cs_parts *rows, int32_t y,
                               float *line, uint8_t *averages) {
  cleanplate::onThisProcessor<cleanplate::V3>([=](auto) CS_INLINED {
    averageDown(*picture, *rows, y, line);
    for (int part = 0; part < columns->count; part += 4) {
      const Four level = averageAcross(line, *columns, part) + 0.5f;
      const Four rounded = __builtin_elementwise_max(__builtin_elementwise_min(level, Four(255)), Four(0));
      const Bytes bytes = __builtin_convertvector(__builtin_convertvector(rounded, Words), Bytes);
      std::memcpy(averages + part, &bytes, sizeof bytes);
    }
  });
}
