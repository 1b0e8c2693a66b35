/// C and C++ libraries whose calls Swift cannot import: Exiv2, LibRaw, libtiff, libjxl.
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
  /// What the program did, zero-terminated UTF-8; null for nothing.
  const char *history;
} cs_metadata_edits;

/// Reads the metadata of a TIFF or RAW file, whose Exif directories are the file's own.
cs_status cs_metadata_read(cs_bytes file, cs_metadata_result *result);

/// Turns a photo's metadata into that of a picture made from it: upright, of a new size, without thumbnail and
/// without what describes the old file's structure. A block that cannot be understood counts as empty.
cs_status cs_metadata_edit(cs_metadata metadata, const cs_metadata_edits *edits, cs_metadata_result *result);

/// A TIFF file with metadata put into its directories.
cs_status cs_metadata_write_tiff(cs_bytes file, cs_metadata metadata, cs_buffer **result);

// MARK: Pictures

/// One channel of samples that a call fills; as `cs_plane`.
typedef struct {
  void *samples;
  ptrdiff_t stride;
  int32_t width;
  int32_t height;
  int32_t bits;
} cs_target_plane;

/// What a picture's header says.
typedef struct {
  /// As stored, before `orientation` is applied.
  int32_t width;
  int32_t height;
  /// Of the samples that reading yields: 8 or 16.
  int32_t bits;
  /// 1 for grey, 3 for R, G, B.
  int32_t channels;
  /// Exif's value, 1...8.
  int32_t orientation;
} cs_picture_info;

/// A TIFF file that is being read; it borrows the file's bytes as long as it lives.
typedef struct cs_tiff cs_tiff;
/// Reads a directory, 0 being the first. Fails with `CS_UNSUPPORTED` for floating-point samples, CMYK and the like.
cs_status cs_tiff_open(cs_bytes file, uint16_t directory, cs_tiff **tiff);
/// The first directory and those with pictures of its size and depth, in the file's order, at most `capacity`.
/// Thumbnails, masks and what cannot be read are passed over, all but the first of a camera's RAW too. With
/// `accepts_damaged`, a broken directory ends the list.
cs_status cs_tiff_pages(cs_bytes file, int32_t accepts_damaged, uint16_t *directories, int32_t capacity,
                        int32_t *count);
void cs_tiff_free(cs_tiff *tiff);
cs_picture_info cs_tiff_info(const cs_tiff *tiff);
/// Whether the file is a camera's RAW (DNG and others are TIFF files whose picture is elsewhere or is a mosaic).
int32_t cs_tiff_is_raw(const cs_tiff *tiff);
/// The ICC profile, valid as long as the handle; empty when there is none.
cs_bytes cs_tiff_profile(const cs_tiff *tiff);
/// Reads the picture into `channels` planes of its size and depth. With `accepts_damaged`, what cannot be read
/// stays black.
cs_status cs_tiff_read(cs_tiff *tiff, const cs_target_plane *planes, int32_t accepts_damaged);
/// Writes one or three planes of 8 or 16 bits, compressed without loss; two or four, when the last is alpha by which
/// the others are not multiplied.
cs_status cs_tiff_write(const cs_plane *planes, int32_t count, cs_bytes profile, cs_buffer **file);

/// A JPEG XL file that is being read; it borrows the file's bytes as long as it lives.
typedef struct cs_jxl cs_jxl;
/// Reads the header. Blocks of metadata longer than `metadata_limit` bytes are left out.
cs_status cs_jxl_open(cs_bytes file, size_t metadata_limit, cs_jxl **jxl);
void cs_jxl_free(cs_jxl *jxl);
/// The decoder turns the picture upright itself: the orientation is 1.
cs_picture_info cs_jxl_info(const cs_jxl *jxl);
/// The profile of the samples, valid as long as the handle; empty for sRGB.
cs_bytes cs_jxl_profile(const cs_jxl *jxl);
/// Reads the first frame into `channels` planes of its size and depth.
cs_status cs_jxl_read(cs_jxl *jxl, const cs_target_plane *planes, int32_t accepts_damaged);
/// Exif and XMP, complete once the picture has been read, valid as long as the handle.
cs_metadata cs_jxl_metadata(const cs_jxl *jxl);
/// Whether more frames follow the first.
int32_t cs_jxl_is_animated(const cs_jxl *jxl);
/// Writes one or three planes of 8 to 16 bits; quality 1...100, 100 without loss; `workers` threads, 0 for the caller's
/// own.
cs_status cs_jxl_write(const cs_plane *planes, int32_t count, int32_t quality, int32_t workers, cs_bytes profile,
                       cs_metadata metadata, cs_buffer **file);

/// A camera's RAW file that is being read; it borrows the file's bytes as long as it lives.
typedef struct cs_raw cs_raw;
cs_status cs_raw_open(cs_bytes file, cs_raw **raw);
void cs_raw_free(cs_raw *raw);
cs_picture_info cs_raw_info(const cs_raw *raw);
/// The gains of red, green, blue and second green that the camera chose.
void cs_raw_white_balance(const cs_raw *raw, float multipliers[4]);
/// Develops the picture to sRGB, 16 bits, with the given gains and with no exposure of its own: equal light gives
/// equal samples in every frame of a burst.
cs_status cs_raw_read(cs_raw *raw, const float multipliers[4], const cs_target_plane *planes, int32_t accepts_damaged);

#ifdef __cplusplus
}
#endif
#endif
