// How OpenCV is called.
#pragma once

#include "../status.hpp"
#include "include/CShimOpenCV.h"

#include <opencv2/core.hpp>

namespace cleanplate::opencv {

/// Once per process, before any other call.
inline void prepare() {
  static const bool once = [] {
    cv::setNumThreads(1);
    // OpenCV prints every exception to standard error by default; ours travel as statuses.
    cv::redirectError([](int, const char *, const char *, const char *, int, void *) { return 0; });
    return true;
  }();
  (void)once;
}

/// A view of a picture of 8 bits.
inline cv::Mat view(const cs_plane &plane) {
  return {plane.height, plane.width, CV_8U, const_cast<void *>(plane.samples), size_t(plane.stride)};
}

/// Runs code that calls OpenCV.
template <class Body> cs_status guarded(Body &&body) noexcept {
  return cleanplate::guarded([&] {
    prepare();
    try {
      body();
    } catch (const cv::Exception &exception) {
      if (exception.code == cv::Error::StsNoMem) throw std::bad_alloc();
      throw Failure(CS_LIBRARY_FAILURE, exception.err);
    }
  });
}

}  // namespace cleanplate::opencv
