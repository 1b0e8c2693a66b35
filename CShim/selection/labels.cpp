// Chooses for every contested cell which candidate to follow, so that seams run where candidates agree: alpha-expansion
// by graph cuts (Boykov, Veksler, Zabih, "Fast approximate energy minimization via graph cuts", PAMI 2001); the seams
// are those of Agarwala et al., "Interactive Digital Photomontage", SIGGRAPH 2004.
#include "selection.hpp"

#include <opencv2/core.hpp>
#include <opencv2/imgproc/detail/gcgraph.hpp>

#include <cmath>

namespace cleanplate::selection {

namespace {

/// Distances, in standard deviations, at which a seam begins to show and at which it shows fully.
constexpr float seamStart = 2;
constexpr float seamEnd = 6;
/// A seam where nobody would see it costs this many units a cell, so that labels do not change for nothing.
constexpr int freeSeam = 1;
/// Passes over all labels; the first finds nearly everything.
constexpr int passes = 3;

/// Two neighbouring cells that may take different labels.
struct Neighbours {
  int a;
  int b;
  const uint8_t *seam;
};

CLEANPLATE_CLONES void addSeams(const float *distances, int labels, float *sums) {
  for (int a = 0; a + 1 < labels; a++) {
    for (int b = a + 1; b < labels; b++) {
      const float visible = (std::sqrt(distances[a * labels + b]) - seamStart) * (1 / (seamEnd - seamStart));
      sums[a * labels + b] += std::min(std::max(visible, 0.f), 1.f);
    }
  }
}

/// The visibility, in pixels, of the seams between all pairs along a cell's side: two rows or columns of pixels,
/// `near` within the cell and `far` beyond.
void sideSeams(const cs_selection &selection, int x, int y, int dx, int dy, std::vector<float> &distances,
               std::vector<float> &sums) {
  const int labels = selection.labels;
  PixelValues values;
  std::fill(sums.begin(), sums.end(), 0.f);
  for (int step = 0; step < cellSide; step++) {
    for (int side = 0; side < 2; side++) {
      const int u = std::min(x + (dx ? side * dx : step), selection.width - 1);
      const int v = std::min(y + (dx ? step : side * dy), selection.height - 1);
      selection.gather(size_t(v) * selection.width + u, values);
      pairDistances(values, selection.noise, labels, selection.planes, distances.data());
      // What a frame does not show has no seam with anything.
      const Set covering = selection.covering(u, v);
      for (int i = 0; i < labels; i++) {
        if (covering >> i & 1) continue;
        for (int j = 0; j < labels; j++) distances[std::min(i, j) * labels + std::max(i, j)] = 0;
      }
      addSeams(distances.data(), labels, sums.data());
    }
  }
}

int seamCost(const uint8_t *seam, int a, int b, int labels) {
  return a == b ? 0 : seam[pairIndex(std::min(a, b), std::max(a, b), labels)];
}

}  // namespace

void priceSeams(cs_selection &selection, int first, int end) {
  const int labels = selection.labels, pairs = selection.pairs();
  std::vector<float> distances(size_t(labels) * labels), sums(size_t(labels) * labels);
  for (int k = first; k < end; k++) {
    const int column = selection.contested[k] % selection.columns, row = selection.contested[k] / selection.columns;
    const int x = column * cellSide, y = row * cellSide;
    for (int direction = 0; direction < 4; direction++) {
      const int dx = direction == 0 ? 1 : direction == 2 ? -1 : 0, dy = direction == 1 ? 1 : direction == 3 ? -1 : 0;
      if (column + dx < 0 || row + dy < 0 || column + dx >= selection.columns || row + dy >= selection.rows) continue;
      const bool isContested = selection.place[size_t(row + dy) * selection.columns + column + dx] >= 0;
      // A pair of contested cells is priced once, at the left or upper one.
      if (isContested && direction > 1) continue;
      const int fromX = dx > 0 ? x + cellSide - 1 : x, fromY = dy > 0 ? y + cellSide - 1 : y;
      sideSeams(selection, fromX, fromY, dx, dy, distances, sums);
      for (int a = 0; a + 1 < labels; a++) {
        for (int b = a + 1; b < labels; b++) {
          const int price = std::min(int(std::lround(sums[a * labels + b] * unit)) + freeSeam, 255);
          if (isContested) {
            selection.seams[(size_t(k) * 2 + direction) * pairs + pairIndex(a, b, labels)] = uint8_t(price);
          } else if (b == selection.frames) {
            selection.cost[size_t(k) * labels + a] += price;  // beyond, the median is settled
          }
        }
      }
    }
  }
}

void chooseLabels(cs_selection &selection) {
  const int labels = selection.labels, count = int(selection.contested.size());
  if (count == 0) return;
  std::vector<Neighbours> neighbours;
  for (int k = 0; k < count; k++) {
    const int column = selection.contested[k] % selection.columns, row = selection.contested[k] / selection.columns;
    const uint8_t *seams = &selection.seams[size_t(k) * 2 * selection.pairs()];
    const int right = column + 1 < selection.columns ? selection.place[selection.contested[k] + 1] : -1;
    const int below = row + 1 < selection.rows ? selection.place[selection.contested[k] + selection.columns] : -1;
    if (right >= 0) neighbours.push_back({k, right, seams});
    if (below >= 0) neighbours.push_back({k, below, seams + selection.pairs()});
  }
  std::vector<uint8_t> &label = selection.labelOf;
  const auto cost = [&](int k, int l) { return selection.cost[size_t(k) * labels + l]; };
  const auto energy = [&] {
    int64_t sum = 0;
    for (int k = 0; k < count; k++) sum += cost(k, label[k]);
    for (const Neighbours &n : neighbours) sum += seamCost(n.seam, label[n.a], label[n.b], labels);
    return sum;
  };
  for (int k = 0; k < count; k++) {
    const int32_t *costs = &selection.cost[size_t(k) * labels];
    label[k] = uint8_t(std::min_element(costs, costs + labels) - costs);
  }
  std::vector<int> keep(count), take(count);
  int64_t best = energy();
  for (int pass = 0; pass < passes; pass++) {
    // The median first: it needs the least reason.
    for (int alpha = labels - 1; alpha >= 0; alpha--) {
      // Doubles hold these whole numbers exactly.
      cv::detail::GCGraph<double> graph(count, unsigned(neighbours.size()));
      for (int k = 0; k < count; k++) {
        graph.addVtx();
        keep[k] = cost(k, label[k]);
        take[k] = cost(k, alpha);
      }
      bool hasEdges = false;
      for (const Neighbours &n : neighbours) {
        const int a = label[n.a], b = label[n.b];
        int alphaKeep = seamCost(n.seam, alpha, b, labels), keepAlpha = seamCost(n.seam, a, alpha, labels);
        const int keepKeep = seamCost(n.seam, a, b, labels);
        // Agreement is not transitive, so a seam may cost more than two: cut the difference.
        const int missing = keepKeep - alphaKeep - keepAlpha;
        if (missing > 0) {
          alphaKeep += (missing + 1) / 2;
          keepAlpha += (missing + 1) / 2;
        }
        keep[n.a] += keepAlpha;
        keep[n.b] += keepKeep - keepAlpha;
        const int weight = alphaKeep + keepAlpha - keepKeep;
        if (weight <= 0) continue;
        graph.addEdges(n.a, n.b, weight, 0);
        hasEdges = true;
      }
      if (!hasEdges) {
        for (int k = 0; k < count; k++) label[k] = take[k] < keep[k] ? uint8_t(alpha) : label[k];
        continue;
      }
      for (int k = 0; k < count; k++) {
        const int both = std::min(keep[k], take[k]);
        graph.addTermWeights(k, keep[k] - both, take[k] - both);
      }
      graph.maxFlow();
      for (int k = 0; k < count; k++) label[k] = graph.inSourceSegment(k) ? uint8_t(alpha) : label[k];
    }
    const int64_t now = energy();
    if (now * 1000 > best * 999) break;
    best = now;
  }
}

}  // namespace cleanplate::selection
