// Keypoints with descriptors, spread over the picture, and their matching.
#include "pyramid.hpp"
#include "status.hpp"

#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cstring>
#include <memory>

using cleanplate::Failure;
using cleanplate::guarded;

struct cs_features {
  std::vector<cs_point> points;
  /// Four words a descriptor.
  std::vector<uint64_t> descriptors;
};

namespace {

/// Cells along the longer side of the grid over which keypoints are spread.
constexpr int cellsAlongLongSide = 16;
/// Keypoints closer than this to a stronger one say nothing new, in pixels of the detection level.
constexpr float separation = 3;
constexpr int descriptorWords = 4;

/// Keeps at most `maximum` keypoints: every cell of a grid gives its strongest in turns, until there are enough.
std::vector<cv::KeyPoint> spread(std::vector<cv::KeyPoint> points, cv::Size size, size_t maximum) {
  const int side = std::max(1, (std::max(size.width, size.height) + cellsAlongLongSide - 1) / cellsAlongLongSide);
  const int columns = (size.width + side - 1) / side, rows = (size.height + side - 1) / side;
  std::sort(points.begin(), points.end(), [](const cv::KeyPoint &a, const cv::KeyPoint &b) {
    if (a.response != b.response) return a.response > b.response;
    if (a.pt.y != b.pt.y) return a.pt.y < b.pt.y;
    if (a.pt.x != b.pt.x) return a.pt.x < b.pt.x;
    return a.octave < b.octave;
  });
  cv::Mat taken = cv::Mat::zeros(size, CV_8U);
  std::vector<std::vector<cv::KeyPoint>> cells(size_t(columns * rows));
  for (const cv::KeyPoint &point : points) {
    const int x = std::clamp(int(point.pt.x + 0.5f), 0, size.width - 1);
    const int y = std::clamp(int(point.pt.y + 0.5f), 0, size.height - 1);
    if (taken.at<uint8_t>(y, x)) continue;
    const int reach = int(separation);
    taken(cv::Rect(x - reach, y - reach, 2 * reach + 1, 2 * reach + 1) & cv::Rect({}, size)).setTo(1);
    cells[size_t(y / side * columns + x / side)].push_back(point);
  }
  std::vector<cv::KeyPoint> chosen;
  for (size_t turn = 0; chosen.size() < maximum; ++turn) {
    const size_t before = chosen.size();
    for (const auto &cell : cells)
      if (turn < cell.size() && chosen.size() < maximum) chosen.push_back(cell[turn]);
    if (chosen.size() == before) break;
  }
  return chosen;
}

int hamming(const uint64_t *a, const uint64_t *b) {
  int bits = 0;
  for (int i = 0; i < descriptorWords; ++i) bits += __builtin_popcountll(a[i] ^ b[i]);
  return bits;
}

struct Nearest {
  int index = -1;
  int distance = 1 << 20;
  int second = 1 << 20;

  void offer(int candidate, int bits) {
    if (bits < distance) {
      second = distance;
      distance = bits;
      index = candidate;
    } else if (bits < second) {
      second = bits;
    }
  }
};

__attribute__((target_clones("arch=x86-64-v3", "default"))) void
nearest(const cs_features &a, const cs_features &b, std::vector<Nearest> &ofA, std::vector<Nearest> &ofB) {
  for (size_t i = 0; i < ofA.size(); ++i)
    for (size_t j = 0; j < ofB.size(); ++j) {
      const int bits = hamming(&a.descriptors[i * descriptorWords], &b.descriptors[j * descriptorWords]);
      ofA[i].offer(int(j), bits);
      ofB[j].offer(int(i), bits);
    }
}

}  // namespace

extern "C" {

cs_status cs_features_detect(const cs_pyramid *pyramid, int32_t level, int32_t maximum, cs_features **features) {
  return guarded([&] {
    if (level < 0 || size_t(level) >= pyramid->levels.size() || maximum < 1)
      throw Failure(CS_INVALID_ARGUMENT, "no such pyramid level");
    const cv::Mat &picture = pyramid->levels[size_t(level)];
    // Far more than are kept, and a low threshold, so that cells with little contrast still have some to give.
    const auto orb = cv::ORB::create(maximum * 4, 1.25f, 4, 19, 0, 2, cv::ORB::HARRIS_SCORE, 31, 8);
    std::vector<cv::KeyPoint> found;
    orb->detect(picture, found);
    std::vector<cv::KeyPoint> chosen = spread(std::move(found), picture.size(), size_t(maximum));
    cv::Mat descriptors;
    orb->compute(picture, chosen, descriptors);
    auto result = std::make_unique<cs_features>();
    const double scale = double(1 << level), shift = (scale - 1) / 2;
    for (const cv::KeyPoint &point : chosen)
      result->points.push_back(cs_point{point.pt.x * scale + shift, point.pt.y * scale + shift});
    result->descriptors.resize(chosen.size() * descriptorWords);
    for (size_t i = 0; i < chosen.size(); ++i)
      std::memcpy(&result->descriptors[i * descriptorWords], descriptors.ptr(int(i)), 8 * descriptorWords);
    *features = result.release();
  });
}

void cs_features_free(cs_features *features) { delete features; }
int32_t cs_features_count(const cs_features *features) { return int32_t(features->points.size()); }
const cs_point *cs_features_points(const cs_features *features) { return features->points.data(); }

cs_status cs_features_match(const cs_features *a, const cs_features *b, double ratio, cs_match *matches,
                            int32_t *count) {
  return guarded([&] {
    std::vector<Nearest> ofA(a->points.size()), ofB(b->points.size());
    nearest(*a, *b, ofA, ofB);
    *count = 0;
    for (size_t i = 0; i < ofA.size(); ++i) {
      const Nearest &mine = ofA[i];
      if (mine.index < 0 || ofB[size_t(mine.index)].index != int(i)) continue;
      if (mine.distance >= ratio * mine.second) continue;
      matches[(*count)++] = cs_match{int32_t(i), mine.index, mine.distance};
    }
  });
}

}  // extern "C"
