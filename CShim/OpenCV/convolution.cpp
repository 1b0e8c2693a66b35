// OpenCV's way to bring an implementation of a layer of one's own: "Custom deep learning layers support" in its manual.
#include "convolution.hpp"

#include <opencv2/dnn.hpp>

#if defined(__x86_64__)

#include <opencv2/dnn/all_layers.hpp>
#include <opencv2/dnn/layer.details.hpp>

#include <dnnl.hpp>

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
    prepared.reset();
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
    if (!prepared) prepared.emplace(*this, dimensions(from[0]), dimensions(to[0]));
    prepared->run(from[0].ptr<float>(), to[0].ptr<float>());
  }

private:
  static memory::dims dimensions(const cv::Mat &blob) { return {blob.size.p, blob.size.p + blob.dims}; }

  /// What oneDNN computes for pictures of one size.
  struct Prepared {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    /// As OpenCV has them, and as oneDNN computes with them.
    memory::desc source, target, samples, results;
    dnnl::convolution_forward compute;
    memory kernels, offsets;

    Prepared(Convolution &layer, const memory::dims &from, const memory::dims &to)
        : source(plain(from)), target(plain(to)) {
      dnnl::primitive_attr attributes;
      if (layer.slope) {
        dnnl::post_ops then;
        then.append_eltwise(1, dnnl::algorithm::eltwise_relu, *layer.slope, 0);
        attributes.set_post_ops(then);
      }
      const memory::dims sizes = dimensions(layer.blobs[0]), steps = {layer.step, layer.step},
                         margins = {layer.margin, layer.margin};
      const memory::desc one({sizes[0]}, memory::data_type::f32, memory::format_tag::x);
      const dnnl::convolution_forward::primitive_desc chosen({dnnl::prop_kind::forward_inference,
                                                              dnnl::algorithm::convolution_direct, any(from),
                                                              any(sizes), one, any(to), steps, margins, margins},
                                                             attributes, engine);
      compute = dnnl::convolution_forward(chosen);
      samples = chosen.src_desc();
      results = chosen.dst_desc();
      kernels = memory(chosen.weights_desc(), engine);
      cv::Mat scaled = layer.blobs[0].clone();
      for (int channel = 0; channel < scaled.size[0]; channel++) {
        cv::Mat(1, int(scaled.total()) / scaled.size[0], CV_32F, scaled.ptr<float>(channel)) *=
            layer.scales.at<float>(channel);
      }
      copy(memory(plain(sizes), engine, scaled.data), kernels);
      offsets = memory(one, engine, layer.offsets.data);
      stream.wait();
    }

    /// In whatever order of samples either has.
    void copy(memory from, memory to) { dnnl::reorder(from, to).execute(stream, from, to); }

    void run(float *from, float *to) {
      memory given(source, engine, from), in(samples, engine), out(results, engine), wanted(target, engine, to);
      copy(given, in);
      compute.execute(stream,
                      {{DNNL_ARG_SRC, in}, {DNNL_ARG_WEIGHTS, kernels}, {DNNL_ARG_BIAS, offsets}, {DNNL_ARG_DST, out}});
      copy(out, wanted);
      stream.wait();
    }
  };

  const int side, step, margin;
  /// Of each channel.
  cv::Mat scales, offsets;
  /// Of negative values; none without a rectifier.
  std::optional<float> slope;
  std::optional<Prepared> prepared;
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
