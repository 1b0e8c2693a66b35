// Corners for matching: FAST (Rosten and Drummond, ECCV 2006) on several scales, ranked by Harris' measure, as ORB has
// them (Rublee et al., ICCV 2011), but spread over the picture.
#include "features.hpp"

#include "../../cells.hpp"

#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <functional>

namespace cleanplate::features {

namespace {

/// Cells along the longer side of the grid over which corners are spread.
constexpr int cellsAlongLongSide = 16;
/// Corners closer than this to a stronger one say nothing new, in pixels of the first scale.
constexpr int separation = 3;
/// Levels of contrast below which there are no corners.
constexpr int leastContrast = 8;
/// How many times as many corners as are kept are ranked, so that every cell has some to give.
constexpr size_t choice = 3;

/// The contrast from which on FAST finds about `wanted` corners: it takes longest over those that nobody keeps.
int contrast(const cv::Mat &picture, size_t wanted) {
  constexpr int strip = 16, period = 8 * strip, reach = 3;
  std::vector<float> found;
  std::vector<cv::KeyPoint> corners;
  int rows = 0;
  for (int y = period / 2; y + strip + reach <= picture.rows; y += period) {
    cv::FAST(picture.rowRange(y - reach, y + strip + reach), corners, leastContrast, true);
    for (const cv::KeyPoint &corner : corners) found.push_back(corner.response);
    rows += strip;
  }
  if (rows == 0) return leastContrast;
  // A few more than are wanted, since strips may not be alike.
  const size_t place = size_t(1.25 * double(wanted) * rows / picture.rows);
  if (place >= found.size()) return leastContrast;
  std::nth_element(found.begin(), found.begin() + ptrdiff_t(place), found.end(), std::greater<>());
  return std::max(int(found[place]) - 1, leastContrast);
}

/// The `wanted` corners of most contrast, and those that equal the last of them.
std::vector<cv::KeyPoint> mostContrasting(const cv::Mat &picture, size_t wanted) {
  std::vector<cv::KeyPoint> found;
  const auto find = [&](int threshold) {
    cv::FAST(picture, found, threshold, true);
    cv::KeyPointsFilter::runByImageBorder(found, picture.size(), margin);
  };
  const int threshold = contrast(picture, wanted);
  find(threshold);
  if (found.size() < wanted && threshold > leastContrast) find(leastContrast);
  cv::KeyPointsFilter::retainBest(found, int(wanted));
  return found;
}

/// Harris' measure over 7 x 7 pixels (Alvey Vision Conference 1988).
float harris(const cv::Mat &picture, int x, int y) {
  constexpr int radius = 3;
  // Sums of products of Sobel gradients, which are whole numbers.
  int xx = 0, yy = 0, xy = 0;
  for (int row = -radius; row <= radius; ++row) {
    const uint8_t *above = picture.ptr(y + row - 1) + x - radius, *here = picture.ptr(y + row) + x - radius;
    const uint8_t *below = picture.ptr(y + row + 1) + x - radius;
    for (int i = 0; i < 2 * radius + 1; ++i) {
      const int across =
          (above[i + 1] - above[i - 1]) + 2 * (here[i + 1] - here[i - 1]) + (below[i + 1] - below[i - 1]);
      const int down = (below[i - 1] - above[i - 1]) + 2 * (below[i] - above[i]) + (below[i + 1] - above[i + 1]);
      xx += across * across, yy += down * down, xy += across * down;
    }
  }
  constexpr float unit = 1.0f / (4 * 7 * 255);
  const float a = float(xx) * unit * unit, b = float(yy) * unit * unit, c = float(xy) * unit * unit;
  return a * b - c * c - 0.04f * (a + b) * (a + b);
}

bool isStronger(const Corner &a, const Corner &b) {
  if (a.strength != b.strength) return a.strength > b.strength;
  if (a.scale != b.scale) return a.scale < b.scale;
  return a.y != b.y ? a.y < b.y : a.x < b.x;
}

/// The `wanted` corners of most contrast of one scale, and how strong they are.
std::vector<Corner> measured(const cv::Mat &picture, int scale, size_t wanted) {
  std::vector<Corner> result;
  if (picture.cols <= 2 * margin || picture.rows <= 2 * margin) return result;
  for (const cv::KeyPoint &found : mostContrasting(picture, wanted)) {
    const int x = int(found.pt.x), y = int(found.pt.y);
    result.push_back({scale, x, y, harris(picture, x, y)});
  }
  return result;
}

/// Keeps at most `maximum` corners: every cell of a grid gives its strongest in turns, until there are enough.
std::vector<Corner> spread(std::vector<Corner> corners, cv::Size size, size_t maximum) {
  std::sort(corners.begin(), corners.end(), isStronger);
  cv::Mat taken = cv::Mat::zeros(size, CV_8U);
  Cells<Corner> cells(size.width, size.height, cellsAlongLongSide);
  for (const Corner &corner : corners) {
    const cv::Point2f place = corner.onFirst();
    const int x = std::min(int(place.x + 0.5f), size.width - 1), y = std::min(int(place.y + 0.5f), size.height - 1);
    if (taken.at<uint8_t>(y, x)) continue;
    const cv::Rect near(x - separation, y - separation, 2 * separation + 1, 2 * separation + 1);
    taken(near & cv::Rect({}, size)).setTo(1);
    cells.add(corner, x, y);
  }
  return cells.inTurns(maximum);
}

}  // namespace

Scales::Scales(const cv::Mat &picture) : pictures{picture} {
  for (int scale = 1; scale < count; ++scale) {
    const cv::Size size(cvRound(float(picture.cols) / factor(scale)), cvRound(float(picture.rows) / factor(scale)));
    if (size.width < 1 || size.height < 1) break;
    cv::Mat smaller;
    cv::resize(pictures.back(), smaller, size, 0, 0, cv::INTER_LINEAR_EXACT);
    pictures.push_back(smaller);
  }
}

float Scales::factor(int scale) {
  float factor = 1;
  for (int i = 0; i < scale; ++i) factor *= step;
  return factor;
}

std::vector<Corner> corners(const Scales &scales, size_t maximum) {
  // As many to a scale as its side is long.
  float sides = 0;
  for (size_t scale = 0; scale < scales.pictures.size(); ++scale) sides += 1 / Scales::factor(int(scale));
  std::vector<Corner> all;
  for (size_t scale = 0; scale < scales.pictures.size(); ++scale) {
    const size_t wanted = size_t(double(choice * maximum) / Scales::factor(int(scale)) / sides + 0.5);
    const std::vector<Corner> some = measured(scales.pictures[scale], int(scale), wanted);
    all.insert(all.end(), some.begin(), some.end());
  }
  return spread(std::move(all), scales.pictures[0].size(), maximum);
}

}  // namespace cleanplate::features
