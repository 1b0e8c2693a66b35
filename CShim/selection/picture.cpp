// The median of the aligned frames, their gradients, and the noise that the burst itself shows.
#include "selection.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>

namespace cleanplate::selection {

namespace {

constexpr int lumaBins = 8;
constexpr int levels = 256;
/// Upper ends of the bins of gradients; the last is open.
constexpr int gradientEnds[] = {4, 8, 14, 22, 34, 50, 80};
constexpr float gradientCentres[] = {2, 6, 11, 18, 28, 42, 65, 110};
constexpr int gradientBins = 8;
/// Bins whose gradients are too low for misregistration to matter.
constexpr int flatBins = 2;
/// Differences below this cannot be seen, however quiet the sensor: standard deviations in levels.
constexpr double lumaFloor = 1.6;
constexpr double chromaFloor = 1.0;
/// Pixels of misregistration that are always allowed for.
constexpr double lumaShift = 0.06;
constexpr double chromaShift = 0.03;

int gradientBin(int gradient) {
  int bin = 0;
  while (bin < gradientBins - 1 && gradient >= gradientEnds[bin]) bin++;
  return bin;
}

/// Orders two rows sample by sample.
CLEANPLATE_CLONES void exchange(uint8_t *__restrict a, uint8_t *__restrict b, int count) {
  for (int x = 0; x < count; x++) {
    const uint8_t low = std::min(a[x], b[x]), high = std::max(a[x], b[x]);
    a[x] = low;
    b[x] = high;
  }
}

CLEANPLATE_CLONES void gradientRow(const uint8_t *row, const uint8_t *above, const uint8_t *below, uint8_t *out,
                                   int width) {
  for (int x = 0; x < width; x++) {
    const int left = row[x > 0 ? x - 1 : 0], right = row[x + 1 < width ? x + 1 : x];
    out[x] = uint8_t(std::max(std::abs(right - left), std::abs(int(below[x]) - int(above[x]))));
  }
}

/// The standard deviation of the deviations counted in some bins, from their median: movers count little.
class Bins {
public:
  explicit Bins(const uint64_t *counts) : counts(counts) {}

  void add(int luma, int gradient) {
    const uint64_t *bin = counts + (size_t(luma) * gradientBins + gradient) * levels;
    for (int level = 0; level < levels; level++) {
      sums[level] += bin[level];
      total += bin[level];
    }
  }
  bool isWorthwhile() const { return total >= 200; }
  double weight() const { return std::sqrt(double(total)); }
  double deviation() const {
    const double target = 0.5 * double(total);
    double below = 0;
    for (int level = 0; level < levels; level++) {
      if (below + double(sums[level]) >= target) {
        // Each level stands for the values that round to it.
        const double part = (target - below) / double(sums[level]);
        return (level == 0 ? 0.5 * part : level - 0.5 + part) / 0.6745;
      }
      below += double(sums[level]);
    }
    return 0;
  }

private:
  const uint64_t *counts;
  std::array<uint64_t, levels> sums{};
  uint64_t total = 0;
};

}  // namespace

void takeMedians(cs_selection &selection, int firstRow, int endRow) {
  const int n = selection.frames, width = selection.width;
  std::vector<uint8_t> sorted(size_t(n) * width);
  for (int plane = 0; plane < selection.planes; plane++) {
    for (int y = firstRow; y < endRow; y++) {
      for (int i = 0; i < n; i++) {
        std::memcpy(&sorted[size_t(i) * width], selection.plane(i, plane) + size_t(y) * width, width);
      }
      for (int pass = 0; pass < n; pass++) {
        for (int i = pass & 1; i + 1 < n; i += 2) exchange(&sorted[size_t(i) * width], &sorted[size_t(i + 1) * width], width);
      }
      uint8_t *out = selection.plane(n, plane) + size_t(y) * width;
      const uint8_t *low = &sorted[size_t((n - 1) / 2) * width], *high = &sorted[size_t(n / 2) * width];
      for (int x = 0; x < width; x++) out[x] = uint8_t((low[x] + high[x] + 1) >> 1);
      for (int x = 0; x < width; x++) {
        std::array<uint8_t, maximumLabels> shown;
        int count = 0;
        for (int i = 0; i < n; i++) {
          if (selection.covers(i, x, y)) shown[count++] = selection.plane(i, plane)[size_t(y) * width + x];
        }
        if (count == n || count == 0) continue;
        std::sort(shown.begin(), shown.begin() + count);
        out[x] = uint8_t((shown[(count - 1) / 2] + shown[count / 2] + 1) >> 1);
      }
    }
  }
}

void takeGradients(cs_selection &selection, int firstRow, int endRow) {
  const int width = selection.width;
  for (int candidate = 0; candidate < selection.labels; candidate++) {
    const uint8_t *luma = selection.plane(candidate, 0);
    uint8_t *out = selection.gradients.data() + size_t(candidate) * selection.area();
    for (int y = firstRow; y < endRow; y++) {
      const int above = std::max(y - 1, 0), below = std::min(y + 1, selection.height - 1);
      gradientRow(luma + size_t(y) * width, luma + size_t(above) * width, luma + size_t(below) * width,
                  out + size_t(y) * width, width);
    }
  }
}

void countDeviations(cs_selection &selection, int firstRow, int endRow) {
  const int n = selection.frames, width = selection.width;
  std::vector<uint64_t> counts(selection.histogram.size());
  const uint8_t *luma = selection.plane(n, 0), *gradient = selection.gradient(n);
  // Every other row and column shows as much.
  for (int y = (firstRow + 1) / 2 * 2; y < endRow; y += 2) {
    for (int i = 0; i < n; i++) {
      const cs_warp_span span = selection.spans[size_t(i) * selection.height + y];
      for (int x = span.start + (span.start & 1); x < span.end; x += 2) {
        const size_t p = size_t(y) * width + x;
        const size_t bin = size_t(luma[p] >> 5) * gradientBins + gradientBin(gradient[p]);
        for (int plane = 0; plane < selection.planes; plane++) {
          const int deviation = std::abs(selection.plane(i, plane)[p] - selection.plane(n, plane)[p]);
          counts[(size_t(plane) * lumaBins * gradientBins + bin) * levels + deviation]++;
        }
      }
    }
  }
  std::lock_guard<std::mutex> lock(selection.histogramLock);
  for (size_t k = 0; k < counts.size(); k++) selection.histogram[k] += counts[k];
}

void fitNoise(cs_selection &selection) {
  // A frame deviates less from a median to which it contributed itself.
  const double correction = selection.frames > 2 ? double(selection.frames) / (selection.frames - 1) : 2;
  for (int plane = 0; plane < selection.planes; plane++) {
    const bool isChroma = selection.hasChroma && plane > 0;
    const uint64_t *counts = &selection.histogram[size_t(plane) * lumaBins * gradientBins * levels];
    double weights = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int luma = 0; luma < lumaBins; luma++) {
      Bins bins(counts);
      for (int gradient = 0; gradient < flatBins; gradient++) bins.add(luma, gradient);
      if (!bins.isWorthwhile()) continue;
      const double w = bins.weight(), at = luma * 32 + 16;
      const double variance = bins.deviation() * bins.deviation() * correction;
      weights += w;
      x += w * at;
      y += w * variance;
      xx += w * at * at;
      xy += w * at * variance;
    }
    const double spread = weights * xx - x * x;
    const double slope = spread > 1e-6 ? (weights * xy - x * y) / spread : 0;
    const double atBlack = weights > 0 ? (y - slope * x) / weights : 1;
    const double floor = isChroma ? chromaFloor * chromaFloor : lumaFloor * lumaFloor;
    const double dark = std::max(atBlack, floor), bright = std::max(atBlack + 255 * slope, floor);
    double moved = 0, steep = 0;
    for (int gradient = flatBins; gradient < gradientBins; gradient++) {
      Bins bins(counts);
      for (int luma = 0; luma < lumaBins; luma++) bins.add(luma, gradient);
      if (!bins.isWorthwhile()) continue;
      const double variance = bins.deviation() * bins.deviation() * correction;
      const double excess = std::sqrt(std::max(0.0, variance - (dark + bright) / 2));
      moved += bins.weight() * excess * gradientCentres[gradient];
      steep += bins.weight() * gradientCentres[gradient] * gradientCentres[gradient];
    }
    const double shift = std::max(steep > 0 ? moved / steep : 0, isChroma ? chromaShift : lumaShift);
    selection.noise[plane] = {float(dark), float((bright - dark) / 255), float(shift * shift)};
  }
}

}  // namespace cleanplate::selection
