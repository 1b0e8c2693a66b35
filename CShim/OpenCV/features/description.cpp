// Descriptors of corners: ORB's (Rublee et al., ICCV 2011), turned by the direction of the surroundings' centroid.
#include "features.hpp"

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

/// The disc of the patch: how far each row reaches from the middle.
struct Disc {
  int reach[patchRadius + 1];

  constexpr Disc() : reach() {
    for (int y = 0; y <= patchRadius; ++y) {
      int x = 0;
      while ((x + 1) * (x + 1) + y * y <= (patchRadius + 1) * patchRadius) ++x;
      reach[y] = x;
    }
  }
};

/// Degrees from the corner to the centroid of the brightness around it (Rosin, CVIU 1999).
float direction(const cv::Mat &picture, const Corner &corner) {
  constexpr Disc disc;
  int momentX = 0, momentY = 0;
  for (int y = -patchRadius; y <= patchRadius; ++y) {
    const uint8_t *row = picture.ptr(corner.y + y) + corner.x;
    const int reach = disc.reach[std::abs(y)];
    int sum = 0;
    for (int x = -reach; x <= reach; ++x) sum += row[x], momentX += x * row[x];
    momentY += y * sum;
  }
  return cv::fastAtan2(float(momentY), float(momentX));
}

}  // namespace

std::vector<uint64_t> describe(const Scales &scales, const std::vector<Corner> &corners) {
  std::vector<uint64_t> result(corners.size() * descriptorWords);
  const auto orb =
      cv::ORB::create(int(corners.size()) + 1, Scales::step, 1, margin, 0, 2, cv::ORB::HARRIS_SCORE, patchSize);
  for (size_t scale = 0; scale < scales.pictures.size(); ++scale) {
    const cv::Mat &picture = scales.pictures[scale];
    std::vector<cv::KeyPoint> points;
    for (size_t i = 0; i < corners.size(); ++i) {
      if (corners[i].scale != int(scale)) continue;
      const cv::Point2f place(float(corners[i].x), float(corners[i].y));
      points.emplace_back(place, float(patchSize), direction(picture, corners[i]), corners[i].strength, 0, int(i));
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
    for (const Corner &corner : found) result->points.push_back({corner.onFirst().x, corner.onFirst().y});
    result->descriptors = describe(scales, found);
    *features = result.release();
  });
}

void cs_features_free(cs_features *features) { delete features; }
int32_t cs_features_count(const cs_features *features) { return int32_t(features->points.size()); }
const cs_point *cs_features_points(const cs_features *features) { return features->points.data(); }

}  // extern "C"
