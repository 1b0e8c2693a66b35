// How networks are computed.
#pragma once

#include "kernel.hpp"

#include <map>
#include <vector>

struct cs_network {
  /// By layer.
  std::map<int32_t, cleanplate::onednn::Kernel> kernels;
  const int32_t layers;
  const std::vector<int32_t> outputs;
};

namespace cleanplate::onednn {

/// Where samples lie.
enum class Place { workspace, input, output, kept };

/// What a step reads or writes.
struct Operand {
  /// oneDNN's name of it.
  int argument;
  memory::desc form;
  Place place;
  /// Of the workspace's parts, or of the outputs.
  size_t index;
  /// What belongs to the network, such as kernels.
  memory kept;
};

/// A part of the workspace, and when it is needed.
struct Part {
  size_t bytes, first, last;
  size_t offset = 0;
};

struct Step {
  dnnl::primitive compute;
  std::vector<Operand> operands;
};

/// Lays parts that are needed at one time beside each other.
/// - Returns: bytes in all.
size_t pack(std::vector<Part> &parts);

}  // namespace cleanplate::onednn

struct cs_network_plan {
  std::vector<cleanplate::onednn::Step> steps;
  std::vector<cleanplate::onednn::Part> parts;
  /// Of the workspace.
  size_t bytes;
};
