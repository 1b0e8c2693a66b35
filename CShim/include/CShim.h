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
  /// The data are sound, but of a kind that is not read.
  CS_UNSUPPORTED = 5,
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

/// A position in pixels; the centre of the top left pixel is (0, 0).
typedef struct {
  double x;
  double y;
} cs_point;

// MARK: Registration

/// A grey picture reduced by an integer factor, and its halvings down to about 32 pixels.
typedef struct cs_pyramid cs_pyramid;

/// Makes the pyramid of `sum(weights[i] * planes[i])`, reduced by averaging `factor` x `factor` samples, in 8 bits.
///
/// Pixel x of the reduced picture is centred on (x + 0.5) * factor - 0.5 of the full one; each level relates to
/// the one below it likewise, with factor 2. Columns and rows that do not fill a block are left out.
cs_status cs_pyramid_create(const cs_plane *planes, const double *weights, int32_t count, int32_t factor,
                            cs_pyramid **pyramid);
void cs_pyramid_free(cs_pyramid *pyramid);
int32_t cs_pyramid_level_count(const cs_pyramid *pyramid);
/// The samples of a level, valid as long as the pyramid.
cs_plane cs_pyramid_level(const cs_pyramid *pyramid, int32_t level);

/// Resizes the pyramid's level 0 to `width` x `height` by area and filters it with the 3x3 Laplacian that has 8 in the
/// middle and -1 around it. `laplacian` has room for `width * height` values, row by row.
cs_status cs_pyramid_laplacian(const cs_pyramid *pyramid, int32_t width, int32_t height, int16_t *laplacian);

/// What a block of values adds up to.
typedef struct {
  int32_t sum;
  uint32_t squares;
} cs_moments;

/// The moments of the same Laplacian over blocks of `side` x `side` pixels, 1...16, row by row; those at the right and
/// bottom edges may be smaller.
cs_status cs_pyramid_laplacian_moments(const cs_pyramid *pyramid, int32_t width, int32_t height, int32_t side,
                                       cs_moments *blocks);

/// Keypoints and their binary descriptors (ORB: Rublee et al., ICCV 2011).
typedef struct cs_features cs_features;

/// Finds at most `maximum` keypoints, spread over a grid so that no one thing owns them, each cell's strongest first;
/// positions are in pixels of
/// the pyramid's level 0 whatever `level` they were found on.
cs_status cs_features_detect(const cs_pyramid *pyramid, int32_t level, int32_t maximum, cs_features **features);
void cs_features_free(cs_features *features);
int32_t cs_features_count(const cs_features *features);
/// `cs_features_count` positions, valid as long as the features.
const cs_point *cs_features_points(const cs_features *features);

typedef struct {
  int32_t a;
  int32_t b;
  /// Differing bits, 0...256.
  int32_t distance;
} cs_match;

/// Pairs among the first `maximum` keypoints of both that prefer each other and that differ by less than `ratio` times
/// what the next best differs by. `matches` has room for the smaller count of the two, or `maximum` if that is less;
/// they come in ascending order of `a`.
cs_status cs_features_match(const cs_features *a, const cs_features *b, int32_t maximum, double ratio,
                            cs_match *matches, int32_t *count);

typedef enum { CS_MODEL_HOMOGRAPHY = 0, CS_MODEL_AFFINE = 1 } cs_model;

/// Fits a map that takes `from` to `to` by MAGSAC++ (Barath et al., CVPR 2020); row-major, the last element is 1.
/// `found` is 0 when no model was found; `inliers` then is all 0. The same input gives the same output.
cs_status cs_fit_robustly(cs_model model, const cs_point *from, const cs_point *to, int32_t count, double threshold,
                          int32_t iterations, double map[9], uint8_t *inliers, int32_t *found);

// MARK: Photometry

/// A sample.
typedef struct {
  int32_t x;
  int32_t y;
} cs_place;

/// A square of samples.
typedef struct {
  double mean;
  double variance;
  int32_t largest;
} cs_box;

/// Measures the samples at most `radius` columns and rows away from each centre, all of which lie within the plane.
void cs_measure_boxes(const cs_plane *plane, const cs_place *centres, int32_t count, int32_t radius, cs_box *boxes);

// MARK: Least squares

/// Zeros that follow each row of a band, and each right-hand side.
enum { CS_BAND_PADDING = 6 };

/// Solves symmetric positive definite equations for two right-hand sides, `x` and `y`, whose places the solutions take.
///
/// `band` has `unknowns` rows of `bandwidth + 1 + CS_BAND_PADDING` elements: (i, i), (i, i + 1), ..., (i, i + bandwidth),
/// zero where that is past the last unknown, and padding. It is overwritten. Returns 0 when the equations are not
/// positive definite; nothing is solved then.
int32_t cs_solve_banded(double *band, int32_t unknowns, int32_t bandwidth, double *x, double *y);

enum { CS_PAIRS_AT_ONCE = 4 };

/// Pairs of points, one number of each per array. `count` is a multiple of `CS_PAIRS_AT_ONCE`; what fills up weighs 0.
typedef struct {
  const double *from_x;
  const double *from_y;
  const double *to_x;
  const double *to_y;
  const double *weight;
  int32_t count;
} cs_correspondences;

/// How far `map`, row-major with a last element of 1, puts each point from where it belongs; times `unit`.
void cs_motion_residuals(const double map[9], const cs_correspondences *pairs, double unit, double *lengths);

/// The normal equations, 8 x 8, of a step of Gauss and Newton in the first eight elements of `map`. Pairs count by
/// weight * (1 - (residual / cutoff)^2)^2, Tukey's bisquare; those beyond `cutoff` do not. The last two elements, which
/// must be zero then, are left out of the equations when `isProjective` is 0.
void cs_motion_equations(const double map[9], const cs_correspondences *pairs, double cutoff, int32_t isProjective,
                         double matrix[64], double right[8]);

// MARK: Warp

/// Where a plane's samples lie in its frame: luma pixel = scale * sample index + offset.
///
/// Luma and RGB: 1 and 0; JPEG's 4:2:0 chroma: 2 and 0.5.
typedef struct {
  double scale_x;
  double scale_y;
  double offset_x;
  double offset_y;
} cs_warp_grid;

/// A smooth field over the reference frame, bilinear between `columns` by `rows` nodes (at least 2 each), row by row.
///
/// The first node lies on pixel (0, 0), the last on (width - 1, height - 1); outside, the border goes on.
typedef struct {
  int32_t columns;
  int32_t rows;
  /// The reference's size in luma pixels.
  int32_t width;
  int32_t height;
  const float *values;
} cs_warp_field;

/// Members of Keys' family of cubics.
typedef enum {
  /// Slope -3/4: a median or mean over frames softens what it interpolates, and this keeps more of the detail.
  CS_WARP_SHARP = 0,
  /// Slope -1/2, exact for parabolas: moves nothing by a fraction of a sample, so that it can be measured.
  CS_WARP_EXACT = 1,
} cs_warp_kernel;

/// One plane of one frame, and how the reference's camera sees it.
///
/// A destination sample lies at the reference's luma pixel p that `destination_grid` says. It shows the frame's
/// luma pixel to_source(p + shift(p)), and its value is gain * (sample - pivot) + pivot + offset, rounded and
/// clamped to 0 ... 2^bits - 1.
typedef struct {
  /// Bits 1...16; width and height 1...65535.
  cs_plane source;
  cs_warp_grid source_grid;
  cs_warp_grid destination_grid;
  /// Homography, row-major: reference luma pixel -> frame luma pixel.
  double to_source[9];
  /// Displacement in luma pixels, applied before the homography; each may be NULL.
  const cs_warp_field *shift_x;
  const cs_warp_field *shift_y;
  /// More than 0 and, the field's factor included, no more than 8.
  double gain;
  /// A factor on `gain`, for vignetting; may be NULL.
  const cs_warp_field *gains;
  /// In levels.
  double offset;
  /// The level that the gain leaves alone: 0, or 2^(bits - 1) for chroma.
  double pivot;
  cs_warp_kernel kernel;
} cs_warp;

/// A part of the destination plane, in samples; x and y are not negative.
typedef struct {
  int32_t x;
  int32_t y;
  int32_t width;
  int32_t height;
} cs_warp_rect;

/// Columns start ..< end of the destination plane.
typedef struct {
  int32_t start;
  int32_t end;
} cs_warp_span;

typedef enum {
  CS_WARP_UNCOVERED = 0,
  CS_WARP_PARTLY_COVERED = 1,
  CS_WARP_COVERED = 2,
} cs_warp_coverage;

/// Resamples the part `rect` of a plane by Keys' cubic convolution, gain and offset included.
///
/// A sample is covered when its source position lies in [-0.5, width - 0.5) by [-0.5, height - 0.5); taps beyond
/// the border repeat it. The bytes depend neither on the processor nor on how a plane is divided into parts.
/// Where a frame is only shifted by whole samples, and its levels are left alone, they are an exact copy.
/// Robert G. Keys, "Cubic convolution interpolation for digital image processing", IEEE Trans. ASSP 29(6), 1981.
/// `destination`: where `rect` starts, of the source's sample type.
/// `spans` receives each row's covered columns, or an empty span at `rect.x`: the longest run, should there be
/// more than one. Samples outside are unspecified.
/// Returns how much of `rect` the spans cover.
cs_warp_coverage cs_warp_tile(
    const cs_warp *warp, cs_warp_rect rect, void *destination, ptrdiff_t destination_stride, cs_warp_span *spans);

/// As `cs_warp_tile`, in the instructions that every processor of the architecture has: so that tests can compare.
cs_warp_coverage cs_warp_tile_baseline(
    const cs_warp *warp, cs_warp_rect rect, void *destination, ptrdiff_t destination_stride, cs_warp_span *spans);

/// The instruction set that `cs_warp_tile` uses here, such as "x86-64-v3".
const char *cs_warp_instructions(void);

// MARK: Tracking

/// Levels of a picture, smoothed for tracking: the reference's, or a frame's resampled into its geometry.
typedef struct cs_tracking_picture cs_tracking_picture;

/// Takes the levels `finest`...`coarsest`, or what there is of them.
cs_status cs_tracking_picture_of(const cs_pyramid *reference, int32_t finest, int32_t coarsest,
                                 cs_tracking_picture **picture);
/// Where a frame shows what the reference shows at p: map(p + shift(p)), all in level 0 pixels.
typedef struct {
  /// Homography, row-major.
  double map[9];
  /// Displacements; both or none may be NULL. Their width and height are level 0's.
  const cs_warp_field *shift_x;
  const cs_warp_field *shift_y;
} cs_tracking_path;

/// Resamples the frame into the size and the levels of `reference`.
cs_status cs_tracking_picture_warped(const cs_pyramid *frame, const cs_tracking_path *path,
                                     const cs_tracking_picture *reference, cs_tracking_picture **picture);
void cs_tracking_picture_free(cs_tracking_picture *picture);

/// Finds at most `maximum` corners on the finest level, which must be level 0 (Shi and Tomasi, CVPR 1994), spread over a
/// grid; the corners do not depend on `threads`.
cs_status cs_corners_detect(const cs_tracking_picture *picture, int32_t maximum, int32_t threads, cs_point *corners,
                            int32_t *count);

typedef struct {
  /// The frame's picture shows at p + d what the reference shows at p; reference level 0 pixels.
  double dx;
  double dy;
  /// Correlation of the two windows, -1...1.
  float correlation;
  /// How far tracking back ended from where it began, in pixels.
  float roundTrip;
  /// The standard deviation, in pixels, along the worse direction that the windows' difference suggests.
  float deviation;
  /// 0 when the track was lost; the rest is meaningless then.
  int32_t found;
} cs_track;

/// Tracks windows around reference `points` into the frame's picture and back by pyramidal Lucas-Kanade, blind to gain
/// and offset of brightness.
cs_status cs_track_points(const cs_tracking_picture *reference, const cs_tracking_picture *frame,
                          const cs_point *points, int32_t count, cs_track *tracks);

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
cs_status cs_tiff_pages(cs_bytes file, int32_t accepts_damaged, uint16_t *directories, int32_t capacity, int32_t *count);
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
/// Writes one or three planes of 8 to 16 bits; quality 1...100, 100 without loss.
cs_status cs_jxl_write(const cs_plane *planes, int32_t count, int32_t quality, cs_bytes profile, cs_metadata metadata,
                       cs_buffer **file);

/// A camera's RAW file that is being read; it borrows the file's bytes as long as it lives.
typedef struct cs_raw cs_raw;
cs_status cs_raw_open(cs_bytes file, cs_raw **raw);
void cs_raw_free(cs_raw *raw);
cs_picture_info cs_raw_info(const cs_raw *raw);
/// The gains of red, green, blue and second green that the camera chose.
void cs_raw_white_balance(const cs_raw *raw, float multipliers[4]);
/// Develops the picture to sRGB, 16 bits, with the given gains and with no exposure of its own: equal light gives
/// equal samples in every frame of a burst.
cs_status cs_raw_read(cs_raw *raw, const float multipliers[4], const cs_target_plane *planes,
                      int32_t accepts_damaged);
// MARK: Selection

/// What it costs to part two vertices when `from` stays at the source and `to` goes to the sink.
typedef struct {
  int32_t from;
  int32_t to;
  int32_t capacity;
} cs_edge;

/// Finds a minimum cut of a graph (Boykov and Kolmogorov, PAMI 2004): `on_source_side[k]` becomes 1 or 0. `source[k]` is
/// what it costs to part vertex k from the source, `sink[k]` from the sink; none is negative.
cs_status cs_min_cut(int32_t vertices, const int32_t *source, const int32_t *sink, const cs_edge *edges, int32_t count,
                     uint8_t *on_source_side);

// MARK: Reduction

/// Averages blocks of `factor` x `factor` samples into one of 8 bits; columns and rows that fill no block are left out.
/// `destination` has rows of (width / factor) samples without gaps.
cs_status cs_reduce_plane(const cs_plane *plane, int32_t factor, uint8_t *destination);

// MARK: Consensus

/// Replaces each of `count` medians by the mean, rounded, of those of its `frames` samples that lie no farther from it
/// than `tolerance[median]`. Frame k's samples start at `samples + k * stride`.
void cs_consensus_bytes(const uint8_t *samples, ptrdiff_t stride, int32_t frames, int32_t count,
                        const uint16_t *tolerance, uint8_t *median);
/// As `cs_consensus_bytes`, for samples of `bits` bits; the tolerance is looked up by a median's upper 8 bits.
void cs_consensus_words(const uint16_t *samples, ptrdiff_t stride, int32_t frames, int32_t count, int32_t bits,
                        const uint16_t *tolerance, uint16_t *median);

// MARK: Detector

/// A network that finds people, vehicles and animals. One thread at a time.
typedef struct cs_detector cs_detector;

/// Loads a Darknet network (YOLO) from its two files. `CS_BAD_DATA` when they are not one.
cs_status cs_detector_create(const char *config, const char *weights, cs_detector **detector);
void cs_detector_free(cs_detector *detector);

/// A box in pixels, which may reach beyond the picture.
typedef struct {
  int32_t x;
  int32_t y;
  int32_t width;
  int32_t height;
  /// 0...1.
  float score;
} cs_detection;

/// Looks at a picture of R, G, B bytes without gaps, scaled to `side` x `side` (a multiple of 32), and writes at most
/// `capacity` boxes whose score is at least `threshold`.
cs_status cs_detector_find(cs_detector *detector, const uint8_t *rgb, int32_t width, int32_t height, int32_t side,
                           float threshold, cs_detection *found, int32_t capacity, int32_t *count);

#ifdef __cplusplus
}
#endif
#endif
