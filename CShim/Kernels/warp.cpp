// Resamples planes into the reference's frame: picks the kernel for the sample type and the processor.
#include "warp/tile.hpp"

using namespace cleanplate;
using namespace cleanplate::warp;

namespace {

/// Lanes fill half of the vector registers with weights; wider vectors would spill. With twice as many registers, as
/// many lanes: vectors of 32 take a third longer.
template <class Instructions> constexpr int lanes = 8;
template <> [[maybe_unused]] constexpr int lanes<V3> = 16;
template <> [[maybe_unused]] constexpr int lanes<V4> = 16;

/// One part of a plane; copied as a whole, so that its members are known not to change.
struct Part {
  const cs_warp &warp;
  cs_warp_rect rect;
  void *destination;
  ptrdiff_t stride;
  cs_warp_span *spans;

  template <int lanes, cs_warp_kernel kernel> CS_INLINE cs_warp_coverage rendered() const {
    return warp.source.bits > 8 ? render<WordLanes<lanes / 2, kernel>>(warp, rect, destination, stride, spans)
                                : render<ByteLanes<lanes, kernel>>(warp, rect, destination, stride, spans);
  }
};

template <cs_warp_kernel kernel> cs_warp_coverage onBest(Part part) {
  return onThisProcessor<V4>(
      [=](auto instructions) CS_INLINED { return part.template rendered<lanes<decltype(instructions)>, kernel>(); });
}

template <cs_warp_kernel kernel> cs_warp_coverage onBaseline(Part part) {
  return part.template rendered<lanes<Baseline>, kernel>();
}

}  // namespace

extern "C" cs_warp_coverage cs_warp_tile(const cs_warp *warp, cs_warp_rect rect, void *destination,
                                         ptrdiff_t destination_stride, cs_warp_span *spans) {
  const Part part{*warp, rect, destination, destination_stride, spans};
  return warp->kernel == CS_WARP_SHARP ? onBest<CS_WARP_SHARP>(part) : onBest<CS_WARP_EXACT>(part);
}

extern "C" cs_warp_coverage cs_warp_tile_baseline(const cs_warp *warp, cs_warp_rect rect, void *destination,
                                                  ptrdiff_t destination_stride, cs_warp_span *spans) {
  const Part part{*warp, rect, destination, destination_stride, spans};
  return warp->kernel == CS_WARP_SHARP ? onBaseline<CS_WARP_SHARP>(part) : onBaseline<CS_WARP_EXACT>(part);
}
