// How oneDNN is called.
#pragma once

#include "../status.hpp"
#include "include/CShimOneDNN.h"

#include <dnnl.hpp>

// OpenMP's run-time library, which oneDNN computes with. Of two C interfaces all that is needed.
extern "C" int omp_get_max_threads(void);
extern "C" void omp_set_num_threads(int count);

namespace cleanplate::onednn {

using dnnl::memory;

/// The calling thread is one of several that work already; nor may results depend on how many there are.
class OneThread {
public:
  OneThread() { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before); }

private:
  const int before = omp_get_max_threads();
};

inline const dnnl::engine &processor() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

/// Runs code that calls oneDNN.
template <class Body> cs_status guarded(Body &&body) noexcept {
  return cleanplate::guarded([&] {
    const OneThread one;
    try {
      body();
    } catch (const dnnl::error &error) {
      if (error.status == dnnl_out_of_memory) throw std::bad_alloc();
      throw Failure(CS_LIBRARY_FAILURE, error.what());
    }
  });
}

}  // namespace cleanplate::onednn
