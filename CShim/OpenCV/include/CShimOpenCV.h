/// What is asked of OpenCV: features, robust fits, minimum cuts, scaling.
///
/// Every call that can fail returns a `cs_status` and never throws or aborts. OpenCV keeps to the calling thread, since
/// the callers are the workers and its own threads would multiply with them. No OpenCV type appears here.
#ifndef CSHIM_OPENCV_H
#define CSHIM_OPENCV_H

#include "../../Kernels/include/CShimKernels.h"

#ifdef __cplusplus
extern "C" {
#endif

// MARK: Agreement

/// Reduces a picture of 8 bits by an integer factor and whitens it: band-passed and divided by its own local strength,
/// so that a faint structure counts as much as a strong one, whatever the exposure. 128 is neutral, 63 one local
/// standard deviation. `samples` has room for (width / factor) * (height / factor) bytes.
cs_status cs_whiten(const cs_plane *picture, int32_t factor, uint8_t *samples);

/// The correlation of two whitened pictures of one size under every shift that takes `b` onto `a`, 1 where all of both
/// agrees: what one alone shows agrees with nothing. From -reach to +reach along each axis, row by row:
/// (2 * reach_x + 1) * (2 * reach_y + 1) values.
cs_status cs_shift_agreement(const uint8_t *a, const uint8_t *b, int32_t width, int32_t height, int32_t reach_x,
                             int32_t reach_y, float *surface);

// MARK: Features

/// Keypoints and their binary descriptors (ORB: Rublee et al., ICCV 2011).
typedef struct cs_features cs_features;

/// Finds at most `maximum` keypoints, 1 to 65535, in a picture of 8 bits, spread over a grid so that no one thing owns
/// them, each cell's strongest first.
cs_status cs_features_detect(const cs_plane *picture, int32_t maximum, cs_features **features);
void cs_features_free(cs_features *features);
int32_t cs_features_count(const cs_features *features);
/// `cs_features_count` positions, valid as long as the features.
const cs_point *cs_features_points(const cs_features *features);

/// Positions of two keypoints.
typedef struct {
  int32_t a;
  int32_t b;
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

// MARK: Minimum cut

/// What it costs to part two vertices: when `first` stays at the source and `second` goes to the sink, and the other
/// way round. Neither is negative.
typedef struct {
  int32_t first;
  int32_t second;
  int32_t forth;
  int32_t back;
} cs_edge;

/// Finds a minimum cut of a graph (Boykov and Kolmogorov, PAMI 2004): `on_source_side[k]` becomes 1 or 0. `source[k]`
/// is what it costs to part vertex k from the source, `sink[k]` from the sink; none is negative.
cs_status cs_min_cut(int32_t vertices, const int32_t *source, const int32_t *sink, const cs_edge *edges, int32_t count,
                     uint8_t *on_source_side);

// MARK: Scaling

/// Scales a picture of R, G, B bytes without gaps by linear interpolation. `scaled` has room for
/// 3 * wanted_width * wanted_height bytes.
cs_status cs_scale_colours(const uint8_t *rgb, int32_t width, int32_t height, int32_t wanted_width,
                           int32_t wanted_height, uint8_t *scaled);

#ifdef __cplusplus
}
#endif
#endif
