// Turns the labels into what stacking needs: who may speak in each cell, and how many back what is shown.
#include "selection.hpp"

namespace cleanplate::selection {

/// The frames that show the same as the chosen one all over the cell and one pixel around it.
static Set companions(const cs_selection &selection, int k) {
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

void writePlan(cs_selection &selection, int firstCellRow, int endCellRow) {
  for (int cell = firstCellRow * selection.columns; cell < endCellRow * selection.columns; cell++) {
    const int k = selection.place[cell];
    const bool followsMedian = k < 0 || selection.labelOf[k] == selection.frames;
    if (followsMedian) {
      selection.speakers[cell] = CS_SELECTION_EVERYBODY;
      selection.support[cell] = selection.steadiness[cell];
      continue;
    }
    const Set set = companions(selection, k) | Set(1) << selection.labelOf[k];
    selection.speakers[cell] = set;
    selection.support[cell] = uint8_t(__builtin_popcount(set));
  }
}

}  // namespace cleanplate::selection
