// What speaks for a candidate: how many frames back it, who is seen in it, and whether it has borders that others do
// not have. Somebody who stands there brings edges along his outline that the surroundings do not continue.
#include "selection.hpp"

#include <cmath>
#include <cstdlib>

namespace cleanplate::selection {

namespace {

/// Pixels between the two sides of a border: outlines are soft over about this far.
constexpr int reach = 2;
/// Edges are compared as shares of their strength; this many standard deviations of noise keep weak ones out.
constexpr float quiet = 6;
/// Fixed point of `cs_selection::excess`.
constexpr int excessUnit = 64;
/// Cells to each side over which borders are weighed together: by chance one passer-by's outline may look smoother
/// than a wall, but not all along.
constexpr int window = 3;
/// Borders that a pair must have in the window before they tell half of what they say.
constexpr int doubt = 8;
/// Costs in seam pixels: of a pixel of border with edges that a rival lacks throughout, of a pixel that is backed
/// by e times fewer frames than another candidate, of a pixel in which a detector saw somebody for certain, of a
/// pixel that is not the median's, and of one that the frame does not show.
constexpr float borderWeight = 8;
constexpr float backingWeight = 0.03f;
constexpr float occupiedWeight = 0.15f;
constexpr float medianLead = 0.02f;
constexpr int32_t unseen = 1000 * unit;

/// By how much the values step from pixel `p` to `q`, in levels.
CLEANPLATE_CLONES void steps(const PixelValues &p, const PixelValues &q, int labels, float *out) {
  for (int i = 0; i < labels; i++) {
    out[i] = std::abs(p.luma[i] - q.luma[i]) + std::abs(p.blue[i] - q.blue[i]) + std::abs(p.red[i] - q.red[i]);
  }
}

/// Counts a frame once per stretch of time, or nearly: a run of n frames counts sqrt(n), so that somebody who lingers
/// does not outvote a wall that is seen again and again.
class Backing {
public:
  explicit Backing(int frames) : frames(frames) {
    for (int n = 0; n <= CS_SELECTION_FRAMES; n++) roots[n] = std::sqrt(float(n));
  }
  float operator()(Set set) const {
    float sum = 0;
    int run = 0;
    for (int i = 0; i < frames; i++) {
      if (set >> i & 1) {
        run++;
      } else {
        sum += roots[run];
        run = 0;
      }
    }
    return sum + roots[run];
  }

private:
  int frames;
  std::array<float, CS_SELECTION_FRAMES + 1> roots;
};

}  // namespace

void weighBorders(cs_selection &selection, int first, int end) {
  const int labels = selection.labels, pairs = selection.pairs();
  PixelValues from, to;
  float step[maximumLabels] = {};
  for (int k = first; k < end; k++) {
    const int left = selection.contested[k] % selection.columns * cellSide;
    const int top = selection.contested[k] / selection.columns * cellSide;
    int16_t *excess = &selection.excess[size_t(k) * pairs];
    uint16_t *borders = &selection.borders[size_t(k) * pairs];
    for (int direction = 0; direction < 2; direction++) {
      const int dx = direction == 0 ? reach : 0, dy = direction == 0 ? 0 : reach;
      for (int y = std::max(top - dy, 0); y < std::min(top + cellSide, selection.height - dy); y++) {
        for (int x = std::max(left - dx, 0); x < std::min(left + cellSide, selection.width - dx); x++) {
          const Set *sameP = selection.setsAt(selection.same, x, y), *sameQ = selection.setsAt(selection.same, x + dx, y + dy);
          if (!sameP || !sameQ) continue;
          const Set *otherP = selection.setsAt(selection.other, x, y), *otherQ = selection.setsAt(selection.other, x + dx, y + dy);
          Set any = 0;
          for (int a = 0; a < labels; a++) any |= (sameP[a] & otherQ[a]) | (otherP[a] & sameQ[a]);
          if (any == 0) continue;
          const size_t p = size_t(y) * selection.width + x;
          selection.gather(p, from);
          selection.gather(p + size_t(dy) * selection.width + dx, to);
          steps(from, to, labels, step);
          const float noise = quiet * std::sqrt(selection.noise[0].variance(from.luma[labels - 1], 0)) *
                              float(selection.hasChroma ? 1 : selection.planes);
          // Both ends may lie in the cell, or one of them.
          const int ends = (x >= left && y >= top) + (x + dx < left + cellSide && y + dy < top + cellSide);
          for (int a = 0; a < labels; a++) {
            Set rivals = ((sameP[a] & otherQ[a]) | (otherP[a] & sameQ[a])) & ~((Set(2) << a) - 1);
            for (; rivals; rivals &= rivals - 1) {
              const int b = __builtin_ctz(rivals), t = pairIndex(a, b, labels);
              const float more = (step[a] - step[b]) / (step[a] + step[b] + noise);
              excess[t] = int16_t(excess[t] + ends * int(std::lround(more * excessUnit)));
              borders[t] = uint16_t(borders[t] + ends);
            }
          }
        }
      }
    }
  }
}

void priceCandidates(cs_selection &selection, int first, int end) {
  const int labels = selection.labels, pairs = selection.pairs();
  const Backing backing(selection.frames);
  const Set frames = (Set(1) << selection.frames) - 1;
  std::vector<int32_t> excess(pairs), borders(pairs);
  std::array<float, maximumLabels> cost, edges, backed;
  for (int k = first; k < end; k++) {
    const int column = selection.contested[k] % selection.columns, row = selection.contested[k] / selection.columns;
    const int left = column * cellSide, top = row * cellSide;
    cost.fill(0);
    edges.fill(0);
    for (int y = top; y < std::min(top + cellSide, selection.height); y++) {
      for (int x = left; x < std::min(left + cellSide, selection.width); x++) {
        const Set *same = selection.setsAt(selection.same, x, y);
        float best = 0;
        for (int i = 0; i < labels; i++) {
          backed[i] = same[i] ? backing(same[i] & frames) : 0;
          best = std::max(best, backed[i]);
        }
        for (int i = 0; i < labels; i++) {
          cost[i] += same[i] ? backingWeight * std::log((best + 0.5f) / (backed[i] + 0.5f)) : float(unseen) / unit;
          if (i < selection.frames) cost[i] += medianLead;
        }
        if (selection.occupied.empty()) continue;
        // Who shows the same is seen or overlooked alike.
        const size_t pixel = size_t(y) * selection.width + x;
        for (int i = 0; i < labels; i++) cost[i] += occupiedWeight * selection.occupancy(same[i] & frames, pixel);
      }
    }
    const int keep = selection.kept.empty() ? 0 : selection.kept[selection.contested[k]];
    for (int i = 0; i < labels && keep > 0; i++) cost[i] += i + 1 == keep ? 0 : float(unseen) / unit * cellPixels;
    std::fill(excess.begin(), excess.end(), 0);
    std::fill(borders.begin(), borders.end(), 0);
    for (int v = std::max(row - window, 0); v <= std::min(row + window, selection.rows - 1); v++) {
      for (int u = std::max(column - window, 0); u <= std::min(column + window, selection.columns - 1); u++) {
        const int other = selection.place[size_t(v) * selection.columns + u];
        if (other < 0) continue;
        const int16_t *e = &selection.excess[size_t(other) * pairs];
        const uint16_t *b = &selection.borders[size_t(other) * pairs];
        for (int t = 0; t < pairs; t++) excess[t] += e[t];
        for (int t = 0; t < pairs; t++) borders[t] += b[t];
      }
    }
    for (int a = 0; a + 1 < labels; a++) {
      for (int b = a + 1; b < labels; b++) {
        const int t = pairIndex(a, b, labels), own = selection.borders[size_t(k) * pairs + t];
        if (own == 0) continue;
        // Each border counts at either end, hence the halves.
        const float mean = 0.5f * float(excess[t]) / excessUnit / (0.5f * float(borders[t]) + doubt);
        float &edge = edges[mean > 0 ? a : b];
        edge = std::max(edge, borderWeight * 0.5f * float(own) * std::abs(mean));
      }
    }
    for (int i = 0; i < labels; i++) {
      selection.edgeCost[size_t(k) * labels + i] = int32_t(std::lround(edges[i] * unit));
      selection.cost[size_t(k) * labels + i] = int32_t(std::lround((cost[i] + edges[i]) * unit));
    }
  }
}

}  // namespace cleanplate::selection
