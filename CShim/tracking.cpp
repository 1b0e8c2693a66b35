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
/// A patch from which gradients are taken, and one in which a window moves; `rim` feeds the smoothing.
constexpr int rim = 1;
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

/// Samples `rows` x `columns` points around (x, y), bilinearly or by Catmull-Rom's cubic, and smooths them with
/// (1 2 1) / 4 both ways: less noise, and less of what interpolation does to the finest detail.
template <int rows, int columns>
void cut(const View &picture, double x, double y, const Affine &axes, int centreRow, int centreColumn, bool cubic,
         float (&patch)[rows][columns]) {
  constexpr int allRows = rows + 2 * rim, allColumns = columns + 2 * rim;
  float raw[allRows][allColumns];
  const double left = -centreColumn - rim, top = -centreRow - rim;
  const double x0 = x + axes.xx * left + axes.xy * top, y0 = y + axes.yx * left + axes.yy * top;
  bool inside = true;
  for (int corner = 0; corner < 4; ++corner) {
    const double c = corner & 1 ? allColumns - 1 : 0, r = corner & 2 ? allRows - 1 : 0;
    const double px = x0 + axes.xx * c + axes.xy * r, py = y0 + axes.yx * c + axes.yy * r;
    inside = inside && px >= 1 && py >= 1 && px < picture.width - 3 && py < picture.height - 3;
  }
  const auto clampedX = [&](int i) { return std::clamp(i, 0, picture.width - 1); };
  const auto clampedY = [&](int i) { return std::clamp(i, 0, picture.height - 1); };
  for (int r = 0; r < allRows; ++r) {
    const float sx = float(x0 + axes.xy * r), sy = float(y0 + axes.yy * r);
    const float stepX = float(axes.xx), stepY = float(axes.yx);
    for (int c = 0; c < allColumns; ++c) {
      const float px = sx + stepX * float(c), py = sy + stepY * float(c);
      const float fx = std::floor(px), fy = std::floor(py);
      const float u = px - fx, v = py - fy;
      const int ix = int(fx), iy = int(fy);
      const auto at = [&](int dx, int dy) {
        return inside ? float(picture.samples[(iy + dy) * picture.stride + ix + dx])
                      : float(picture.samples[clampedY(iy + dy) * picture.stride + clampedX(ix + dx)]);
      };
      if (cubic) {
        const float wx[4] = {u * (-0.5f + u * (1 - 0.5f * u)), 1 + u * u * (-2.5f + 1.5f * u),
                             u * (0.5f + u * (2 - 1.5f * u)), u * u * (-0.5f + 0.5f * u)};
        const float wy[4] = {v * (-0.5f + v * (1 - 0.5f * v)), 1 + v * v * (-2.5f + 1.5f * v),
                             v * (0.5f + v * (2 - 1.5f * v)), v * v * (-0.5f + 0.5f * v)};
        float sum = 0;
        for (int j = 0; j < 4; ++j)
          sum += wy[j] * (wx[0] * at(-1, j - 1) + wx[1] * at(0, j - 1) + wx[2] * at(1, j - 1) + wx[3] * at(2, j - 1));
        raw[r][c] = sum;
      } else {
        const float upper = at(0, 0) + u * (at(1, 0) - at(0, 0)), lower = at(0, 1) + u * (at(1, 1) - at(0, 1));
        raw[r][c] = upper + v * (lower - upper);
      }
    }
  }
  float across[allRows][columns];
  for (int r = 0; r < allRows; ++r)
    for (int c = 0; c < columns; ++c) across[r][c] = 0.25f * (raw[r][c] + raw[r][c + 2]) + 0.5f * raw[r][c + 1];
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) patch[r][c] = 0.25f * (across[r][c] + across[r + 2][c]) + 0.5f * across[r + 1][c];
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
    cut(source, onLevel(p.x, level), onLevel(p.y, level), upright, radius + 1, radius + 1, false, templatePatch);
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
      cut(target, qx, qy, map.derivative(x, y), radius + reach, radius + reach, level == 0, searchPatch);
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
  cut(target, q.x, q.y, map.derivative(x, y), radius + 1, radius + 1, true, templatePatch);
  const Template wanted(templatePatch);
  if (!wanted.hasTexture()) return result;
  cut(source, p.x, p.y, upright, radius + reach, radius + reach, false, searchPatch);
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
