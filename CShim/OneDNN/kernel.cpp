#include "kernel.hpp"

#include <cstdint>
#include <cstring>

using namespace cleanplate;
using namespace cleanplate::onednn;

namespace {

memory::dims kernelSizes(const cs_layer &layer, int32_t channels) {
  const int32_t groups = layer.groups;
  memory::dims sizes{layer.volume.channels / groups, channels / groups, layer.side, layer.side};
  if (groups > 1) sizes.insert(sizes.begin(), groups);
  return sizes;
}

memory::desc kernelForm(const cs_layer &layer, const cs_learned &learned, const memory::dims &sizes) {
  memory::dims strides(learned.strides, learned.strides + 4);
  if (layer.groups > 1) strides.insert(strides.begin(), sizes[1] * strides[0]);
  return {sizes, memory::data_type::f32, strides};
}

memory offsetsOf(const cs_layer &layer, const cs_learned &learned) {
  memory made({{layer.volume.channels}, memory::data_type::f32, memory::format_tag::x}, processor());
  std::memcpy(made.get_data_handle(), learned.offsets, made.get_desc().get_size());
  return made;
}

}  // namespace

Kernel::Kernel(const cs_layer &layer, const cs_learned &learned, int32_t channels)
    : sizes(kernelSizes(layer, channels)),
      offsets(offsetsOf(layer, learned)),
      numbers(learned.kernel),
      given(kernelForm(layer, learned, sizes)),
      scales(learned.scales, learned.scales + layer.volume.channels) {}

memory Kernel::ordered(const memory::desc &wanted) {
  const std::lock_guard<std::mutex> lock(adding);
  for (const memory &one : known) {
    if (one.get_desc() == wanted) return one;
  }
  Room room = onednn::room(wanted.get_size());
  memory made(wanted, processor(), room.get());
  dnnl::stream stream(processor());
  if (known.empty()) {
    memory unscaled(given, processor(), const_cast<void *>(numbers));
    // Where a file has them there need not be an address that numbers may have.
    if (reinterpret_cast<uintptr_t>(numbers) % alignof(float) != 0) {
      unscaled = memory(given, processor());
      std::memcpy(unscaled.get_data_handle(), numbers, given.get_size());
    }
    dnnl::primitive_attr scaled;
    // One for every channel of the results: of the groups and of each group's.
    scaled.set_output_scales(sizes.size() == 5 ? 3 : 1, scales);
    dnnl::reorder({processor(), given, processor(), wanted, scaled}).execute(stream, unscaled, made);
  } else {
    dnnl::reorder(known.front(), made).execute(stream, const_cast<memory &>(known.front()), made);
  }
  stream.wait();
  rooms.push_back(std::move(room));
  known.push_back(made);
  return made;
}
