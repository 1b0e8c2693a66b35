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
/// ... and this multiple of what noise reaches in the flattest tenth of the picture, up to a larger share of the 99th
/// percentile, in case nothing is flat.
constexpr float aboveNoise = 3, relativeNoise = 0.1f;
constexpr int blockSide = 16;
/// Windows that lie past the border cannot be tracked.
constexpr int margin = 12;

struct Corner {
  float strength;
  int x, y;
};

float quantile(std::vector<float> &values, double share) {
  if (values.empty()) return 0;
  const auto place = values.begin() + ptrdiff_t(double(values.size() - 1) * share);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

float leastStrength(const cv::Mat &strength) {
  std::vector<float> sample, blockPeaks;
  for (int y = 0; y < strength.rows; y += 4)
    for (int x = 0; x < strength.cols; x += 4) sample.push_back(strength.at<float>(y, x));
  for (int y = 0; y + blockSide <= strength.rows; y += blockSide)
    for (int x = 0; x + blockSide <= strength.cols; x += blockSide) {
      double peak = 0;
      cv::minMaxLoc(strength(cv::Rect(x, y, blockSide, blockSide)), nullptr, &peak);
      blockPeaks.push_back(float(peak));
    }
  const float strong = quantile(sample, 0.99);
  const float noise = std::min(aboveNoise * quantile(blockPeaks, 0.1), relativeNoise * strong);
  return std::max({strong * relativeStrength, noise, 1e-7f});
}

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

    const cv::Rect inner(margin, margin, size.width - 2 * margin, size.height - 2 * margin);
    const float threshold = leastStrength(strength(inner));
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
