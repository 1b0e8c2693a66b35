/// What is asked of oneDNN: networks of convolutions.
///
/// Every call that can fail returns a `cs_status` and never throws or aborts. oneDNN keeps to the calling thread, since
/// the callers are the workers. No oneDNN type appears here. Which sizes fit each other is the caller's to know.
#ifndef CSHIM_ONEDNN_H
#define CSHIM_ONEDNN_H

#include "../../Kernels/include/CShimKernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Samples of 32 bits: channels of rows.
typedef struct {
  int32_t channels;
  int32_t height;
  int32_t width;
} cs_volume;

typedef enum {
  CS_LAYER_CONVOLUTION = 0,
  /// The most of each window.
  CS_LAYER_MAXIMUM = 1,
  /// Every sample becomes as many as fit.
  CS_LAYER_ENLARGEMENT = 2,
  /// The inputs' channels, one after another.
  CS_LAYER_CONCATENATION = 3,
  /// Of two inputs.
  CS_LAYER_SUM = 4,
  /// Of each channel.
  CS_LAYER_MEAN = 5,
  /// Of an input and of one that has a sample for each of its channels.
  CS_LAYER_PRODUCT = 6,
  /// By linear interpolation between samples' middles.
  CS_LAYER_INTERPOLATION = 7,
} cs_layer_kind;

/// What becomes of a convolution's results.
typedef enum {
  CS_RECTIFIER_NONE = 0,
  /// What is negative is multiplied by a slope.
  CS_RECTIFIER_LEAKY = 1,
  /// What is less than 0 or more than a limit becomes that.
  CS_RECTIFIER_CLIP = 2,
  /// x becomes x times x / 6 + 1 / 2, of which what is less than 0 or more than 1 becomes that.
  CS_RECTIFIER_HARD_SWISH = 3,
  /// x becomes 1 / (1 + exp(-x)).
  CS_RECTIFIER_LOGISTIC = 4,
} cs_rectifier;

/// What computes one result out of earlier ones.
typedef struct {
  cs_layer_kind kind;
  /// Results are counted from 0, which is the input, so that layer k makes result k + 1.
  const int32_t *inputs;
  int32_t input_count;
  /// The result's.
  cs_volume volume;
  /// Convolutions and maxima: samples along the sides of a window, from one window to the next, and of nothing around
  /// the input.
  int32_t side;
  int32_t step;
  int32_t top;
  int32_t left;
  int32_t bottom;
  int32_t right;
  /// Convolutions: into how many parts of equal size the channels fall that have nothing to do with each other.
  int32_t groups;
  cs_rectifier rectifier;
  /// The slope or the limit.
  float bound;
} cs_layer;

/// What a convolution has learned.
typedef struct {
  /// 32-bit floating-point numbers, which need not be aligned; NULL for layers that learn nothing.
  const void *kernel;
  /// Numbers from one channel of the result, one channel of a group of the input, one row and one column to the next.
  int64_t strides[4];
  /// For every channel of the result: what its kernel is multiplied by, and what is added to it.
  const float *scales;
  const float *offsets;
} cs_learned;

/// What the convolutions of a network have learned, in the order that oneDNN computes with.
typedef struct cs_network cs_network;
/// How a network is computed for inputs of one size. Any number of threads may run it at once.
typedef struct cs_network_plan cs_network_plan;
/// Memory that networks compute in. One thread at a time.
typedef struct cs_workspace cs_workspace;

/// Makes a network of `count` layers, and its plan for inputs of the size that the layers say. `learned` has an element
/// for each layer, and is not needed later. `outputs` are the results that are wanted.
cs_status cs_network_create(const cs_layer *layers, const cs_learned *learned, int32_t count, cs_volume input,
                            const int32_t *outputs, int32_t output_count, cs_network **network, cs_network_plan **plan);
/// The same layers' plan for inputs of another size. Any number of threads at once.
cs_status cs_network_plan_create(cs_network *network, const cs_layer *layers, cs_volume input, cs_network_plan **plan);
void cs_network_free(cs_network *network);
/// Nothing is computed by the plan of a network that is gone.
void cs_network_plan_free(cs_network_plan *plan);

cs_status cs_workspace_create(cs_workspace **workspace);
void cs_workspace_free(cs_workspace *workspace);

/// Computes the outputs, row by row, with the channels of a place beside each other, as the input is.
cs_status cs_network_run(const cs_network_plan *plan, cs_workspace *workspace, const float *input,
                         float *const *outputs);

#ifdef __cplusplus
}
#endif
#endif
