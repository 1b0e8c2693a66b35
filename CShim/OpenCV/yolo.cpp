// Finds people, vehicles and animals by YOLOv3-tiny (Redmon and Farhadi, "YOLOv3: An Incremental Improvement", 2018).
#include "detector.hpp"

#include <algorithm>
#include <memory>

using namespace cleanplate;

namespace {

/// Classes of COCO that walk, drive or fly through pictures: people, vehicles and animals, without aeroplanes, trains,
/// and what stands in streets.
bool isMover(int kind) { return kind <= 3 || kind == 5 || kind == 7 || kind == 8 || (kind >= 14 && kind <= 23); }

struct Yolo final : cs_detector {
  void prepare(const cv::Mat &picture, int32_t side, cv::Mat &input) const override {
    if (side % 32 != 0) throw Failure(CS_INVALID_ARGUMENT, "a side");
    cv::dnn::blobFromImage(picture, input, 1 / 255.0, cv::Size(side, side));
  }

  void read(const std::vector<cv::Mat> &layers, float threshold, std::vector<cv::Rect2d> &boxes,
            std::vector<float> &scores) const override {
    for (const cv::Mat &layer : layers) {
      for (int row = 0; row < layer.rows; row++) {
        const float *values = layer.ptr<float>(row);
        const float *best = std::max_element(values + 5, values + layer.cols);
        if (*best < threshold || !isMover(int(best - values - 5))) continue;
        const float w = values[2], h = values[3];
        boxes.emplace_back(values[0] - w / 2, values[1] - h / 2, w, h);
        scores.push_back(*best);
      }
    }
  }
};

}  // namespace

extern "C" cs_status cs_detector_create_yolo(const char *config, const char *weights, cs_detector **result) {
  return opencv::guarded([&] {
    auto made = std::make_unique<Yolo>();
    opencv::load(*made, false, [&] { return cv::dnn::readNetFromDarknet(config, weights); });
    made->outputs = made->net.getUnconnectedOutLayersNames();
    *result = made.release();
  });
}
