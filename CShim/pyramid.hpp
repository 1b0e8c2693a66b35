// The pyramid that features and tracking share.
#pragma once

#include "include/CShim.h"

#include <opencv2/core.hpp>

#include <vector>

struct cs_pyramid {
  std::vector<cv::Mat> levels;
};

namespace cleanplate {

/// The next level: blocks of 2 x 2 averaged, an odd column or row left out.
cv::Mat halved(const cv::Mat &picture);

}  // namespace cleanplate
