// What the readers and writers of picture files share.
#pragma once

#include "include/CShimLibraries.h"

#include <cstddef>
#include <cstdint>

namespace cleanplate {

/// Takes `count` interleaved pixels of `channels` samples apart, into row `y` of the planes, from column `x` on.
/// Samples beyond the planes' number (alpha) are dropped; `invert` turns black and white around.
template <class Sample>
void splitRow(const Sample *pixels, int32_t count, int32_t channels, const cs_target_plane *planes, int32_t planeCount,
              int32_t x, int32_t y, bool invert = false) {
  for (int32_t channel = 0; channel < planeCount; ++channel) {
    auto *row =
        reinterpret_cast<Sample *>(static_cast<uint8_t *>(planes[channel].samples) + y * planes[channel].stride);
    for (int32_t i = 0; i < count; ++i) {
      const Sample sample = pixels[static_cast<ptrdiff_t>(i) * channels + channel];
      row[x + i] = invert ? static_cast<Sample>(~sample) : sample;
    }
  }
}

/// Row `y` of the planes, interleaved.
template <class Sample> void joinRow(const cs_plane *planes, int32_t count, int32_t y, Sample *pixels) {
  for (int32_t channel = 0; channel < count; ++channel) {
    const auto *row = reinterpret_cast<const Sample *>(static_cast<const uint8_t *>(planes[channel].samples) +
                                                       y * planes[channel].stride);
    for (int32_t x = 0; x < planes[channel].width; ++x) pixels[static_cast<ptrdiff_t>(x) * count + channel] = row[x];
  }
}

}  // namespace cleanplate
