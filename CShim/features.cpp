// Keypoints with descriptors, spread over the picture, and their matching.
#include "instructions.hpp"
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

/// A distance, and in the lower half the index of whom it is to: the smallest is the nearest, the first of equals.
using Neighbour = uint32_t;
constexpr Neighbour nobody = 0xFFFFFFFF;

int index(Neighbour neighbour) { return int(neighbour & 0xFFFF); }
int distance(Neighbour neighbour) { return int(neighbour >> 16); }

/// The nearest and the next nearest.
struct Nearest {
  std::vector<Neighbour> first, second;

  explicit Nearest(size_t count) : first(count, nobody), second(count, nobody) {}
};

/// How many bits of a descriptor differ from each of `others`.
CLEANPLATE_CLONES void distances(const uint64_t *descriptor, const uint64_t *others, size_t count, uint32_t *bits) {
  for (size_t i = 0; i < count; ++i) {
    uint64_t sum = 0;
    for (int word = 0; word < descriptorWords; ++word)
      sum += uint64_t(__builtin_popcountll(descriptor[word] ^ others[i * descriptorWords + size_t(word)]));
    bits[i] = uint32_t(sum);
  }
}

/// Offers each of many the same neighbour, `bits` away.
CLEANPLATE_CLONES void offer(Neighbour candidate, const uint32_t *bits, size_t count, Neighbour *first, Neighbour *second) {
  for (size_t i = 0; i < count; ++i) {
    const Neighbour neighbour = bits[i] << 16 | candidate;
    second[i] = std::min(second[i], std::max(first[i], neighbour));
    first[i] = std::min(first[i], neighbour);
  }
}

/// Finds the two nearest of many that are `bits` away.
CLEANPLATE_CLONES void find(const uint32_t *bits, size_t count, Neighbour &first, Neighbour &second) {
  // Several at a time, so that the minima need not wait for each other.
  constexpr size_t lanes = 8;
  Neighbour nearest[lanes], next[lanes];
  std::fill_n(nearest, lanes, nobody), std::fill_n(next, lanes, nobody);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (size_t lane = 0; lane < lanes; ++lane) {
      const Neighbour neighbour = bits[i + lane] << 16 | uint32_t(i + lane);
      next[lane] = std::min(next[lane], std::max(nearest[lane], neighbour));
      nearest[lane] = std::min(nearest[lane], neighbour);
    }
  const auto take = [&](Neighbour neighbour) {
    second = std::min(second, std::max(first, neighbour));
    first = std::min(first, neighbour);
  };
  for (size_t lane = 0; lane < lanes; ++lane) take(nearest[lane]), take(next[lane]);
  for (; i < count; ++i) take(bits[i] << 16 | uint32_t(i));
}

void compare(const cs_features &a, const cs_features &b, Nearest &ofA, Nearest &ofB) {
  std::vector<uint32_t> bits(b.points.size());
  for (size_t i = 0; i < a.points.size(); ++i) {
    distances(&a.descriptors[i * descriptorWords], b.descriptors.data(), bits.size(), bits.data());
    offer(uint32_t(i), bits.data(), bits.size(), ofB.first.data(), ofB.second.data());
    find(bits.data(), bits.size(), ofA.first[i], ofA.second[i]);
  }
}

}  // namespace

extern "C" {

cs_status cs_features_detect(const cs_pyramid *pyramid, int32_t level, int32_t maximum, cs_features **features) {
  return guarded([&] {
    if (level < 0 || size_t(level) >= pyramid->levels.size())
      throw Failure(CS_INVALID_ARGUMENT, "no such pyramid level");
    if (maximum < 1 || maximum > 0xFFFF) throw Failure(CS_INVALID_ARGUMENT, "1 to 65535 keypoints can be asked for");
    const cv::Mat &picture = pyramid->levels[size_t(level)];
    // Far more than are kept, and a low threshold, so that cells with little contrast still have some to give.
    const auto orb = cv::ORB::create(maximum * 3, 1.25f, 4, 19, 0, 2, cv::ORB::HARRIS_SCORE, 31, 8);
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
    Nearest ofA(a->points.size()), ofB(b->points.size());
    compare(*a, *b, ofA, ofB);
    *count = 0;
    for (size_t i = 0; i < ofA.first.size(); ++i) {
      const Neighbour mine = ofA.first[i];
      if (mine == nobody || index(ofB.first[size_t(index(mine))]) != int(i)) continue;
      if (distance(mine) >= ratio * distance(ofA.second[i])) continue;
      matches[(*count)++] = cs_match{int32_t(i), index(mine), distance(mine)};
    }
  });
}

}  // extern "C"
