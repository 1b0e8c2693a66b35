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
/// A patch from which gradients are taken, and one in which a window moves.
constexpr int templateRows = window + 2, templateColumns = lanes + 2;
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

/// Samples `rows` x `columns` points of the smoothed picture, (x, y) lying at the given row and column, one step
/// along each of `axes` apart; false when they spread wider than a camera's motion can make them.
template <int rows, int columns>
bool cut(const View &picture, double x, double y, const Affine &axes, int centreRow, int centreColumn,
         float (&patch)[rows][columns]) {
  const double x0 = x - axes.xx * centreColumn - axes.xy * centreRow;
  const double y0 = y - axes.yx * centreColumn - axes.yy * centreRow;
  const double acrossX = axes.xx * (columns - 1), acrossY = axes.yx * (columns - 1);
  const double downX = axes.xy * (rows - 1), downY = axes.yy * (rows - 1);
  const int left = int(std::floor(x0 + std::min(acrossX, 0.0) + std::min(downX, 0.0)));
  const int top = int(std::floor(y0 + std::min(acrossY, 0.0) + std::min(downY, 0.0)));
  const int blockColumns = int(std::floor(x0 + std::max(acrossX, 0.0) + std::max(downX, 0.0))) - left + 2;
  const int blockRows = int(std::floor(y0 + std::max(acrossY, 0.0) + std::max(downY, 0.0))) - top + 2;
  // One more than is needed, as single precision may round a position up to the next sample.
  if (blockColumns + 1 > blockSide || blockRows + 1 > blockSide) return false;
  Block block;
  smoothBlock(picture, left, top, blockRows + 1, blockColumns + 1, block);
  for (int r = 0; r < rows; ++r)
    sampleRow(block, float(x0 - left + axes.xy * r), float(y0 - top + axes.yy * r), float(axes.xx), float(axes.yx),
              columns, patch[r]);
  return true;
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

  explicit Template(const float (&patch)[templateRows][templateColumns]) {
    for (int r = 0; r < window; ++r)
      for (int c = 0; c < lanes; ++c) {
        value[r][c] = patch[r + 1][c + 1];
        gx[r][c] = 0.5f * (patch[r + 1][c + 2] - patch[r + 1][c]);
        gy[r][c] = 0.5f * (patch[r + 2][c + 1] - patch[r][c + 1]);
      }
    centre(value), centre(gx), centre(gy);
    xx = product(gx, gx), xy = product(gx, gy), yy = product(gy, gy);
    norm = std::sqrt(product(value, value));
    gxValue = product(gx, value), gyValue = product(gy, value);
  }

  bool hasTexture() const {
    const float half = (xx + yy) / 2, difference = (xx - yy) / 2;
    const float smallest = half - std::sqrt(difference * difference + xy * xy);
    return smallest > weakestTexture * window * window && smallest > 1e-3f * half;
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
search(const Template &wanted, const float (&patch)[searchRows][searchColumns], float startX, float startY) {
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

constexpr Affine upright{1, 0, 0, 1};

/// A level 0 coordinate on level `level`.
double onLevel(double value, int level) { return (value + 0.5) / double(1 << level) - 0.5; }

cs_track track(const cs_pyramid &reference, const cs_pyramid &frame, const Map &map, cs_point p, int coarsest) {
  cs_track result{0, 0, -1, 1e9f, 0};
  float templatePatch[templateRows][templateColumns];
  float searchPatch[searchRows][searchColumns];
  for (int level = coarsest; level >= 0; --level) {
    const double scale = double(1 << level);
    const View source = view(reference, level), target = view(frame, level);
    cut(source, onLevel(p.x, level), onLevel(p.y, level), upright, radius + 1, radius + 1, templatePatch);
    const Template wanted(templatePatch);
    if (!wanted.hasTexture()) {
      if (level == 0) return result;
      continue;
    }
    bool settled = false;
    const double beganX = result.dx, beganY = result.dy;
    for (int round = 0; round < 2 && !settled; ++round) {
      const double x = p.x + result.dx, y = p.y + result.dy;
      const cs_point q = map(x, y);
      const double qx = onLevel(q.x, level), qy = onLevel(q.y, level);
      if (!(qx > 0 && qy > 0 && qx < target.width - 1 && qy < target.height - 1)) return result;
      if (!cut(target, qx, qy, map.derivative(x, y), radius + reach, radius + reach, searchPatch)) return result;
      const Shift shift = search(wanted, searchPatch, 0, 0);
      result.dx += std::clamp(shift.x, float(-reach), float(reach)) * scale;
      result.dy += std::clamp(shift.y, float(-reach), float(reach)) * scale;
      result.correlation = shift.correlation;
      settled = !shift.left;
    }
    if (!settled) {
      if (level == 0) return result;
      result.dx = beganX, result.dy = beganY;
    }
  }
  const double x = p.x + result.dx, y = p.y + result.dy;
  const cs_point q = map(x, y);
  const View source = view(reference, 0), target = view(frame, 0);
  if (!(q.x > 0 && q.y > 0 && q.x < target.width - 1 && q.y < target.height - 1)) return result;
  if (!cut(target, q.x, q.y, map.derivative(x, y), radius + 1, radius + 1, templatePatch)) return result;
  const Template wanted(templatePatch);
  if (!wanted.hasTexture()) return result;
  cut(source, p.x, p.y, upright, radius + reach, radius + reach, searchPatch);
  const auto start = [](double d) { return float(std::clamp(d, -1.5, 1.5)); };
  const Shift back = search(wanted, searchPatch, start(result.dx), start(result.dy));
  if (back.left) return result;
  result.roundTrip = std::hypot(back.x, back.y);
  // Forward and backward err in opposite directions where the two windows differ in sharpness or noise.
  result.dx -= back.x / 2;
  result.dy -= back.y / 2;
  result.found = std::isfinite(result.dx) && std::isfinite(result.dy);
  return result;
}

}  // namespace

extern "C" cs_status cs_track_points(const cs_pyramid *reference, const cs_pyramid *frame, const double map[9],
                                     const cs_point *points, int32_t count, int32_t coarsest, cs_track *tracks) {
  return guarded([&] {
    const int levels = int(std::min(reference->levels.size(), frame->levels.size()));
    if (coarsest < 0) throw Failure(CS_INVALID_ARGUMENT, "no such pyramid level");
    for (int32_t i = 0; i < count; ++i)
      tracks[i] = track(*reference, *frame, Map{map}, points[i], std::min(coarsest, levels - 1));
  });
}
