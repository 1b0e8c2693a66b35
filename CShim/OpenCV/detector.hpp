// What the networks that find somebody have in common.
#pragma once

#include "opencv.hpp"

#include <opencv2/dnn.hpp>

#include <functional>
#include <string>
#include <vector>

struct cs_detector {
  virtual ~cs_detector() = default;

  /// Makes the picture what the network wants, `side` x `side`.
  virtual void prepare(const cv::Mat &picture, int32_t side, cv::Mat &input) const = 0;
  /// What the network says, one matrix for each of `outputs`, as boxes of at least a score; in shares of the picture's
  /// width and height.
  virtual void read(const std::vector<cv::Mat> &layers, float threshold, std::vector<cv::Rect2d> &boxes,
                    std::vector<float> &scores) const = 0;

  cv::dnn::Net net;
  std::vector<std::string> outputs;
  /// What it looks at.
  cv::Mat input;
};

namespace cleanplate::opencv {

/// Gives a detector its network, which `read` reads; `isChain` as `FastConvolutions` has it.
void load(cs_detector &detector, bool isChain, const std::function<cv::dnn::Net()> &read);

}  // namespace cleanplate::opencv
