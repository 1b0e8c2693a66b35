// How kernels are compiled for more than one instruction set.
#pragma once

#include <type_traits>

/// What is called by functions that carry the name of an instruction set must be inlined there to be compiled for it.
#define CS_INLINE [[gnu::always_inline]] inline
/// The same for lambdas.
#define CS_INLINED __attribute__((always_inline))

namespace cleanplate {

/// What every processor of the architecture has.
struct Baseline {};
/// What x86-64 processors of the last ten years have on top.
struct V3 {};
/// What servers and some desks have on top of that: twice as many registers, and masks.
struct V4 {};

#if defined(__x86_64__)
// By value: what a kernel stores to then cannot be what it was handed. Not in line, also where one kernel calls
// another.
template <class Kernel> [[gnu::target("arch=x86-64-v3"), gnu::noinline]] auto onV3(Kernel kernel) {
  return kernel(V3());
}
template <class Kernel> [[gnu::target("arch=x86-64-v4"), gnu::noinline]] auto onV4(Kernel kernel) {
  return kernel(V4());
}
#endif

/// Runs a kernel, `[=](auto instructions) CS_INLINED { ... }`, compiled for the best instructions that the processor
/// has, up to `Best`, beyond which it would gain nothing but size.
template <class Best = V4, class Kernel> CS_INLINE auto onThisProcessor(Kernel kernel) {
#if defined(__x86_64__)
  if constexpr (std::is_same_v<Best, V4>) {
    if (__builtin_cpu_supports("x86-64-v4")) return onV4(kernel);
  }
  if (__builtin_cpu_supports("x86-64-v3")) return onV3(kernel);
#endif
  return kernel(Baseline());
}

}  // namespace cleanplate
