// Things found in a picture, spread over a grid of cells, so that no one part of the picture owns them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cleanplate {

template <class Item> class Cells {
public:
  /// Square cells, `alongLongSide` of them along the longer side of the picture.
  Cells(int width, int height, int alongLongSide)
      : side(std::max(1, (std::max(width, height) + alongLongSide - 1) / alongLongSide)),
        columns((width + side - 1) / side),
        cells(size_t(columns * ((height + side - 1) / side))) {}

  void add(const Item &item, int x, int y) { cells[size_t(y / side * columns + x / side)].push_back(item); }

  template <class IsBefore> void sort(IsBefore isBefore) {
    for (auto &cell : cells) std::sort(cell.begin(), cell.end(), isBefore);
  }

  /// Every cell gives its first in turns, until there are `maximum`.
  std::vector<Item> inTurns(size_t maximum) const {
    std::vector<Item> chosen;
    for (size_t turn = 0; chosen.size() < maximum; ++turn) {
      const size_t before = chosen.size();
      for (const auto &cell : cells)
        if (turn < cell.size() && chosen.size() < maximum) chosen.push_back(cell[turn]);
      if (chosen.size() == before) break;
    }
    return chosen;
  }

private:
  int side, columns;
  std::vector<std::vector<Item>> cells;
};

}  // namespace cleanplate
