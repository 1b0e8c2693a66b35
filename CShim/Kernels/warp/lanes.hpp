// The arithmetic of the warp: cubic weights, taps and photometry for a run of destination samples, lane by lane.
//
// Vector types of a fixed number of lanes keep one source for every instruction set. All of it is exact integer
// arithmetic or single IEEE operations, so every processor computes the same bytes.
#pragma once

#include "../../instructions.hpp"
#include "../../vectors.hpp"
#include "../include/CShimKernels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

// A fused multiply-add rounds differently from a multiplication and an addition, and not every processor has one.
#pragma STDC FP_CONTRACT OFF

namespace cleanplate::warp {

/// The destination samples of one lattice cell's row, whose sources lie on a line.
constexpr int runLength = 16;

/// The free parameter of Keys' family of cubics: the slope of the kernel at distance 1.
constexpr double slope(cs_warp_kernel kernel) { return kernel == CS_WARP_SHARP ? -0.75 : -0.5; }

/// Source positions of a run along one axis, in units of 2^-fractionBits samples.
///
/// The drift of a position is what it gains on the lane: position - lane along x, the position itself along y.
/// Where the drift of a run crosses whole numbers, lanes past a crossing use later taps.
struct AxisRun {
  /// Position of lane 8, and from lane to lane.
  int32_t center, step;
  /// The fraction at the end with the least drift: lanes with less have crossed, if the run crosses at most once.
  int32_t leastFraction;
  /// The same for the run's halves, and how often a half's end with the least drift has crossed already.
  int32_t halfLeastFraction[2], halfShift[2];
};

/// What fields of gains and offsets say of a run: at lane 8, and how much it gains from lane to lane, or from lane 0 to
/// lane 16. In the units of the lanes' `Tone`.
struct LevelRun {
  int32_t gain, gainStep;
  int32_t offset, offsetChange;
};

template <class V> CS_INLINE V loadUnaligned(const void *from) {
  V value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// 0, 1, ... for the lanes of a vector.
template <class V, int lanes> CS_INLINE V countUp() {
  V value;
  for (int i = 0; i < lanes; ++i) value[i] = i;
  return value;
}

/// Keys' four weights for the lanes of a vector, and the fractions from which they follow.
template <class Lanes> struct Cubic {
  typename Lanes::Lane four[4];
  typename Lanes::Fraction fraction;
};

/// The weights as `taps` of them: those of lanes that have crossed start as many taps later.
template <class Lanes, int taps>
CS_INLINE void spread(typename Lanes::Lane (&weights)[taps], const Cubic<Lanes> &cubic, const AxisRun &run,
                      int firstLane) {
  using Lane = typename Lanes::Lane;
  using Fraction = typename Lanes::Fraction;
  const Lane none = 0;
  const Lane(&four)[4] = cubic.four;
  if constexpr (taps == 4) {
    for (int i = 0; i < 4; ++i) weights[i] = four[i];
  } else if constexpr (taps == 5) {
    const auto crossed = cubic.fraction < Lanes::fraction(run.leastFraction);
    weights[0] = crossed ? none : four[0];
    for (int i = 1; i < 4; ++i) weights[i] = crossed ? four[i - 1] : four[i];
    weights[4] = crossed ? four[3] : none;
  } else {
    static_assert(taps == 6);
    const auto byHalf = [&](auto left, auto right) __attribute__((always_inline)) {
      if constexpr (Lanes::lanes <= runLength / 2)
        return Fraction(firstLane < runLength / 2 ? left : right);
      else
        return countUp<Fraction, Lanes::lanes>() < runLength / 2 ? Fraction(left) : Fraction(right);
    };
    const Fraction least = byHalf(Lanes::fraction(run.halfLeastFraction[0]), Lanes::fraction(run.halfLeastFraction[1]));
    const Fraction shift = byHalf(run.halfShift[0], run.halfShift[1]) - (cubic.fraction < least);
    for (int i = 0; i < 6; ++i) {
      const Lane here = i < 4 ? four[i] : none, before = i > 0 && i < 5 ? four[i - 1] : none;
      const Lane twoBefore = i > 1 ? four[i - 2] : none;
      weights[i] = shift == Fraction(0) ? here : shift == Fraction(1) ? before : twoBefore;
    }
  }
}

/// The weights of a run's lanes from `firstLane` on, along both axes.
template <class Lanes, int tapsX, int tapsY> struct Weights {
  using Lane = typename Lanes::Lane;
  Lane across[tapsX], down[tapsY];

  CS_INLINE void set(const AxisRun &x, const AxisRun &y, int firstLane) {
    spread<Lanes, tapsX>(across, Lanes::cubic(x, firstLane), x, firstLane);
    spread<Lanes, tapsY>(down, Lanes::cubic(y, firstLane), y, firstLane);
  }

  /// The weighted sum of the taps around each lane's position; `taps` is the first of the first one.
  CS_INLINE Lane sum(const typename Lanes::Tap *taps, ptrdiff_t stride) const {
    Lane sum = 0;
#pragma clang loop unroll(full)
    for (int j = 0; j < tapsY; ++j) {
      const auto *row = taps + j * stride;
      Lane rowSum = Lanes::multiply(loadUnaligned<Lane>(row), across[0]);
      for (int i = 1; i < tapsX; ++i) rowSum += Lanes::multiply(loadUnaligned<Lane>(row + i), across[i]);
      sum += Lanes::multiply(rowSum, down[j]);
    }
    return sum;
  }
};

// With f the fraction of a position, t = f - 1/2, q = f (1 - f) = 1/4 - t^2 and e = q t, Keys' weights are
//   a q / 2 - a e,   (1 - a q) / 2 - t - (a + 2) e,   and the same with the signs of t and e changed.

/// 8-bit samples, in 16-bit fixed point.
template <int laneCount, cs_warp_kernel kernel> struct ByteLanes {
  static constexpr int lanes = laneCount;
  static constexpr int fractionBits = 16;
  using Sample = uint8_t;
  /// A sample less 128, with 8 fractional bits.
  using Tap = int16_t;
  using Lane = Vector<int16_t, lanes>;
  /// A fraction less 1/2, so that comparing signed numbers orders them.
  using Fraction = Lane;

  /// What becomes of interpolated values: with g the gain, v * g + rest in 6 - `shift` fractional bits.
  struct Tone {
    Lane before, after, gain;
    int shift = 0;
    /// Whether there is a field of gains, so that `gain` does not count.
    bool gainVaries;
    /// Whether there is a field of offsets, which `after` does not hold.
    bool offsetVaries;

    Tone(const cs_warp &warp, double largestGainChange) : gainVaries(warp.gains), offsetVaries(warp.offsets) {
      while (shift < 6 && largestGainChange > 0.4999 * (1 << shift)) ++shift;
      // Each product of the taps is rounded down: on average half a unit each, 4 of 2^-7 and 4 of 2^-6.
      const int bias = 3;
      before = saturate((128 - warp.pivot) * 64 + bias);
      after = saturate((warp.pivot + warp.offset) * (64 >> shift) + (32 >> shift));
      gain = saturate((warp.gain - 1) * (65536 >> shift));
    }
    static int16_t saturate(double value) { return int16_t(std::lround(std::clamp(value, -32768.0, 32767.0))); }
    /// From 24 fractional bits to those of `gain` in `finish`.
    int32_t gainFraction(int64_t gain) const { return int32_t((gain + (1 << (7 + shift))) >> (8 + shift)); }
    /// From 24 fractional bits to those of `after`.
    int32_t offsetFraction(int64_t offset) const {
      return int32_t(std::clamp((offset + (1 << (17 + shift))) >> (18 + shift), int64_t(-4095), int64_t(4095)));
    }
  };

  CS_INLINE static Tap tap(Sample sample) { return int16_t((sample ^ 0x80) << 8); }

  /// The high half of the product: a b / 2^16, rounded down.
  CS_INLINE static Lane multiply(Lane a, Lane b) {
    using Wide = Vector<int32_t, lanes>;
    return __builtin_convertvector((__builtin_convertvector(a, Wide) * __builtin_convertvector(b, Wide)) >> 16, Lane);
  }

  CS_INLINE static int16_t fraction(int32_t position) { return int16_t(position ^ 0x8000); }

  /// Weights in units of 2^-15; 1 itself saturates to 1 - 2^-15, which rounding makes up for.
  CS_INLINE static Cubic<ByteLanes> cubic(const AxisRun &run, int firstLane) {
    const Lane index = countUp<Lane, lanes>() + int16_t(firstLane - runLength / 2);
    const Lane t = index * int16_t(run.step) + fraction(run.center);
    const Lane q = 16384 - multiply(t, t), e = multiply(q, t);
    const Lane s = multiply(q, int16_t(slope(kernel) * 16384)), ae = multiply(e, int16_t(slope(kernel) * 32768));
    const Lane even = 16384 - s, odd = (t >> 1) + e + ae;
    const Lane second = __builtin_elementwise_sub_sat(even, odd), third = __builtin_elementwise_add_sat(even, odd);
    return {{s - ae, second, third, s + ae}, t};
  }

  /// Applies gain and offset, rounds, clamps and stores.
  CS_INLINE static void finish(Sample *to, Lane sum, const Tone &tone, const LevelRun &run, int firstLane) {
    const Lane index = countUp<Lane, lanes>() + int16_t(firstLane - runLength / 2);
    Lane gain = tone.gain, after = tone.after;
    if (tone.gainVaries) gain = index * int16_t(run.gainStep) + int16_t(run.gain);
    // From lane to lane an offset changes by less than its unit.
    if (tone.offsetVaries)
      after = __builtin_elementwise_add_sat(after, ((index * int16_t(run.offsetChange) + int16_t(8)) >> int16_t(4)) +
                                                       int16_t(run.offset));
    const Lane value = sum + tone.before;
    Lane level = __builtin_elementwise_add_sat(value >> int16_t(tone.shift), multiply(value, gain));
    level = __builtin_elementwise_add_sat(level, after) >> int16_t(6 - tone.shift);
    level = __builtin_elementwise_min(__builtin_elementwise_max(level, Lane(0)), Lane(255));
    const auto samples = __builtin_convertvector(level, Vector<uint8_t, lanes>);
    std::memcpy(to + firstLane, &samples, lanes);
  }
};

/// 16-bit samples, in single precision: 16-bit fixed point is too coarse, and multiplying 32-bit integers slower.
template <int laneCount, cs_warp_kernel kernel> struct WordLanes {
  static constexpr int lanes = laneCount;
  static constexpr int fractionBits = 22;
  using Sample = uint16_t;
  using Tap = float;
  using Lane = Vector<float, lanes>;
  using Fraction = Vector<int32_t, lanes>;

  struct Tone {
    float pivot, after, gain, largest;
    bool gainVaries, offsetVaries;

    Tone(const cs_warp &warp, double)
        : pivot(float(warp.pivot)),
          after(float(warp.pivot + warp.offset)),
          gain(float(warp.gain)),
          largest(float((1 << warp.source.bits) - 1)),
          gainVaries(warp.gains),
          offsetVaries(warp.offsets) {}
    int32_t gainFraction(int64_t gain) const { return int32_t(gain); }
    /// To 12 fractional bits, with which 16-bit levels fit.
    int32_t offsetFraction(int64_t offset) const { return int32_t(offset >> 12); }
  };

  CS_INLINE static Tap tap(Sample sample) { return sample; }

  CS_INLINE static Lane multiply(Lane a, Lane b) { return a * b; }
  CS_INLINE static int32_t fraction(int32_t position) { return position & ((1 << fractionBits) - 1); }

  CS_INLINE static Cubic<WordLanes> cubic(const AxisRun &run, int firstLane) {
    const Fraction index = countUp<Fraction, lanes>() + (firstLane - runLength / 2);
    const Fraction fraction = (index * run.step + run.center) & ((1 << fractionBits) - 1);
    const float a = float(slope(kernel));
    const Lane t = __builtin_convertvector(fraction, Lane) * (1.0f / (1 << fractionBits)) - 0.5f;
    const Lane q = 0.25f - t * t, e = q * t, s = q * (a / 2), ae = e * a;
    const Lane even = 0.5f - s, odd = t + ae + (e + e);
    return {{s - ae, even - odd, even + odd, s + ae}, fraction};
  }

  CS_INLINE static void finish(Sample *to, Lane sum, const Tone &tone, const LevelRun &run, int firstLane) {
    const Fraction index = countUp<Fraction, lanes>() + (firstLane - runLength / 2);
    Lane gain = tone.gain, after = tone.after;
    if (tone.gainVaries) gain = __builtin_convertvector(index * run.gainStep + run.gain, Lane) * 0x1p-24f + 1.0f;
    if (tone.offsetVaries)
      after += __builtin_convertvector(index * run.offsetChange, Lane) * 0x1p-16f + float(run.offset) * 0x1p-12f;
    Lane level = (sum - tone.pivot) * gain + after;
    level = __builtin_elementwise_min(__builtin_elementwise_max(level, Lane(0)), Lane(tone.largest));
    const auto samples =
        __builtin_convertvector(__builtin_convertvector(level + 0.5f, Fraction), Vector<uint16_t, lanes>);
    std::memcpy(to + firstLane, &samples, sizeof samples);
  }
};

}  // namespace cleanplate::warp
