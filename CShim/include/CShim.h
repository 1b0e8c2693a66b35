/// The C face of everything that cleanplate does in C++: OpenCV, pixel kernels, and the C libraries whose
/// calls Swift cannot import (setjmp, varargs, C++).
///
/// Conventions: pointers are borrowed for the length of the call; handles are opaque and freed by their own
/// `..._free`; every call that can fail returns a `cs_status` and never throws or aborts; pixel centres lie at
/// integers; strides are in bytes. No OpenCV type appears here.
#ifndef CSHIM_H
#define CSHIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What became of a call.
typedef enum {
  CS_OK = 0,
  CS_INVALID_ARGUMENT = 1,
  CS_OUT_OF_MEMORY = 2,
  /// The data (a picture, weights) cannot be understood.
  CS_BAD_DATA = 3,
  /// A library below failed for a reason of its own; the message is its.
  CS_LIBRARY_FAILURE = 4,
} cs_code;

typedef struct {
  cs_code code;
  /// English, for developers, zero-terminated; empty when `code` is `CS_OK`.
  char message[248];
} cs_status;

/// One channel of samples: `bits` 8 means bytes, 9...16 means native-endian 16-bit words.
typedef struct {
  const void *samples;
  ptrdiff_t stride;
  int32_t width;
  int32_t height;
  int32_t bits;
} cs_plane;

/// Calls made once per process before any other: keeps OpenCV to the calling thread, since the callers are
/// the workers and its own threads would multiply with them.
void cs_initialize(void);

#ifdef __cplusplus
}
#endif
#endif
