#include "status.hpp"

#include <opencv2/core.hpp>

#include <cstring>
#include <new>

namespace cleanplate {

cs_status status(cs_code code, const char *message) noexcept {
  cs_status result;
  result.code = code;
  std::strncpy(result.message, message, sizeof result.message - 1);
  result.message[sizeof result.message - 1] = '\0';
  return result;
}

cs_status currentExceptionStatus() noexcept {
  try {
    throw;
  } catch (const Failure &failure) {
    return status(failure.code, failure.what());
  } catch (const std::bad_alloc &) {
    return status(CS_OUT_OF_MEMORY, "out of memory");
  } catch (const cv::Exception &exception) {
    const bool memory = exception.code == cv::Error::StsNoMem;
    return status(memory ? CS_OUT_OF_MEMORY : CS_LIBRARY_FAILURE, exception.err.c_str());
  } catch (const std::exception &exception) {
    return status(CS_LIBRARY_FAILURE, exception.what());
  } catch (...) {
    return status(CS_LIBRARY_FAILURE, "an exception of unknown type");
  }
}

}  // namespace cleanplate

extern "C" void cs_initialize(void) {
  cv::setNumThreads(1);
  // OpenCV prints every exception to standard error by default; ours travel as statuses.
  cv::redirectError([](int, const char *, const char *, const char *, int, void *) { return 0; });
}
