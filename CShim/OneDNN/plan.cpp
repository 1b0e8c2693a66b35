// Has oneDNN choose how every layer is computed and in which order samples lie, which are brought into another one only
// where two layers want them differently.
#include "plan.hpp"

#include <algorithm>
#include <memory>

using namespace cleanplate;
using namespace cleanplate::onednn;

namespace {

memory::dims dimensions(const cs_volume &volume) { return {1, volume.channels, volume.height, volume.width}; }

memory::desc form(const cs_volume &volume, memory::format_tag order) {
  return {dimensions(volume), memory::data_type::f32, order};
}
/// As callers have it, which is how layers want it on most processors.
memory::desc plain(const cs_volume &volume) { return form(volume, memory::format_tag::nhwc); }
memory::desc any(const cs_volume &volume) { return form(volume, memory::format_tag::any); }

constexpr auto inference = dnnl::prop_kind::forward_inference;

class Planner {
public:
  Planner(cs_network &network, const cs_layer *layers, const cs_volume &input)
      : network(network), volumes{input}, results{{0, plain(input), Place::input, 0, {}}} {
    for (int32_t index = 0; index < network.layers; index++) {
      check(layers[index]);
      add(index, layers[index]);
      volumes.push_back(layers[index].volume);
    }
    for (size_t index = 0; index < network.outputs.size(); index++) {
      const size_t result = size_t(network.outputs[index]);
      const Operand output{0, plain(volumes[result]), Place::output, index, {}};
      bring(results[result], output);
    }
  }

  std::unique_ptr<cs_network_plan> finish() {
    const size_t bytes = pack(parts);
    return std::make_unique<cs_network_plan>(cs_network_plan{std::move(steps), std::move(parts), bytes});
  }

private:
  void check(const cs_layer &layer) const {
    const bool isPair = layer.kind == CS_LAYER_SUM || layer.kind == CS_LAYER_PRODUCT;
    const bool isCountRight =
        layer.kind == CS_LAYER_CONCATENATION ? layer.input_count > 0 : layer.input_count == 1 + isPair;
    const bool areKnown = std::all_of(layer.inputs, layer.inputs + layer.input_count,
                                      [&](int32_t input) { return input >= 0 && size_t(input) < results.size(); });
    if (!isCountRight || !areKnown) throw Failure(CS_INVALID_ARGUMENT, "a layer's inputs");
  }

  void add(int32_t index, const cs_layer &layer) {
    switch (layer.kind) {
    case CS_LAYER_CONVOLUTION: return addConvolution(layer, network.kernels.at(index));
    case CS_LAYER_MAXIMUM: return addMaximum(layer);
    case CS_LAYER_ENLARGEMENT: return addResampling(layer, dnnl::algorithm::resampling_nearest);
    case CS_LAYER_CONCATENATION: return addConcatenation(layer);
    case CS_LAYER_SUM: return addSum(layer);
    case CS_LAYER_MEAN: return addMean(layer);
    case CS_LAYER_PRODUCT: return addProduct(layer);
    case CS_LAYER_INTERPOLATION: return addResampling(layer, dnnl::algorithm::resampling_linear);
    }
    throw Failure(CS_INVALID_ARGUMENT, "a layer's kind");
  }

  void addConvolution(const cs_layer &layer, Kernel &kernel) {
    auto attributes = ownScratchpad();
    attributes.set_post_ops(rectifying(layer));
    const dnnl::convolution_forward::primitive_desc chosen(
        {inference,
         dnnl::algorithm::convolution_direct,
         any(inputVolume(layer)),
         {kernel.sizes, memory::data_type::f32, memory::format_tag::any},
         kernel.offsets.get_desc(),
         any(layer.volume),
         {layer.step, layer.step},
         {layer.top, layer.left},
         {layer.bottom, layer.right}},
        attributes, processor());
    const Operand source = as(DNNL_ARG_SRC, input(layer), chosen.src_desc());
    const memory ordered = kernel.ordered(chosen.weights_desc());
    finish(chosen, dnnl::convolution_forward(chosen),
           {source, kept(DNNL_ARG_WEIGHTS, ordered), kept(DNNL_ARG_BIAS, kernel.offsets)});
  }

  static dnnl::post_ops rectifying(const cs_layer &layer) {
    dnnl::post_ops then;
    switch (layer.rectifier) {
    case CS_RECTIFIER_NONE: break;
    case CS_RECTIFIER_LEAKY: then.append_eltwise(1, dnnl::algorithm::eltwise_relu, layer.bound, 0); break;
    case CS_RECTIFIER_CLIP: then.append_eltwise(1, dnnl::algorithm::eltwise_clip, 0, layer.bound); break;
    case CS_RECTIFIER_HARD_SWISH: then.append_eltwise(1, dnnl::algorithm::eltwise_hardswish, 0, 0); break;
    case CS_RECTIFIER_LOGISTIC: then.append_eltwise(1, dnnl::algorithm::eltwise_logistic, 0, 0); break;
    }
    return then;
  }

  void addMaximum(const cs_layer &layer) {
    addPooling(layer, dnnl::algorithm::pooling_max, {layer.side, layer.side}, {layer.step, layer.step},
               {layer.top, layer.left}, {layer.bottom, layer.right});
  }

  void addMean(const cs_layer &layer) {
    const memory::dims all{inputVolume(layer).height, inputVolume(layer).width};
    addPooling(layer, dnnl::algorithm::pooling_avg_exclude_padding, all, all, {0, 0}, {0, 0});
  }

  void addPooling(const cs_layer &layer, dnnl::algorithm algorithm, const memory::dims &window,
                  const memory::dims &steps, const memory::dims &before, const memory::dims &after) {
    const dnnl::pooling_forward::primitive_desc chosen(
        {inference, algorithm, input(layer).form, any(layer.volume), steps, window, before, after}, ownScratchpad(),
        processor());
    finish(chosen, dnnl::pooling_forward(chosen), {as(DNNL_ARG_SRC, input(layer), chosen.src_desc())});
  }

  void addResampling(const cs_layer &layer, dnnl::algorithm algorithm) {
    const dnnl::resampling_forward::primitive_desc chosen({inference, algorithm, input(layer).form, any(layer.volume)},
                                                          ownScratchpad(), processor());
    finish(chosen, dnnl::resampling_forward(chosen), {as(DNNL_ARG_SRC, input(layer), chosen.src_desc())});
  }

  void addConcatenation(const cs_layer &layer) {
    std::vector<memory::desc> forms;
    for (int32_t k = 0; k < layer.input_count; k++) forms.push_back(input(layer, k).form);
    const dnnl::concat::primitive_desc chosen(1, forms, processor(), ownScratchpad());
    std::vector<Operand> operands;
    for (int32_t k = 0; k < layer.input_count; k++)
      operands.push_back(as(DNNL_ARG_MULTIPLE_SRC + k, input(layer, k), chosen.src_desc(k)));
    finish(chosen, dnnl::concat(chosen), operands);
  }

  /// Both in the first one's order.
  void addSum(const cs_layer &layer) { addPair(layer, dnnl::algorithm::binary_add, input(layer).form); }

  void addProduct(const cs_layer &layer) { addPair(layer, dnnl::algorithm::binary_mul, input(layer, 1).form); }

  void addPair(const cs_layer &layer, dnnl::algorithm algorithm, memory::desc secondForm) {
    const memory::desc form = input(layer).form;
    const Operand second = as(DNNL_ARG_SRC_1, input(layer, 1), secondForm);
    const dnnl::binary::primitive_desc chosen({algorithm, form, secondForm, form}, ownScratchpad(), processor());
    finish(chosen, dnnl::binary(chosen), {as(DNNL_ARG_SRC_0, input(layer), form), second});
  }

  /// Scratch of their own would tie primitives to one thread.
  static dnnl::primitive_attr ownScratchpad() {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attributes;
  }

  const Operand &input(const cs_layer &layer, int32_t index = 0) const { return results[size_t(layer.inputs[index])]; }
  const cs_volume &inputVolume(const cs_layer &layer) const { return volumes[size_t(layer.inputs[0])]; }

  static Operand kept(int argument, const memory &memory) {
    return {argument, memory.get_desc(), Place::kept, 0, memory};
  }

  /// A result in the order that somebody wants it in.
  Operand as(int argument, const Operand &result, const memory::desc &wanted) {
    Operand operand = result;
    if (result.form != wanted) {
      operand = room(0, wanted);
      bring(result, operand);
    }
    operand.argument = argument;
    return operand;
  }

  void bring(Operand from, Operand to) {
    from.argument = DNNL_ARG_FROM;
    to.argument = DNNL_ARG_TO;
    const dnnl::reorder::primitive_desc chosen(processor(), from.form, processor(), to.form, ownScratchpad());
    add(chosen, dnnl::reorder(chosen), {from, to});
  }

  /// The next layer's step, and its result.
  template <class Chosen>
  void finish(const Chosen &chosen, const dnnl::primitive &compute, std::vector<Operand> operands) {
    const Operand result = room(DNNL_ARG_DST, chosen.dst_desc());
    operands.push_back(result);
    add(chosen, compute, operands);
    results.push_back(result);
  }

  template <class Chosen>
  void add(const Chosen &chosen, const dnnl::primitive &compute, std::vector<Operand> operands) {
    const memory::desc scratchpad = chosen.scratchpad_desc();
    if (scratchpad.get_size() > 0) operands.push_back(room(DNNL_ARG_SCRATCHPAD, scratchpad));
    for (const Operand &operand : operands) {
      if (operand.place == Place::workspace) parts[operand.index].last = steps.size();
    }
    steps.push_back({compute, std::move(operands)});
  }

  /// A part of the workspace from the next step on.
  Operand room(int argument, const memory::desc &form) {
    parts.push_back({form.get_size(), steps.size(), steps.size()});
    return {argument, form, Place::workspace, parts.size() - 1, {}};
  }

  cs_network &network;
  /// By result.
  std::vector<cs_volume> volumes;
  std::vector<Operand> results;
  std::vector<Step> steps;
  std::vector<Part> parts;
};

}  // namespace

extern "C" cs_status cs_network_create(const cs_layer *layers, const cs_learned *learned, int32_t count,
                                       cs_volume input, const int32_t *outputs, int32_t output_count,
                                       cs_network **network, cs_network_plan **plan) {
  return onednn::guarded([&] {
    if (!std::all_of(outputs, outputs + output_count, [&](int32_t output) { return output >= 0 && output <= count; }))
      throw Failure(CS_INVALID_ARGUMENT, "an output");
    auto made = std::unique_ptr<cs_network>(new cs_network{{}, count, {outputs, outputs + output_count}});
    for (int32_t index = 0; index < count; index++) {
      const cs_layer &layer = layers[index];
      if (layer.kind != CS_LAYER_CONVOLUTION) continue;
      if (layer.input_count != 1 || layer.inputs[0] < 0 || layer.inputs[0] > index || layer.groups < 1)
        throw Failure(CS_INVALID_ARGUMENT, "a convolution");
      const int32_t before = layer.inputs[0] - 1;
      made->kernels.try_emplace(index, layer, learned[index], (before < 0 ? input : layers[before].volume).channels);
    }
    *plan = Planner(*made, layers, input).finish().release();
    *network = made.release();
  });
}

extern "C" cs_status cs_network_plan_create(cs_network *network, const cs_layer *layers, cs_volume input,
                                            cs_network_plan **plan) {
  return onednn::guarded([&] { *plan = Planner(*network, layers, input).finish().release(); });
}

extern "C" void cs_network_free(cs_network *network) { delete network; }
extern "C" void cs_network_plan_free(cs_network_plan *plan) { delete plan; }
