// Resamples planes into the reference's frame: picks the kernel for the sample type and the processor.
#include "warp/tile.hpp"

using namespace cleanplate::warp;

namespace {

using Render = cs_warp_coverage(const cs_warp &, cs_warp_rect, void *, ptrdiff_t, cs_warp_span *);

// Lanes fill half of the vector registers with weights; wider vectors would spill.
template <cs_warp_kernel kernel>
cs_warp_coverage renderBaseline(const cs_warp &warp, cs_warp_rect rect, void *destination, ptrdiff_t stride,
                                cs_warp_span *spans) {
  return warp.source.bits > 8 ? render<WordLanes<4, kernel>>(warp, rect, destination, stride, spans)
                              : render<ByteLanes<8, kernel>>(warp, rect, destination, stride, spans);
}

#if defined(__x86_64__)
template <cs_warp_kernel kernel>
[[gnu::target("arch=x86-64-v3")]]
cs_warp_coverage renderV3(const cs_warp &warp, cs_warp_rect rect, void *destination, ptrdiff_t stride,
                          cs_warp_span *spans) {
  return warp.source.bits > 8 ? render<WordLanes<8, kernel>>(warp, rect, destination, stride, spans)
                              : render<ByteLanes<16, kernel>>(warp, rect, destination, stride, spans);
}

bool hasV3() { return __builtin_cpu_supports("x86-64-v3"); }
#endif

Render *baseline(cs_warp_kernel kernel) {
  return kernel == CS_WARP_SHARP ? renderBaseline<CS_WARP_SHARP> : renderBaseline<CS_WARP_EXACT>;
}

Render *fastest(cs_warp_kernel kernel) {
#if defined(__x86_64__)
  if (hasV3()) return kernel == CS_WARP_SHARP ? renderV3<CS_WARP_SHARP> : renderV3<CS_WARP_EXACT>;
#endif
  return baseline(kernel);
}

}  // namespace

extern "C" cs_warp_coverage cs_warp_tile(const cs_warp *warp, cs_warp_rect rect, void *destination,
                                         ptrdiff_t destination_stride, cs_warp_span *spans) {
  return fastest(warp->kernel)(*warp, rect, destination, destination_stride, spans);
}

extern "C" cs_warp_coverage cs_warp_tile_baseline(const cs_warp *warp, cs_warp_rect rect, void *destination,
                                                  ptrdiff_t destination_stride, cs_warp_span *spans) {
  return baseline(warp->kernel)(*warp, rect, destination, destination_stride, spans);
}

extern "C" const char *cs_warp_instructions(void) {
#if defined(__x86_64__)
  return hasV3() ? "x86-64-v3" : "x86-64";
#elif defined(__aarch64__)
  return "arm64";
#else
  return "portable";
#endif
}
