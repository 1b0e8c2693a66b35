// Turns C++ exceptions into `cs_status`.
#pragma once

#include <CShimKernels.h>

#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

namespace cleanplate {

/// Thrown by shim code for an error that the caller should see under a code of its own.
struct Failure : std::runtime_error {
  cs_code code;
  Failure(cs_code code, const std::string &message) : std::runtime_error(message), code(code) {}
};

inline cs_status status(cs_code code, const char *message) noexcept {
  cs_status result;
  result.code = code;
  std::strncpy(result.message, message, sizeof result.message - 1);
  result.message[sizeof result.message - 1] = '\0';
  return result;
}

template <class Body> cs_status guarded(Body &&body) noexcept {
  try {
    body();
    return status(CS_OK, "");
  } catch (const Failure &failure) {
    return status(failure.code, failure.what());
  } catch (const std::bad_alloc &) {
    return status(CS_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception &exception) {
    return status(CS_LIBRARY_FAILURE, exception.what());
  } catch (...) {
    return status(CS_LIBRARY_FAILURE, "an exception of unknown type");
  }
}

}  // namespace cleanplate
