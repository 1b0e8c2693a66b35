// OpenCV's way to bring an implementation of a layer of one's own: "Custom deep learning layers support" in its manual.
#include "convolution.hpp"

#include <opencv2/dnn.hpp>

#if defined(__x86_64__)

#include <opencv2/dnn/all_layers.hpp>
#include <opencv2/dnn/layer.details.hpp>

#include <dnnl.hpp>

#include <map>
#include <mutex>
#include <optional>

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

memory::desc plain(memory::dims sizes) { return {sizes, memory::data_type::f32, memory::format_tag::nchw}; }
memory::desc any(memory::dims sizes) { return {sizes, memory::data_type::f32, memory::format_tag::any}; }

/// A convolution of pictures with square kernels, with what follows it: a scale and an offset of each channel, and
/// a leaky rectifier.
class Convolution final : public cv::dnn::Layer {
public:
  explicit Convolution(const cv::dnn::LayerParams &parameters)
      : Layer(parameters),
        side(parameters.get<int>("kernel_size")),
        step(parameters.get<int>("stride", 1)),
        margin(parameters.get<int>("pad", 0)) {}

  static bool suits(const cv::dnn::LayerParams &parameters) {
    for (const char *other :
         {"kernel_h", "kernel_w", "pad_mode", "pad_h", "pad_w", "stride_h", "stride_w", "dilation"}) {
      if (parameters.has(other)) return false;
    }
    return parameters.has("kernel_size") && parameters.get<int>("group", 1) == 1 && !parameters.blobs.empty() &&
           parameters.blobs[0].dims == 4 && parameters.blobs[0].type() == CV_32F;
  }

  bool supportBackend(int backend) override { return backend == cv::dnn::DNN_BACKEND_OPENCV; }

  bool getMemoryShapes(const std::vector<cv::dnn::MatShape> &inputs, int, std::vector<cv::dnn::MatShape> &outputs,
                       std::vector<cv::dnn::MatShape> &) const override {
    CV_Assert(inputs.size() == 1 && inputs[0].size() == 4 && inputs[0][1] == blobs[0].size[1]);
    const auto along = [this](int samples) { return (samples + 2 * margin - side) / step + 1; };
    outputs.assign(1, {inputs[0][0], blobs[0].size[0], along(inputs[0][2]), along(inputs[0][3])});
    return false;
  }

  void finalize(cv::InputArrayOfArrays, cv::OutputArrayOfArrays) override {
    scales = cv::Mat::ones(1, blobs[0].size[0], CV_32F);
    offsets = cv::Mat::zeros(1, blobs[0].size[0], CV_32F);
    if (blobs.size() > 1) blobs[1].reshape(1, 1).copyTo(offsets);
  }

  bool tryFuse(cv::Ptr<Layer> &next) override {
    cv::Mat scale, shift;
    next->getScaleShift(scale, shift);
    if ((scale.empty() && shift.empty()) || slope) return false;
    if (!scale.empty()) {
      scales = scales.mul(scale.reshape(1, 1));
      offsets = offsets.mul(scale.reshape(1, 1));
    }
    if (!shift.empty()) offsets += shift.reshape(1, 1);
    return true;
  }

  bool setActivation(const cv::Ptr<cv::dnn::ActivationLayer> &next) override {
    const auto rectifier = next.dynamicCast<cv::dnn::ReLULayer>();
    if (!next.empty() && !rectifier) return false;
    slope = rectifier ? std::optional(rectifier->negativeSlope) : std::nullopt;
    return true;
  }

  void forward(cv::InputArrayOfArrays inputs, cv::OutputArrayOfArrays outputs, cv::OutputArrayOfArrays) override {
    std::vector<cv::Mat> from, to;
    inputs.getMatVector(from);
    outputs.getMatVector(to);
    const OneThread one;
    if (madeWith.empty() || cv::norm(scales, madeWith, cv::NORM_INF) != 0) {
      prepared.clear();
      kernels.clear();
      scales.copyTo(madeWith);
    }
    const auto key = std::make_pair(dimensions(from[0]), slope);
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

  static memory::dims dimensions(const cv::Mat &blob) { return {blob.size.p, blob.size.p + blob.dims}; }

  memory::desc offsetsForm() const { return {{blobs[0].size[0]}, memory::data_type::f32, memory::format_tag::x}; }

  Prepared prepare(const memory::dims &from, const memory::dims &to) {
    dnnl::primitive_attr attributes;
    if (slope) {
      dnnl::post_ops then;
      then.append_eltwise(1, dnnl::algorithm::eltwise_relu, *slope, 0);
      attributes.set_post_ops(then);
    }
    const memory::dims sizes = dimensions(blobs[0]), steps = {step, step}, margins = {margin, margin};
    const dnnl::convolution_forward::primitive_desc chosen({dnnl::prop_kind::forward_inference,
                                                            dnnl::algorithm::convolution_direct, any(from), any(sizes),
                                                            offsetsForm(), any(to), steps, margins, margins},
                                                           attributes, engine);
    return {plain(from),
            plain(to),
            chosen.src_desc(),
            chosen.dst_desc(),
            dnnl::convolution_forward(chosen),
            scaledKernels(chosen.weights_desc())};
  }

  /// In the order of samples that is wanted; sizes of pictures mostly want the same.
  memory scaledKernels(const memory::desc &wanted) {
    for (const memory &known : kernels) {
      if (known.get_desc() == wanted) return known;
    }
    cv::Mat scaled = blobs[0].clone();
    for (int channel = 0; channel < scaled.size[0]; channel++) {
      cv::Mat(1, int(scaled.total()) / scaled.size[0], CV_32F, scaled.ptr<float>(channel)) *= scales.at<float>(channel);
    }
    kernels.emplace_back(wanted, engine);
    copy(memory(plain(dimensions(scaled)), engine, scaled.data), kernels.back());
    stream.wait();
    return kernels.back();
  }

  void copy(memory from, memory to) { dnnl::reorder(from, to).execute(stream, from, to); }

  void run(const Prepared &how, float *from, float *to) {
    memory given(how.source, engine, from), in(how.samples, engine), out(how.results, engine);
    memory wanted(how.target, engine, to), bias(offsetsForm(), engine, offsets.data);
    copy(given, in);
    how.compute.execute(
        stream, {{DNNL_ARG_SRC, in}, {DNNL_ARG_WEIGHTS, how.kernels}, {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, out}});
    copy(out, wanted);
    stream.wait();
  }

  const int side, step, margin;
  /// Of each channel.
  cv::Mat scales, offsets;
  /// Of negative values; none without a rectifier.
  std::optional<float> slope;
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  /// By sizes of pictures and slopes, as OpenCV makes layers ready anew for every other size.
  std::map<std::pair<memory::dims, std::optional<float>>, Prepared> prepared;
  /// Scaled by `madeWith`.
  std::vector<memory> kernels;
  cv::Mat madeWith;
};

cv::Ptr<cv::dnn::Layer> make(cv::dnn::LayerParams &parameters) {
  if (Convolution::suits(parameters)) return cv::makePtr<Convolution>(parameters);
  return cv::dnn::ConvolutionLayer::create(parameters);
}

/// OpenCV has one list of layers for all.
std::mutex registered;

}  // namespace

cleanplate::opencv::FastConvolutions::FastConvolutions() {
  registered.lock();
  cv::dnn::LayerFactory::registerLayer("Convolution", make);
}

cleanplate::opencv::FastConvolutions::~FastConvolutions() {
  cv::dnn::LayerFactory::unregisterLayer("Convolution");
  registered.unlock();
}

#else

cleanplate::opencv::FastConvolutions::FastConvolutions() {}
cleanplate::opencv::FastConvolutions::~FastConvolutions() {}

#endif
