// What convolutions have learned.
#pragma once

#include "onednn.hpp"
#include "room.hpp"

#include <mutex>
#include <vector>

namespace cleanplate::onednn {

/// A convolution's kernels, in every order that a plan has asked for, and what is added to its results.
class Kernel {
public:
  /// - Parameter channels: the input's.
  Kernel(const cs_layer &layer, const cs_learned &learned, int32_t channels);

  /// Groups, where there are several, channels of a result and of an input, rows, columns.
  const memory::dims sizes;
  const memory offsets;

  /// In an order of oneDNN's. The first time, what was handed over must still be there. Any number of threads at once.
  memory ordered(const memory::desc &wanted);

private:
  const void *const numbers;
  /// Of `numbers`.
  const memory::desc given;
  std::vector<float> scales;
  /// Whoever adds an order holds it.
  std::mutex adding;
  /// Sizes of inputs mostly want the same.
  std::vector<memory> known;
  /// Of `known`.
  std::vector<Room> rooms;
};

}  // namespace cleanplate::onednn
