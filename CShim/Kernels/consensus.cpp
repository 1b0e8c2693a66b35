// The weighted mean of the samples that lie near their median.
#include "../instructions.hpp"
#include "include/CShimKernels.h"

#include <algorithm>
#include <cstdint>

namespace {

/// Samples that are worked on at once, so that sums stay in the first cache.
constexpr int blockCount = 256;

template <class Sample, class Sum>
[[gnu::always_inline]] inline void consensus(const Sample *samples, ptrdiff_t stride, int frames,
                                             const uint8_t *weights, int count, int shift, const uint16_t *tolerance,
                                             Sample *median) {
  Sum sums[blockCount], near[blockCount];
  Sample reach[blockCount];
  for (int start = 0; start < count; start += blockCount) {
    const int size = std::min(blockCount, count - start);
    Sample *centre = median + start;
    for (int x = 0; x < size; x++) {
      // Samples that exceed their depth, which callers promise not to have, must not lead past the table.
      reach[x] = Sample(tolerance[std::min(centre[x] >> shift, 255)]);
      sums[x] = 0;
      near[x] = 0;
    }
    for (int k = 0; k < frames; k++) {
      const Sample *row = samples + k * stride + start;
      const Sum weight = weights[k];
      for (int x = 0; x < size; x++) {
        const Sample distance = Sample(std::max(row[x], centre[x]) - std::min(row[x], centre[x]));
        const bool agrees = distance <= reach[x];
        sums[x] = Sum(sums[x] + (agrees ? Sum(row[x] * weight) : Sum(0)));
        near[x] = Sum(near[x] + (agrees ? weight : Sum(0)));
      }
    }
    // The median of an even number may lie between samples that are all farther than the tolerance.
    for (int x = 0; x < size; x++) {
      const float mean = float(sums[x]) / float(std::max<Sum>(near[x], 1)) + 0.5f;
      centre[x] = near[x] == 0 ? centre[x] : Sample(mean);
    }
  }
}

void consensusBytes(const uint8_t *samples, ptrdiff_t stride, int frames, const uint8_t *weights, int count, int shift,
                    const uint16_t *tolerance, uint8_t *median) {
  cleanplate::onThisProcessor([=](auto) CS_INLINED {
    consensus<uint8_t, uint16_t>(samples, stride, frames, weights, count, shift, tolerance, median);
  });
}

void consensusManyBytes(const uint8_t *samples, ptrdiff_t stride, int frames, const uint8_t *weights, int count,
                        int shift, const uint16_t *tolerance, uint8_t *median) {
  cleanplate::onThisProcessor([=](auto) CS_INLINED {
    consensus<uint8_t, uint32_t>(samples, stride, frames, weights, count, shift, tolerance, median);
  });
}

void consensusWords(const uint16_t *samples, ptrdiff_t stride, int frames, const uint8_t *weights, int count, int shift,
                    const uint16_t *tolerance, uint16_t *median) {
  cleanplate::onThisProcessor([=](auto) CS_INLINED {
    consensus<uint16_t, uint32_t>(samples, stride, frames, weights, count, shift, tolerance, median);
  });
}

}  // namespace

extern "C" void cs_consensus_bytes(const uint8_t *samples, ptrdiff_t stride, int32_t frames, const uint8_t *weights,
                                   int32_t count, const uint16_t *tolerance, uint8_t *median) {
  int sum = 0;
  for (int k = 0; k < frames; ++k) sum += weights[k];
  if (sum <= 257) {
    consensusBytes(samples, stride, frames, weights, count, 0, tolerance, median);
  } else {
    consensusManyBytes(samples, stride, frames, weights, count, 0, tolerance, median);
  }
}

extern "C" void cs_consensus_words(const uint16_t *samples, ptrdiff_t stride, int32_t frames, const uint8_t *weights,
                                   int32_t count, int32_t bits, const uint16_t *tolerance, uint16_t *median) {
  consensusWords(samples, stride, frames, weights, count, bits - 8, tolerance, median);
}
