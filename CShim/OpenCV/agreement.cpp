// Small pictures in which every place counts alike, and how well two of them agree under every shift.
#include "opencv.hpp"

#include <opencv2/imgproc.hpp>

#include <cmath>
#include <cstdlib>

using cleanplate::Failure;
using cleanplate::opencv::guarded;

namespace {

/// Pixels of the small picture: what is finer than the first is noise, what is coarser than the second is light, and
/// strength is measured over the third.
constexpr double finest = 1, coarsest = 3, neighbourhood = 6;
/// Levels of brightness below which a structure is noise.
constexpr double noise = 0.3;

cv::Mat blurred(const cv::Mat &picture, double sigma) {
  cv::Mat result;
  cv::GaussianBlur(picture, result, cv::Size(), sigma, sigma, cv::BORDER_REPLICATE);
  return result;
}

/// The spectrum of a picture about its neutral level, padded by zeros.
cv::Mat spectrum(const uint8_t *samples, int width, int height, cv::Size padded, double &energy) {
  cv::Mat values = cv::Mat::zeros(padded, CV_32F);
  const cv::Mat picture(height, width, CV_8U, const_cast<uint8_t *>(samples));
  cv::Mat part = values(cv::Rect(0, 0, width, height));
  picture.convertTo(part, CV_32F, 1, -128);
  energy = part.dot(part);
  cv::Mat result;
  // Only rows may be known to be zero, and not where each is a single sample.
  cv::dft(values, result, 0, padded.width > 1 ? height : 0);
  return result;
}

}  // namespace

extern "C" {

cs_status cs_whiten(const cs_plane *picture, int32_t factor, uint8_t *samples) {
  return guarded([&] {
    const cv::Size size(picture->width / factor, picture->height / factor);
    if (size.empty()) throw Failure(CS_INVALID_ARGUMENT, "the factor exceeds the picture");
    cv::Mat floats, small;
    // Bytes would round faint structures away.
    cleanplate::opencv::view (*picture)(cv::Rect(0, 0, size.width * factor, size.height * factor))
        .convertTo(floats, CV_32F);
    cv::resize(floats, small, size, 0, 0, cv::INTER_AREA);
    const cv::Mat band = blurred(small, finest) - blurred(small, coarsest);
    cv::Mat strength;
    cv::sqrt(blurred(band.mul(band), neighbourhood) + noise * noise, strength);
    cv::Mat whitened(size, CV_8U, samples);
    cv::Mat(band / strength).convertTo(whitened, CV_8U, 63, 128);
  });
}

cs_status cs_shift_agreement(const uint8_t *a, const uint8_t *b, int32_t width, int32_t height, int32_t reach_x,
                             int32_t reach_y, float *surface) {
  return guarded([&] {
    if (width < 1 || height < 1 || reach_x < 0 || reach_y < 0 || reach_x >= width || reach_y >= height)
      throw Failure(CS_INVALID_ARGUMENT, "shifts beyond the picture");
    const cv::Size padded(cv::getOptimalDFTSize(width + reach_x), cv::getOptimalDFTSize(height + reach_y));
    double energyA = 0, energyB = 0;
    const cv::Mat spectrumA = spectrum(a, width, height, padded, energyA);
    const cv::Mat spectrumB = spectrum(b, width, height, padded, energyB);
    cv::Mat product, correlation;
    cv::mulSpectrums(spectrumA, spectrumB, product, 0, true);
    cv::dft(product, correlation, cv::DFT_INVERSE | cv::DFT_SCALE | cv::DFT_REAL_OUTPUT);
    const double whole = std::sqrt(energyA * energyB);
    for (int dy = -reach_y; dy <= reach_y; ++dy) {
      const float *row = correlation.ptr<float>(dy < 0 ? dy + padded.height : dy);
      for (int dx = -reach_x; dx <= reach_x; ++dx) {
        *surface++ = whole > 0 ? float(row[dx < 0 ? dx + padded.width : dx] / whole) : 0.0f;
      }
    }
  });
}

}  // extern "C"
