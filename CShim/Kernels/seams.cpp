// How visible seams are along one side of a cell.
#include "../instructions.hpp"
#include "include/CShimKernels.h"

#include <algorithm>
#include <cmath>

namespace {

constexpr int pixels = 8;

/// - Parameter hidden: a bit for each pixel that one of the two does not show.
CS_INLINE uint8_t cost(const cs_seam &seam, const float *distances, int hidden) {
  float visible[pixels];
  for (int i = 0; i < pixels; ++i) {
    const float share = (std::sqrt(distances[i]) - seam.lowest) * seam.scale;
    visible[i] = hidden >> i & 1 ? 0 : std::min(std::max(share, 0.0f), 1.0f);
  }
  float sum = 0;
  for (const uint8_t pixel : seam.order) sum += visible[pixel];
  // To the nearest whole number, halves upwards.
  const float units = sum * seam.unit;
  const int whole = int(units);
  return uint8_t(std::min(whole + (units - float(whole) >= 0.5f ? 1 : 0) + seam.least, 255));
}

}  // namespace

extern "C" void cs_seam_costs(const cs_seam *seam, const float *distances, int32_t stride, int32_t count,
                              uint8_t hidden, const uint8_t *others_hidden, uint8_t *costs) {
  const cs_seam side = *seam;
  cleanplate::onThisProcessor<cleanplate::V3>([=](auto) CS_INLINED {
    for (int k = 0; k < count; ++k)
      costs[k] = cost(side, distances + ptrdiff_t(k) * stride, others_hidden ? hidden | others_hidden[k] : 0);
  });
}
