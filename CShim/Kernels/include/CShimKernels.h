/// Kernels over pixels, compiled for several instruction sets; and the plain types that the rooms of the shim share.
///
/// Pointers are borrowed for the length of the call; handles are opaque and freed by their own `..._free`; pixel
/// centres lie at integers; strides are in bytes, unless said otherwise. Nothing here throws, calls OpenCV or starts
/// threads; the results do not depend on the processor.
#ifndef CSHIM_KERNELS_H
#define CSHIM_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// MARK: Shared types

/// One channel of samples: `bits` 8 means bytes, 9...16 means native-endian 16-bit words.
typedef struct {
  const void *samples;
  /// Bytes from one row to the next.
  ptrdiff_t stride;
  int32_t width;
  int32_t height;
  int32_t bits;
} cs_plane;

/// A position in pixels; the centre of the top left pixel is (0, 0).
typedef struct {
  double x;
  double y;
} cs_point;

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
/// luma pixel to_source(p + shift(p)), and its value is gain * (sample - pivot) + pivot + offset + offsets(p), rounded
/// and clamped to 0 ... 2^bits - 1.
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
  /// More than 0 and, the field's factor included, no more than 32.
  double gain;
  /// A factor on `gain`, for vignetting; may be NULL.
  const cs_warp_field *gains;
  /// In levels.
  double offset;
  /// What is added to `offset`, at most a quarter of the levels either way; may be NULL.
  const cs_warp_field *offsets;
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
cs_warp_coverage cs_warp_tile(const cs_warp *warp, cs_warp_rect rect, void *destination, ptrdiff_t destination_stride,
                              cs_warp_span *spans);

/// As `cs_warp_tile`, in the instructions that every processor of the architecture has: so that tests can compare.
cs_warp_coverage cs_warp_tile_baseline(const cs_warp *warp, cs_warp_rect rect, void *destination,
                                       ptrdiff_t destination_stride, cs_warp_span *spans);

// MARK: Tracking

/// Levels of a picture, smoothed for tracking: the reference's, or a frame's resampled into its geometry.
typedef struct cs_tracking_picture cs_tracking_picture;

/// Takes the levels `finest`...`coarsest`, or what there is of them, of a picture of 8 bits and its halvings. Null when
/// memory runs out.
cs_tracking_picture *cs_tracking_picture_of(const cs_plane *levels, int32_t count, int32_t finest, int32_t coarsest);
/// Where a frame shows what the reference shows at p: map(p + shift(p)), all in level 0 pixels.
typedef struct {
  /// Homography, row-major.
  double map[9];
  /// Displacements; both or none may be NULL. Their width and height are level 0's.
  const cs_warp_field *shift_x;
  const cs_warp_field *shift_y;
} cs_tracking_path;

/// Resamples the frame, a picture of 8 bits and its halvings, into the size and the levels of `reference`. Null when
/// memory runs out.
cs_tracking_picture *cs_tracking_picture_warped(const cs_plane *levels, int32_t count, const cs_tracking_path *path,
                                                const cs_tracking_picture *reference);
void cs_tracking_picture_free(cs_tracking_picture *picture);

/// Corners of some rows of a picture, and what tells which of them count.
typedef struct cs_peaks cs_peaks;

/// How many parts, of some rows each, a picture is looked through in; 0 when it is too small for corners, or its finest
/// level is not level 0.
int32_t cs_peaks_parts(const cs_tracking_picture *picture);
/// Finds the corners of parts `first` ..< `end` (Shi and Tomasi, CVPR 1994). Null when memory runs out.
cs_peaks *cs_peaks_find(const cs_tracking_picture *picture, int32_t first, int32_t end);
void cs_peaks_free(cs_peaks *peaks);
/// Chooses at most `maximum` of the corners of all parts, handed over in their order, spread over a grid; how the
/// picture was divided does not matter.
int32_t cs_peaks_choose(const cs_tracking_picture *picture, cs_peaks *const *peaks, int32_t count, int32_t maximum,
                        cs_point *corners);

typedef struct {
  /// The frame's picture shows at p + d what the reference shows at p; reference level 0 pixels.
  double dx;
  double dy;
  /// How far tracking back ended from where it began, in pixels.
  float roundTrip;
  /// The standard deviation, in pixels, along the worse direction that the windows' difference suggests.
  float deviation;
  /// 0 when the track was lost or the windows are not alike either way; the rest is meaningless then.
  int32_t found;
} cs_track;

/// Tracks windows around reference `points` into the frame's picture and back by pyramidal Lucas-Kanade, blind to gain
/// and offset of brightness. Returns 0 when the pictures have different levels.
int32_t cs_track_points(const cs_tracking_picture *reference, const cs_tracking_picture *frame, const cs_point *points,
                        int32_t count, cs_track *tracks);

// MARK: Blocks

/// The means of `count` squares of four bytes in two rows, halves rounded upwards.
void cs_halve_row(const uint8_t *above, const uint8_t *below, int32_t count, uint8_t *means);

/// The sums of `count` rectangles of bytes side by side, each `across` columns and `down` rows.
/// `line`: room for `across * count` numbers.
void cs_sum_blocks(const uint8_t *samples, ptrdiff_t stride, int32_t across, int32_t down, int32_t count,
                   uint16_t *line, uint32_t *sums);

/// Parts of a row of samples. Part i is the weighted sum of `taps` samples from `first[i]` on; its first four weights
/// are `weights[4 * i]` to `weights[4 * i + 3]`, the next four lie 4 * count further, and those beyond `taps` are 0.
typedef struct {
  /// A multiple of four.
  int32_t count;
  int32_t taps;
  const int32_t *first;
  const float *weights;
} cs_parts;

/// Averages a picture of 8 bits over parts of its columns and part `y` of its rows, rounded; what is no byte becomes
/// the nearest one. `line`: room for the picture's width and four more, of which no sample counts but each must be a
/// number.
void cs_average_row(const cs_plane *picture, const cs_parts *columns, const cs_parts *rows, int32_t y, float *line,
                    uint8_t *averages);

// MARK: Sharpness

/// The response of the 3x3 kernel with 8 in the middle and -1 around it to a row of samples; those around the row are
/// read, too.
void cs_laplacian_row(const uint8_t *samples, ptrdiff_t stride, int32_t width, int16_t *responses);

/// What the responses in a block of eight columns, or fewer at the end of a row, add up to, and their squares.
typedef struct {
  int32_t sum;
  uint32_t squares;
} cs_response_sums;

/// Sums the responses of eight rows at most, the first of which begins at `samples`, block by block.
void cs_laplacian_blocks(const uint8_t *samples, ptrdiff_t stride, int32_t width, int32_t rows,
                         cs_response_sums *blocks);

// MARK: Equations

/// Solves a symmetric positive definite system whose unknowns only meet those up to `bandwidth` further on, for two
/// right-hand sides, whose place the solutions take, by Cholesky's factorisation, U'DU, which takes the equations'.
/// Element (i, j), i <= j, lies at `band[i * step + j]`. After each row of the band and after the right-hand sides
/// there are six zeros, since vectors, and some pivots at once, go past the end.
/// Returns 0 when the system is not positive definite.
int32_t cs_solve_banded(double *band, ptrdiff_t step, int32_t unknowns, int32_t bandwidth, double *x, double *y);

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

// MARK: Colours

/// What a level of chroma above neutral adds to luma in the colours, in 1024ths of a level of luma. Of green it is
/// taken.
typedef struct {
  int32_t neutral;
  int32_t cr_to_red;
  int32_t cb_to_green;
  int32_t cr_to_green;
  int32_t cb_to_blue;
} cs_chroma_in_light;

/// Adds to luma what makes of it the brightest of red, green and blue. Samples of chroma have one byte or two.
void cs_raise_to_brightest(int32_t *light, const void *blue, const void *red, int32_t bytes, cs_chroma_in_light chroma,
                           int32_t count);

// MARK: Comparison

/// What a picture shows in some pixels, in levels.
typedef struct {
  const uint8_t *brightness;
  /// Ignored where there is one plane.
  const uint8_t *blue;
  const uint8_t *red;
  /// How steep it is.
  const uint8_t *gradient;
  /// 255 where the brightness may be clipped, else from which level on a colour may be; 0 where nothing is, and null
  /// for nowhere.
  const uint8_t *clipped;
} cs_seen;

/// What the planes of pictures are.
typedef struct {
  /// 1 or 3.
  int32_t count;
  /// Whether they are luma and `chroma`; else they are colours.
  int32_t has_chroma;
  cs_chroma_in_light chroma;
} cs_seen_planes;

/// What of a difference clipping explains, so that it counts as 0.
typedef enum {
  /// What a sample that is clipped in its brightness lacks of it, and its colour.
  CS_CLIPPED_BRIGHTNESS = 0,
  /// That as well, and what a colour lacks that is clipped.
  CS_CLIPPED_COLOURS = 1,
} cs_explained;

/// The variance of a plane is constant + slope * brightness + squared_shift * gradient^2.
typedef struct {
  float constant;
  float slope;
  float squared_shift;
} cs_seen_noise;

/// Squared distances of one picture from `count` others, in units of the noise: half the mean of the planes. What
/// clipping explains counts as 0. The first other's go to `distances`, the next one's `pixels` further.
void cs_compare(const cs_seen *one, const cs_seen *others, int32_t count, const cs_seen_noise *noise,
                cs_seen_planes planes, cs_explained explained, int32_t pixels, float *distances);

// MARK: Patches

/// Samples of a side of a block, and of a patch in it; and patches that lie in a block side by side.
#define CS_PATCH_BLOCK 16
#define CS_PATCH_SIDE 5
#define CS_PATCHES 12

/// A plane of two pictures, of bytes; both have the same stride.
typedef struct {
  /// Where the block begins in the one, and where it lies in the other one when it is not displaced.
  const uint8_t *one;
  const uint8_t *other;
  ptrdiff_t stride;
} cs_patch_plane;

/// Finds which patches of a block of one picture look alike in another one under each of some displacements: where the
/// samples' absolute differences add up to `brightness` at most in the first plane, and to `others` in all that follow
/// it, 1 or 3 in all. Of displacement k, bit x of `found[CS_PATCH_BLOCK * k + y]` tells of the patch that begins in
/// column x and row y of the block, up to `CS_PATCHES` each; what follows these is left as it is. Displaced blocks lie
/// within the other picture.
void cs_find_patches(const cs_patch_plane *planes, int32_t count, uint16_t brightness, uint16_t others,
                     const cs_place *shifts, int32_t shift_count, uint16_t *found);

// MARK: Seams

/// What a seam along a cell's side of eight pixels costs.
typedef struct {
  /// Standard deviations at which a pixel begins to show, and 1 over how many more make it show fully.
  float lowest;
  float scale;
  /// The cost of a pixel that shows fully, and of a side of which none does.
  float unit;
  int32_t least;
  /// In which order the pixels are added up.
  uint8_t order[8];
} cs_seam;

/// What seams of one picture with `count` others cost along a side, as whole numbers up to 255. The eight pixels'
/// squared distances from an other begin `stride` numbers after those from the one before it. Pixels whose bits are
/// set, of the one or the other, have no seam; `others_hidden` may be null where no bit is.
void cs_seam_costs(const cs_seam *seam, const float *distances, int32_t stride, int32_t count, uint8_t hidden,
                   const uint8_t *others_hidden, uint8_t *costs);

// MARK: Median

/// The median of `frames` samples, 1...65535, each of `count` times; of an even number the mean of the two middle ones,
/// rounded up. Frame k's samples start at `samples + k * stride`.
void cs_median_bytes(const uint8_t *samples, ptrdiff_t stride, int32_t frames, int32_t count, uint8_t *median);
/// As `cs_median_bytes`, for samples of 16 bits.
void cs_median_words(const uint16_t *samples, ptrdiff_t stride, int32_t frames, int32_t count, uint16_t *median);

// MARK: Consensus

/// How far samples may lie from one that leads and agree with it: wholly up to `whole`, and less and less over `fade`
/// further levels, 254 at most for bytes, so that it hardly shows on which side of a limit noise puts them.
typedef struct cs_tolerance {
  uint16_t whole;
  uint16_t fade;
} cs_tolerance;

/// Replaces each of `count` leading samples by the mean, rounded, of its `frames` samples, each as far as it agrees
/// with `tolerance[leading]`. Frame k's samples start at `samples + k * stride` and count `weights[k]` times, 1...16.
void cs_consensus_bytes(const uint8_t *samples, ptrdiff_t stride, int32_t frames, const uint8_t *weights, int32_t count,
                        const cs_tolerance *tolerance, uint8_t *leading);
/// As `cs_consensus_bytes`, for samples of `bits` bits; the tolerance is looked up by a leading sample's upper 8 bits.
void cs_consensus_words(const uint16_t *samples, ptrdiff_t stride, int32_t frames, const uint8_t *weights,
                        int32_t count, int32_t bits, const cs_tolerance *tolerance, uint16_t *leading);

// MARK: Clipped samples

/// How little is to be believed of a sample that is certainly clipped; 0 is one that is to be believed.
#define CS_CERTAINLY_CLIPPED 255
/// 32-bit words of scratch that `cs_repair_clipped` needs for each frame; they must be aligned to 64 bytes.
#define CS_CLIPPED_SCRATCH 144

/// One row of a frame, some of whose samples may be clipped.
typedef struct {
  /// To be repaired: bytes, or words for more than 8 bits.
  void *samples;
  /// What tells how bright they are: themselves, or luma's row for chroma.
  const void *light;
  /// Rows of planes that tell which colour they are of; as many count as the layout says.
  const void *colours[3];
  /// How little each is to be believed, 0...`CS_CERTAINLY_CLIPPED`; null where all are.
  const uint8_t *doubts;
  /// By how many levels of 8 bits light may exceed what each shows; null where all are to be believed.
  const uint8_t *rooms;
  /// The columns that the frame shows: first ..< past.
  int32_t first;
  int32_t past;
  /// How much the frame counts in a mean, 1...255, such that all together count 65,535 at most.
  int32_t weight;
} cs_clipped_row;

/// Where the samples of a row's planes lie, and what they are.
typedef struct {
  int32_t bits;
  int32_t columns;
  /// A column's light is that of column `light_step` times it, of `light_columns`.
  int32_t light_step;
  int32_t light_columns;
  /// How many of `colours` there are, 0...3; `colour_step` columns share each of their `colour_columns` samples.
  int32_t colours;
  int32_t colour_step;
  int32_t colour_columns;
  /// Whether they are chroma, which changes by half of what light does.
  int32_t are_chroma;
} cs_clipped_layout;

/// Replaces the samples of a row that are doubted, as far as they are, by the mean of what most of the other frames
/// agree on that may be what was clipped: as bright at least, brighter by what fits below white at most, and of a
/// colour that becomes what is shown by clipping. Where too few are, by what those show that clip last.
///
/// `last_first` are the `marked` frames that have doubts, that which clips last first.
void cs_repair_clipped(const cs_clipped_row *rows, int32_t frames, const int32_t *last_first, int32_t marked,
                       cs_clipped_layout layout, void *scratch);

#ifdef __cplusplus
}
#endif
#endif
