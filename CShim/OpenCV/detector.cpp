// Finds people, vehicles and animals by YOLOv3-tiny (Redmon and Farhadi, "YOLOv3: An Incremental Improvement", 2018).
#include "convolution.hpp"
#include "opencv.hpp"

#include <opencv2/dnn.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <memory>
#include <vector>

using namespace cleanplate;

struct cs_detector {
  cv::dnn::Net net;
  std::vector<std::string> outputs;
};

namespace {

/// Classes of COCO that walk, drive or fly through pictures: people, vehicles and animals, without aeroplanes, trains,
/// and what stands in streets.
bool isMover(int kind) { return kind <= 3 || kind == 5 || kind == 7 || kind == 8 || (kind >= 14 && kind <= 23); }

/// Boxes that overlap by more than this share show one thing.
constexpr float sameBox = 0.5f;

}  // namespace

extern "C" cs_status cs_detector_create(const char *config, const char *weights, cs_detector **result) {
  return guarded([&] {
    auto made = std::make_unique<cs_detector>();
    try {
      const opencv::FastConvolutions fast;
      made->net = cv::dnn::readNetFromDarknet(config, weights);
      // Layers are made when they are asked for first.
      for (const auto &name : made->net.getLayerNames()) made->net.getLayer(made->net.getLayerId(name));
    } catch (const cv::Exception &exception) {
      throw Failure(CS_BAD_DATA, exception.err);
    }
    made->net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
    made->net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
    made->outputs = made->net.getUnconnectedOutLayersNames();
    *result = made.release();
  });
}

extern "C" void cs_detector_free(cs_detector *detector) { delete detector; }

extern "C" cs_status cs_detector_find(cs_detector *detector, const uint8_t *rgb, int32_t width, int32_t height,
                                      int32_t side, float threshold, cs_detection *found, int32_t capacity,
                                      int32_t *count) {
  return guarded([&] {
    if (width < 1 || height < 1 || side < 32 || side % 32 != 0) throw Failure(CS_INVALID_ARGUMENT, "a size");
    const cv::Mat picture(height, width, CV_8UC3, const_cast<uint8_t *>(rgb));
    detector->net.setInput(cv::dnn::blobFromImage(picture, 1 / 255.0, cv::Size(side, side)));
    std::vector<cv::Mat> layers;
    detector->net.forward(layers, detector->outputs);
    std::vector<cv::Rect> boxes;
    std::vector<float> scores;
    for (const cv::Mat &layer : layers) {
      for (int row = 0; row < layer.rows; row++) {
        const float *values = layer.ptr<float>(row);
        const float *best = std::max_element(values + 5, values + layer.cols);
        if (*best < threshold || !isMover(int(best - values - 5))) continue;
        const float w = values[2] * width, h = values[3] * height;
        boxes.emplace_back(int(values[0] * width - w / 2), int(values[1] * height - h / 2), int(w), int(h));
        scores.push_back(*best);
      }
    }
    std::vector<int> kept;
    cv::dnn::NMSBoxes(boxes, scores, threshold, sameBox, kept);
    *count = 0;
    for (int k : kept) {
      if (*count == capacity) break;
      found[(*count)++] = {boxes[k].x, boxes[k].y, boxes[k].width, boxes[k].height, scores[k]};
    }
  });
}
