// A lattice cell as 16 runs: one per row, each with its sources on a line.
#pragma once

#include "block.hpp"

#include <cstdlib>

namespace cleanplate::warp {

/// The four nodes of a cell.
struct Corners {
  const Node &topLeft, &topRight, &bottomLeft, &bottomRight;

  Corners(const Block &block, int i, int j)
      : topLeft(block.nodes[j][i]), topRight(block.nodes[j][i + 1]), bottomLeft(block.nodes[j + 1][i]),
        bottomRight(block.nodes[j + 1][i + 1]) {}

  /// One coordinate at both ends of a row, lane 0 and lane 16, in 2^-(Node::fractionBits + 4).
  struct Ends {
    int64_t left, right;
  };
  CS_INLINE Ends interpolate(int64_t a, int64_t b, int64_t c, int64_t d, int row) {
    return {a * cellSize + (c - a) * row, b * cellSize + (d - b) * row};
  }
  Ends x(int row) const { return interpolate(topLeft.x, topRight.x, bottomLeft.x, bottomRight.x, row); }
  Ends y(int row) const { return interpolate(topLeft.y, topRight.y, bottomLeft.y, bottomRight.y, row); }
  Ends gain(int row) const {
    return interpolate(topLeft.gain, topRight.gain, bottomLeft.gain, bottomRight.gain, row);
  }
};

/// Source positions of the runs along one axis, relative to the patch, with `bits` fractional bits.
template <int bits> struct Positions {
  /// For lane 8, and from lane to lane.
  int32_t center[cellSize], step[cellSize];
  /// As in `AxisRun`.
  int32_t leastFraction[cellSize];
  /// The source sample before lane 0 or lane 15, less the lane along x, whichever is smaller.
  int32_t first[cellSize];
  /// How often the run crosses into another source sample: 0, 1, or 2 for what is too much for a kernel.
  int32_t crossings[cellSize];

  static constexpr int32_t one = 1 << bits;

  void set(int row, Corners::Ends ends, int origin) {
    constexpr int have = Node::fractionBits + 4;
    const int64_t sum = ends.left + ends.right - (int64_t(origin) << (have + 1));
    center[row] = int32_t((sum + (int64_t(1) << (have - bits))) >> (have + 1 - bits));
    step[row] = int32_t((ends.right - ends.left + (int64_t(1) << (have + 3 - bits))) >> (have + 4 - bits));
  }

  /// The position of a lane of run `row`.
  int32_t at(int row, int lane) const { return center[row] + (lane - runLength / 2) * step[row]; }

  /// The position less what a lane of the destination is ahead of lane 0: 1 sample along x, 0 along y.
  int32_t driftAt(int row, int lane, int advance) const { return at(row, lane) - advance * lane * one; }

  /// Whether lanes `first ... last` drift so little that a lane has crossed just where its fraction is less than
  /// at the end from which positions drift up.
  bool isNearlyLevel(int row, int first, int last, int advance) const {
    return std::abs(driftAt(row, last, advance) - driftAt(row, first, advance)) < one;
  }

  void derive(int advance) {
    for (int row = 0; row < cellSize; ++row) {
      const int32_t a = driftAt(row, 0, advance), b = driftAt(row, runLength - 1, advance);
      const int32_t low = std::min(a, b), high = std::max(a, b);
      first[row] = low >> bits;
      crossings[row] = high - low < one ? (high >> bits) - first[row] : 2;
      leastFraction[row] = low & (one - 1);
    }
  }

  AxisRun run(int row) const { return {center[row], step[row], leastFraction[row]}; }

  /// Lanes `start ... last` of a run, which are nearly level.
  AxisRun part(int row, int start, int last, int advance) const {
    const int32_t low = std::min(driftAt(row, start, advance), driftAt(row, last, advance));
    return {center[row], step[row], low & (one - 1)};
  }

  int firstOf(int row, int start, int last, int advance) const {
    return std::min(driftAt(row, start, advance), driftAt(row, last, advance)) >> bits;
  }
};

/// Everything about a cell's rows that the kernel needs.
template <class Lanes> struct Runs {
  static constexpr int bits = Lanes::fractionBits;
  Positions<bits> x, y;
  int32_t gainCenter[cellSize], gainStep[cellSize];
  /// Taps of each run's lane 0, relative to the patch's.
  int32_t tapOffset[cellSize];

  CS_INLINE void prepare(Runs &runs, const Corners &corners, const Patch<Lanes> &patch,
                         const typename Lanes::Tone &tone) {
    for (int row = 0; row < cellSize; ++row) {
      runs.x.set(row, corners.x(row), patch.x);
      runs.y.set(row, corners.y(row), patch.y);
      const Corners::Ends gain = corners.gain(row);
      runs.gainCenter[row] = tone.gainFraction((gain.left + gain.right) >> 5);
      runs.gainStep[row] = tone.gainFraction((gain.right - gain.left) >> 8);
    }
    runs.x.derive(1);
    runs.y.derive(0);
    for (int row = 0; row < cellSize; ++row)
      runs.tapOffset[row] = (runs.y.first[row] - 1) * patch.width + runs.x.first[row] - 1;
  }
};

}  // namespace cleanplate::warp
