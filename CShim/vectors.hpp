// Vectors of a fixed number of lanes, which keep one source for every instruction set.
#pragma once

// Those that are wider than the baseline's registers are only passed to functions that are inlined.
#pragma clang diagnostic ignored "-Wpsabi"

namespace cleanplate {

template <class T, int lanes> using Vector = T __attribute__((ext_vector_type(lanes)));

}  // namespace cleanplate
