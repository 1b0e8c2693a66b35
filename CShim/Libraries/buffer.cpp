#include "buffer.hpp"

extern "C" cs_bytes cs_buffer_bytes(const cs_buffer *buffer) {
  if (buffer == nullptr) return cs_bytes{nullptr, 0};
  return cs_bytes{buffer->bytes.data(), buffer->bytes.size()};
}

extern "C" void cs_buffer_free(cs_buffer *buffer) { delete buffer; }
