// Turns C++ exceptions into `cs_status`: the one place where they stop.
#pragma once

#include "include/CShim.h"

#include <exception>
#include <functional>
#include <stdexcept>
#include <string>

namespace cleanplate {

/// Thrown by shim code for an error that the caller should see under a code of its own.
struct Failure : std::runtime_error {
  cs_code code;
  Failure(cs_code code, const std::string &message) : std::runtime_error(message), code(code) {}
};

cs_status status(cs_code code, const char *message) noexcept;

/// The status for the exception that is being handled.
cs_status currentExceptionStatus() noexcept;

template <class Body> cs_status guarded(Body &&body) noexcept {
  try {
    body();
    return status(CS_OK, "");
  } catch (...) {
    return currentExceptionStatus();
  }
}

}  // namespace cleanplate
