// What windows are tracked in: a picture and its halvings, smoothed, with a border.
#pragma once

#include "../include/CShimKernels.h"

#include <memory>
#include <vector>

namespace cleanplate::tracking {

/// One level of a picture, smoothed with (1 2 1) / 4 both ways: less noise, and less of what interpolation does to the
/// finest detail. The border repeats the outermost samples.
class SmoothLevel {
public:
  /// Samples are 8-bit levels times this.
  static constexpr int unit = 16;
  /// Samples around the picture that may be read.
  static constexpr int border = 32;

  const int width, height;

  /// `picture` has 8 bits.
  explicit SmoothLevel(const cs_plane &picture);

  /// Whether there was memory for it.
  bool isMade() const { return samples != nullptr; }

  const uint16_t *at(int x, int y) const { return samples.get() + (y + border) * stride + x + border; }

  const ptrdiff_t stride;

private:
  std::unique_ptr<uint16_t[]> samples;
};

/// A projective map of pixel positions, row-major.
struct Map {
  double element[9];

  cs_point operator()(double x, double y) const {
    const double w = element[6] * x + element[7] * y + element[8];
    return {(element[0] * x + element[1] * y + element[2]) / w, (element[3] * x + element[4] * y + element[5]) / w};
  }
};

}  // namespace cleanplate::tracking

struct cs_tracking_picture {
  /// From `finest` on; level l's pixel x is centred on (x + 0.5) * 2^l - 0.5 of level 0.
  std::vector<cleanplate::tracking::SmoothLevel> levels;
  int finest;
  /// Where level 0's pixels lie, nearly, in the frame that it was resampled from, and that frame's size.
  cleanplate::tracking::Map toFrame;
  int frameWidth, frameHeight;

  int coarsest() const { return finest + int(levels.size()) - 1; }
  const cleanplate::tracking::SmoothLevel &level(int level) const { return levels[size_t(level - finest)]; }
  /// Adds the next coarser level; false when there is no memory for it.
  bool add(const cs_plane &picture);
  /// Whether the frame shows the square of `2 * radius` pixels around level 0's (x, y).
  bool shows(double x, double y, double radius) const;
};
