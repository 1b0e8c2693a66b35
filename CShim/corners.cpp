// Corners that can be tracked to a fraction of a pixel, spread over the picture.
#include "pyramid.hpp"
#include "status.hpp"

#include <opencv2/imgproc.hpp>

#include <algorithm>

using cleanplate::guarded;

namespace {

constexpr int cellsAlongLongSide = 24;
/// A corner's smaller eigenvalue must exceed this share of the picture's 99th percentile ...
constexpr float relativeStrength = 0.005f;
/// Windows that lie past the border cannot be tracked.
constexpr int margin = 12;

struct Corner {
  float strength;
  int x, y;
};

}  // namespace

extern "C" cs_status cs_corners_detect(const cs_pyramid *pyramid, int32_t maximum, cs_point *corners, int32_t *count) {
  return guarded([&] {
    *count = 0;
    cv::Mat smooth, strength, peaks;
    cv::GaussianBlur(pyramid->levels[0], smooth, {3, 3}, 0);
    cv::cornerMinEigenVal(smooth, strength, 5);
    const cv::Size size = strength.size();
    if (size.width <= 2 * margin || size.height <= 2 * margin || maximum < 1) return;
    cv::dilate(strength, peaks, cv::Mat::ones(7, 7, CV_8U));

    std::vector<float> sample;
    for (int y = margin; y < size.height - margin; y += 4)
      for (int x = margin; x < size.width - margin; x += 4) sample.push_back(strength.at<float>(y, x));
    const auto strong = sample.begin() + ptrdiff_t(sample.size() * 99 / 100);
    std::nth_element(sample.begin(), strong, sample.end());
    const float threshold = std::max(*strong * relativeStrength, 1e-7f);

    const int side = std::max(1, (std::max(size.width, size.height) + cellsAlongLongSide - 1) / cellsAlongLongSide);
    const int columns = (size.width + side - 1) / side, rows = (size.height + side - 1) / side;
    std::vector<std::vector<Corner>> cells(size_t(columns * rows));
    for (int y = margin; y < size.height - margin; ++y) {
      const float *value = strength.ptr<float>(y), *peak = peaks.ptr<float>(y);
      for (int x = margin; x < size.width - margin; ++x)
        if (value[x] == peak[x] && value[x] > threshold)
          cells[size_t(y / side * columns + x / side)].push_back({value[x], x, y});
    }
    for (auto &cell : cells)
      std::sort(cell.begin(), cell.end(), [](const Corner &a, const Corner &b) {
        if (a.strength != b.strength) return a.strength > b.strength;
        return a.y != b.y ? a.y < b.y : a.x < b.x;
      });
    for (size_t turn = 0; *count < maximum; ++turn) {
      const int32_t before = *count;
      for (const auto &cell : cells)
        if (turn < cell.size() && *count < maximum)
          corners[(*count)++] = cs_point{double(cell[turn].x), double(cell[turn].y)};
      if (*count == before) break;
    }
  });
}
