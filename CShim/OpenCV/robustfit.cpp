// Maps fitted to correspondences of which many are wrong.
#include "opencv.hpp"

#include <opencv2/calib3d.hpp>

using cleanplate::Failure;
using cleanplate::opencv::guarded;

namespace {

std::vector<cv::Point2d> points(const cs_point *source, int32_t count) {
  std::vector<cv::Point2d> result;
  result.reserve(size_t(count));
  for (int32_t i = 0; i < count; ++i) result.emplace_back(source[i].x, source[i].y);
  return result;
}

}  // namespace

extern "C" cs_status cs_fit_robustly(cs_model model, const cs_point *from, const cs_point *to, int32_t count,
                                     double threshold, int32_t iterations, double map[9], uint8_t *inliers,
                                     int32_t *found) {
  return guarded([&] {
    *found = 0;
    std::fill(inliers, inliers + count, uint8_t(0));
    if (count < (model == CS_MODEL_HOMOGRAPHY ? 4 : 3)) return;
    cv::UsacParams parameters;
    parameters.confidence = 0.9999;
    parameters.isParallel = false;
    parameters.loMethod = cv::LOCAL_OPTIM_SIGMA;
    parameters.maxIterations = iterations;
    parameters.randomGeneratorState = 1;
    parameters.sampler = cv::SAMPLING_UNIFORM;
    parameters.score = cv::SCORE_METHOD_MAGSAC;
    parameters.threshold = threshold;
    std::vector<uint8_t> mask;
    cv::Mat fitted;
    if (model == CS_MODEL_HOMOGRAPHY) {
      fitted = cv::findHomography(points(from, count), points(to, count), mask, parameters);
    } else {
      fitted = cv::estimateAffine2D(points(from, count), points(to, count), mask, parameters);
    }
    if (fitted.empty() || mask.size() != size_t(count)) return;
    fitted.convertTo(fitted, CV_64F);
    const int elements = int(fitted.total());
    for (int i = 0; i < 9; ++i) map[i] = i < elements ? fitted.at<double>(i / 3, i % 3) : (i == 8 ? 1 : 0);
    if (map[8] == 0) return;
    for (int i = 0; i < 9; ++i) map[i] /= map[8];
    for (int32_t i = 0; i < count; ++i) inliers[i] = mask[size_t(i)] ? 1 : 0;
    *found = 1;
  });
}
