// Vectors of doubles: the arithmetic of least squares.
//
// Their number of lanes is fixed, so that every processor computes the same sums in the same order.
#pragma once

#include "instructions.hpp"

#include <cstring>

// A fused multiply-add rounds differently from a multiplication and an addition, and not every processor has one.
#pragma STDC FP_CONTRACT OFF
// Vectors wider than the baseline's registers are only passed to functions that are inlined.
#pragma clang diagnostic ignored "-Wpsabi"

namespace cleanplate {

constexpr int doubleLanes = 4;
using Doubles = double __attribute__((ext_vector_type(doubleLanes)));

CS_INLINE Doubles load(const double *from) {
  Doubles value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

CS_INLINE void store(Doubles value, double *to) { std::memcpy(to, &value, sizeof value); }

CS_INLINE double total(Doubles v) { return (v[0] + v[2]) + (v[1] + v[3]); }

} // namespace cleanplate
