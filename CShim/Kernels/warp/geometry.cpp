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

/// The way from one node of a field to the next along one axis.
struct FieldPosition {
  int index;
  double fraction;
};

/// One axis of a field: where pixels lie among its nodes.
struct FieldAxis {
  double last, scale;
  int nodes;

  FieldAxis(int extent, int nodes) : last(std::max(extent - 1, 1)), scale((nodes - 1) / last), nodes(nodes) {}

  FieldPosition operator()(double pixel) const {
    const double position = std::min(std::max(pixel, 0.0), last) * scale;
    const int index = std::min(int(position), nodes - 2);
    return {index, position - index};
  }
};

/// A field along one row of pixels.
class FieldRow {
public:
  /// `field` may be null: then every value is `otherwise`.
  FieldRow(const cs_warp_field *field, double y, double otherwise)
      : axis(field ? field->width : 2, field ? field->columns : 2), otherwise(otherwise) {
    if (!field) return;
    const FieldPosition down = FieldAxis(field->height, field->rows)(y);
    upper = field->values + ptrdiff_t(down.index) * field->columns;
    lower = upper + field->columns;
    fraction = down.fraction;
  }

  double operator()(double x) const {
    if (!upper) return otherwise;
    const FieldPosition across = axis(x);
    const float *a = upper + across.index, *c = lower + across.index;
    const double top = a[0] + (double(a[1]) - a[0]) * across.fraction;
    const double bottom = c[0] + (double(c[1]) - c[0]) * across.fraction;
    return top + (bottom - top) * fraction;
  }

private:
  FieldAxis axis;
  double otherwise, fraction = 0;
  const float *upper = nullptr, *lower = nullptr;
};

}  // namespace

Geometry::Geometry(const cs_warp &warp) : warp(warp) {
  const double *h = warp.to_source;
  for (int i = 0; i < 3; ++i) {
    matrix[i] = (h[i] - warp.source_grid.offset_x * h[6 + i]) / warp.source_grid.scale_x;
    matrix[3 + i] = (h[3 + i] - warp.source_grid.offset_y * h[6 + i]) / warp.source_grid.scale_y;
    matrix[6 + i] = h[6 + i];
  }
}

void Geometry::locate(Node *nodes, int column, int row, int count) const {
  const cs_warp_grid &grid = warp.destination_grid;
  const double pixelY = grid.scale_y * (double(row) * cellSize) + grid.offset_y;
  const FieldRow shiftX(warp.shift_x, pixelY, 0), shiftY(warp.shift_y, pixelY, 0), gains(warp.gains, pixelY, 1);
  const FieldRow offsets(warp.offsets, pixelY, 0);
  for (int i = 0; i < count; ++i) {
    const double pixelX = grid.scale_x * (double(column + i) * cellSize) + grid.offset_x;
    const double x = pixelX + shiftX(pixelX), y = pixelY + shiftY(pixelX), gain = warp.gain * gains(pixelX);
    const double depth = matrix[6] * x + matrix[7] * y + matrix[8], inverse = 1 / depth;
    const double sourceX = (matrix[0] * x + matrix[1] * y + matrix[2]) * inverse;
    const double sourceY = (matrix[3] * x + matrix[4] * y + matrix[5]) * inverse;
    // Written so that NaN counts as invisible.
    const bool visible = depth > 1.0 / 64 && std::fabs(sourceX) < farthest && std::fabs(sourceY) < farthest;
    nodes[i] = visible ? Node{fixedPoint(sourceX), fixedPoint(sourceY), fixedPoint(gain - 1),
                              fixedPoint(offsets(pixelX)), true}
                       : Node{};
  }
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
