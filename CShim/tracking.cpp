// Windows tracked to a few hundredths of a pixel between two pictures that a homography already brings close.
//
// Pyramidal Lucas-Kanade (Bouguet, 2001), inverse compositional (Baker and Matthews, IJCV 2004): the frame is resampled
// once per window and level into the reference's geometry, so that every iteration is a shift of a small patch by a
// constant fraction of a pixel, which vectorises. Windows are compared by their normalised values, so that exposure
// and its offset cancel.
#include "pyramid.hpp"
#include "status.hpp"

#include <algorithm>
#include <cmath>

using cleanplate::Failure;
using cleanplate::guarded;

namespace {

/// Rows and columns of a window; the sums run over `lanes` columns, of which the last weigh nothing.
constexpr int window = 21;
constexpr int lanes = 24;
constexpr int radius = window / 2;
/// How far a window may move before its patch is cut anew.
constexpr int reach = 4;
/// A patch in which a window moves.
constexpr int searchRows = window + 2 * reach + 1, searchColumns = lanes + 2 * reach + 1;
/// Mean squared gradient along the weakest direction below which a window has no texture, in squared levels.
constexpr float weakestTexture = 0.25f;

struct Affine {
  double xx, xy, yx, yy;
};

struct View {
  const uint8_t *samples;
  ptrdiff_t stride;
  int width, height;
};

View view(const cs_pyramid &pyramid, int level) {
  const cv::Mat &picture = pyramid.levels[size_t(level)];
  return {picture.data, ptrdiff_t(picture.step), picture.cols, picture.rows};
}

/// The part of a picture that a patch is sampled from, as numbers; large enough for a patch that is scaled by the
/// limit of what registration allows.
constexpr int blockSide = 72;

struct Block {
  float value[blockSide][blockSide];
};

/// Copies `rows` x `columns` samples from (left, top) on, repeating the border outside, and smooths them with
/// (1 2 1) / 4 both ways: less noise, and less of what interpolation does to the finest detail.
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"))) void
smoothBlock(const View &picture, int left, int top, int rows, int columns, Block &block) {
  float across[3][blockSide];
  uint8_t edge[blockSide + 2];
  for (int r = 0; r < rows + 2; ++r) {
    const int y = std::min(std::max(top + r - 1, 0), picture.height - 1);
    const uint8_t *source = picture.samples + y * picture.stride + left - 1;
    if (left < 1 || left + columns + 1 > picture.width) {
      for (int c = 0; c < columns + 2; ++c)
        edge[c] = picture.samples[y * picture.stride + std::min(std::max(left + c - 1, 0), picture.width - 1)];
      source = edge;
    }
    float *line = across[r % 3];
    for (int c = 0; c < columns; ++c) line[c] = float(source[c] + 2 * source[c + 1] + source[c + 2]);
    if (r < 2) continue;
    const float *first = across[(r - 2) % 3], *middle = across[(r - 1) % 3];
    float *smooth = block.value[r - 2];
    for (int c = 0; c < columns; ++c) smooth[c] = (first[c] + 2 * middle[c] + line[c]) * (1 / 16.0f);
  }
}

/// Samples a row of `columns` points, `step` apart, bilinearly.
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"))) void
sampleRow(const Block &block, float x, float y, float stepX, float stepY, int columns, float *row) {
  const float *values = &block.value[0][0];
  for (int c = 0; c < columns; ++c) {
    const float px = x + stepX * float(c), py = y + stepY * float(c);
    const int ix = int(px), iy = int(py);
    const float u = px - float(ix), v = py - float(iy);
    const float *corner = values + iy * blockSide + ix;
    const float upper = corner[0] + u * (corner[1] - corner[0]);
    const float lower = corner[blockSide] + u * (corner[blockSide + 1] - corner[blockSide]);
    row[c] = upper + v * (lower - upper);
  }
}

using Patch = float[searchRows][searchColumns];

/// Cuts a patch of the smoothed picture around (x, y), steps along `axes` apart; false when they spread wider than a
/// camera's motion can make them.
bool cut(const View &picture, double x, double y, const Affine &axes, Patch &patch) {
  constexpr int centre = radius + reach;
  const double x0 = x - axes.xx * centre - axes.xy * centre;
  const double y0 = y - axes.yx * centre - axes.yy * centre;
  const double acrossX = axes.xx * (searchColumns - 1), acrossY = axes.yx * (searchColumns - 1);
  const double downX = axes.xy * (searchRows - 1), downY = axes.yy * (searchRows - 1);
  const int left = int(std::floor(x0 + std::min(acrossX, 0.0) + std::min(downX, 0.0)));
  const int top = int(std::floor(y0 + std::min(acrossY, 0.0) + std::min(downY, 0.0)));
  const int columns = int(std::floor(x0 + std::max(acrossX, 0.0) + std::max(downX, 0.0))) - left + 2;
  const int rows = int(std::floor(y0 + std::max(acrossY, 0.0) + std::max(downY, 0.0))) - top + 2;
  // One more than is needed, as single precision may round a position up to the next sample.
  if (columns + 1 > blockSide || rows + 1 > blockSide) return false;
  Block block;
  smoothBlock(picture, left, top, rows + 1, columns + 1, block);
  for (int r = 0; r < searchRows; ++r)
    sampleRow(block, float(x0 - left + axes.xy * r), float(y0 - top + axes.yy * r), float(axes.xx), float(axes.yx),
              searchColumns, patch[r]);
  return true;
}

/// Cuts an upright patch around a pixel: nothing to interpolate.
void cut(const View &picture, int x, int y, Patch &patch) {
  Block block;
  smoothBlock(picture, x - radius - reach, y - radius - reach, searchRows, searchColumns, block);
  for (int r = 0; r < searchRows; ++r) std::copy_n(block.value[r], searchColumns, patch[r]);
}

/// Adds up the lanes, always in the same order: the same sums on every processor.
inline float total(const float (&lane)[lanes]) {
  float sum = 0;
  for (int c = 0; c < lanes; ++c) sum += lane[c];
  return sum;
}

/// What of a window does not change while it is searched for.
struct Template {
  /// Values and gradients without their means; 0 in the lanes that do not count.
  float value[window][lanes];
  float gx[window][lanes];
  float gy[window][lanes];
  float xx = 0, xy = 0, yy = 0;
  float norm = 0;
  float gxValue = 0, gyValue = 0;

  /// The window whose upper left sample is at (row, column) of `patch`, neither at its very border.
  Template(const Patch &patch, int row, int column) {
    for (int r = 0; r < window; ++r) {
      const float *above = patch[row + r - 1] + column, *here = patch[row + r] + column;
      const float *below = patch[row + r + 1] + column;
      for (int c = 0; c < lanes; ++c) {
        value[r][c] = here[c];
        gx[r][c] = 0.5f * (here[c + 1] - here[c - 1]);
        gy[r][c] = 0.5f * (below[c] - above[c]);
      }
    }
    centre(value), centre(gx), centre(gy);
    xx = product(gx, gx), xy = product(gx, gy), yy = product(gy, gy);
    norm = std::sqrt(product(value, value));
    gxValue = product(gx, value), gyValue = product(gy, value);
  }

  /// The smaller eigenvalue of the gradients' sum of squares.
  float weakest() const {
    const float half = (xx + yy) / 2, difference = (xx - yy) / 2;
    return half - std::sqrt(difference * difference + xy * xy);
  }

  bool hasTexture() const {
    return weakest() > weakestTexture * window * window && weakest() > 1e-3f * (xx + yy) / 2;
  }

private:
  static void centre(float (&values)[window][lanes]) {
    float sum[lanes] = {};
    for (int r = 0; r < window; ++r)
      for (int c = 0; c < lanes; ++c) {
        if (c >= window) values[r][c] = 0;
        sum[c] += values[r][c];
      }
    const float mean = total(sum) / (window * window);
    for (int r = 0; r < window; ++r)
      for (int c = 0; c < window; ++c) values[r][c] -= mean;
  }

  static float product(const float (&a)[window][lanes], const float (&b)[window][lanes]) {
    float sum[lanes] = {};
    for (int r = 0; r < window; ++r)
      for (int c = 0; c < lanes; ++c) sum[c] += a[r][c] * b[r][c];
    return total(sum);
  }
};

struct Shift {
  float x, y;
  float correlation;
  /// The window wanted to leave the patch.
  bool left;
};

/// Moves the window over `patch` until it looks like `wanted`.
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"))) Shift
search(const Template &wanted, const Patch &patch, float startX, float startY) {
  Shift shift{startX, startY, -1, false};
  const float determinant = wanted.xx * wanted.yy - wanted.xy * wanted.xy;
  for (int iteration = 0; iteration < 12; ++iteration) {
    const float px = shift.x + reach, py = shift.y + reach;
    if (!(px >= 0 && py >= 0 && px < 2 * reach && py < 2 * reach)) {
      shift.left = true;
      return shift;
    }
    const int ix = int(px), iy = int(py);
    const float u = px - float(ix), v = py - float(iy);
    const float w00 = (1 - u) * (1 - v), w01 = u * (1 - v), w10 = (1 - u) * v, w11 = u * v;
    float one[lanes] = {}, squared[lanes] = {}, withValue[lanes] = {}, withX[lanes] = {}, withY[lanes] = {};
    for (int r = 0; r < window; ++r) {
      const float *upper = patch[r + iy] + ix, *lower = patch[r + iy + 1] + ix;
      for (int c = 0; c < lanes; ++c) {
        const float sample = w00 * upper[c] + w01 * upper[c + 1] + w10 * lower[c] + w11 * lower[c + 1];
        const float counted = c < window ? sample : 0;
        one[c] += counted;
        squared[c] += counted * counted;
        withValue[c] += sample * wanted.value[r][c];
        withX[c] += sample * wanted.gx[r][c];
        withY[c] += sample * wanted.gy[r][c];
      }
    }
    const float sum = total(one);
    const float variance = total(squared) - sum * sum / (window * window);
    if (!(variance > 1)) return shift;
    const float norm = std::sqrt(variance);
    shift.correlation = total(withValue) / (norm * wanted.norm);
    const float gain = wanted.norm / norm;
    const float ex = wanted.gxValue - gain * total(withX), ey = wanted.gyValue - gain * total(withY);
    const float stepX = (wanted.yy * ex - wanted.xy * ey) / determinant;
    const float stepY = (wanted.xx * ey - wanted.xy * ex) / determinant;
    shift.x += stepX;
    shift.y += stepY;
    if (stepX * stepX + stepY * stepY < 1e-5f) break;
  }
  return shift;
}

struct Map {
  const double *h;

  cs_point operator()(double x, double y) const {
    const double w = h[6] * x + h[7] * y + h[8];
    return {(h[0] * x + h[1] * y + h[2]) / w, (h[3] * x + h[4] * y + h[5]) / w};
  }

  Affine derivative(double x, double y) const {
    const double w = h[6] * x + h[7] * y + h[8];
    const cs_point p = (*this)(x, y);
    return {(h[0] - p.x * h[6]) / w, (h[1] - p.x * h[7]) / w, (h[3] - p.y * h[6]) / w, (h[4] - p.y * h[7]) / w};
  }
};

/// A level 0 coordinate on level `level`, and back.
double onLevel(double value, int level) { return (value + 0.5) / double(1 << level) - 0.5; }
double onBase(double value, int level) { return (value + 0.5) * double(1 << level) - 0.5; }

/// The two pictures of one level and the patches that a track cuts from them.
struct Tracker {
  const cs_pyramid &reference;
  const cs_pyramid &frame;
  Map map;
  Patch source, target;

  /// Improves `track` on one level; false when the window has no texture there or was lost.
  bool advance(cs_track &track, cs_point p, int level) {
    const int x = int(std::lround(onLevel(p.x, level))), y = int(std::lround(onLevel(p.y, level)));
    const double scale = double(1 << level);
    // On coarse levels the window is centred on the nearest pixel, whose motion is the corner's, nearly.
    const double baseX = onBase(x, level), baseY = onBase(y, level);
    cut(view(reference, level), x, y, source);
    const Template wanted(source, reach, reach);
    if (!wanted.hasTexture()) return false;
    const View picture = view(frame, level);
    for (int round = 0; round < 2; ++round) {
      const double atX = baseX + track.dx, atY = baseY + track.dy;
      const cs_point q = map(atX, atY);
      const double qx = onLevel(q.x, level), qy = onLevel(q.y, level);
      if (!(qx > 0 && qy > 0 && qx < picture.width - 1 && qy < picture.height - 1)) return false;
      if (!cut(picture, qx, qy, map.derivative(atX, atY), target)) return false;
      const Shift shift = search(wanted, target, 0, 0);
      if (!shift.left && level == 0) return comeBack(track, shift);
      track.dx += std::clamp(shift.x, float(-reach), float(reach)) * scale;
      track.dy += std::clamp(shift.y, float(-reach), float(reach)) * scale;
      if (!shift.left) return true;
    }
    return false;
  }

private:
  /// Looks for what the frame shows at the nearest pixel of the patch in the reference, and takes the mean of the two
  /// directions, which err in opposite ways where the windows differ in sharpness or noise.
  bool comeBack(cs_track &track, const Shift &shift) {
    const auto nearest = [](float d) { return std::clamp(int(std::lround(d)), 1 - reach, reach - 1); };
    const int column = nearest(shift.x), row = nearest(shift.y);
    const Template wanted(target, reach + row, reach + column);
    if (!wanted.hasTexture()) return false;
    // From where the window would be if nothing had moved, not from the answer.
    const Shift back = search(wanted, source, std::clamp(-shift.x, -1.5f, 1.5f), std::clamp(-shift.y, -1.5f, 1.5f));
    if (back.left) return false;
    const float backX = float(column) - back.x, backY = float(row) - back.y;
    track.roundTrip = std::hypot(backX - shift.x, backY - shift.y);
    track.correlation = std::min(shift.correlation, back.correlation);
    const float difference = wanted.norm * wanted.norm * std::max(0.0f, 1 - track.correlation * track.correlation);
    track.deviation = std::sqrt(difference / (window * window) / wanted.weakest());
    track.dx += (shift.x + backX) / 2;
    track.dy += (shift.y + backY) / 2;
    return std::isfinite(track.dx) && std::isfinite(track.dy);
  }
};

}  // namespace

extern "C" cs_status cs_track_points(const cs_pyramid *reference, const cs_pyramid *frame, const double map[9],
                                     const cs_point *points, const cs_point *starts, int32_t count, int32_t coarsest,
                                     cs_track *tracks) {
  return guarded([&] {
    const int levels = int(std::min(reference->levels.size(), frame->levels.size()));
    if (coarsest < 0) throw Failure(CS_INVALID_ARGUMENT, "no such pyramid level");
    Tracker tracker{*reference, *frame, Map{map}, {}, {}};
    for (int32_t i = 0; i < count; ++i) {
      cs_track &track = tracks[i];
      track = cs_track{starts ? starts[i].x : 0, starts ? starts[i].y : 0, -1, 0, 0, 0};
      for (int level = std::min(coarsest, levels - 1); level >= 0; --level) {
        const cs_track before = track;
        const bool advanced = tracker.advance(track, points[i], level);
        if (level == 0) track.found = advanced;
        if (!advanced && level > 0) track = before;
      }
    }
  });
}
