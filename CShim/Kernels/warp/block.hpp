// A block of lattice cells: their nodes, which of them the source shows, and the source samples that they need.
#pragma once

#include "geometry.hpp"
#include "lanes.hpp"

#include <algorithm>

namespace cleanplate::warp {

/// A coordinate as a node has it, from whole and half samples.
constexpr int64_t fixedHalves(int64_t halves) { return halves * (int64_t(1) << (Node::fractionBits - 1)); }

/// What of a cell shows the source.
enum class Visibility : uint8_t { none, part, whole };

/// Lattice cells `column ..< column + columns`, `row ..< row + rows`.
struct Block {
  static constexpr int maximumColumns = 17, maximumRows = 5;

  int column, row, columns, rows;
  Node nodes[maximumRows + 1][maximumColumns + 1];
  Visibility visibility[maximumRows][maximumColumns];
  /// What the visible cells cover of the source, in whole samples: low ..< high.
  int lowX, lowY, highX, highY;

  bool isHidden() const { return lowX >= highX; }
};

/// Finds out which cells of `block` are visible, given their nodes, and where they lie.
CS_INLINE void classify(Block &block, int width, int height) {
  int64_t lowX = INT64_MAX, lowY = INT64_MAX, highX = INT64_MIN, highY = INT64_MIN;
  const int64_t right = fixedHalves(2 * int64_t(width) - 1), bottom = fixedHalves(2 * int64_t(height) - 1);
  for (int j = 0; j < block.rows; ++j) {
    for (int i = 0; i < block.columns; ++i) {
      const Node &a = block.nodes[j][i], &b = block.nodes[j][i + 1];
      const Node &c = block.nodes[j + 1][i], &d = block.nodes[j + 1][i + 1];
      // Bilinear interpolation stays within the convex hull of its nodes.
      const int64_t x0 = std::min(std::min(a.x, b.x), std::min(c.x, d.x));
      const int64_t x1 = std::max(std::max(a.x, b.x), std::max(c.x, d.x));
      const int64_t y0 = std::min(std::min(a.y, b.y), std::min(c.y, d.y));
      const int64_t y1 = std::max(std::max(a.y, b.y), std::max(c.y, d.y));
      Visibility seen = Visibility::part;
      if (!(a.visible && b.visible && c.visible && d.visible) || x1 < fixedHalves(-1) || y1 < fixedHalves(-1) ||
          x0 >= right || y0 >= bottom) {
        seen = Visibility::none;
      } else if (x0 >= fixedHalves(-1) && y0 >= fixedHalves(-1) && x1 < right && y1 < bottom) {
        seen = Visibility::whole;
      }
      block.visibility[j][i] = seen;
      if (seen == Visibility::none) continue;
      lowX = std::min(lowX, x0), highX = std::max(highX, x1);
      lowY = std::min(lowY, y0), highY = std::max(highY, y1);
    }
  }
  const bool hidden = lowX > highX;
  block.lowX = hidden ? 0 : int(lowX >> Node::fractionBits);
  block.lowY = hidden ? 0 : int(lowY >> Node::fractionBits);
  block.highX = hidden ? 0 : int(highX >> Node::fractionBits) + 1;
  block.highY = hidden ? 0 : int(highY >> Node::fractionBits) + 1;
}

CS_INLINE void locate(Block &block, const Geometry &geometry, int width, int height) {
  for (int j = 0; j <= block.rows; ++j) geometry.locate(block.nodes[j], block.column, block.row + j, block.columns + 1);
  classify(block, width, height);
}

/// Whether the block shows the source shifted by whole samples, and fields leave its levels alone.
CS_INLINE bool isCopy(const Block &block) {
  const Node &first = block.nodes[0][0];
  const int64_t step = int64_t(cellSize) << Node::fractionBits, fraction = (int64_t(1) << Node::fractionBits) - 1;
  if (((first.x | first.y) & fraction) != 0) return false;
  for (int j = 0; j <= block.rows; ++j) {
    for (int i = 0; i <= block.columns; ++i) {
      const Node &node = block.nodes[j][i];
      if (!node.visible || node.x != first.x + i * step || node.y != first.y + j * step || node.gain != 0 ||
          node.offset != 0)
        return false;
    }
  }
  return true;
}

/// A part of the source as taps, its border repeated outwards, in rows without gaps.
template <class Lanes> struct Patch {
  using Tap = typename Lanes::Tap;
  static constexpr int capacity = 32 * 1024;
  /// Rows above and below that are read with weights of 0 only.
  static constexpr int spareRows = 2;
  static constexpr int widest = 512;
  /// Lanes that do not count may reach this far out of the rows.
  static constexpr int overhang = 2 * runLength;
  static constexpr int margin = spareRows * widest + overhang;

  int x, y, width, height;
  alignas(64) Tap storage[margin + capacity + margin];

  Patch() { std::fill_n(storage, margin, Tap(0)); }

  /// The tap at (x, y).
  Tap *taps() { return storage + margin; }
  const Tap *taps() const { return storage + margin; }
};

/// Fills the patch with what `block` needs; false when that does not fit.
template <class Lanes> CS_INLINE bool fill(Patch<Lanes> &patch, const Block &block, const cs_plane &plane) {
  using Sample = typename Lanes::Sample;
  // Taps reach from one sample before to two after; one more allows for rounding of positions. Kernels of more taps
  // go beyond, with weights of 0, so that what they read need only be numbers.
  patch.x = block.lowX - 2, patch.y = block.lowY - 2;
  patch.width = (block.highX + 3 - patch.x + 7) / 8 * 8, patch.height = block.highY + 3 - patch.y;
  // Positions relative to the patch must fit, too.
  constexpr int most = std::min(Patch<Lanes>::widest, (1 << (31 - Lanes::fractionBits)) - 2 * cellSize);
  if (patch.width > most || patch.height > most || patch.width * patch.height > Patch<Lanes>::capacity) return false;
  std::fill_n(patch.taps() + patch.width * patch.height, Patch<Lanes>::spareRows * patch.width + patch.overhang,
              typename Lanes::Tap(0));
  const int before = std::min(std::max(-patch.x, 0), patch.width);
  const int inside = std::max(std::min(plane.width - patch.x, patch.width), before) - before;
  for (int row = 0; row < patch.height; ++row) {
    const auto sourceRow = [&](int row) {
      const int inPlane = std::min(std::max(patch.y + row, 0), plane.height - 1);
      return reinterpret_cast<const Sample *>(static_cast<const char *>(plane.samples) + inPlane * plane.stride);
    };
    const Sample *samples = sourceRow(row);
    // Rows are too short and too far apart for processors to foresee.
    const Sample *soon = sourceRow(row + 12) + std::max(patch.x, 0);
    for (int i = 0; i < inside; i += 64 / sizeof(Sample)) __builtin_prefetch(soon + i);
    auto *taps = patch.taps() + row * patch.width;
    const auto first = Lanes::tap(samples[0]), last = Lanes::tap(samples[plane.width - 1]);
    for (int i = 0; i < before; ++i) taps[i] = first;
    const Sample *source = samples + std::max(patch.x, 0);
    for (int i = 0; i < inside; ++i) taps[before + i] = Lanes::tap(source[i]);
    for (int i = before + inside; i < patch.width; ++i) taps[i] = last;
  }
  return true;
}

}  // namespace cleanplate::warp
