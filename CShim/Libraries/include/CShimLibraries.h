/// C and C++ libraries whose calls Swift cannot import: Exiv2 and LibRaw.
///
/// Every call that can fail returns a `cs_status` and never throws or aborts.
#ifndef CSHIM_LIBRARIES_H
#define CSHIM_LIBRARIES_H

#include "../../Kernels/include/CShimKernels.h"

#ifdef __cplusplus
extern "C" {
#endif

// MARK: Buffers

/// Borrowed bytes; `bytes` may be null when `count` is 0.
typedef struct {
  const uint8_t *bytes;
  size_t count;
} cs_bytes;

/// Bytes that a call made.
typedef struct cs_buffer cs_buffer;
/// The buffer's bytes, valid as long as it lives.
cs_bytes cs_buffer_bytes(const cs_buffer *buffer);
void cs_buffer_free(cs_buffer *buffer);

// MARK: Metadata

/// Blocks of metadata: Exif without its `Exif\0\0` marker, an XMP packet, IPTC-IIM records; each may be empty.
typedef struct {
  cs_bytes exif;
  cs_bytes xmp;
  cs_bytes iptc;
} cs_metadata;

/// The same as a result; each is null when empty, and otherwise freed by the caller.
typedef struct {
  cs_buffer *exif;
  cs_buffer *xmp;
  cs_buffer *iptc;
} cs_metadata_result;

/// What a picture that was made from another says of itself.
typedef struct {
  int32_t width;
  int32_t height;
  /// The program and its version, zero-terminated.
  const char *software;
  /// What the program did, zero-terminated UTF-8; null for nothing, empty for something that is not told.
  const char *history;
  /// Bytes that the file can hold of Exif, and of XMP: of more, what is largest is left out.
  size_t block_limit;
} cs_metadata_edits;

/// Reads the metadata of a TIFF or RAW file, whose Exif directories are the file's own.
cs_status cs_metadata_read(cs_bytes file, cs_metadata_result *result);

/// Turns a photo's metadata into that of a picture made from it: upright, of a new size, without thumbnail and
/// without what describes the old file's structure. A block that cannot be understood counts as empty.
cs_status cs_metadata_edit(cs_metadata metadata, const cs_metadata_edits *edits, cs_metadata_result *result);

/// An XMP packet that says which program made a picture, and nothing else.
cs_status cs_metadata_mark(const char *software, cs_buffer **xmp);

/// A TIFF file with metadata put into its directories.
cs_status cs_metadata_write_tiff(cs_bytes file, cs_metadata metadata, cs_buffer **result);

// MARK: RAW

/// What a RAW file's header says.
typedef struct {
  /// As stored, before `orientation` is applied.
  int32_t width;
  int32_t height;
  /// 1 for grey, 3 for R, G, B.
  int32_t channels;
  /// Exif's value, 1...8.
  int32_t orientation;
} cs_raw_info;

/// A camera's RAW file that is being read; it borrows the file's bytes as long as it lives.
typedef struct cs_raw cs_raw;
cs_status cs_raw_open(cs_bytes file, cs_raw **raw);
void cs_raw_free(cs_raw *raw);
cs_raw_info cs_raw_header(const cs_raw *raw);
/// The gains of red, green, blue and second green that the camera chose.
void cs_raw_white_balance(const cs_raw *raw, float multipliers[4]);
/// Develops the picture to sRGB, 16 bits, with the given gains and with no exposure of its own: equal light gives
/// equal samples in every frame of a burst. `pixels` takes `channels` interleaved samples for each of `width * height`
/// pixels.
cs_status cs_raw_read(cs_raw *raw, const float multipliers[4], int32_t accepts_damaged, uint16_t *pixels);

#ifdef __cplusplus
}
#endif
#endif
