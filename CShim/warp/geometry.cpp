#include "geometry.hpp"

#include <algorithm>
#include <cmath>

// A fused multiply-add rounds differently from a multiplication and an addition, and not every processor has one:
// contraction would make the result depend on the architecture.
#pragma STDC FP_CONTRACT OFF

namespace cleanplate::warp {

namespace {

/// Positions as far as this from the plane's origin cannot show anything, and keep fixed point from overflowing.
constexpr double farthest = 1 << 18;

int64_t fixedPoint(double value) {
  constexpr double one = int64_t(1) << Node::fractionBits;
  // Truncating a positive number rounds alike on every processor and needs no call to floor.
  return int64_t((value + farthest) * one + 0.5) - int64_t(farthest * one);
}

/// A position among the nodes of a field along one axis: the node before it and the way to the next.
struct FieldPosition {
  int index;
  double fraction;

  FieldPosition(double position, double extent, int nodes) {
    const double last = std::max(extent - 1, 1.0);
    const double inside = std::min(std::max(position, 0.0), last) * (nodes - 1) / last;
    index = std::min(int(inside), nodes - 2);
    fraction = inside - index;
  }
};

double value(const cs_warp_field &field, double x, double y) {
  const FieldPosition across(x, field.width, field.columns), down(y, field.height, field.rows);
  const float *upper = field.values + ptrdiff_t(down.index) * field.columns + across.index;
  const float *lower = upper + field.columns;
  const double top = upper[0] * (1 - across.fraction) + upper[1] * across.fraction;
  const double bottom = lower[0] * (1 - across.fraction) + lower[1] * across.fraction;
  return top * (1 - down.fraction) + bottom * down.fraction;
}

}  // namespace

Geometry::Geometry(const cs_warp &warp) : warp(warp) {
  const double *h = warp.to_source;
  for (int i = 0; i < 3; ++i) {
    matrix[i] = (h[i] - warp.source_grid.offset_x * h[6 + i]) / warp.source_grid.scale_x;
    matrix[3 + i] = (h[3 + i] - warp.source_grid.offset_y * h[6 + i]) / warp.source_grid.scale_y;
    matrix[6 + i] = h[6 + i];
  }
}

Node Geometry::node(int column, int row) const {
  const cs_warp_grid &grid = warp.destination_grid;
  const double pixelX = grid.scale_x * (double(column) * cellSize) + grid.offset_x;
  const double pixelY = grid.scale_y * (double(row) * cellSize) + grid.offset_y;
  const double x = warp.shift_x ? pixelX + value(*warp.shift_x, pixelX, pixelY) : pixelX;
  const double y = warp.shift_y ? pixelY + value(*warp.shift_y, pixelX, pixelY) : pixelY;
  const double gain = warp.gains ? warp.gain * value(*warp.gains, pixelX, pixelY) : warp.gain;
  const double depth = matrix[6] * x + matrix[7] * y + matrix[8];
  const double sourceX = (matrix[0] * x + matrix[1] * y + matrix[2]) / depth;
  const double sourceY = (matrix[3] * x + matrix[4] * y + matrix[5]) / depth;
  // Written so that NaN counts as invisible.
  const bool visible = depth > 1.0 / 64 && std::fabs(sourceX) < farthest && std::fabs(sourceY) < farthest;
  if (!visible) return {0, 0, 0, false};
  return {fixedPoint(sourceX), fixedPoint(sourceY), fixedPoint(gain - 1), true};
}

double Geometry::largestGainChange() const {
  if (!warp.gains) return std::fabs(warp.gain - 1);
  const float *end = warp.gains->values + ptrdiff_t(warp.gains->columns) * warp.gains->rows;
  double largest = 0;
  for (const float *gain = warp.gains->values; gain < end; ++gain)
    largest = std::max(largest, std::fabs(warp.gain * *gain - 1));
  return largest;
}

}  // namespace cleanplate::warp
