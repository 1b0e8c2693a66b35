// Finds people by SSDLite with MobileNetV2 (Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks",
// CVPR 2018; boxes after Liu et al., "SSD: Single Shot MultiBox Detector", ECCV 2016).
#include "detector.hpp"

#include <array>
#include <cmath>
#include <memory>
#include <sstream>

using namespace cleanplate;

namespace {

/// Pixels along the sides of what it was taught with.
constexpr int taught = 300;
/// Cells along the sides of the maps that it answers on, at that size.
constexpr std::array<int, 6> maps = {19, 10, 5, 3, 2, 1};
/// It has learned offsets from places in these units, and logarithms of sizes in those.
constexpr float placeUnit = 10, sizeUnit = 5;

/// A box that a cell expects, in shares of the picture.
struct Anchor {
  float width, height;
};

Anchor anchor(float scale, float aspect) { return {scale * std::sqrt(aspect), scale / std::sqrt(aspect)}; }

/// What every cell of a map expects, in the order of the answers.
std::vector<Anchor> anchors(size_t map) {
  if (map == 0) return {anchor(0.1f, 1), anchor(0.2f, 2), anchor(0.2f, 0.5f)};
  const auto scale = [](size_t map) { return map < maps.size() ? 0.2f + 0.15f * float(map) : 1.0f; };
  std::vector<Anchor> all;
  for (float aspect : {1.0f, 2.0f, 0.5f, 3.0f, 1 / 3.0f}) all.push_back(anchor(scale(map), aspect));
  all.push_back(anchor(std::sqrt(scale(map) * scale(map + 1)), 1));
  return all;
}

struct SSDLite final : cs_detector {
  void prepare(const cv::Mat &picture, int32_t side, cv::Mat &input) const override {
    if (side != taught) throw Failure(CS_INVALID_ARGUMENT, "a side");
    cv::dnn::blobFromImage(picture, input, 1 / 127.5, cv::Size(taught, taught), cv::Scalar::all(127.5));
  }

  void read(const std::vector<cv::Mat> &layers, float threshold, std::vector<cv::Rect2d> &boxes,
            std::vector<float> &scores) const override {
    for (size_t map = 0; map < maps.size(); map++) {
      const cv::Mat &offsets = layers[2 * map], &answers = layers[2 * map + 1];
      const auto expected = anchors(map);
      const int side = maps[map], cells = side * side;
      const size_t boxesHere = expected.size() * size_t(cells);
      if (offsets.total() != 4 * boxesHere || answers.total() != 2 * boxesHere)
        throw Failure(CS_BAD_DATA, "another network's answers");
      for (size_t k = 0; k < expected.size(); k++) {
        // Of each anchor: nobody, somebody; and y, x, height, width.
        const float *somebody = answers.ptr<float>() + (2 * k + 1) * size_t(cells);
        const float *offset = offsets.ptr<float>() + 4 * k * size_t(cells);
        for (int cell = 0; cell < cells; cell++) {
          const float score = 1 / (1 + std::exp(-somebody[cell]));
          if (score < threshold) continue;
          const auto [width, height] = expected[k];
          const float y = (float(cell / side) + 0.5f) / float(side) + offset[cell] / placeUnit * height;
          const float x = (float(cell % side) + 0.5f) / float(side) + offset[cells + cell] / placeUnit * width;
          const float h = height * std::exp(offset[2 * cells + cell] / sizeUnit);
          const float w = width * std::exp(offset[3 * cells + cell] / sizeUnit);
          boxes.emplace_back(x - w / 2, y - h / 2, w, h);
          scores.push_back(score);
        }
      }
    }
  }
};

}  // namespace

extern "C" cs_status cs_detector_create_ssdlite(const uint8_t *graph, size_t size, const char *outputs,
                                                cs_detector **result) {
  return opencv::guarded([&] {
    auto made = std::make_unique<SSDLite>();
    std::istringstream lines(outputs);
    for (std::string line; std::getline(lines, line);) made->outputs.push_back(line);
    if (made->outputs.size() != 2 * maps.size()) throw Failure(CS_INVALID_ARGUMENT, "two outputs of each map");
    opencv::load(*made, true,
                 [&] { return cv::dnn::readNetFromTensorflow(reinterpret_cast<const char *>(graph), size); });
    *result = made.release();
  });
}
