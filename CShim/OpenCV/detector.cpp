// Looks at pictures with networks that find somebody.
#include "detector.hpp"

#include "convolution.hpp"

using namespace cleanplate;

namespace {

/// Boxes that overlap by more than this share show one thing.
constexpr float sameBox = 0.5f;

}  // namespace

void opencv::load(cs_detector &detector, bool isChain, const std::function<cv::dnn::Net()> &read) {
  try {
    const FastConvolutions fast(isChain);
    detector.net = read();
    // Layers are made when they are asked for first.
    for (const auto &name : detector.net.getLayerNames()) detector.net.getLayer(detector.net.getLayerId(name));
  } catch (const cv::Exception &exception) {
    throw Failure(CS_BAD_DATA, exception.err);
  }
  detector.net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
  detector.net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
}

extern "C" void cs_detector_free(cs_detector *detector) { delete detector; }

extern "C" cs_status cs_detector_find(cs_detector *detector, const uint8_t *rgb, int32_t width, int32_t height,
                                      int32_t side, float threshold, cs_detection *found, int32_t capacity,
                                      int32_t *count) {
  return opencv::guarded([&] {
    if (width < 1 || height < 1 || side < 32) throw Failure(CS_INVALID_ARGUMENT, "a size");
    const cv::Mat picture(height, width, CV_8UC3, const_cast<uint8_t *>(rgb));
    detector->prepare(picture, side, detector->input);
    detector->net.setInput(detector->input);
    std::vector<cv::Mat> layers;
    detector->net.forward(layers, detector->outputs);
    std::vector<cv::Rect2d> shares;
    std::vector<float> scores;
    detector->read(layers, threshold, shares, scores);
    std::vector<cv::Rect> boxes;
    for (const cv::Rect2d &share : shares) {
      boxes.emplace_back(int(share.x * width), int(share.y * height), int(share.width * width),
                         int(share.height * height));
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
