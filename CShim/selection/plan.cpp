// Turns the labels into what stacking needs: who may speak in each cell, and how many back what is shown.
#include "selection.hpp"

#include <cmath>
#include <cstdlib>

namespace cleanplate::selection {

namespace {

/// The frames that show the same as the chosen one all over the cell and one pixel around it.
Set companions(const cs_selection &selection, int k) {
  const int left = selection.contested[k] % selection.columns * cellSide;
  const int top = selection.contested[k] / selection.columns * cellSide;
  const int chosen = selection.labelOf[k];
  Set set = ~Set(0);
  for (int y = std::max(top - 1, 0); y <= std::min(top + cellSide, selection.height - 1); y++) {
    for (int x = std::max(left - 1, 0); x <= std::min(left + cellSide, selection.width - 1); x++) {
      const Set *same = selection.setsAt(selection.same, x, y);
      if (same && same[chosen]) set &= same[chosen];
    }
  }
  return set & ((Set(1) << selection.frames) - 1);
}

/// Cells to each side over which what is left of somebody is weighed.
constexpr int window = 3;
/// So much of borders and seams per cell of the window is left where somebody was not removed; a quarter of it where a
/// detector sees him too.
constexpr int remnant = unit;
/// How surely somebody must be seen in the speakers on average.
constexpr float certainly = 0.35f;

/// What the choice costs in a cell: borders that others do not have, and visible seams.
int remainingCost(const cs_selection &selection, int k) {
  const int labels = selection.labels, own = selection.labelOf[k], cell = selection.contested[k];
  int cost = selection.edgeCost[size_t(k) * labels + own];
  const int column = cell % selection.columns, row = cell / selection.columns;
  for (int direction = 0; direction < 2; direction++) {
    if (direction == 0 ? column + 1 >= selection.columns : row + 1 >= selection.rows) continue;
    const int next = selection.place[cell + (direction == 0 ? 1 : selection.columns)];
    if (next < 0 || selection.labelOf[next] == own) continue;
    const int other = selection.labelOf[next];
    cost += selection.seams[(size_t(k) * 2 + direction) * selection.pairs() +
                            pairIndex(std::min(own, other), std::max(own, other), labels)];
  }
  return cost;
}

bool isUnresolved(const cs_selection &selection, int k) {
  const int cell = selection.contested[k], own = selection.labelOf[k];
  const int column = cell % selection.columns, row = cell / selection.columns;
  if (!selection.kept.empty() && selection.kept[cell]) return false;
  bool isOccupied = false;
  if (!selection.occupied.empty()) {
    const int x = std::min(column * cellSide + cellSide / 2, selection.width - 1);
    const int y = std::min(row * cellSide + cellSide / 2, selection.height - 1);
    const Set same = selection.setsAt(selection.same, x, y)[own] & ((Set(1) << selection.frames) - 1);
    isOccupied = selection.occupancy(same, size_t(y) * selection.width + x) > certainly;
  }
  int sum = 0, count = 0;
  for (int v = std::max(row - window, 0); v <= std::min(row + window, selection.rows - 1); v++) {
    for (int u = std::max(column - window, 0); u <= std::min(column + window, selection.columns - 1); u++) {
      count++;
      const int other = selection.place[size_t(v) * selection.columns + u];
      if (other >= 0) sum += remainingCost(selection, other);
    }
  }
  return sum > (isOccupied ? remnant / 4 : remnant) * count;
}

/// Standard deviations by which the mean over 3x3 pixels of the reference may differ from what was chosen: more may be
/// a faint shadow that nobody else shows.
constexpr float faintest = 3;

/// Whether the reference shows what a candidate shows, all over the cell and one pixel around it: the same shades, so
/// that only details can differ.
bool referenceShows(const cs_selection &selection, int candidate, int cell) {
  constexpr int side = cellSide + 4, inner = cellSide + 2;
  const int left = cell % selection.columns * cellSide - 2, top = cell / selection.columns * cellSide - 2;
  for (int plane = 0; plane < selection.planes; plane++) {
    int rowSums[side][inner];
    for (int v = 0; v < side; v++) {
      const int y = std::clamp(top + v, 0, selection.height - 1);
      const uint8_t *own = selection.plane(selection.reference, plane) + size_t(y) * selection.width;
      const uint8_t *shown = selection.plane(candidate, plane) + size_t(y) * selection.width;
      int difference[side];
      for (int u = 0; u < side; u++) {
        const int x = std::clamp(left + u, 0, selection.width - 1);
        if (!selection.covers(selection.reference, x, y)) return false;
        difference[u] = own[x] - shown[x];
      }
      for (int u = 0; u < inner; u++) rowSums[v][u] = difference[u] + difference[u + 1] + difference[u + 2];
    }
    for (int v = 0; v < inner; v++) {
      const int y = std::clamp(top + v + 1, 0, selection.height - 1);
      for (int u = 0; u < inner; u++) {
        const size_t p = size_t(y) * selection.width + std::clamp(left + u + 1, 0, selection.width - 1);
        const float sum = float(std::abs(rowSums[v][u] + rowSums[v + 1][u] + rowSums[v + 2][u]));
        const Noise &noise = selection.noise[plane];
        const float variance = noise.variance(selection.plane(candidate, 0)[p], selection.gradient(candidate)[p]);
        if (sum * sum > 81 * faintest * faintest * variance) return false;
      }
    }
  }
  return true;
}

}  // namespace

void writePlan(cs_selection &selection, int firstCellRow, int endCellRow) {
  for (int cell = firstCellRow * selection.columns; cell < endCellRow * selection.columns; cell++) {
    const int k = selection.place[cell];
    if (k >= 0) selection.unresolved[cell] = isUnresolved(selection, k);
    const bool followsMedian = k < 0 || selection.labelOf[k] == selection.frames;
    if (followsMedian) {
      selection.speakers[cell] = CS_SELECTION_EVERYBODY;
      selection.led[cell] = referenceShows(selection, selection.frames, cell);
      selection.support[cell] = selection.steadiness[cell];
      continue;
    }
    const Set set = companions(selection, k) | Set(1) << selection.labelOf[k];
    selection.speakers[cell] = set;
    selection.support[cell] = uint8_t(__builtin_popcount(set));
    selection.led[cell] = (set >> selection.reference & 1) && referenceShows(selection, selection.labelOf[k], cell);
  }
}

}  // namespace cleanplate::selection
