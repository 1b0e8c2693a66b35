// The median of many frames, found bit by bit.
#include "../instructions.hpp"
#include "../vectors.hpp"
#include "include/CShimKernels.h"

#include <algorithm>
#include <cstring>
#include <limits>

using cleanplate::Vector;

namespace {

/// One frame after the other: as many samples as there are lanes.
template <class Sample, int lanes> struct Column {
  using Samples = Vector<Sample, lanes>;
  using Counts = Vector<uint16_t, lanes>;

  const Sample *first;
  ptrdiff_t stride;
  int frames;

  CS_INLINE Samples frame(int k) const {
    Samples samples;
    std::memcpy(&samples, first + k * stride, sizeof samples);
    return samples;
  }

  /// How many frames' samples are `level` or more.
  CS_INLINE Counts reaching(Samples level) const {
    // Counted in samples' own type, which takes no widening, and added up before that overflows.
    constexpr int most = std::numeric_limits<Sample>::max();
    Counts all = 0;
    for (int start = 0; start < frames; start += most) {
      const int end = std::min(start + most, frames);
      Samples some = 0;
      for (int k = start; k < end; ++k) some -= Samples(frame(k) >= level);
      all += __builtin_convertvector(some, Counts);
    }
    return all;
  }

  /// The smallest sample above `level`; the largest number where there is none.
  CS_INLINE Samples next(Samples level) const {
    Samples least = std::numeric_limits<Sample>::max();
    for (int k = 0; k < frames; ++k) {
      const Samples samples = frame(k);
      least = __builtin_elementwise_min(least, samples > level ? samples : Samples(std::numeric_limits<Sample>::max()));
    }
    return least;
  }

  /// `one` where `condition` holds, else `other`.
  CS_INLINE static Samples choose(Vector<int16_t, lanes> condition, Samples one, Samples other) {
    return __builtin_convertvector(condition, Vector<std::make_signed_t<Sample>, lanes>) ? one : other;
  }

  CS_INLINE Samples median() const {
    const auto enough = uint16_t(frames - (frames - 1) / 2);
    // The lower middle sample is the largest value that enough samples reach.
    Samples lower = 0;
    for (int bit = std::numeric_limits<Sample>::digits - 1; bit >= 0; --bit) {
      const Samples trial = lower | Sample(1 << bit);
      lower = choose(reaching(trial) >= enough, trial, lower);
    }
    if (frames % 2 == 1) return lower;
    // The upper one is another where only the upper half exceeds the lower, of which none does that is the largest
    // number.
    const Samples above = lower + (Samples(lower < std::numeric_limits<Sample>::max()) & Sample(1));
    const Samples upper = choose(reaching(above) >= uint16_t(enough - 1), next(lower), lower);
    return (lower | upper) - ((lower ^ upper) >> Sample(1));
  }
};

template <class Sample, int lanes>
CS_INLINE void medians(const Sample *samples, ptrdiff_t stride, int frames, int count, Sample *median) {
  int x = 0;
  for (; x + lanes <= count; x += lanes) {
    const auto middle = Column<Sample, lanes>{samples + x, stride, frames}.median();
    std::memcpy(median + x, &middle, sizeof middle);
  }
  if constexpr (lanes > 1) {
    if (x < count) medians<Sample, lanes / 4>(samples + x, stride, frames, count - x, median + x);
  }
}

/// Lanes that fill a register with bytes.
template <class Instructions> constexpr int lanes = 16;
template <> [[maybe_unused]] constexpr int lanes<cleanplate::V4> = 64;

template <class Sample> void onBest(const Sample *samples, ptrdiff_t stride, int frames, int count, Sample *median) {
  cleanplate::onThisProcessor([=](auto instructions) CS_INLINED {
    medians<Sample, lanes<decltype(instructions)>>(samples, stride, frames, count, median);
  });
}

}  // namespace

extern "C" void cs_median_bytes(const uint8_t *samples, ptrdiff_t stride, int32_t frames, int32_t count,
                                uint8_t *median) {
  onBest(samples, stride, frames, count, median);
}

extern "C" void cs_median_words(const uint16_t *samples, ptrdiff_t stride, int32_t frames, int32_t count,
                                uint16_t *median) {
  onBest(samples, stride, frames, count, median);
}
