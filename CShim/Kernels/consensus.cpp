// The weighted mean of the samples that lie near one that leads.
#include "../instructions.hpp"
#include "include/CShimKernels.h"

#include <algorithm>
#include <cstdint>

namespace {

/// Samples that are worked on at once, so that sums stay in the first cache.
constexpr int blockCount = 256;

/// A `Share` holds a sample, and how far it agrees times its frame's weight; `Shares` the sum of the latter, and `Sums`
/// that of their products.
template <class Sample, class Share, class Shares, class Sums>
[[gnu::always_inline]] inline void consensus(const Sample *samples, ptrdiff_t stride, int frames,
                                             const uint8_t *weights, int count, int shift,
                                             const cs_tolerance *tolerance, Sample *leading) {
  Sums sums[blockCount];
  Shares near[blockCount];
  Sample whole[blockCount], most[blockCount];
  for (int start = 0; start < count; start += blockCount) {
    const int size = std::min(blockCount, count - start);
    Sample *centre = leading + start;
    for (int x = 0; x < size; x++) {
      // Samples that exceed their depth, which callers promise not to have, must not lead past the table.
      const int level = std::min(centre[x] >> shift, 255);
      whole[x] = Sample(tolerance[level].whole);
      most[x] = Sample(tolerance[level].fade + 1);
      sums[x] = 0;
      near[x] = 0;
    }
    for (int k = 0; k < frames; k++) {
      const Sample *row = samples + k * stride + start;
      const Share weight = weights[k];
      for (int x = 0; x < size; x++) {
        const Sample distance = Sample(std::max(row[x], centre[x]) - std::min(row[x], centre[x]));
        const Sample excess = Sample(std::max(distance, whole[x]) - whole[x]);
        const Sample agrees = Sample(std::max(most[x], excess) - excess);
        const Share share = Share(Share(agrees) * weight);
        sums[x] += Sums(Share(row[x])) * Sums(share);
        near[x] = Shares(near[x] + Shares(share));
      }
    }
    // The median of an even number may lie between samples that are all farther than the tolerance.
    for (int x = 0; x < size; x++) {
      const float mean = float(sums[x]) / float(std::max<Shares>(near[x], 1)) + 0.5f;
      centre[x] = near[x] == 0 ? centre[x] : Sample(mean);
    }
  }
}

void consensusBytes(const uint8_t *samples, ptrdiff_t stride, int frames, const uint8_t *weights, int count, int shift,
                    const cs_tolerance *tolerance, uint8_t *leading) {
  cleanplate::onThisProcessor([=](auto) CS_INLINED {
    consensus<uint8_t, int16_t, uint16_t, int32_t>(samples, stride, frames, weights, count, shift, tolerance, leading);
  });
}

void consensusManyBytes(const uint8_t *samples, ptrdiff_t stride, int frames, const uint8_t *weights, int count,
                        int shift, const cs_tolerance *tolerance, uint8_t *leading) {
  cleanplate::onThisProcessor([=](auto) CS_INLINED {
    consensus<uint8_t, uint32_t, uint32_t, uint64_t>(samples, stride, frames, weights, count, shift, tolerance,
                                                     leading);
  });
}

void consensusWords(const uint16_t *samples, ptrdiff_t stride, int frames, const uint8_t *weights, int count, int shift,
                    const cs_tolerance *tolerance, uint16_t *leading) {
  cleanplate::onThisProcessor([=](auto) CS_INLINED {
    consensus<uint16_t, uint32_t, uint32_t, uint64_t>(samples, stride, frames, weights, count, shift, tolerance,
                                                      leading);
  });
}

}  // namespace

extern "C" void cs_consensus_bytes(const uint8_t *samples, ptrdiff_t stride, int32_t frames, const uint8_t *weights,
                                   int32_t count, const cs_tolerance *tolerance, uint8_t *leading) {
  int sum = 0;
  for (int k = 0; k < frames; ++k) sum += weights[k];
  if (sum <= 257) {
    consensusBytes(samples, stride, frames, weights, count, 0, tolerance, leading);
  } else {
    consensusManyBytes(samples, stride, frames, weights, count, 0, tolerance, leading);
  }
}

extern "C" void cs_consensus_words(const uint16_t *samples, ptrdiff_t stride, int32_t frames, const uint8_t *weights,
                                   int32_t count, int32_t bits, const cs_tolerance *tolerance, uint16_t *leading) {
  consensusWords(samples, stride, frames, weights, count, bits - 8, tolerance, leading);
}
