// Corners that can be tracked to a fraction of a pixel, spread over the picture.
#include "picture.hpp"

#include "../../cells.hpp"
#include "../../instructions.hpp"

#include <algorithm>
#include <cmath>
#include <new>

// A fused multiply-add rounds differently from a multiplication and an addition, and not every processor has one.
#pragma STDC FP_CONTRACT OFF

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
/// A corner is the strongest pixel of this many rows and columns around it.
constexpr int peak = 7, halfPeak = peak / 2;

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
void multiplyGradients(const uint16_t *above, const uint16_t *here, const uint16_t *below, int width, float *xx,
                       float *xy, float *yy) {
  cleanplate::onThisProcessor([=](auto) CS_INLINED {
    for (int i = 0; i < width + 2 * halfBox; ++i) {
      const int x = i - halfBox;
      const float across =
          float((above[x + 1] - above[x - 1]) + 2 * (here[x + 1] - here[x - 1]) + (below[x + 1] - below[x - 1]));
      const float down =
          float((below[x - 1] - above[x - 1]) + 2 * (below[x] - above[x]) + (below[x + 1] - above[x + 1]));
      xx[i] = across * across, xy[i] = across * down, yy[i] = down * down;
    }
  });
}

void sumRows(const float *const rows[box], int count, float *sum) {
  cleanplate::onThisProcessor([=](auto) CS_INLINED {
    for (int i = 0; i < count; ++i) sum[i] = ((rows[0][i] + rows[4][i]) + (rows[1][i] + rows[3][i])) + rows[2][i];
  });
}

/// The smaller eigenvalue of the summed products.
void smallerEigenvalue(const float *xx, const float *xy, const float *yy, int width, float *strength) {
  cleanplate::onThisProcessor([=](auto) CS_INLINED {
    for (int x = 0; x < width; ++x) {
      const float a = ((xx[x] + xx[x + 4]) + (xx[x + 1] + xx[x + 3])) + xx[x + 2];
      const float b = ((xy[x] + xy[x + 4]) + (xy[x + 1] + xy[x + 3])) + xy[x + 2];
      const float c = ((yy[x] + yy[x + 4]) + (yy[x + 1] + yy[x + 3])) + yy[x + 2];
      const float half = 0.5f * (a + c), difference = 0.5f * (a - c);
      strength[x] = half - std::sqrt(difference * difference + b * b);
    }
  });
}

void raise(const float *values, int count, float *most) {
  cleanplate::onThisProcessor([=](auto) CS_INLINED {
    for (int x = 0; x < count; ++x) most[x] = std::max(most[x], values[x]);
  });
}

/// `most[x]` is the largest of `values[x] ... values[x + peak - 1]`.
void largest(const float *values, int count, float *most) {
  cleanplate::onThisProcessor([=](auto) CS_INLINED {
    for (int x = 0; x < count; ++x) {
      const float a = std::max(values[x], values[x + 1]), b = std::max(values[x + 2], values[x + 3]);
      most[x] = std::max(std::max(a, b), std::max(std::max(values[x + 4], values[x + 5]), values[x + 6]));
    }
  });
}

/// Some rows of numbers, the newest in place of the oldest.
class Rows {
public:
  Rows(int rows, int count) : rows(rows), count(count), values(size_t(rows * count)) {}
  float *operator[](int y) { return values.data() + ptrdiff_t((y + rows) % rows) * count; }

private:
  int rows, count;
  std::vector<float> values;
};

/// How well a window around each pixel of a row fixes a position (Shi and Tomasi, CVPR 1994); rows from the first on.
class Strengths {
public:
  Strengths(const SmoothLevel &picture, int first)
      : picture(picture),
        count(picture.width + 2 * halfBox),
        xx(box, count),
        xy(box, count),
        yy(box, count),
        sums(3, count),
        next(first - halfBox) {}

  void row(int y, float *strength) {
    while (next <= y + halfBox) {
      multiplyGradients(picture.at(0, next - 1), picture.at(0, next), picture.at(0, next + 1), picture.width, xx[next],
                        xy[next], yy[next]);
      ++next;
    }
    sum(xx, y, sums[0]), sum(xy, y, sums[1]), sum(yy, y, sums[2]);
    smallerEigenvalue(sums[0], sums[1], sums[2], picture.width, strength);
  }

private:
  void sum(Rows &products, int y, float *result) {
    const float *rows[box];
    for (int i = 0; i < box; ++i) rows[i] = products[y - halfBox + i];
    sumRows(rows, count, result);
  }

  const SmoothLevel &picture;
  const int count;
  Rows xx, xy, yy, sums;
  int next;
};

/// The strongest pixels of their surroundings in some rows, and what tells which of them count.
struct Peaks {
  std::vector<Corner> corners;
  /// The strength of every fourth pixel of every fourth row, and the largest of every block.
  std::vector<float> sample, blockPeaks;

  Peaks() = default;
  /// Rows `first ... last`; blocks of the measures begin with the first.
  Peaks(const SmoothLevel &picture, int first, int last) {
    const int width = picture.width - 2 * margin;
    Strengths strengths(picture, first - halfPeak);
    Rows rows(peak, picture.width);
    std::vector<float> above(size_t(picture.width)), most(size_t(picture.width)), block(size_t(width), 0);
    for (int y = first - halfPeak; y <= last + halfPeak; ++y) {
      strengths.row(y, rows[y]);
      if (y >= first && y <= last) measure(rows[y] + margin, y - first, width, block);
      const int middle = y - halfPeak;
      if (middle < first) continue;
      std::copy_n(rows[middle], picture.width, above.data());
      for (int i = -halfPeak; i <= halfPeak; ++i)
        if (i != 0) raise(rows[middle + i], picture.width, above.data());
      largest(above.data() + margin - halfPeak, width, most.data());
      const float *value = rows[middle] + margin;
      for (int x = 0; x < width; ++x)
        if (value[x] == most[size_t(x)] && value[x] > leastVisible) corners.push_back({value[x], x + margin, middle});
    }
  }

  void append(const Peaks &below) {
    const auto add = [](auto &values, const auto &more) { values.insert(values.end(), more.begin(), more.end()); };
    add(corners, below.corners), add(sample, below.sample), add(blockPeaks, below.blockPeaks);
  }

  float leastStrength() {
    const float strong = quantile(sample, 0.99);
    const float noise = std::min(aboveNoise * quantile(blockPeaks, 0.1), relativeNoise * strong);
    return std::max({strong * relativeStrength, noise, leastVisible});
  }

private:
  void measure(const float *strength, int y, int width, std::vector<float> &block) {
    if (y % 4 == 0)
      for (int x = 0; x < width; x += 4) sample.push_back(strength[x]);
    raise(strength, width, block.data());
    if (y % blockSide != blockSide - 1) return;
    for (int x = 0; x + blockSide <= width; x += blockSide)
      blockPeaks.push_back(*std::max_element(block.begin() + x, block.begin() + x + blockSide));
    std::fill(block.begin(), block.end(), 0.0f);
  }
};

/// Parts of rows begin with blocks.
int rowsOfParts(const SmoothLevel &picture) { return std::max(picture.height - 2 * margin, 0); }

}  // namespace

struct cs_peaks {
  Peaks peaks;
};

extern "C" {

int32_t cs_peaks_parts(const cs_tracking_picture *picture) {
  const SmoothLevel &level = picture->levels[0];
  if (picture->finest != 0 || level.width <= 2 * margin) return 0;
  return (rowsOfParts(level) + blockSide - 1) / blockSide;
}

cs_peaks *cs_peaks_find(const cs_tracking_picture *picture, int32_t first, int32_t end) {
  const SmoothLevel &level = picture->levels[0];
  const int last = std::min(end * blockSide, rowsOfParts(level)) - 1;
  return new (std::nothrow) cs_peaks{Peaks(level, margin + first * blockSide, margin + last)};
}

void cs_peaks_free(cs_peaks *peaks) { delete peaks; }

int32_t cs_peaks_choose(const cs_tracking_picture *picture, cs_peaks *const *peaks, int32_t count, int32_t maximum,
                        cs_point *corners) {
  const SmoothLevel &level = picture->levels[0];
  Peaks all;
  for (int32_t i = 0; i < count; ++i) all.append(peaks[i]->peaks);
  const float threshold = all.leastStrength();
  cleanplate::Cells<Corner> cells(level.width, level.height, cellsAlongLongSide);
  for (const Corner &corner : all.corners)
    if (corner.strength > threshold) cells.add(corner, corner.x, corner.y);
  cells.sort([](const Corner &a, const Corner &b) {
    if (a.strength != b.strength) return a.strength > b.strength;
    return a.y != b.y ? a.y < b.y : a.x < b.x;
  });
  int32_t chosen = 0;
  for (const Corner &corner : cells.inTurns(size_t(maximum)))
    corners[chosen++] = cs_point{double(corner.x), double(corner.y)};
  return chosen;
}

}  // extern "C"
