// Systems of equations whose unknowns only meet near neighbours, in vectors of a fixed width, so that every processor
// computes the same sums in the same order.
#include "../instructions.hpp"
#include "../vectors.hpp"
#include "include/CShimKernels.h"

#include <algorithm>
#include <cstring>

// A fused multiply-add rounds differently from a multiplication and an addition, and not every processor has one.
#pragma STDC FP_CONTRACT OFF

using cleanplate::Vector;

namespace {

using Four = Vector<double, 4>;

CS_INLINE Four load(const double *from) {
  Four value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

CS_INLINE void store(Four value, double *to) { std::memcpy(to, &value, sizeof value); }

CS_INLINE double total(Four v) { return (v[0] + v[2]) + (v[1] + v[3]); }

/// What runs over whole vectors goes past the last element that counts: there is padding, whose zeros stay.
struct Solver {
  double *band;
  ptrdiff_t step;
  int unknowns, bandwidth;
  double *x, *y;

  /// False when the equations are not positive definite.
  CS_INLINE bool solve() const {
    int first = 0;
    // The rows below are loaded and stored once for four pivots.
    for (; first + 4 <= unknowns; first += 4)
      if (!eliminateFour(first)) return false;
    for (; first < unknowns; ++first) {
      const int last = std::min(first + bandwidth, unknowns - 1);
      double inverse;
      if (!prepare(first, first + 1, last, inverse)) return false;
      const double *source = row(first);
      for (int i = first + 1; i <= last; ++i) subtract(source[i] * inverse, source, row(i), i, last);
    }
    substituteBack();
    return true;
  }

private:
  /// Element (i, j) is `row(i)[j]`, for j from i on.
  CS_INLINE double *row(int i) const { return band + i * step; }

  CS_INLINE bool eliminateFour(int first) const {
    const int next = first + 4, last = std::min(next - 1 + bandwidth, unknowns - 1);
    double inverse[4];
    for (int pivot = 0; pivot < 4; ++pivot)
      if (!prepare(first + pivot, next, last, inverse[pivot])) return false;
    const double *source[] = {row(first), row(first + 1), row(first + 2), row(first + 3)};
    for (int i = next; i <= last; ++i) {
      double *target = row(i);
      const Four factor0 = source[0][i] * inverse[0], factor1 = source[1][i] * inverse[1];
      const Four factor2 = source[2][i] * inverse[2], factor3 = source[3][i] * inverse[3];
      for (int j = i; j <= last; j += 4) {
        Four value = load(target + j);
        value -= factor0 * load(source[0] + j);
        value -= factor1 * load(source[1] + j);
        value -= factor2 * load(source[2] + j);
        value -= factor3 * load(source[3] + j);
        store(value, target + j);
      }
    }
    return true;
  }

  /// Subtracts multiples of a pivot's row from the rows below up to `next`, and from the right-hand sides up to `last`.
  /// False when the pivot is not positive.
  /// - Parameter inverse: becomes one over the pivot.
  CS_INLINE bool prepare(int pivot, int next, int last, double &inverse) const {
    const double *source = row(pivot);
    if (!(source[pivot] > 0)) return false;
    inverse = 1 / source[pivot];
    for (int i = pivot + 1; i < next; ++i) subtract(source[i] * inverse, source, row(i), i, last);
    subtract(x[pivot] * inverse, source, x, pivot + 1, last);
    subtract(y[pivot] * inverse, source, y, pivot + 1, last);
    return true;
  }

  CS_INLINE void subtract(double factor, const double *source, double *target, int first, int last) const {
    const Four factors = factor;
    for (int j = first; j <= last; j += 4) store(load(target + j) - factors * load(source + j), target + j);
  }

  CS_INLINE void substituteBack() const {
    for (int i = unknowns - 1; i >= 0; --i) {
      const double *source = row(i);
      const int last = std::min(i + bandwidth, unknowns - 1);
      Four sumX = 0, sumY = 0;
      for (int j = i + 1; j <= last; j += 4) {
        sumX += load(source + j) * load(x + j);
        sumY += load(source + j) * load(y + j);
      }
      x[i] = (x[i] - total(sumX)) / source[i];
      y[i] = (y[i] - total(sumY)) / source[i];
    }
  }
};

}  // namespace

extern "C" int32_t cs_solve_banded(double *band, ptrdiff_t step, int32_t unknowns, int32_t bandwidth, double *x,
                                   double *y) {
  return cleanplate::onThisProcessor<cleanplate::V3>(
      [=](auto) CS_INLINED { return Solver{band, step, unknowns, bandwidth, x, y}.solve(); });
}
