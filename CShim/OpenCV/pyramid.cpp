// Reduced grey pictures: what registration looks at instead of full frames.
#include "pyramid.hpp"

#include "opencv.hpp"

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <memory>

using cleanplate::Failure;
using cleanplate::opencv::guarded;

namespace {

constexpr int smallestSide = 32;

cv::Mat wrap(const cs_plane &plane) {
  return cv::Mat(plane.height, plane.width, plane.bits > 8 ? CV_16UC1 : CV_8UC1, const_cast<void *>(plane.samples),
                 size_t(plane.stride));
}

/// Averages blocks of `factor` x `factor`; what does not fill a block is left out so that the scale is exact.
cv::Mat reduced(const cv::Mat &picture, int factor) {
  if (factor == 1) return picture;
  const cv::Size size(picture.cols / factor, picture.rows / factor);
  cv::Mat result;
  cv::resize(picture(cv::Rect(0, 0, size.width * factor, size.height * factor)), result, size, 0, 0, cv::INTER_AREA);
  return result;
}

}  // namespace

extern "C" {

cs_status cs_pyramid_create(const cs_plane *planes, const double *weights, int32_t count, int32_t factor,
                            cs_pyramid **pyramid) {
  return guarded([&] {
    if (count < 1 || factor < 1) throw Failure(CS_INVALID_ARGUMENT, "a pyramid needs a plane and a factor");
    if (planes[0].width < factor || planes[0].height < factor)
      throw Failure(CS_INVALID_ARGUMENT, "the factor exceeds the picture");
    cv::Mat base;
    if (count == 1 && planes[0].bits == 8) {
      // What is not reduced is a view of the plane, which may not live as long.
      base = factor == 1 ? wrap(planes[0]).clone() : reduced(wrap(planes[0]), factor);
    } else {
      cv::Mat sum;
      for (int32_t i = 0; i < count; ++i) {
        const double toBytes = 255.0 / ((1 << planes[i].bits) - 1) * weights[i];
        const cv::Mat part = reduced(wrap(planes[i]), factor);
        if (i == 0) {
          part.convertTo(sum, CV_32F, toBytes);
        } else {
          cv::Mat floats;
          part.convertTo(floats, CV_32F);
          cv::scaleAdd(floats, toBytes, sum, sum);
        }
      }
      sum.convertTo(base, CV_8U);
    }
    auto result = std::make_unique<cs_pyramid>();
    result->levels.push_back(base);
    while (std::min(base.cols, base.rows) >= 2 * smallestSide && result->levels.size() < 8) {
      base = reduced(base, 2);
      result->levels.push_back(base);
    }
    *pyramid = result.release();
  });
}

void cs_pyramid_free(cs_pyramid *pyramid) { delete pyramid; }

int32_t cs_pyramid_level_count(const cs_pyramid *pyramid) { return int32_t(pyramid->levels.size()); }

cs_plane cs_pyramid_level(const cs_pyramid *pyramid, int32_t level) {
  const cv::Mat &picture = pyramid->levels[size_t(level)];
  return cs_plane{picture.data, ptrdiff_t(picture.step), picture.cols, picture.rows, 8};
}

}  // extern "C"
