// Where the frames disagree, and who shows the same as whom there.
#include "selection.hpp"

#include <cmath>
#include <cstring>

namespace cleanplate::selection {

namespace {

/// Cells around a rivalled one that take part, so that every region has a rim on which all agree.
constexpr int rim = 2;
/// And around one that must be kept, so that a seam can be found.
constexpr int keptRim = 8;

/// Distances of a frame's row from the median's, without those that saturation explains.
CLEANPLATE_CLONES void departureRow(const uint8_t *const *frame, const uint8_t *const *median,
                                    const uint8_t *frameGradient, const uint8_t *medianGradient, int planes, const Noise *noise,
                                    float saturation, int width, float *__restrict out) {
  const float share = 0.5f / float(planes);
  for (int x = 0; x < width; x++) {
    const float luma = 0.5f * (float(frame[0][x]) + float(median[0][x]));
    const float gradient = float(std::min(frameGradient[x], medianGradient[x]));
    const float bright = float(frame[0][x]) >= saturation ? 1.f : 0.f;
    float sum = 0;
    for (int c = 0; c < planes; c++) {
      const float d = float(frame[c][x]) - float(median[c][x]);
      const bool explained = bright != 0 && (c > 0 || d < 0);
      sum += explained ? 0 : d * d / (noise[c].constant + noise[c].slope * luma + noise[c].squaredShift * gradient * gradient);
    }
    out[x] = sum * share;
  }
}

}  // namespace

/// Explained by saturation: what a clipped sample lacks in brightness, and its colour.
CLEANPLATE_CLONES void pairDistances(const PixelValues &values, const std::array<Noise, 3> &noise, int labels,
                                     int planes, float *distances) {
  const float share = 0.5f / float(planes);
  for (int a = 0; a + 1 < labels; a++) {
    const float luma = values.luma[a], blue = values.blue[a], red = values.red[a];
    const float gradient = values.gradient[a], clipped = values.clipped[a];
    float *row = distances + a * labels;
    for (int b = a + 1; b < labels; b++) {
      const float steep = std::min(gradient, values.gradient[b]), squared = steep * steep;
      const float bright = 0.5f * (luma + values.luma[b]);
      float dl = luma - values.luma[b];
      dl = (((clipped != 0) & (dl < 0)) | ((values.clipped[b] != 0) & (dl > 0))) ? 0.f : dl;
      const float colour = ((clipped != 0) | (values.clipped[b] != 0)) ? 0.f : 1.f;
      const float db = blue - values.blue[b], dr = red - values.red[b];
      float sum = dl * dl / (noise[0].constant + noise[0].slope * bright + noise[0].squaredShift * squared);
      sum += colour * db * db / (noise[1].constant + noise[1].slope * bright + noise[1].squaredShift * squared);
      sum += colour * dr * dr / (noise[2].constant + noise[2].slope * bright + noise[2].squaredShift * squared);
      row[b] = sum * share;
    }
  }
}

void findRivals(cs_selection &selection, int firstCellRow, int endCellRow) {
  const int n = selection.frames, width = selection.width, height = selection.height;
  const int firstRow = firstCellRow * cellSide, endRow = std::min(endCellRow * cellSide, height);
  const int haloStart = std::max(firstRow - 1, 0), haloEnd = std::min(endRow + 1, height);
  std::vector<float> distance(size_t(haloEnd - haloStart) * width), column(width);
  std::vector<uint8_t> departing(size_t(endRow - firstRow) * width), shown(departing.size());
  for (int i = 0; i < n; i++) {
    for (int y = haloStart; y < haloEnd; y++) {
      const size_t p = size_t(y) * width;
      const uint8_t *frame[3] = {}, *median[3] = {};
      for (int c = 0; c < selection.planes; c++) {
        frame[c] = selection.plane(i, c) + p;
        median[c] = selection.plane(n, c) + p;
      }
      float *row = &distance[size_t(y - haloStart) * width];
      departureRow(frame, median, selection.gradient(i) + p, selection.gradient(n) + p,
                   selection.planes, selection.noise.data(), selection.saturation[i], width, row);
      const cs_warp_span span = selection.spans[size_t(i) * height + y];
      for (int x = 0; x < span.start; x++) row[x] = 0;
      for (int x = std::max(span.end, 0); x < width; x++) row[x] = 0;
    }
    for (int y = firstRow; y < endRow; y++) {
      const float *above = &distance[size_t(std::max(y - 1, haloStart) - haloStart) * width];
      const float *row = &distance[size_t(y - haloStart) * width];
      const float *below = &distance[size_t(std::min(y + 1, haloEnd - 1) - haloStart) * width];
      for (int x = 0; x < width; x++) column[x] = above[x] + row[x] + below[x];
      uint8_t *departs = &departing[size_t(y - firstRow) * width], *shows = &shown[size_t(y - firstRow) * width];
      for (int x = 0; x < width; x++) {
        const float sum = column[x > 0 ? x - 1 : 0] + column[x] + column[x + 1 < width ? x + 1 : x];
        departs[x] = uint8_t(departs[x] + (sum > 9 * departure));
      }
      const cs_warp_span span = selection.spans[size_t(i) * height + y];
      for (int x = span.start; x < span.end; x++) shows[x]++;
    }
  }
  for (int y = firstRow; y < endRow; y++) {
    for (int x = 0; x < width; x++) {
      const size_t p = size_t(y - firstRow) * width + x;
      const int cell = selection.cellAt(x, y);
      const int departs = departing[p];
      selection.steadiness[cell] = std::min<uint8_t>(selection.steadiness[cell], uint8_t(std::max(shown[p] - departs, 0)));
      const bool isRivalled = departs > 0 && float(departs) >= rivalShare * float(shown[p]);
      // At the picture's rim, which few frames show, disagreement says little.
      const bool isOpen = departs > 0 && 5 * departs >= 2 * int(shown[p]) && 2 * int(shown[p]) >= n;
      selection.rivalled[cell] = std::max(selection.rivalled[cell], uint8_t(isOpen ? 2 : isRivalled ? 1 : 0));
    }
  }
}

void collectContested(cs_selection &selection) {
  const int columns = selection.columns, rows = selection.rows;
  selection.place.assign(size_t(columns) * rows, -1);
  selection.contested.clear();
  for (int y = 0; y < rows; y++) {
    for (int x = 0; x < columns; x++) {
      bool isNear = false;
      for (int v = std::max(y - rim, 0); v <= std::min(y + rim, rows - 1) && !isNear; v++) {
        for (int u = std::max(x - rim, 0); u <= std::min(x + rim, columns - 1) && !isNear; u++) {
          isNear = selection.rivalled[size_t(v) * columns + u] != 0;
        }
      }
      for (int v = std::max(y - keptRim, 0); !selection.kept.empty() && v <= std::min(y + keptRim, rows - 1); v++) {
        for (int u = std::max(x - keptRim, 0); u <= std::min(x + keptRim, columns - 1); u++) {
          isNear = isNear || selection.kept[size_t(v) * columns + u] != 0;
        }
      }
      if (!isNear) continue;
      selection.place[size_t(y) * columns + x] = int32_t(selection.contested.size());
      selection.contested.push_back(y * columns + x);
    }
  }
  const size_t count = selection.contested.size();
  selection.same.assign(count * cellPixels * selection.labels, 0);
  selection.other.assign(count * cellPixels * selection.labels, 0);
  selection.excess.assign(count * selection.pairs(), 0);
  selection.borders.assign(count * selection.pairs(), 0);
  selection.cost.assign(count * selection.labels, 0);
  selection.edgeCost.assign(count * selection.labels, 0);
  selection.seams.assign(count * 2 * selection.pairs(), 0);
  selection.labelOf.assign(count, uint8_t(selection.frames));
}

void compareFrames(cs_selection &selection, int first, int end) {
  constexpr int side = cellSide + 2;
  const int labels = selection.labels;
  std::vector<float> distances(size_t(side) * side * labels * labels), sums(size_t(labels) * labels);
  PixelValues values;
  for (int k = first; k < end; k++) {
    const int left = selection.contested[k] % selection.columns * cellSide;
    const int top = selection.contested[k] / selection.columns * cellSide;
    for (int v = 0; v < side; v++) {
      for (int u = 0; u < side; u++) {
        const int x = std::clamp(left + u - 1, 0, selection.width - 1), y = std::clamp(top + v - 1, 0, selection.height - 1);
        selection.gather(size_t(y) * selection.width + x, values);
        pairDistances(values, selection.noise, labels, selection.planes,
                      &distances[size_t(v * side + u) * labels * labels]);
      }
    }
    for (int v = 0; v < cellSide; v++) {
      for (int u = 0; u < cellSide; u++) {
        std::fill(sums.begin(), sums.end(), 0.f);
        for (int dv = 0; dv < 3; dv++) {
          for (int du = 0; du < 3; du++) {
            const float *d = &distances[size_t((v + dv) * side + u + du) * labels * labels];
            for (int t = 0; t < labels * labels; t++) sums[t] += d[t];
          }
        }
        const Set covering = selection.covering(std::min(left + u, selection.width - 1), std::min(top + v, selection.height - 1));
        Set *same = &selection.same[(size_t(k) * cellPixels + v * cellSide + u) * labels];
        Set *other = &selection.other[(size_t(k) * cellPixels + v * cellSide + u) * labels];
        for (int a = 0; a < labels; a++) {
          if (!(covering >> a & 1)) continue;
          same[a] |= Set(1) << a;
          for (int b = a + 1; b < labels; b++) {
            if (!(covering >> b & 1)) continue;
            const float sum = sums[a * labels + b];
            if (sum <= 9 * sameThing) {
              same[a] |= Set(1) << b;
              same[b] |= Set(1) << a;
            } else if (sum > 9 * anotherThing) {
              other[a] |= Set(1) << b;
              other[b] |= Set(1) << a;
            }
          }
        }
      }
    }
  }
}

}  // namespace cleanplate::selection

cleanplate::selection::Set cs_selection::covering(int x, int y) const {
  cleanplate::selection::Set set = cleanplate::selection::Set(1) << frames;
  for (int i = 0; i < frames; i++) {
    if (covers(i, x, y)) set |= cleanplate::selection::Set(1) << i;
  }
  return set;
}

void cs_selection::gather(size_t pixel, cleanplate::selection::PixelValues &values) const {
  for (int i = 0; i < labels; i++) {
    values.luma[i] = plane(i, 0)[pixel];
    values.blue[i] = planes == 3 ? plane(i, 1)[pixel] : 0;
    values.red[i] = planes == 3 ? plane(i, 2)[pixel] : 0;
    values.gradient[i] = gradient(i)[pixel];
    values.clipped[i] = values.luma[i] >= saturation[i] ? 1 : 0;
  }
}

float cs_selection::occupancy(cleanplate::selection::Set set, size_t pixel) const {
  int sum = 0, count = 0;
  for (; set; set &= set - 1) {
    sum += occupied[size_t(__builtin_ctz(set)) * area() + pixel];
    count++;
  }
  return count > 0 ? float(sum) / float(255 * count) : 0;
}
