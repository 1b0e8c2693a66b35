// The arithmetic of the warp: cubic weights, taps and photometry for a run of destination samples, lane by lane.
//
// Vector types of a fixed number of lanes keep one source for every instruction set. All of it is exact integer
// arithmetic or single IEEE operations, so every processor computes the same bytes.
#pragma once

#include "../include/CShim.h"

#include <cmath>
#include <cstdint>
#include <cstring>

// Kernels are compiled once per instruction set, within the functions that carry its name; everything that they
// call must be inlined there to be compiled for it.
#define CS_INLINE [[gnu::always_inline]] static inline

// A fused multiply-add rounds differently from a multiplication and an addition, and not every processor has one.
#pragma STDC FP_CONTRACT OFF
// Vectors wider than the baseline's registers are only passed to functions that are inlined.
#pragma clang diagnostic ignored "-Wpsabi"

namespace cleanplate::warp {

template <class T, int lanes> using Vector = T __attribute__((ext_vector_type(lanes)));

/// The destination samples of one lattice cell's row, whose sources lie on a line.
constexpr int runLength = 16;

/// The free parameter of Keys' family of cubics: the slope of the kernel at distance 1. -1/2 is exact for
/// parabolas, but a median or mean over frames softens what it interpolates; -3/4 keeps more of the detail.
constexpr double sharpness = -0.75;

/// Source positions of a run along one axis, in units of 2^-fractionBits samples.
struct AxisRun {
  /// For lane 8, and from lane to lane.
  int32_t center, step;
  /// The fraction at the end of the run from which positions drift up: lanes with less have crossed into the next
  /// source sample.
  int32_t leastFraction;
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

/// Spreads the four weights of each lane over `taps`: lanes marked `shifted` start one tap later.
template <int taps, class V, class Mask> CS_INLINE void spread(V (&weights)[taps], const V (&four)[4], Mask shifted) {
  if constexpr (taps == 4) {
    for (int i = 0; i < 4; ++i) weights[i] = four[i];
  } else {
    const V none = 0;
    weights[0] = shifted ? none : four[0];
    for (int i = 1; i < 4; ++i) weights[i] = shifted ? four[i - 1] : four[i];
    weights[4] = shifted ? four[3] : none;
  }
}

// With f the fraction of a position, t = f - 1/2, q = f (1 - f) = 1/4 - t^2 and e = q t, Keys' weights are
//   a q / 2 - a e,   (1 - a q) / 2 - t - (a + 2) e,   and the same with the signs of t and e changed.

/// 8-bit samples, in 16-bit fixed point.
template <int laneCount> struct ByteLanes {
  static constexpr int lanes = laneCount;
  static constexpr int fractionBits = 16;
  using Sample = uint8_t;
  /// A sample less 128, with 8 fractional bits.
  using Tap = int16_t;
  using Lane = Vector<int16_t, lanes>;

  /// What becomes of interpolated values: with g the gain, v * g + rest in 6 - `shift` fractional bits.
  struct Tone {
    int16_t before, after;
    int shift;

    Tone(const cs_warp &warp, double largestGainChange) {
      shift = 0;
      while (shift < 4 && largestGainChange > 0.4999 * (1 << shift)) ++shift;
      // Each product of the taps is rounded down: on average half a unit each, 4 of 2^-7 and 4 of 2^-6.
      const int bias = 3;
      before = int16_t(std::lround((128 - warp.pivot) * 64) + bias);
      after = int16_t(std::lround((warp.pivot + warp.offset) * (64 >> shift)) + (32 >> shift));
    }
    /// From 24 fractional bits to those of `gain` in `finish`.
    int32_t gainFraction(int64_t gain) const { return int32_t((gain + (1 << (7 + shift))) >> (8 + shift)); }
  };

  CS_INLINE Tap tap(Sample sample) { return int16_t((sample ^ 0x80) << 8); }

  /// The high half of the product: a b / 2^16, rounded down.
  CS_INLINE Lane multiplyHigh(Lane a, Lane b) {
    using Wide = Vector<int32_t, lanes>;
    return __builtin_convertvector((__builtin_convertvector(a, Wide) * __builtin_convertvector(b, Wide)) >> 16, Lane);
  }

  /// Weights in units of 2^-15; 1 itself saturates to 1 - 2^-15, which rounding makes up for.
  template <int taps> CS_INLINE void weights(Lane (&weights)[taps], AxisRun run, int firstLane) {
    const Lane index = countUp<Lane, lanes>() + int16_t(firstLane - runLength / 2);
    const Lane t = index * int16_t(run.step) + int16_t(run.center ^ 0x8000);
    const Lane q = 16384 - multiplyHigh(t, t), e = multiplyHigh(q, t);
    const Lane s = multiplyHigh(q, int16_t(sharpness * 16384)), ae = multiplyHigh(e, int16_t(sharpness * 32768));
    const Lane even = 16384 - s, odd = (t >> 1) + e + ae;
    const Lane four[4] = {s - ae, __builtin_elementwise_sub_sat(even, odd), __builtin_elementwise_add_sat(even, odd),
                          s + ae};
    const Lane least = int16_t(run.leastFraction ^ 0x8000);
    spread<taps>(weights, four, t < least);
  }

  template <int tapsX, int tapsY>
  CS_INLINE Lane interpolate(const Tap *taps, ptrdiff_t stride, AxisRun x, AxisRun y, int firstLane) {
    Lane across[tapsX], down[tapsY];
    weights<tapsX>(across, x, firstLane);
    weights<tapsY>(down, y, firstLane);
    Lane sum = 0;
#pragma clang loop unroll(full)
    for (int j = 0; j < tapsY; ++j) {
      const Tap *row = taps + j * stride + firstLane;
      Lane rowSum = multiplyHigh(loadUnaligned<Lane>(row), across[0]);
      for (int i = 1; i < tapsX; ++i) rowSum += multiplyHigh(loadUnaligned<Lane>(row + i), across[i]);
      sum += multiplyHigh(rowSum, down[j]);
    }
    return sum;
  }

  /// Applies gain and offset, rounds, clamps and stores.
  CS_INLINE void finish(Sample *to, Lane sum, const Tone &tone, int32_t gainCenter, int32_t gainStep, int firstLane) {
    const Lane index = countUp<Lane, lanes>() + int16_t(firstLane - runLength / 2);
    const Lane gain = index * int16_t(gainStep) + int16_t(gainCenter);
    const Lane value = sum + tone.before;
    Lane level = __builtin_elementwise_add_sat(value >> int16_t(tone.shift), multiplyHigh(value, gain));
    level = __builtin_elementwise_add_sat(level, Lane(tone.after)) >> int16_t(6 - tone.shift);
    level = __builtin_elementwise_min(__builtin_elementwise_max(level, Lane(0)), Lane(255));
    const auto samples = __builtin_convertvector(level, Vector<uint8_t, lanes>);
    std::memcpy(to + firstLane, &samples, lanes);
  }
};

/// 16-bit samples, in single precision: 16-bit fixed point is too coarse, and multiplying 32-bit integers slower.
template <int laneCount> struct WordLanes {
  static constexpr int lanes = laneCount;
  static constexpr int fractionBits = 20;
  using Sample = uint16_t;
  using Tap = float;
  using Lane = Vector<float, lanes>;
  using Integers = Vector<int32_t, lanes>;

  struct Tone {
    float pivot, after, largest;

    Tone(const cs_warp &warp, double)
        : pivot(float(warp.pivot)), after(float(warp.pivot + warp.offset)), largest(float((1 << warp.source.bits) - 1)) {}
    int32_t gainFraction(int64_t gain) const { return int32_t(gain); }
  };

  CS_INLINE Tap tap(Sample sample) { return sample; }

  template <int taps> CS_INLINE void weights(Lane (&weights)[taps], AxisRun run, int firstLane) {
    const Integers index = countUp<Integers, lanes>() + (firstLane - runLength / 2);
    const Integers fraction = (index * run.step + run.center) & 0xfffff;
    const float a = float(sharpness);
    const Lane t = __builtin_convertvector(fraction, Lane) * 0x1p-20f - 0.5f;
    const Lane q = 0.25f - t * t, e = q * t, s = q * (a / 2), ae = e * a;
    const Lane even = 0.5f - s, odd = t + ae + (e + e);
    const Lane four[4] = {s - ae, even - odd, even + odd, s + ae};
    spread<taps>(weights, four, fraction < run.leastFraction);
  }

  template <int tapsX, int tapsY>
  CS_INLINE Lane interpolate(const Tap *taps, ptrdiff_t stride, AxisRun x, AxisRun y, int firstLane) {
    Lane across[tapsX], down[tapsY];
    weights<tapsX>(across, x, firstLane);
    weights<tapsY>(down, y, firstLane);
    Lane sum = 0;
#pragma clang loop unroll(full)
    for (int j = 0; j < tapsY; ++j) {
      const Tap *row = taps + j * stride + firstLane;
      Lane rowSum = loadUnaligned<Lane>(row) * across[0];
      for (int i = 1; i < tapsX; ++i) rowSum += loadUnaligned<Lane>(row + i) * across[i];
      sum += rowSum * down[j];
    }
    return sum;
  }

  CS_INLINE void finish(Sample *to, Lane sum, const Tone &tone, int32_t gainCenter, int32_t gainStep, int firstLane) {
    const Integers index = countUp<Integers, lanes>() + (firstLane - runLength / 2);
    const Lane gain = __builtin_convertvector(index * gainStep + gainCenter, Lane) * 0x1p-24f + 1.0f;
    Lane level = (sum - tone.pivot) * gain + tone.after;
    level = __builtin_elementwise_min(__builtin_elementwise_max(level, Lane(0)), Lane(tone.largest));
    const auto samples =
        __builtin_convertvector(__builtin_convertvector(level + 0.5f, Integers), Vector<uint16_t, lanes>);
    std::memcpy(to + firstLane, &samples, sizeof samples);
  }
};

}  // namespace cleanplate::warp
