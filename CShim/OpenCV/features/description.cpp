// Descriptors of corners: ORB's (Rublee et al., ICCV 2011), turned by the direction of the surroundings' centroid.
#include "features.hpp"

#include "../../instructions.hpp"
#include "../../vectors.hpp"
#include "../opencv.hpp"

#include <opencv2/features2d.hpp>

#include <cmath>
#include <cstring>
#include <memory>

using cleanplate::Failure;
using cleanplate::opencv::guarded;

namespace cleanplate::features {

namespace {

/// Pixels around a corner that its descriptor compares.
constexpr int patchSize = 31, patchRadius = patchSize / 2;

/// Levels and sums that are worked on at once: a row of the patch.
constexpr int lanes = patchSize + 1;
using Levels = Vector<uint8_t, lanes>;
using Words = Vector<int16_t, lanes>;

/// The disc of the patch: all bits where a row belongs to it.
struct Disc {
  Levels rows[patchRadius + 1];

  Disc() : rows() {
    for (int y = 0; y <= patchRadius; ++y)
      for (int x = -patchRadius; x <= patchRadius; ++x)
        rows[y][x + patchRadius] = x * x + y * y <= (patchRadius + 1) * patchRadius ? 255 : 0;
  }
};

/// Degrees from the corner to the centroid of the brightness around it (Rosin, CVIU 1999).
float direction(const cv::Mat &picture, const Corner &corner, const Disc &disc) {
  const uint8_t *middle = picture.ptr(corner.y) + corner.x - patchRadius;
  const ptrdiff_t stride = ptrdiff_t(picture.step);
  int momentX = 0, momentY = 0;
  cleanplate::onThisProcessor([=, &disc, &momentX, &momentY](auto) CS_INLINED {
    const auto row = [=, &disc](int y) CS_INLINED {
      Levels levels;
      std::memcpy(&levels, middle + y * stride, lanes);
      return __builtin_convertvector(levels & disc.rows[std::abs(y)], Words);
    };
    // Of each column the sum, and the moment about the middle, whose terms are at most 120 times 255.
    Words sum = row(0), moment{};
    for (int y = 1; y <= patchRadius; ++y) {
      const Words above = row(-y), below = row(y);
      sum += above + below, moment += int16_t(y) * (below - above);
    }
    for (int x = 0; x < patchSize; ++x) momentX += (x - patchRadius) * sum[x], momentY += moment[x];
  });
  return cv::fastAtan2(float(momentY), float(momentX));
}

}  // namespace

std::vector<uint64_t> describe(const Scales &scales, const std::vector<Corner> &corners) {
  std::vector<uint64_t> result(corners.size() * descriptorWords);
  const auto orb =
      cv::ORB::create(int(corners.size()) + 1, Scales::step, 1, margin, 0, 2, cv::ORB::HARRIS_SCORE, patchSize);
  const Disc disc;
  for (size_t scale = 0; scale < scales.pictures.size(); ++scale) {
    const cv::Mat &picture = scales.pictures[scale];
    std::vector<cv::KeyPoint> points;
    for (size_t i = 0; i < corners.size(); ++i) {
      if (corners[i].scale != int(scale)) continue;
      const cv::Point2f place(float(corners[i].x), float(corners[i].y));
      points.emplace_back(place, float(patchSize), direction(picture, corners[i], disc), corners[i].strength, 0,
                          int(i));
    }
    if (points.empty()) continue;
    cv::Mat descriptors;
    orb->compute(picture, points, descriptors);
    for (size_t i = 0; i < points.size(); ++i)
      std::memcpy(&result[size_t(points[i].class_id) * descriptorWords], descriptors.ptr(int(i)), 8 * descriptorWords);
  }
  return result;
}

}  // namespace cleanplate::features

using namespace cleanplate::features;

extern "C" {

cs_status cs_features_detect(const cs_plane *picture, int32_t maximum, cs_features **features) {
  return guarded([&] {
    if (maximum < 1 || maximum > 0xFFFF) throw Failure(CS_INVALID_ARGUMENT, "1 to 65535 keypoints can be asked for");
    const Scales scales(cleanplate::opencv::view(*picture));
    const std::vector<Corner> found = corners(scales, size_t(maximum));
    auto result = std::make_unique<cs_features>();
    for (const Corner &corner : found) {
      const cv::Point2f place = scales.onFirst(corner);
      result->points.push_back({place.x, place.y});
    }
    result->descriptors = describe(scales, found);
    *features = result.release();
  });
}

void cs_features_free(cs_features *features) { delete features; }
int32_t cs_features_count(const cs_features *features) { return int32_t(features->points.size()); }
const cs_point *cs_features_points(const cs_features *features) { return features->points.data(); }

}  // extern "C"
