// How far pictures lie apart, pixel by pixel, in units of their noise.
#include "../instructions.hpp"
#include "include/CShimKernels.h"

#include <algorithm>

// A fused multiply-add rounds differently from a multiplication and an addition, and not every processor has one.
#pragma STDC FP_CONTRACT OFF

namespace {

struct Variance {
  float constant, slope, squaredShift;

  explicit Variance(const cs_seen_noise &noise)
      : constant(noise.constant), slope(noise.slope), squaredShift(noise.squared_shift) {}

  CS_INLINE float operator()(float brightness, float squaredGradient) const {
    return constant + slope * brightness + squaredShift * squaredGradient;
  }
};

/// - Parameters:
///   - hasColour: whether there are three planes, or one.
///   - isOneMarked: whether it is known of one where it may be clipped; the same of the other.
template <bool hasColour, bool isOneMarked, bool isOtherMarked>
CS_INLINE void compare(const cs_seen &one, const cs_seen &other, const cs_seen_noise *noise, int count,
                       float *distances) {
  const uint8_t *oneBright = one.brightness, *otherBright = other.brightness;
  const uint8_t *oneBlue = one.blue, *otherBlue = other.blue, *oneRed = one.red, *otherRed = other.red;
  const uint8_t *oneSteep = one.gradient, *otherSteep = other.gradient;
  const uint8_t *oneClipped = one.clipped, *otherClipped = other.clipped;
  const Variance first(noise[0]), second(noise[hasColour ? 1 : 0]), third(noise[hasColour ? 2 : 0]);
  constexpr float share = 0.5f / (hasColour ? 3 : 1);
  for (int x = 0; x < count; ++x) {
    const float a = oneBright[x], b = otherBright[x], steep = std::min(oneSteep[x], otherSteep[x]);
    const float squared = steep * steep, bright = 0.5f * (a + b);
    const bool isOneClipped = isOneMarked && oneClipped[x], isOtherClipped = isOtherMarked && otherClipped[x];
    const bool isExplained = (isOneClipped && a < b) || (isOtherClipped && a > b);
    const float step = isExplained ? 0 : a - b;
    float sum = step * step / first(bright, squared);
    if constexpr (hasColour) {
      const float weight = isOneClipped || isOtherClipped ? 0 : 1;
      const float blue = float(oneBlue[x]) - float(otherBlue[x]), red = float(oneRed[x]) - float(otherRed[x]);
      sum += weight * blue * blue / second(bright, squared);
      sum += weight * red * red / third(bright, squared);
    }
    distances[x] = sum * share;
  }
}

template <bool hasColour>
CS_INLINE void compare(const cs_seen &one, const cs_seen &other, const cs_seen_noise *noise, int count,
                       float *distances) {
  if (one.clipped && other.clipped) return compare<hasColour, true, true>(one, other, noise, count, distances);
  if (one.clipped) return compare<hasColour, true, false>(one, other, noise, count, distances);
  if (other.clipped) return compare<hasColour, false, true>(one, other, noise, count, distances);
  compare<hasColour, false, false>(one, other, noise, count, distances);
}

}  // namespace

extern "C" void cs_compare(const cs_seen *one, const cs_seen *others, int32_t count, const cs_seen_noise *noise,
                           int32_t planes, int32_t pixels, float *distances) {
  cleanplate::onThisProcessor<cleanplate::V3>([=](auto) CS_INLINED {
    for (int32_t k = 0; k < count; ++k) {
      float *to = distances + ptrdiff_t(k) * pixels;
      if (planes == 3) {
        compare<true>(*one, others[k], noise, pixels, to);
      } else {
        compare<false>(*one, others[k], noise, pixels, to);
      }
    }
  });
}
