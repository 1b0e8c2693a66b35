// Brings pictures to the size that networks look at.
#include "opencv.hpp"

#include <opencv2/imgproc.hpp>

using namespace cleanplate;

extern "C" cs_status cs_scale_colours(const uint8_t *rgb, int32_t width, int32_t height, int32_t wanted_width,
                                      int32_t wanted_height, uint8_t *scaled) {
  return opencv::guarded([&] {
    if (width < 1 || height < 1 || wanted_width < 1 || wanted_height < 1) throw Failure(CS_INVALID_ARGUMENT, "a size");
    const cv::Mat from(height, width, CV_8UC3, const_cast<uint8_t *>(rgb));
    cv::Mat to(wanted_height, wanted_width, CV_8UC3, scaled);
    cv::resize(from, to, to.size(), 0, 0, cv::INTER_LINEAR);
  });
}
