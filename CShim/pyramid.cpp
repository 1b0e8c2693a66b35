// Reduced grey pictures: what registration looks at instead of full frames.
#include "pyramid.hpp"

#include "instructions.hpp"
#include "status.hpp"

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <memory>

using cleanplate::Failure;
using cleanplate::guarded;

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

/// Adds a row, `weight` times.
CLEANPLATE_CLONES void
addRow(const uint8_t *row, float weight, int count, float *sum) {
  for (int x = 0; x < count; ++x) sum[x] += weight * float(row[x]);
}

/// How much of each sample from `first` on lies in one of `count` equal parts of `extent` samples.
struct Part {
  int first;
  std::vector<float> weights;
};

std::vector<Part> parts(int extent, int count) {
  const double length = double(extent) / count;
  std::vector<Part> result;
  for (int i = 0; i < count; ++i) {
    const double start = i * length, end = std::min((i + 1) * length, double(extent));
    Part part{int(start), {}};
    for (int sample = part.first; sample < end; ++sample)
      part.weights.push_back(float((std::min(sample + 1.0, end) - std::max(double(sample), start)) / length));
    result.push_back(std::move(part));
  }
  return result;
}

/// Averages over the areas of the new pixels, whatever the factor; several times as fast as OpenCV's way.
cv::Mat averaged(const cv::Mat &picture, cv::Size size) {
  const std::vector<Part> columns = parts(picture.cols, size.width), rows = parts(picture.rows, size.height);
  cv::Mat result(size, CV_8U);
  std::vector<float> line(size_t(picture.cols));
  for (int y = 0; y < size.height; ++y) {
    std::fill(line.begin(), line.end(), 0.0f);
    const Part &down = rows[size_t(y)];
    for (size_t i = 0; i < down.weights.size(); ++i)
      addRow(picture.ptr(down.first + int(i)), down.weights[i], picture.cols, line.data());
    uint8_t *target = result.ptr(y);
    for (int x = 0; x < size.width; ++x) {
      const Part &across = columns[size_t(x)];
      float sum = 0.5f;
      for (size_t i = 0; i < across.weights.size(); ++i) sum += across.weights[i] * line[size_t(across.first) + i];
      target[x] = uint8_t(std::min(sum, 255.0f));
    }
  }
  return result;
}

}  // namespace

cv::Mat cleanplate::halved(const cv::Mat &picture) { return reduced(picture, 2); }

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
      base = cleanplate::halved(base);
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

cs_status cs_pyramid_laplacian(const cs_pyramid *pyramid, int32_t width, int32_t height, int16_t *laplacian) {
  return guarded([&] {
    if (width < 1 || height < 1) throw Failure(CS_INVALID_ARGUMENT, "an empty picture has no Laplacian");
    const cv::Mat &whole = pyramid->levels[0];
    if (width > whole.cols || height > whole.rows) throw Failure(CS_INVALID_ARGUMENT, "a Laplacian larger than its picture");
    const cv::Mat small = averaged(whole, {width, height});
    const cv::Mat kernel = (cv::Mat_<float>(3, 3) << -1, -1, -1, -1, 8, -1, -1, -1, -1);
    cv::Mat result(height, width, CV_16SC1, laplacian);
    cv::filter2D(small, result, CV_16S, kernel);
  });
}

}  // extern "C"
