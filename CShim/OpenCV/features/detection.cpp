// Corners for matching: FAST (Rosten and Drummond, ECCV 2006) on several scales, ranked by Harris' measure, as ORB has
// them (Rublee et al., ICCV 2011), but spread over the picture.
#include "features.hpp"

#include "../../cells.hpp"
#include "../../instructions.hpp"
#include "../../vectors.hpp"

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cstring>

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

/// The `wanted` peaks of most contrast, and those that equal the last of them.
std::vector<ContrastPeak> mostContrasting(const cv::Mat &picture, size_t wanted) {
  std::vector<ContrastPeak> peaks = contrastPeaks(picture, leastContrast);
  size_t counts[256] = {};
  for (const ContrastPeak &peak : peaks) ++counts[peak.contrast];
  int threshold = 255;
  for (size_t reached = counts[threshold]; reached < wanted && threshold > 0; reached += counts[threshold]) --threshold;
  const auto isLess = [=](const ContrastPeak &peak) { return peak.contrast < threshold; };
  peaks.erase(std::remove_if(peaks.begin(), peaks.end(), isLess), peaks.end());
  return peaks;
}

/// A corner's strength: Harris' measure over 7 x 7 pixels (Alvey Vision Conference 1988).
Corner measured(const cv::Mat &picture, int scale, const ContrastPeak &peak) {
  constexpr int radius = 3, side = 2 * radius + 1, lanes = side + 1;
  using Bytes = Vector<uint8_t, lanes>;
  using Numbers = Vector<int32_t, lanes>;
  const uint8_t *corner = picture.ptr(peak.y - radius - 1) + peak.x - radius - 1;
  const ptrdiff_t stride = ptrdiff_t(picture.step);
  // Sums of products of Sobel gradients, which are whole numbers.
  int xx = 0, yy = 0, xy = 0;
  cleanplate::onThisProcessor([=, &xx, &yy, &xy](auto) CS_INLINED {
    const auto levels = [=](int row, int column) CS_INLINED {
      Bytes bytes;
      std::memcpy(&bytes, corner + row * stride + column, lanes);
      return __builtin_convertvector(bytes, Numbers);
    };
    Numbers sumXX{}, sumYY{}, sumXY{};
    for (int row = 0; row < side; ++row) {
      const Numbers across = (levels(row, 2) - levels(row, 0)) + 2 * (levels(row + 1, 2) - levels(row + 1, 0)) +
                             (levels(row + 2, 2) - levels(row + 2, 0));
      const Numbers down = (levels(row + 2, 0) - levels(row, 0)) + 2 * (levels(row + 2, 1) - levels(row, 1)) +
                           (levels(row + 2, 2) - levels(row, 2));
      sumXX += across * across, sumYY += down * down, sumXY += across * down;
    }
    for (int lane = 0; lane < side; ++lane) xx += sumXX[lane], yy += sumYY[lane], xy += sumXY[lane];
  });
  constexpr float unit = 1.0f / (4 * 7 * 255);
  const float a = float(xx) * unit * unit, b = float(yy) * unit * unit, c = float(xy) * unit * unit;
  return {scale, peak.x, peak.y, a * b - c * c - 0.04f * (a + b) * (a + b)};
}

bool isStronger(const Corner &a, const Corner &b) {
  if (a.strength != b.strength) return a.strength > b.strength;
  if (a.scale != b.scale) return a.scale < b.scale;
  return a.y != b.y ? a.y < b.y : a.x < b.x;
}

/// Keeps at most `maximum` corners: every cell of a grid gives its strongest in turns, until there are enough.
std::vector<Corner> spread(std::vector<Corner> corners, const Scales &scales, size_t maximum) {
  const cv::Size size = scales.pictures[0].size();
  std::sort(corners.begin(), corners.end(), isStronger);
  std::vector<uint8_t> isTaken(size_t(size.area()));
  Cells<Corner> cells(size.width, size.height, cellsAlongLongSide);
  for (const Corner &corner : corners) {
    const cv::Point2f place = scales.onFirst(corner);
    const int x = std::min(int(place.x + 0.5f), size.width - 1), y = std::min(int(place.y + 0.5f), size.height - 1);
    if (isTaken[size_t(y * size.width + x)]) continue;
    const int left = std::max(x - separation, 0), right = std::min(x + separation, size.width - 1);
    for (int row = std::max(y - separation, 0); row <= std::min(y + separation, size.height - 1); ++row)
      std::fill(&isTaken[size_t(row * size.width + left)], &isTaken[size_t(row * size.width + right)] + 1, uint8_t(1));
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

cv::Point2f Scales::onFirst(const Corner &corner) const {
  const cv::Size first = pictures[0].size(), own = pictures[size_t(corner.scale)].size();
  return {(float(corner.x) + 0.5f) * float(first.width) / float(own.width) - 0.5f,
          (float(corner.y) + 0.5f) * float(first.height) / float(own.height) - 0.5f};
}

std::vector<Corner> corners(const Scales &scales, size_t maximum) {
  // As many to a scale as its side is long.
  float sides = 0;
  for (size_t scale = 0; scale < scales.pictures.size(); ++scale) sides += 1 / Scales::factor(int(scale));
  std::vector<Corner> all;
  for (size_t scale = 0; scale < scales.pictures.size(); ++scale) {
    const size_t wanted = size_t(double(choice * maximum) / Scales::factor(int(scale)) / sides + 0.5);
    const cv::Mat &picture = scales.pictures[scale];
    for (const ContrastPeak &peak : mostContrasting(picture, wanted))
      all.push_back(measured(picture, int(scale), peak));
  }
  return spread(std::move(all), scales, maximum);
}

}  // namespace cleanplate::features
