// Solves symmetric equations in which only near unknowns meet, by Cholesky's factorisation, U'DU.
#include "include/CShim.h"

#include "doubles.hpp"

#include <algorithm>
#include <cstddef>

using namespace cleanplate;

namespace {

/// Pivots that are eliminated at once: the rows below are loaded and stored once for all of them.
constexpr int pivotsAtOnce = 4;
static_assert(CS_BAND_PADDING >= pivotsAtOnce - 1 + doubleLanes - 1);

/// The equations, of which the factorisation takes the place.
struct Equations {
  double *band;
  int unknowns, bandwidth;
  double *x, *y;

  /// Element (i, j) is row(i)[j], for j from i on.
  CS_INLINE double *row(int i) const { return band + ptrdiff_t(i) * (bandwidth + CS_BAND_PADDING); }
};

// What follows runs over whole vectors, and past the last element that counts: there is padding, whose zeros stay.

/// Subtracts multiples of a pivot's row from the right-hand sides of the rows below.
CS_INLINE void eliminateRight(const Equations &e, int pivot, double inverse, int last) {
  const double *source = e.row(pivot);
  const double x = e.x[pivot] * inverse, y = e.y[pivot] * inverse;
  for (int j = pivot + 1; j <= last; j += doubleLanes) {
    const Doubles u = load(source + j);
    store(load(e.x + j) - u * x, e.x + j);
    store(load(e.y + j) - u * y, e.y + j);
  }
}

/// Eliminates `pivots` unknowns from `first` on; false when the equations are not positive definite.
template <int pivots> CS_INLINE bool eliminate(const Equations &e, int first) {
  const int last = std::min(first + pivots - 1 + e.bandwidth, e.unknowns - 1), next = first + pivots;
  const double *source[pivots];
  double inverse[pivots];
  for (int p = 0; p < pivots; ++p) {
    const int pivot = first + p;
    const double *u = source[p] = e.row(pivot);
    if (!(u[pivot] > 0)) return false;
    inverse[p] = 1 / u[pivot];
    for (int i = pivot + 1; i < next; ++i) {
      double *target = e.row(i);
      const double factor = u[i] * inverse[p];
      for (int j = i; j <= last; j += doubleLanes) store(load(target + j) - factor * load(u + j), target + j);
    }
    eliminateRight(e, pivot, inverse[p], last);
  }
  for (int i = next; i <= last; ++i) {
    double *target = e.row(i);
    double factor[pivots];
    for (int p = 0; p < pivots; ++p) factor[p] = source[p][i] * inverse[p];
    for (int j = i; j <= last; j += doubleLanes) {
      Doubles value = load(target + j);
      for (int p = 0; p < pivots; ++p) value -= factor[p] * load(source[p] + j);
      store(value, target + j);
    }
  }
  return true;
}

CS_INLINE void substituteBack(const Equations &e) {
  for (int i = e.unknowns - 1; i >= 0; --i) {
    const double *u = e.row(i);
    const int last = std::min(i + e.bandwidth, e.unknowns - 1);
    Doubles x = 0, y = 0;
    for (int j = i + 1; j <= last; j += doubleLanes) {
      x += load(u + j) * load(e.x + j);
      y += load(u + j) * load(e.y + j);
    }
    e.x[i] = (e.x[i] - total(x)) / u[i];
    e.y[i] = (e.y[i] - total(y)) / u[i];
  }
}

// By value: what the vectors are stored to then cannot be the pointers.
CLEANPLATE_CLONES bool solve(Equations e) {
  int first = 0;
  for (; first + pivotsAtOnce <= e.unknowns; first += pivotsAtOnce)
    if (!eliminate<pivotsAtOnce>(e, first)) return false;
  for (; first < e.unknowns; ++first)
    if (!eliminate<1>(e, first)) return false;
  substituteBack(e);
  return true;
}

} // namespace

extern "C" int32_t cs_solve_banded(double *band, int32_t unknowns, int32_t bandwidth, double *x, double *y) {
  return solve({band, unknowns, bandwidth, x, y}) ? 1 : 0;
}
