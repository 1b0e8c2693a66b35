// The pyramid that features and tracking share.
#pragma once

#include "include/CShim.h"

#include <opencv2/core.hpp>

#include <vector>

struct cs_pyramid {
  std::vector<cv::Mat> levels;
};
