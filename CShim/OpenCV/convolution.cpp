// OpenCV's way to bring an implementation of a layer of one's own: "Custom deep learning layers support" in its manual.
#include "convolution.hpp"

#include <opencv2/dnn.hpp>

#if defined(__x86_64__)

#include <opencv2/dnn/all_layers.hpp>
#include <opencv2/dnn/layer.details.hpp>

#include <dnnl.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>

// OpenMP's run-time library, which oneDNN computes with. Of two C interfaces all that is needed.
extern "C" int omp_get_max_threads(void);
extern "C" void omp_set_num_threads(int count);

namespace {

using dnnl::memory;

/// The calling task is one of several that work already.
class OneThread {
public:
  OneThread() { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before); }

private:
  const int before = omp_get_max_threads();
};

memory::desc plain(memory::dims sizes) {
  return {sizes, memory::data_type::f32, sizes.size() == 5 ? memory::format_tag::abcde : memory::format_tag::abcd};
}
/// Eight channels beside each other, as the kernels for AVX2 want them: whole blocks of them take as much room as plain
/// samples.
memory::desc inEights(memory::dims sizes) { return {sizes, memory::data_type::f32, memory::format_tag::aBcd8b}; }
bool isInEights(int64_t channels) { return channels % 8 == 0; }
memory::desc any(memory::dims sizes) { return {sizes, memory::data_type::f32, memory::format_tag::any}; }

/// What becomes of a convolution's results.
struct Rectifier {
  dnnl::algorithm kind;
  /// A leaky one: the slope of negative values. A clip: the least and the most.
  float alpha, beta;

  bool operator<(const Rectifier &other) const {
    return std::tie(kind, alpha, beta) < std::tie(other.kind, other.alpha, other.beta);
  }

  /// None where it is of another kind.
  static std::optional<Rectifier> of(const cv::Ptr<cv::dnn::ActivationLayer> &layer) {
    if (const auto leaky = layer.dynamicCast<cv::dnn::ReLULayer>())
      return Rectifier{dnnl::algorithm::eltwise_relu, leaky->negativeSlope, 0};
    if (const auto clip = layer.dynamicCast<cv::dnn::ReLU6Layer>())
      return Rectifier{dnnl::algorithm::eltwise_clip, clip->minValue, clip->maxValue};
    return {};
  }
};

/// Samples on their way into a convolution or out of it, in the order that oneDNN computes in: the layers of a network,
/// which take turns, share the room for them, since to get fresh pages for each takes longer than to fill them.
struct Exchange {
  /// Room for samples that no one else needs while a layer computes.
  class Room {
  public:
    memory holding(const memory::desc &form, const dnnl::engine &engine) {
      if (!most || most.get_desc().get_size() < form.get_size()) most = memory(form, engine);
      return {form, engine, most.get_data_handle()};
    }

  private:
    memory most;
  };

  Room samples, results;
};

/// A convolution of pictures with square kernels, over all channels or of each by itself, with what follows it: a scale
/// and an offset of each channel, and a rectifier.
class Convolution final : public cv::dnn::Layer {
public:
  /// - Parameter parameters: loses what was learned, so that it is not held twice.
  Convolution(cv::dnn::LayerParams &parameters, bool isChained, std::shared_ptr<Exchange> exchange)
      : Layer(parameters),
        isChained(isChained),
        exchange(std::move(exchange)),
        side(along(parameters, "kernel", 0)),
        step(along(parameters, "stride", 1)),
        margin(parameters.get<int>("pad", 0)),
        isSame(parameters.get<cv::String>("pad_mode", "") == "SAME"),
        learned(blobs[0]),
        learnedOffsets(blobs.size() > 1 ? blobs[1].reshape(1, 1) : cv::Mat()),
        sizes(dimensions(learned)) {
    blobs.clear();
    parameters.blobs.clear();
  }

  static bool suits(const cv::dnn::LayerParams &parameters) {
    if (parameters.has("pad_h") || parameters.has("pad_w") || parameters.has("dilation")) return false;
    const auto margins = parameters.get<cv::String>("pad_mode", "");
    return (margins.empty() || margins == "SAME") && along(parameters, "kernel", 0) > 0 &&
           along(parameters, "stride", 1) > 0 && parameters.get<int>("group", 1) == 1 && !parameters.blobs.empty() &&
           parameters.blobs[0].dims == 4 && parameters.blobs[0].type() == CV_32F;
  }

  bool supportBackend(int backend) override { return backend == cv::dnn::DNN_BACKEND_OPENCV; }

  bool getMemoryShapes(const std::vector<cv::dnn::MatShape> &inputs, int, std::vector<cv::dnn::MatShape> &outputs,
                       std::vector<cv::dnn::MatShape> &) const override {
    CV_Assert(inputs.size() == 1 && inputs[0].size() == 4);
    const bool isEach = sizes[1] == 1 && inputs[0][1] == sizes[0];
    CV_Assert(isEach || inputs[0][1] == sizes[1]);
    outputs.assign(1, {inputs[0][0], int(sizes[0]), results(inputs[0][2]), results(inputs[0][3])});
    return false;
  }

  void finalize(cv::InputArrayOfArrays, cv::OutputArrayOfArrays) override {
    scales = cv::Mat::ones(1, int(sizes[0]), CV_32F);
    offsets = cv::Mat::zeros(1, int(sizes[0]), CV_32F);
    if (!learnedOffsets.empty()) learnedOffsets.copyTo(offsets);
  }

  bool tryFuse(cv::Ptr<Layer> &next) override {
    cv::Mat scale, shift;
    next->getScaleShift(scale, shift);
    if ((scale.empty() && shift.empty()) || rectifier) return false;
    if (!scale.empty()) {
      scales = scales.mul(scale.reshape(1, 1));
      offsets = offsets.mul(scale.reshape(1, 1));
    }
    if (!shift.empty()) offsets += shift.reshape(1, 1);
    return true;
  }

  bool setActivation(const cv::Ptr<cv::dnn::ActivationLayer> &next) override {
    rectifier = next.empty() ? std::nullopt : Rectifier::of(next);
    return next.empty() || rectifier;
  }

  void forward(cv::InputArrayOfArrays inputs, cv::OutputArrayOfArrays outputs, cv::OutputArrayOfArrays) override {
    std::vector<cv::Mat> from, to;
    inputs.getMatVector(from);
    outputs.getMatVector(to);
    const OneThread one;
    // Kernels are scaled once: what follows a convolution in a network does not change.
    CV_Assert(madeWith.empty() || cv::norm(scales, madeWith, cv::NORM_INF) == 0);
    const auto key = std::make_pair(dimensions(from[0]), rectifier);
    auto known = prepared.find(key);
    if (known == prepared.end()) known = prepared.emplace(key, prepare(key.first, dimensions(to[0]))).first;
    run(known->second, from[0].ptr<float>(), to[0].ptr<float>());
  }

private:
  /// What oneDNN computes for pictures of one size.
  struct Prepared {
    /// As OpenCV has them, and as oneDNN computes with them.
    memory::desc source, target, samples, results;
    dnnl::convolution_forward compute;
    memory kernels;
  };

  /// A size that is the same along both axes; 0 where it is not.
  static int along(const cv::dnn::LayerParams &parameters, const std::string &name, int usual) {
    const std::string both = name + (name == "kernel" ? "_size" : "");
    if (!parameters.has(both)) {
      const int high = parameters.get<int>(name + "_h", usual);
      return parameters.get<int>(name + "_w", usual) == high ? high : 0;
    }
    const auto sizes = parameters.get(both);
    return sizes.size() == 1 || sizes.get<int>(0) == sizes.get<int>(1) ? sizes.get<int>(0) : 0;
  }

  /// Along an axis of so many samples.
  int results(int samples) const {
    return isSame ? (samples + step - 1) / step : (samples + 2 * margin - side) / step + 1;
  }
  /// Samples of nothing before the first one and after the last one.
  std::pair<int, int> margins(int samples) const {
    const int both = isSame ? std::max((results(samples) - 1) * step + side - samples, 0) : 2 * margin;
    return {both / 2, both - both / 2};
  }

  static memory::dims dimensions(const cv::Mat &blob) { return {blob.size.p, blob.size.p + blob.dims}; }

  memory::desc offsetsForm() const { return {{sizes[0]}, memory::data_type::f32, memory::format_tag::x}; }

  /// The kernels' sizes as oneDNN counts them.
  memory::dims kernelSizes(int64_t channels) const {
    memory::dims counted = sizes;
    if (sizes[1] == 1 && channels == sizes[0]) counted.insert(counted.begin() + 1, 1);
    return counted;
  }

  Prepared prepare(const memory::dims &from, const memory::dims &to) {
    dnnl::primitive_attr attributes;
    if (rectifier) {
      dnnl::post_ops then;
      then.append_eltwise(1, rectifier->kind, rectifier->alpha, rectifier->beta);
      attributes.set_post_ops(then);
    }
    const memory::dims kernel = kernelSizes(from[1]), steps = {step, step};
    const auto [top, bottom] = margins(int(from[2]));
    const auto [left, right] = margins(int(from[3]));
    const bool takesEights = isChained && isInEights(from[1]),
               givesEights = isChained && isInEights(to[1]) && learnedOffsets.empty();
    const dnnl::convolution_forward::primitive_desc chosen({dnnl::prop_kind::forward_inference,
                                                            dnnl::algorithm::convolution_direct,
                                                            takesEights ? inEights(from) : any(from),
                                                            any(kernel),
                                                            offsetsForm(),
                                                            givesEights ? inEights(to) : any(to),
                                                            steps,
                                                            {top, left},
                                                            {bottom, right}},
                                                           attributes, engine);
    return {takesEights ? inEights(from) : plain(from),
            givesEights ? inEights(to) : plain(to),
            chosen.src_desc(),
            chosen.dst_desc(),
            dnnl::convolution_forward(chosen),
            scaledKernels(kernel, chosen.weights_desc())};
  }

  /// In the order of samples that is wanted; sizes of pictures mostly want the same.
  memory scaledKernels(const memory::dims &kernel, const memory::desc &wanted) {
    for (const memory &known : kernels) {
      if (known.get_desc() == wanted) return known;
    }
    memory made(wanted, engine);
    if (kernels.empty()) {
      dnnl::primitive_attr scaled;
      scaled.set_output_scales(1, {scales.begin<float>(), scales.end<float>()});
      memory unscaled(plain(kernel), engine, learned.data);
      dnnl::reorder({engine, unscaled.get_desc(), engine, wanted, scaled}).execute(stream, unscaled, made);
      scales.copyTo(madeWith);
    } else {
      copy(kernels.front(), made);
    }
    stream.wait();
    learned.release();
    kernels.push_back(made);
    return made;
  }

  void copy(memory from, memory to) { dnnl::reorder(from, to).execute(stream, from, to); }

  void run(const Prepared &how, float *from, float *to) {
    memory given(how.source, engine, from), wanted(how.target, engine, to), bias(offsetsForm(), engine, offsets.data);
    memory in = how.samples == how.source ? given : exchange->samples.holding(how.samples, engine);
    memory out = how.results == how.target ? wanted : exchange->results.holding(how.results, engine);
    if (in != given) copy(given, in);
    how.compute.execute(
        stream, {{DNNL_ARG_SRC, in}, {DNNL_ARG_WEIGHTS, how.kernels}, {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, out}});
    if (out != wanted) copy(out, wanted);
    stream.wait();
  }

  const bool isChained;
  const std::shared_ptr<Exchange> exchange;
  const int side, step, margin;
  /// There are as many results as steps.
  const bool isSame;
  /// The kernels, until they are in oneDNN's order, and an offset of each channel, or nothing.
  cv::Mat learned;
  const cv::Mat learnedOffsets;
  /// The kernels'.
  const memory::dims sizes;
  /// Of each channel.
  cv::Mat scales, offsets;
  std::optional<Rectifier> rectifier;
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  /// By sizes of pictures and rectifiers, as OpenCV makes layers ready anew for every other size.
  std::map<std::pair<memory::dims, std::optional<Rectifier>>, Prepared> prepared;
  /// Scaled by `madeWith`.
  std::vector<memory> kernels;
  cv::Mat madeWith;
};

/// OpenCV has one list of layers for all.
std::mutex registered;
/// Of the network that is being read; `registered` guards it.
std::shared_ptr<Exchange> exchange;

template <bool isChained> cv::Ptr<cv::dnn::Layer> make(cv::dnn::LayerParams &parameters) {
  if (Convolution::suits(parameters)) return cv::Ptr<Convolution>(new Convolution(parameters, isChained, exchange));
  return cv::dnn::ConvolutionLayer::create(parameters);
}

}  // namespace

cleanplate::opencv::FastConvolutions::FastConvolutions(bool areChained) {
  registered.lock();
  exchange = std::make_shared<Exchange>();
  cv::dnn::LayerFactory::registerLayer("Convolution", areChained ? make<true> : make<false>);
}

cleanplate::opencv::FastConvolutions::~FastConvolutions() {
  cv::dnn::LayerFactory::unregisterLayer("Convolution");
  exchange.reset();
  registered.unlock();
}

#else

cleanplate::opencv::FastConvolutions::FastConvolutions(bool) {}
cleanplate::opencv::FastConvolutions::~FastConvolutions() {}

#endif
