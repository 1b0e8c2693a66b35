// Reduces a plane by averaging blocks of samples.
#include "status.hpp"

#include <opencv2/imgproc.hpp>

using namespace cleanplate;

extern "C" cs_status cs_reduce_plane(const cs_plane *plane, int32_t factor, uint8_t *destination) {
  return guarded([&] {
    const cv::Size size(plane->width / factor, plane->height / factor);
    if (factor < 1 || size.empty()) throw Failure(CS_INVALID_ARGUMENT, "a factor that the plane is large enough for");
    const cv::Mat whole(plane->height, plane->width, plane->bits > 8 ? CV_16U : CV_8U,
                        const_cast<void *>(plane->samples), size_t(plane->stride));
    const cv::Mat source = whole(cv::Rect(0, 0, size.width * factor, size.height * factor));
    cv::Mat reduced(size, CV_8U, destination);
    if (plane->bits > 8) {
      cv::Mat words;
      cv::resize(source, words, size, 0, 0, cv::INTER_AREA);
      words.convertTo(reduced, CV_8U, 1.0 / (1 << (plane->bits - 8)), -0.5);
    } else if (factor > 1) {
      cv::resize(source, reduced, size, 0, 0, cv::INTER_AREA);
    } else {
      source.copyTo(reduced);
    }
  });
}
