// Keypoints with descriptors: what detection, description and matching share.
#pragma once

#include "../include/CShimOpenCV.h"

#include <opencv2/core.hpp>

#include <vector>

namespace cleanplate::features {

/// 64-bit words of a descriptor.
constexpr int descriptorWords = 4;

/// A corner of one of a picture's scales, in its own pixels.
struct Corner {
  int scale;
  int x, y;
  float strength;
};

/// A picture and reductions of it, each 1 / `step` of the one before.
struct Scales {
  static constexpr float step = 1.25f;
  static constexpr int count = 4;

  std::vector<cv::Mat> pictures;

  explicit Scales(const cv::Mat &picture);

  /// How many pixels of the first picture, along each axis, are about one of another's.
  static float factor(int scale);

  /// Where a corner lies in the first picture. The pictures show the same to their rims, so that it is not the centres
  /// of their first pixels that lie on each other.
  cv::Point2f onFirst(const Corner &corner) const;
};

/// A pixel whose contrast to the circle around it exceeds its neighbours'.
struct ContrastPeak {
  int x, y;
  /// In levels.
  int contrast;
};

/// The peaks above `least` levels, `margin` pixels and more from the border, from top to bottom.
std::vector<ContrastPeak> contrastPeaks(const cv::Mat &picture, int least);

/// At most `maximum` corners, spread over the picture, strong ones first in each of its parts.
std::vector<Corner> corners(const Scales &scales, size_t maximum);

/// Descriptors of corners, `descriptorWords` words each, in the corners' order.
std::vector<uint64_t> describe(const Scales &scales, const std::vector<Corner> &corners);

/// Corners this close to a scale's border are not described.
constexpr int margin = 19;

}  // namespace cleanplate::features

struct cs_features {
  std::vector<cs_point> points;
  std::vector<uint64_t> descriptors;
};
