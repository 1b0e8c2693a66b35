// Corners that can be tracked to a fraction of a pixel, spread over the picture.
#include "picture.hpp"

#include "../instructions.hpp"
#include "../status.hpp"

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>

// A fused multiply-add rounds differently from a multiplication and an addition, and not every processor has one.
#pragma STDC FP_CONTRACT OFF

using cleanplate::guarded;
using cleanplate::tracking::SmoothLevel;

namespace {

constexpr int cellsAlongLongSide = 24;
/// A corner's smaller eigenvalue must exceed this share of the picture's 99th percentile ...
constexpr float relativeStrength = 0.005f;
/// ... and this multiple of what noise reaches in the flattest tenth of the picture, up to a larger share of the 99th
/// percentile, in case nothing is flat.
constexpr float aboveNoise = 3, relativeNoise = 0.1f;
constexpr int blockSide = 16;
/// The strength of a corner whose weaker gradient is a 25th of a level per pixel: below, there is nothing.
constexpr float leastVisible = 700;
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

/// Rows and columns over which products of gradients are summed up.
constexpr int box = 5, halfBox = box / 2;

/// Products of the gradients (Sobel) of a row, from `halfBox` columns before its first to `halfBox` past its last.
CLEANPLATE_CLONES void multiplyGradients(const uint16_t *above, const uint16_t *here, const uint16_t *below, int width, float *xx,
                              float *xy, float *yy) {
  for (int i = 0; i < width + 2 * halfBox; ++i) {
    const int x = i - halfBox;
    const float across = float((above[x + 1] - above[x - 1]) + 2 * (here[x + 1] - here[x - 1]) +
                               (below[x + 1] - below[x - 1]));
    const float down = float((below[x - 1] - above[x - 1]) + 2 * (below[x] - above[x]) + (below[x + 1] - above[x + 1]));
    xx[i] = across * across, xy[i] = across * down, yy[i] = down * down;
  }
}

CLEANPLATE_CLONES void sumRows(const float *const rows[box], int count, float *sum) {
  for (int i = 0; i < count; ++i)
    sum[i] = ((rows[0][i] + rows[4][i]) + (rows[1][i] + rows[3][i])) + rows[2][i];
}

/// The smaller eigenvalue of the summed products.
CLEANPLATE_CLONES void smallerEigenvalue(const float *xx, const float *xy, const float *yy, int width, float *strength) {
  for (int x = 0; x < width; ++x) {
    const float a = ((xx[x] + xx[x + 4]) + (xx[x + 1] + xx[x + 3])) + xx[x + 2];
    const float b = ((xy[x] + xy[x + 4]) + (xy[x + 1] + xy[x + 3])) + xy[x + 2];
    const float c = ((yy[x] + yy[x + 4]) + (yy[x + 1] + yy[x + 3])) + yy[x + 2];
    const float half = 0.5f * (a + c), difference = 0.5f * (a - c);
    strength[x] = half - std::sqrt(difference * difference + b * b);
  }
}

/// How well a window around each pixel fixes a position (Shi and Tomasi, CVPR 1994).
cv::Mat strengths(const SmoothLevel &picture) {
  cv::Mat result(picture.height, picture.width, CV_32F);
  const int count = picture.width + 2 * halfBox;
  // Products of the last rows, in turns, and their sums: xx, xy and yy each.
  cv::Mat products(3 * box, count, CV_32F), sums(3, count, CV_32F);
  for (int y = -halfBox; y < picture.height + halfBox; ++y) {
    const int turn = (y + halfBox) % box;
    multiplyGradients(picture.at(0, y - 1), picture.at(0, y), picture.at(0, y + 1), picture.width,
                      products.ptr<float>(turn), products.ptr<float>(box + turn), products.ptr<float>(2 * box + turn));
    const int target = y - halfBox;
    if (target < 0) continue;
    for (int kind = 0; kind < 3; ++kind) {
      const float *rows[box];
      for (int i = 0; i < box; ++i) rows[i] = products.ptr<float>(kind * box + (target + i) % box);
      sumRows(rows, count, sums.ptr<float>(kind));
    }
    smallerEigenvalue(sums.ptr<float>(0), sums.ptr<float>(1), sums.ptr<float>(2), picture.width,
                      result.ptr<float>(target));
  }
  return result;
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
  return std::max({strong * relativeStrength, noise, leastVisible});
}

}  // namespace

extern "C" cs_status cs_corners_detect(const cs_tracking_picture *picture, int32_t maximum, cs_point *corners,
                                       int32_t *count) {
  return guarded([&] {
    *count = 0;
    if (picture->finest != 0) throw cleanplate::Failure(CS_INVALID_ARGUMENT, "corners are looked for on level 0");
    const SmoothLevel &level = picture->levels[0];
    const cv::Size size(level.width, level.height);
    if (size.width <= 2 * margin || size.height <= 2 * margin || maximum < 1) return;
    cv::Mat peaks;
    const cv::Mat strength = strengths(level);
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
