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

/// Three planes at a pixel; of colours, green stands for brightness.
struct Levels {
  float brightness, blue, red;
};

/// Planes that are colours.
struct Colours {
  static constexpr bool isGrey = false;
  CS_INLINE Levels colours(const Levels &levels) const { return levels; }
  CS_INLINE Levels planes(const Levels &differences) const { return differences; }
};

/// Luma and chroma.
struct Chroma {
  static constexpr bool isGrey = false;
  float neutral, crToRed, cbToGreen, crToGreen, cbToBlue, redInLight, greenInLight, blueInLight;

  explicit Chroma(const cs_chroma_in_light &chroma) : neutral(float(chroma.neutral)) {
    const auto share = [](int32_t parts) { return float(parts) / 1024; };
    crToRed = share(chroma.cr_to_red), cbToBlue = share(chroma.cb_to_blue);
    cbToGreen = share(chroma.cb_to_green), crToGreen = share(chroma.cr_to_green);
    // Chroma does not change luma: what it adds to one colour is taken from green.
    const float red = crToGreen / crToRed, blue = cbToGreen / cbToBlue;
    greenInLight = 1 / (1 + red + blue), redInLight = red * greenInLight, blueInLight = blue * greenInLight;
  }

  CS_INLINE Levels colours(const Levels &levels) const {
    const float light = levels.brightness, cb = levels.blue - neutral, cr = levels.red - neutral;
    return {light - cbToGreen * cb - crToGreen * cr, light + cbToBlue * cb, light + crToRed * cr};
  }

  /// What differences of colours are in the planes.
  CS_INLINE Levels planes(const Levels &colours) const {
    const float light = greenInLight * colours.brightness + blueInLight * colours.blue + redInLight * colours.red;
    return {light, (colours.blue - light) / cbToBlue, (colours.red - light) / crToRed};
  }
};

/// One plane.
struct Grey {
  static constexpr bool isGrey = true;
};

/// By how much a colour differs, without what one of the two lacks because it is clipped from its level on.
CS_INLINE float unexplained(float one, float other, float oneLevel, float otherLevel) {
  return (one >= oneLevel && other > one) || (other >= otherLevel && one > other) ? 0 : one - other;
}

/// - Parameters:
///   - Planes: what the planes are.
///   - isOneMarked: whether it is known of one where it may be clipped; the same of the other.
///   - explainsColours: whether a clipped colour explains what it lacks.
template <bool isOneMarked, bool isOtherMarked, bool explainsColours, typename Planes>
CS_INLINE void compare(const cs_seen &one, const cs_seen &other, const cs_seen_noise *noise, const Planes &planes,
                       int count, float *distances) {
  constexpr bool hasColour = !Planes::isGrey;
  constexpr uint8_t wholly = 255;
  constexpr float never = 1e9f;
  const uint8_t *oneBright = one.brightness, *otherBright = other.brightness;
  const uint8_t *oneBlue = one.blue, *otherBlue = other.blue, *oneRed = one.red, *otherRed = other.red;
  const uint8_t *oneSteep = one.gradient, *otherSteep = other.gradient;
  const uint8_t *oneClipped = one.clipped, *otherClipped = other.clipped;
  const Variance first(noise[0]), second(noise[hasColour ? 1 : 0]), third(noise[hasColour ? 2 : 0]);
  constexpr float share = 0.5f / (hasColour ? 3 : 1);
  for (int x = 0; x < count; ++x) {
    const float a = oneBright[x], b = otherBright[x], steep = std::min(oneSteep[x], otherSteep[x]);
    const float squared = steep * steep, bright = 0.5f * (a + b);
    const uint8_t oneMark = isOneMarked ? oneClipped[x] : 0, otherMark = isOtherMarked ? otherClipped[x] : 0;
    const bool isOneClipped = oneMark == wholly, isOtherClipped = otherMark == wholly;
    const bool isExplained = (isOneClipped && a < b) || (isOtherClipped && a > b);
    Levels apart{a - b, 0, 0};
    float weight = 0;
    if constexpr (hasColour) {
      weight = isOneClipped || isOtherClipped ? 0 : 1;
      const Levels here{a, float(oneBlue[x]), float(oneRed[x])}, there{b, float(otherBlue[x]), float(otherRed[x])};
      apart.blue = here.blue - there.blue, apart.red = here.red - there.red;
      if constexpr (explainsColours) {
        const float oneLevel = oneMark && !isOneClipped ? float(oneMark) : never;
        const float otherLevel = otherMark && !isOtherClipped ? float(otherMark) : never;
        const Levels own = planes.colours(here), others = planes.colours(there);
        const Levels left = planes.planes({unexplained(own.brightness, others.brightness, oneLevel, otherLevel),
                                           unexplained(own.blue, others.blue, oneLevel, otherLevel),
                                           unexplained(own.red, others.red, oneLevel, otherLevel)});
        const bool isMarked = weight > 0 && (oneLevel < never || otherLevel < never);
        apart.brightness = isMarked ? left.brightness : apart.brightness;
        apart.blue = isMarked ? left.blue : apart.blue;
        apart.red = isMarked ? left.red : apart.red;
      }
    }
    const float step = isExplained ? 0 : apart.brightness;
    float sum = step * step / first(bright, squared);
    if constexpr (hasColour) {
      sum += weight * apart.blue * apart.blue / second(bright, squared);
      sum += weight * apart.red * apart.red / third(bright, squared);
    }
    distances[x] = sum * share;
  }
}

template <bool explainsColours, typename Planes>
CS_INLINE void compare(const cs_seen &one, const cs_seen &other, const cs_seen_noise *noise, const Planes &planes,
                       int count, float *distances) {
  if (one.clipped && other.clipped) {
    return compare<true, true, explainsColours>(one, other, noise, planes, count, distances);
  }
  if (one.clipped) return compare<true, false, explainsColours>(one, other, noise, planes, count, distances);
  if (other.clipped) return compare<false, true, explainsColours>(one, other, noise, planes, count, distances);
  compare<false, false, false>(one, other, noise, planes, count, distances);
}

/// - Parameter Sample: of chroma.
template <typename Sample>
CS_INLINE void raise(int32_t *light, const Sample *blue, const Sample *red, const cs_chroma_in_light &chroma,
                     int32_t count) {
  for (int32_t x = 0; x < count; ++x) {
    const int32_t cb = int32_t(blue[x]) - chroma.neutral, cr = int32_t(red[x]) - chroma.neutral;
    const int32_t green = -(chroma.cb_to_green * cb) - chroma.cr_to_green * cr;
    const int32_t most = std::max(std::max(chroma.cr_to_red * cr, chroma.cb_to_blue * cb), std::max(green, 0));
    light[x] += most >> 10;
  }
}

}  // namespace

extern "C" void cs_raise_to_brightest(int32_t *light, const void *blue, const void *red, int32_t bytes,
                                      cs_chroma_in_light chroma, int32_t count) {
  cleanplate::onThisProcessor<cleanplate::V3>([=](auto) CS_INLINED {
    if (bytes == 1) {
      raise(light, static_cast<const uint8_t *>(blue), static_cast<const uint8_t *>(red), chroma, count);
    } else {
      raise(light, static_cast<const uint16_t *>(blue), static_cast<const uint16_t *>(red), chroma, count);
    }
  });
}

extern "C" void cs_compare(const cs_seen *one, const cs_seen *others, int32_t count, const cs_seen_noise *noise,
                           cs_seen_planes planes, cs_explained explained, int32_t pixels, float *distances) {
  cleanplate::onThisProcessor<cleanplate::V3>([=](auto) CS_INLINED {
    const auto with = [=](const auto &planes) CS_INLINED {
      for (int32_t k = 0; k < count; ++k) {
        float *to = distances + ptrdiff_t(k) * pixels;
        if (explained == CS_CLIPPED_COLOURS) {
          compare<true>(*one, others[k], noise, planes, pixels, to);
        } else {
          compare<false>(*one, others[k], noise, planes, pixels, to);
        }
      }
    };
    if (planes.count != 3) {
      with(Grey{});
    } else if (planes.has_chroma) {
      with(Chroma(planes.chroma));
    } else {
      with(Colours{});
    }
  });
}
