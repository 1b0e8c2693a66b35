// Renders a rectangle of the destination: blocks of cells, cells, runs of 16 samples.
#pragma once

#include "runs.hpp"

namespace cleanplate::warp {

/// Collects the covered columns of a band of rows, which come from left to right, as the longest uninterrupted run
/// of each row.
struct Coverage {
  static constexpr int rows = Block::maximumRows * cellSize;
  /// The destination's row that is the band's first.
  int top;
  int start[rows] = {}, end[rows] = {}, bestStart[rows] = {}, bestEnd[rows] = {};

  CS_INLINE void append(int row, int first, int past) {
    if (first >= past) return;
    start[row] = first == end[row] ? start[row] : first;
    end[row] = past;
    const bool longer = end[row] - start[row] > bestEnd[row] - bestStart[row];
    bestStart[row] = longer ? start[row] : bestStart[row];
    bestEnd[row] = longer ? end[row] : bestEnd[row];
  }
};

template <class Lanes> struct Renderer {
  using Sample = typename Lanes::Sample;
  using Tap = typename Lanes::Tap;

  const cs_warp &warp;
  const Geometry geometry;
  const typename Lanes::Tone tone;
  const cs_warp_rect rect;
  char *const destination;
  const ptrdiff_t stride;

  Sample *row(int y) const { return reinterpret_cast<Sample *>(destination + (y - rect.y) * stride) - rect.x; }

  /// Any run, in as many parts as it takes for each to be nearly level.
  CS_INLINE void renderParts(Sample *to, const Patch<Lanes> &patch, const Runs<Lanes> &runs, int row) const {
    for (int first = 0, end; first < runLength; first = end) {
      end = first + 1;
      while (end < runLength && runs.x.isNearlyLevel(row, first, end, 1) && runs.y.isNearlyLevel(row, first, end, 0))
        ++end;
      const int last = end - 1;
      const int column = runs.x.firstOf(row, first, last, 1), line = runs.y.firstOf(row, first, last, 0);
      const Tap *taps = patch.taps() + (line - 1) * patch.width + column - 1;
      const AxisRun x = runs.x.part(row, first, last, 1), y = runs.y.part(row, first, last, 0);
      Sample part[runLength];
      for (int lane = 0; lane < runLength; lane += Lanes::lanes) {
        Weights<Lanes, 5, 5> weights;
        weights.set(x, y, lane);
        Lanes::finish(part, weights.sum(taps + lane, patch.width), tone, runs.levels[row], lane);
      }
      std::memcpy(to + first, part + first, size_t(end - first) * sizeof(Sample));
    }
  }

  /// A cell's rows `first ..< end`, whose lane 0 goes to `to`, and the next row's `stride` bytes further. Positions
  /// along each axis cross so seldom that `tapsX` by `tapsY` taps reach all of each row's lanes.
  template <int tapsX, int tapsY>
  CS_INLINE void renderRows(char *to, ptrdiff_t stride, const Patch<Lanes> &patch, const Runs<Lanes> &runs, int first,
                            int end) const {
    constexpr int parts = runLength / Lanes::lanes;
    // All weights first: from a position to a sample, every step waits for the one before, and processors do not see
    // far enough ahead to begin with another row meanwhile.
    Weights<Lanes, tapsX, tapsY> weights[cellSize][parts];
    for (int row = first; row < end; ++row) {
      const AxisRun x = runs.x.run(row), y = runs.y.run(row);
#pragma clang loop unroll(full)
      for (int part = 0; part < parts; ++part) weights[row][part].set(x, y, part * Lanes::lanes);
    }
    for (int row = first; row < end; ++row, to += stride) {
      const Tap *taps = patch.taps() + runs.tapOffset[row];
#pragma clang loop unroll(full)
      for (int part = 0; part < parts; ++part) {
        const int lane = part * Lanes::lanes;
        const auto sum = weights[row][part].sum(taps + lane, patch.width);
        Lanes::finish(reinterpret_cast<Sample *>(to), sum, tone, runs.levels[row], lane);
      }
      // Keeps the optimiser from merging the ends of the kernels, which would tear multiplications apart.
      asm("");
    }
  }

  /// One kernel for all rows of a cell, whose runs are much alike: a choice for each row would cost more than the taps
  /// that it saves.
  CS_INLINE void renderRows(char *to, ptrdiff_t stride, const Patch<Lanes> &patch, const Runs<Lanes> &runs, int first,
                            int end) const {
    switch (kernel(runs.x.mostTaps(), runs.y.mostTaps())) {
    case kernel(4, 4): return renderRows<4, 4>(to, stride, patch, runs, first, end);
    case kernel(5, 4): return renderRows<5, 4>(to, stride, patch, runs, first, end);
    case kernel(4, 5): return renderRows<4, 5>(to, stride, patch, runs, first, end);
    case kernel(5, 5): return renderRows<5, 5>(to, stride, patch, runs, first, end);
    case kernel(4, 6):
    case kernel(5, 6): return renderRows<5, 6>(to, stride, patch, runs, first, end);
    case kernel(6, 4):
    case kernel(6, 5): return renderRows<6, 5>(to, stride, patch, runs, first, end);
    case kernel(6, 6): return renderRows<6, 6>(to, stride, patch, runs, first, end);
    default:
      for (int row = first; row < end; ++row, to += stride)
        renderParts(reinterpret_cast<Sample *>(to), patch, runs, row);
    }
  }
  static constexpr int kernel(int tapsX, int tapsY) { return tapsX - 4 + 4 * (tapsY - 4); }

  /// Whether a source position, with `Node::fractionBits + 8` fractional bits, lies in [-0.5, extent - 0.5).
  static bool isInside(int64_t position, int extent) {
    return position >= fixedHalves(-1) * 256 && position < fixedHalves(2 * int64_t(extent) - 1) * 256;
  }

  /// The lanes of a cell's row among `start ..< end` that the source shows: the first uninterrupted ones.
  CS_INLINE void clip(const Corners &corners, int row, int &start, int &end) const {
    const Corners::Ends x = corners.x(row), y = corners.y(row);
    const auto isCovered = [&](int lane) {
      return isInside(x.left * cellSize + (x.right - x.left) * lane, warp.source.width) &&
             isInside(y.left * cellSize + (y.right - y.left) * lane, warp.source.height);
    };
    while (start < end && !isCovered(start)) ++start;
    int past = start;
    while (past < end && isCovered(past)) ++past;
    end = past;
  }

  /// The size of equal parts of `count`, but for the last, that are at most `maximum`.
  static int evenPart(int count, int maximum) {
    const int parts = (count + maximum - 1) / maximum;
    return (count + parts - 1) / parts;
  }

  /// Which lanes of a cell lie in the rectangle, and which rows.
  struct Part {
    int start, end, startRow, endRow;
  };
  Part partInside(int left, int top) const {
    return {std::max(rect.x - left, 0), std::min(rect.x + rect.width - left, cellSize), std::max(rect.y - top, 0),
            std::min(rect.y + rect.height - top, cellSize)};
  }

  /// Adds what the block's cells cover.
  CS_INLINE void cover(const Block &block, Coverage &coverage) const {
    for (int j = 0; j < block.rows; ++j) {
      const int top = (block.row + j) * cellSize;
      for (int i = 0, next; i < block.columns; i = next) {
        next = i + 1;
        const Visibility visibility = block.visibility[j][i];
        if (visibility == Visibility::none) continue;
        // Most of a picture is covered, so that whole rows of cells go in one step.
        const auto isWhole = [&](int column) { return block.visibility[j][column] == Visibility::whole; };
        while (isWhole(i) && next < block.columns && isWhole(next)) ++next;
        const int left = (block.column + i) * cellSize;
        const Part part = partInside(left, top);
        const int end = std::min(rect.x + rect.width, (block.column + next) * cellSize) - left;
        for (int y = part.startRow; y < part.endRow; ++y) {
          int first = part.start, past = end;
          if (visibility == Visibility::part) clip(Corners(block, i, j), y, first, past);
          coverage.append(top + y - coverage.top, left + first, left + past);
        }
      }
    }
  }

  CS_INLINE void renderCell(const Block &block, int i, int j, const Patch<Lanes> &patch) const {
    if (block.visibility[j][i] == Visibility::none) return;
    Runs<Lanes> runs;
    Runs<Lanes>::prepare(runs, Corners(block, i, j), patch, tone);
    const int left = (block.column + i) * cellSize, top = (block.row + j) * cellSize;
    const Part part = partInside(left, top);
    char *to = reinterpret_cast<char *>(row(top + part.startRow) + left);
    if (part.start == 0 && part.end == cellSize) {
      renderRows(to, stride, patch, runs, part.startRow, part.endRow);
      return;
    }
    Sample scratch[cellSize][runLength];
    renderRows(reinterpret_cast<char *>(scratch), sizeof scratch[0], patch, runs, part.startRow, part.endRow);
    for (int y = part.startRow; y < part.endRow; ++y, to += stride)
      std::memcpy(reinterpret_cast<Sample *>(to) + part.start, scratch[y - part.startRow] + part.start,
                  size_t(part.end - part.start) * sizeof(Sample));
  }

  /// The block as the source shifted by whole samples.
  CS_INLINE void copy(const Block &block, Coverage &coverage) const {
    const cs_plane &source = warp.source;
    const Node &origin = block.nodes[0][0];
    const int left = block.column * cellSize, top = block.row * cellSize;
    const int shiftX = int(origin.x >> Node::fractionBits) - left, shiftY = int(origin.y >> Node::fractionBits) - top;
    const int first = std::max(std::max(left, rect.x), -shiftX);
    const int end = std::min(std::min(left + block.columns * cellSize, rect.x + rect.width), source.width - shiftX);
    const int firstRow = std::max(std::max(top, rect.y), -shiftY);
    const int endRow = std::min(std::min(top + block.rows * cellSize, rect.y + rect.height), source.height - shiftY);
    if (first >= end) return;
    for (int y = firstRow; y < endRow; ++y) {
      const auto *from =
          reinterpret_cast<const Sample *>(static_cast<const char *>(source.samples) + (y + shiftY) * source.stride);
      std::memcpy(row(y) + first, from + first + shiftX, size_t(end - first) * sizeof(Sample));
      coverage.append(y - coverage.top, first, end);
    }
  }

  CS_INLINE void renderBlock(Block &block, Patch<Lanes> &patch, Coverage &coverage) const {
    locate(block, geometry, warp.source.width, warp.source.height);
    if (block.isHidden()) return;
    if (warp.offset == 0 && isCopy(block)) return copy(block, coverage);
    // A strong reduction goes cell by cell, and what is reduced even more is left out.
    const bool fits = fill(patch, block, warp.source);
    const int parts = fits ? 1 : block.rows * block.columns;
    Block cell;
    for (int index = 0; index < parts; ++index) {
      if (!fits) {
        cell.column = block.column + index % block.columns, cell.row = block.row + index / block.columns;
        cell.columns = cell.rows = 1;
        locate(cell, geometry, warp.source.width, warp.source.height);
        if (cell.isHidden() || !fill(patch, cell, warp.source)) continue;
      }
      const Block &part = fits ? block : cell;
      cover(part, coverage);
      for (int j = 0; j < part.rows; ++j)
        for (int i = 0; i < part.columns; ++i) renderCell(part, i, j, patch);
    }
  }

  CS_INLINE cs_warp_coverage render(cs_warp_span *spans) const {
    Patch<Lanes> patch;
    Block block;
    int64_t covered = 0;
    const int startColumn = rect.x / cellSize, startRow = rect.y / cellSize;
    const int endColumn = (rect.x + rect.width + cellSize - 1) / cellSize;
    const int endRow = (rect.y + rect.height + cellSize - 1) / cellSize;
    const int columns = evenPart(endColumn - startColumn, Block::maximumColumns);
    const int rows = evenPart(endRow - startRow, Block::maximumRows);
    for (int row = startRow; row < endRow; row += rows) {
      Coverage coverage{row * cellSize};
      block.row = row, block.rows = std::min(rows, endRow - row);
      for (int column = startColumn; column < endColumn; column += columns) {
        block.column = column, block.columns = std::min(columns, endColumn - column);
        renderBlock(block, patch, coverage);
      }
      const int top = std::max(coverage.top, rect.y);
      const int bottom = std::min((row + block.rows) * cellSize, rect.y + rect.height);
      for (int y = top; y < bottom; ++y) {
        const int start = coverage.bestStart[y - coverage.top], end = coverage.bestEnd[y - coverage.top];
        spans[y - rect.y] = start < end ? cs_warp_span{start, end} : cs_warp_span{rect.x, rect.x};
        covered += end - start;
      }
    }
    if (covered == 0) return CS_WARP_UNCOVERED;
    return covered == int64_t(rect.width) * rect.height ? CS_WARP_COVERED : CS_WARP_PARTLY_COVERED;
  }
};

template <class Lanes>
CS_INLINE cs_warp_coverage render(const cs_warp &warp, cs_warp_rect rect, void *destination, ptrdiff_t stride,
                                  cs_warp_span *spans) {
  const Geometry geometry(warp);
  const typename Lanes::Tone tone(warp, geometry.largestGainChange());
  return Renderer<Lanes>{warp, geometry, tone, rect, static_cast<char *>(destination), stride}.render(spans);
}

}  // namespace cleanplate::warp
