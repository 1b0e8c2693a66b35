// Statistics of small squares of a plane: what exposures are compared by.
#include "include/CShimKernels.h"

#include <algorithm>
#include <cstddef>

namespace {

/// Squares ahead of the one that is measured whose samples are asked for already: they lie in so many pages, and so far
/// apart, that the processor does not foresee them, and waiting for them would take most of the time.
constexpr int ahead = 4;

/// Squares of samples, so many columns and rows around their centres.
template <class Sample> struct Squares {
  const cs_plane &plane;
  int radius;

  /// Row `y` of the plane from the square's first column on.
  const Sample *row(cs_place centre, int y) const {
    const char *samples = static_cast<const char *>(plane.samples) + y * plane.stride;
    return reinterpret_cast<const Sample *>(samples) + centre.x - radius;
  }

  void prefetch(cs_place centre) const {
    for (int y = centre.y - radius; y <= centre.y + radius; ++y) {
      __builtin_prefetch(row(centre, y));
      __builtin_prefetch(row(centre, y) + 2 * radius);
    }
  }

  cs_box measure(cs_place centre) const {
    const int width = 2 * radius + 1;
    uint64_t sum = 0, squares = 0;
    uint32_t largest = 0;
    for (int y = centre.y - radius; y <= centre.y + radius; ++y) {
      const Sample *samples = row(centre, y);
      for (int x = 0; x < width; ++x) {
        const uint32_t value = samples[x];
        sum += value;
        squares += value * value;
        largest = std::max(largest, value);
      }
    }
    const double count = double(width) * width, mean = double(sum) / count;
    return {mean, std::max(0.0, double(squares) / count - mean * mean), int32_t(largest)};
  }

  void measure(const cs_place *centres, int count, cs_box *boxes) const {
    for (int i = 0; i < count; ++i) {
      if (i + ahead < count) prefetch(centres[i + ahead]);
      boxes[i] = measure(centres[i]);
    }
  }
};

}  // namespace

extern "C" void cs_measure_boxes(const cs_plane *plane, const cs_place *centres, int32_t count, int32_t radius,
                                 cs_box *boxes) {
  if (plane->bits > 8)
    Squares<uint16_t>{*plane, radius}.measure(centres, count, boxes);
  else
    Squares<uint8_t>{*plane, radius}.measure(centres, count, boxes);
}
