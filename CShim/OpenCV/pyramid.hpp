// A picture and its halvings.
#pragma once

#include "include/CShimOpenCV.h"

#include <opencv2/core.hpp>

#include <vector>

struct cs_pyramid {
  std::vector<cv::Mat> levels;
};
