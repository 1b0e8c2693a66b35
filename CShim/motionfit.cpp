// Residuals of a plane projective map, and the normal equations of a step that makes them smaller.
#include "include/CShim.h"

#include "doubles.hpp"

using namespace cleanplate;

static_assert(CS_PAIRS_AT_ONCE == doubleLanes);

namespace {

/// Some correspondences, and what the map makes of them. What is not projective has a third coordinate of 1.
template <bool isProjective> struct Points {
  Doubles x, y;
  /// One over the third homogeneous coordinate.
  Doubles inverse;
  Doubles mappedX, mappedY;
  /// What is missing.
  Doubles errorX, errorY;

  CS_INLINE Points(const double *h, const cs_correspondences &pairs, int first)
      : x(load(pairs.from_x + first)), y(load(pairs.from_y + first)) {
    inverse = isProjective ? 1 / (h[6] * x + h[7] * y + 1) : Doubles(1);
    mappedX = (h[0] * x + h[1] * y + h[2]) * inverse;
    mappedY = (h[3] * x + h[4] * y + h[5]) * inverse;
    errorX = load(pairs.to_x + first) - mappedX;
    errorY = load(pairs.to_y + first) - mappedY;
  }

  CS_INLINE Doubles squaredError() const { return errorX * errorX + errorY * errorY; }
};

CS_INLINE void measure(const double *h, const cs_correspondences &pairs, double unit, double *lengths) {
  for (int i = 0; i < pairs.count; i += doubleLanes)
    store(__builtin_elementwise_sqrt(Points<true>(h, pairs, i).squaredError()) * unit, lengths + i);
}

// The products of p = (x, y, 1) with itself.
enum { XX, XY, X, YY, Y, ONE, products };
constexpr int product[3][3] = {{XX, XY, X}, {XY, YY, Y}, {X, Y, ONE}};

/// What the equations consist of. With p = (x, y, 1) / w, the first three elements of the map move a point along x by p,
/// the next three along y by p, and the last two by -(mapped point) * (x, y) / w.
template <bool isProjective> struct Sums {
  Doubles pp[products] = {};
  /// Times the mapped point, and its squared distance from the origin.
  Doubles ppX[products] = {}, ppY[products] = {}, ppSquare[products] = {};
  Doubles pErrorX[3] = {}, pErrorY[3] = {}, pAlong[2] = {};

  CS_INLINE void add(const Points<isProjective> &at, Doubles weight) {
    // Beyond the cut-off there may be points that the map has no place for: infinities would stay in the sums.
    const auto counts = weight > 0;
    const Doubles inverse = counts ? at.inverse : 0, u = counts ? at.mappedX : 0, v = counts ? at.mappedY : 0;
    const Doubles errorX = counts ? at.errorX : 0, errorY = counts ? at.errorY : 0;
    const Doubles p[3] = {at.x * inverse, at.y * inverse, inverse};
    const Doubles square = u * u + v * v, along = u * errorX + v * errorY;
    for (int i = 0; i < 3; ++i) {
      const Doubles weighted = weight * p[i];
      for (int j = i; j < 3; ++j) {
        const Doubles term = weighted * p[j];
        const int n = product[i][j];
        pp[n] += term;
        // The last two elements have no part that is constant.
        if (!isProjective || i == 2) continue;
        ppX[n] += term * u;
        ppY[n] += term * v;
        if (j < 2) ppSquare[n] += term * square;
      }
      pErrorX[i] += weighted * errorX;
      pErrorY[i] += weighted * errorY;
      if (isProjective && i < 2) pAlong[i] += weighted * along;
    }
  }

  CS_INLINE void write(double matrix[64], double right[8]) const {
    const auto element = [matrix](int row, int column) -> double & { return matrix[8 * row + column]; };
    std::memset(matrix, 0, 64 * sizeof *matrix);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) element(i, j) = element(3 + i, 3 + j) = total(pp[product[i][j]]);
      for (int j = 0; j < 2; ++j) {
        element(i, 6 + j) = element(6 + j, i) = -total(ppX[product[i][j]]);
        element(3 + i, 6 + j) = element(6 + j, 3 + i) = -total(ppY[product[i][j]]);
        if (i < 2) element(6 + i, 6 + j) = total(ppSquare[product[i][j]]);
      }
      right[i] = total(pErrorX[i]);
      right[3 + i] = total(pErrorY[i]);
      if (i < 2) right[6 + i] = -total(pAlong[i]);
    }
  }
};

template <bool isProjective>
CS_INLINE void gather(const double *h, const cs_correspondences &pairs, double cutoff, double *matrix, double *right) {
  Sums<isProjective> sums;
  const double scale = 1 / (cutoff * cutoff);
  for (int i = 0; i < pairs.count; i += doubleLanes) {
    const Points<isProjective> points(h, pairs, i);
    const Doubles share = 1 - points.squaredError() * scale;
    sums.add(points, share > 0 ? load(pairs.weight + i) * share * share : 0);
  }
  sums.write(matrix, right);
}

} // namespace

extern "C" CLEANPLATE_CLONES void cs_motion_residuals(const double map[9], const cs_correspondences *pairs, double unit,
                                                      double *lengths) {
  measure(map, *pairs, unit, lengths);
}

extern "C" CLEANPLATE_CLONES void cs_motion_equations(const double map[9], const cs_correspondences *pairs,
                                                      double cutoff, int32_t isProjective, double matrix[64],
                                                      double right[8]) {
  // Shifts, similarities and affine maps need less than half of the sums.
  if (isProjective)
    gather<true>(map, *pairs, cutoff, matrix, right);
  else
    gather<false>(map, *pairs, cutoff, matrix, right);
}
