// The Laplacian of a small grey picture, and what its parts are like: how sharpness is measured.
#include "instructions.hpp"
#include "pyramid.hpp"
#include "status.hpp"

#include <algorithm>
#include <cmath>

// A fused multiply-add rounds differently from a multiplication and an addition, and not every processor has one.
#pragma STDC FP_CONTRACT OFF

using cleanplate::Failure;
using cleanplate::guarded;

namespace {

/// Where each of `count` equal parts of `extent` samples begins, and how much each sample from there on counts: all
/// parts have as many weights, of which the last may be 0.
struct Parts {
  std::vector<int> first;
  /// The first weight of every part, then the second of every part ...
  std::vector<std::vector<float>> weights;

  Parts(int extent, int count) : first(size_t(count)) {
    const double length = double(extent) / count;
    const int most = std::min(int(std::ceil(length)) + 1, extent);
    weights.assign(size_t(most), std::vector<float>(size_t(count)));
    for (int i = 0; i < count; ++i) {
      const double start = i * length, end = std::min((i + 1) * length, double(extent));
      // Near the end, earlier samples may be named whose weights are 0.
      first[size_t(i)] = std::min(int(start), extent - most);
      for (int tap = 0; tap < most; ++tap) {
        const double sample = first[size_t(i)] + tap;
        const double part = std::min(sample + 1, end) - std::max(sample, start);
        weights[size_t(tap)][size_t(i)] = float(std::max(part, 0.0) / length);
      }
    }
  }
};

/// Adds a row, `weight` times.
CLEANPLATE_CLONES void addRow(const uint8_t *row, float weight, int count, float *sum) {
  for (int x = 0; x < count; ++x) sum[x] += weight * float(row[x]);
}

CLEANPLATE_CLONES void gather(const float *line, const int *first, int tap, int count, float *values) {
  for (int x = 0; x < count; ++x) values[x] = line[first[x] + tap];
}

CLEANPLATE_CLONES void addWeighted(const float *values, const float *weights, int count, float *sum) {
  for (int x = 0; x < count; ++x) sum[x] += weights[x] * values[x];
}

CLEANPLATE_CLONES void round(const float *sum, int count, uint8_t *row) {
  for (int x = 0; x < count; ++x) row[x] = uint8_t(std::min(sum[x] + 0.5f, 255.0f));
}

/// A picture averaged over the areas of fewer pixels, whatever the factor, and with a border of one pixel, in which the
/// row or column next to the outermost stands again.
class Bordered {
public:
  const int width, height;

  Bordered(const cv::Mat &picture, int width, int height)
      : width(width), height(height), stride(width + 2), samples(size_t(stride * (height + 2))) {
    const Parts columns(picture.cols, width), rows(picture.rows, height);
    std::vector<float> line(size_t(picture.cols)), values(size_t(width), 0), sum(size_t(width), 0);
    for (int y = 0; y < height; ++y) {
      std::fill(line.begin(), line.end(), 0.0f);
      for (size_t tap = 0; tap < rows.weights.size(); ++tap) {
        const float weight = rows.weights[tap][size_t(y)];
        if (weight > 0) addRow(picture.ptr(rows.first[size_t(y)] + int(tap)), weight, picture.cols, line.data());
      }
      std::fill(sum.begin(), sum.end(), 0.0f);
      for (size_t tap = 0; tap < columns.weights.size(); ++tap) {
        gather(line.data(), columns.first.data(), int(tap), width, values.data());
        addWeighted(values.data(), columns.weights[tap].data(), width, sum.data());
      }
      uint8_t *target = row(y);
      round(sum.data(), width, target);
      target[-1] = target[std::min(1, width - 1)];
      target[width] = target[std::max(width - 2, 0)];
    }
    std::copy_n(row(std::min(1, height - 1)) - 1, stride, row(-1) - 1);
    std::copy_n(row(std::max(height - 2, 0)) - 1, stride, row(height) - 1);
  }

  uint8_t *row(int y) { return samples.data() + (y + 1) * stride + 1; }
  const uint8_t *row(int y) const { return samples.data() + (y + 1) * stride + 1; }

private:
  int stride;
  std::vector<uint8_t> samples;
};

Bordered reduced(const cs_pyramid &pyramid, int width, int height) {
  if (width < 1 || height < 1) throw Failure(CS_INVALID_ARGUMENT, "an empty picture has no Laplacian");
  const cv::Mat &whole = pyramid.levels[0];
  if (width > whole.cols || height > whole.rows) throw Failure(CS_INVALID_ARGUMENT, "a Laplacian larger than its picture");
  return Bordered(whole, width, height);
}

CLEANPLATE_CLONES void filter(const uint8_t *above, const uint8_t *here, const uint8_t *below, int width,
                              int16_t *laplacian) {
  for (int x = 0; x < width; ++x) {
    const int around = above[x - 1] + above[x] + above[x + 1] + here[x - 1] + here[x] + here[x + 1] + below[x - 1] +
                       below[x] + below[x + 1];
    laplacian[x] = int16_t(9 * here[x] - around);
  }
}

void filter(const Bordered &picture, int y, int16_t *laplacian) {
  filter(picture.row(y - 1), picture.row(y), picture.row(y + 1), picture.width, laplacian);
}

CLEANPLATE_CLONES void addMoments(const int16_t *values, int count, int32_t *sums, uint32_t *squares) {
  for (int x = 0; x < count; ++x) {
    sums[x] += values[x];
    squares[x] += uint32_t(int32_t(values[x]) * values[x]);
  }
}

}  // namespace

extern "C" {

cs_status cs_pyramid_laplacian(const cs_pyramid *pyramid, int32_t width, int32_t height, int16_t *laplacian) {
  return guarded([&] {
    const Bordered picture = reduced(*pyramid, width, height);
    for (int y = 0; y < height; ++y) filter(picture, y, laplacian + ptrdiff_t(y) * width);
  });
}

cs_status cs_pyramid_laplacian_moments(const cs_pyramid *pyramid, int32_t width, int32_t height, int32_t side,
                                       cs_moments *blocks) {
  return guarded([&] {
    if (side < 1 || side > 16) throw Failure(CS_INVALID_ARGUMENT, "blocks of 1 to 16 pixels");
    const Bordered picture = reduced(*pyramid, width, height);
    std::vector<int16_t> line(size_t(width), 0);
    std::vector<int32_t> sums(size_t(width), 0);
    std::vector<uint32_t> squares(size_t(width), 0);
    for (int top = 0; top < height; top += side) {
      std::fill(sums.begin(), sums.end(), 0);
      std::fill(squares.begin(), squares.end(), 0);
      for (int y = top; y < std::min(top + side, height); ++y) {
        filter(picture, y, line.data());
        addMoments(line.data(), width, sums.data(), squares.data());
      }
      for (int left = 0; left < width; left += side, ++blocks) {
        *blocks = {0, 0};
        for (int x = left; x < std::min(left + side, width); ++x) {
          blocks->sum += sums[size_t(x)];
          blocks->squares += squares[size_t(x)];
        }
      }
    }
  });
}

}  // extern "C"
