// A lattice cell as 16 runs: one per row, each with its sources on a line.
#pragma once

#include "block.hpp"

#include <cstdlib>

namespace cleanplate::warp {

/// The four nodes of a cell.
struct Corners {
  const Node &topLeft, &topRight, &bottomLeft, &bottomRight;

  Corners(const Block &block, int i, int j)
      : topLeft(block.nodes[j][i]),
        topRight(block.nodes[j][i + 1]),
        bottomLeft(block.nodes[j + 1][i]),
        bottomRight(block.nodes[j + 1][i + 1]) {}

  /// One coordinate at both ends of a row, lane 0 and lane 16, in 2^-(Node::fractionBits + 4).
  struct Ends {
    int64_t left, right;
  };
  static Ends interpolate(int64_t a, int64_t b, int64_t c, int64_t d, int row) {
    return {a * cellSize + (c - a) * row, b * cellSize + (d - b) * row};
  }
  Ends x(int row) const { return interpolate(topLeft.x, topRight.x, bottomLeft.x, bottomRight.x, row); }
  Ends y(int row) const { return interpolate(topLeft.y, topRight.y, bottomLeft.y, bottomRight.y, row); }
  Ends gain(int row) const { return interpolate(topLeft.gain, topRight.gain, bottomLeft.gain, bottomRight.gain, row); }
  Ends offset(int row) const {
    return interpolate(topLeft.offset, topRight.offset, bottomLeft.offset, bottomRight.offset, row);
  }
};

/// Source positions of the runs along one axis, relative to the patch, with `bits` fractional bits.
template <int bits> struct Positions {
  /// As in `AxisRun`, by row.
  int32_t center[cellSize], step[cellSize], leastFraction[cellSize];
  int32_t halfLeastFraction[2][cellSize], halfShift[2][cellSize];
  /// The whole part of the least drift.
  int32_t first[cellSize];
  /// How many taps the run needs: 4, 5, 6, or 7 for what is too much for a kernel.
  int32_t taps[cellSize];

  static constexpr int32_t one = 1 << bits;

  /// From a coordinate at the corners, with `Node::fractionBits` fractional bits.
  CS_INLINE void set(int64_t topLeft, int64_t topRight, int64_t bottomLeft, int64_t bottomRight, int origin) {
    // Both ends of a row have four more fractional bits; their sum is twice lane 8, their difference 16 steps.
    constexpr int more = Node::fractionBits + 4 - bits;
    const int64_t left = topLeft * cellSize, right = topRight * cellSize;
    const int64_t leftStep = bottomLeft - topLeft, rightStep = bottomRight - topRight;
    int64_t sum = left + right - origin * (int64_t(1) << (Node::fractionBits + 5)) + (int64_t(1) << more);
    int64_t difference = right - left + (int64_t(1) << (more + 3));
    for (int row = 0; row < cellSize; ++row) {
      center[row] = int32_t(sum >> (more + 1));
      step[row] = int32_t(difference >> (more + 4));
      sum += leftStep + rightStep;
      difference += rightStep - leftStep;
    }
  }

  /// The position of a lane of run `row`.
  int32_t at(int row, int lane) const { return center[row] + (lane - runLength / 2) * step[row]; }

  /// See `AxisRun`; `advance` is 1 along x, 0 along y.
  int32_t drift(int row, int lane, int advance) const { return at(row, lane) - advance * lane * one; }

  CS_INLINE void derive(int advance) {
    constexpr int half = cellSize / 2, last = cellSize - 1;
    for (int row = 0; row < cellSize; ++row) {
      const int32_t a = drift(row, 0, advance), b = drift(row, half - 1, advance);
      const int32_t c = drift(row, half, advance), d = drift(row, last, advance);
      const int32_t lowLeft = std::min(a, b), lowRight = std::min(c, d);
      const int32_t low = std::min(a, d), high = std::max(a, d);
      first[row] = low >> bits;
      leastFraction[row] = low & (one - 1);
      halfLeastFraction[0][row] = lowLeft & (one - 1), halfLeastFraction[1][row] = lowRight & (one - 1);
      halfShift[0][row] = (lowLeft >> bits) - first[row], halfShift[1][row] = (lowRight >> bits) - first[row];
      // Fractions tell whether a lane has crossed only where less than a whole sample lies between the ends.
      const int crossings = (high >> bits) - first[row];
      taps[row] = 4 + (high - low < one ? crossings : 2);
      taps[row] = crossings > 2 || std::max(a, b) - lowLeft >= one ? 7 : taps[row];
    }
  }

  int mostTaps() const { return *std::max_element(taps, taps + cellSize); }

  CS_INLINE AxisRun run(int row) const {
    return {center[row],
            step[row],
            leastFraction[row],
            {halfLeastFraction[0][row], halfLeastFraction[1][row]},
            {halfShift[0][row], halfShift[1][row]}};
  }

  /// Whether five taps do for lanes `first ... last`.
  bool isNearlyLevel(int row, int first, int last, int advance) const {
    return std::abs(drift(row, last, advance) - drift(row, first, advance)) < one;
  }

  /// Lanes `first ... last` of a run, which are nearly level, for five taps.
  AxisRun part(int row, int first, int last, int advance) const {
    const int32_t low = std::min(drift(row, first, advance), drift(row, last, advance));
    return {center[row], step[row], low & (one - 1), {}, {}};
  }

  int firstOf(int row, int first, int last, int advance) const {
    return std::min(drift(row, first, advance), drift(row, last, advance)) >> bits;
  }
};

/// Everything about a cell's rows that the kernel needs.
template <class Lanes> struct Runs {
  static constexpr int bits = Lanes::fractionBits;
  Positions<bits> x, y;
  /// By row; only where gains or offsets vary.
  LevelRun levels[cellSize];
  /// Taps of each run's lane 0, relative to the patch's.
  int32_t tapOffset[cellSize];

  CS_INLINE static void prepare(Runs &runs, const Corners &corners, const Patch<Lanes> &patch,
                                const typename Lanes::Tone &tone) {
    const Node &a = corners.topLeft, &b = corners.topRight, &c = corners.bottomLeft, &d = corners.bottomRight;
    runs.x.set(a.x, b.x, c.x, d.x, patch.x);
    runs.y.set(a.y, b.y, c.y, d.y, patch.y);
    runs.x.derive(1);
    runs.y.derive(0);
    for (int row = 0; row < cellSize; ++row)
      runs.tapOffset[row] = (runs.y.first[row] - 1) * patch.width + runs.x.first[row] - 1;
    if (!tone.gainVaries && !tone.offsetVaries) return;
    for (int row = 0; row < cellSize; ++row) {
      const Corners::Ends gain = corners.gain(row), offset = corners.offset(row);
      runs.levels[row] = {tone.gainFraction((gain.left + gain.right) >> 5),
                          tone.gainFraction((gain.right - gain.left) >> 8),
                          tone.offsetFraction((offset.left + offset.right) >> 5),
                          tone.offsetFraction((offset.right - offset.left) >> 4)};
    }
  }
};

}  // namespace cleanplate::warp
