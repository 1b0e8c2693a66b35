// A window and its search: the arithmetic of tracking, in vectors of a fixed width, so that every processor computes
// the same sums in the same order.
#pragma once

#include "../../instructions.hpp"
#include "../../vectors.hpp"
#include "picture.hpp"

#include <cmath>
#include <cstring>

// A fused multiply-add rounds differently from a multiplication and an addition, and not every processor has one.
#pragma STDC FP_CONTRACT OFF

namespace cleanplate::tracking {

constexpr int lanes = 8;
using Floats = Vector<float, lanes>;

/// Rows and columns of a window; its sums run over whole vectors, of whose last only some lanes count.
constexpr int window = 21;
constexpr int radius = window / 2;
constexpr int blocks = (window + lanes - 1) / lanes;
/// How far a window may move before its patch is cut anew.
constexpr int reach = 4;

CS_INLINE Floats load(const float *from) {
  Floats value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

CS_INLINE float total(Floats v) { return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])); }

/// 1 in the lanes of a block that belong to the window, 0 in the others.
CS_INLINE Floats counted(int block) {
  Floats mask;
  for (int lane = 0; lane < lanes; ++lane) mask[lane] = block * lanes + lane < window ? 1 : 0;
  return mask;
}

/// A part of a picture in which a window moves, in levels above that of its middle: sums of squares of small numbers
/// keep their digits.
struct Patch {
  static constexpr int rows = window + 2 * reach;
  static constexpr int columns = 4 * lanes;
  // Windows begin less than 2 * reach from the first column and row, and samples to the right and below are read, too.
  static_assert(columns >= blocks * lanes + 2 * reach);
  static_assert(columns - radius - reach <= SmoothLevel::border && radius + reach <= SmoothLevel::border);

  float value[rows][columns];

  /// Cuts the patch around pixel (x, y).
  CS_INLINE void cut(const SmoothLevel &picture, int x, int y) {
    using Words = Vector<uint16_t, lanes>;
    const float middle = *picture.at(x, y);
    for (int r = 0; r < rows; ++r) {
      const uint16_t *source = picture.at(x - radius - reach, y - radius - reach + r);
      for (int c = 0; c < columns; c += lanes) {
        Words words;
        std::memcpy(&words, source + c, sizeof words);
        const Floats levels = (__builtin_convertvector(words, Floats) - middle) * (1.0f / SmoothLevel::unit);
        std::memcpy(value[r] + c, &levels, sizeof levels);
      }
    }
  }
};

/// What of a window does not change while it is searched for.
struct Template {
  /// Values and gradients; 0 in the lanes that do not count.
  Floats value[blocks][window], gx[blocks][window], gy[blocks][window];
  /// Means, and sums of products of what the means leave.
  float meanValue, meanX, meanY;
  float xx, xy, yy, norm, gxValue, gyValue;

  /// The window whose upper left sample is at (row, column) of `patch`, neither at its very border.
  CS_INLINE Template(const Patch &patch, int row, int column) {
    Floats v{}, x{}, y{}, sxx{}, sxy{}, syy{}, svv{}, sxv{}, syv{};
#pragma clang loop unroll(full)
    for (int b = 0; b < blocks; ++b) {
      const Floats mask = counted(b);
      for (int r = 0; r < window; ++r) {
        const float *here = patch.value[row + r] + column + b * lanes;
        const Floats level = load(here) * mask;
        const Floats across = (load(here + 1) - load(here - 1)) * (0.5f * mask);
        const Floats down = (load(here + Patch::columns) - load(here - Patch::columns)) * (0.5f * mask);
        value[b][r] = level, gx[b][r] = across, gy[b][r] = down;
        v += level, x += across, y += down;
        sxx += across * across, sxy += across * down, syy += down * down;
        svv += level * level, sxv += across * level, syv += down * level;
      }
    }
    constexpr float share = 1.0f / (window * window);
    meanValue = total(v) * share, meanX = total(x) * share, meanY = total(y) * share;
    xx = total(sxx) - total(x) * meanX, xy = total(sxy) - total(x) * meanY, yy = total(syy) - total(y) * meanY;
    norm = std::sqrt(std::max(total(svv) - total(v) * meanValue, 0.0f));
    gxValue = total(sxv) - total(x) * meanValue, gyValue = total(syv) - total(y) * meanValue;
  }

  /// The smaller eigenvalue of the gradients' sum of squares.
  float weakest() const {
    const float half = (xx + yy) / 2, difference = (xx - yy) / 2;
    return half - std::sqrt(difference * difference + xy * xy);
  }

  /// Whether the gradients, in squared levels, fix a position in both directions.
  bool hasTexture() const {
    constexpr float weakestTexture = 0.25f;
    return weakest() > weakestTexture * window * window && weakest() > 1e-3f * (xx + yy) / 2;
  }
};

/// Sums of a window between the pixels of a patch, and of its products with a template.
struct Overlap {
  float sum, squared, withValue, withX, withY;

  /// - Parameter x, y: where the window begins, and u, v: the fractions of a pixel on top.
  Overlap(const Template &wanted, const Patch &patch, int x, int y, float u, float v) {
    // Not in line: what a caller keeps in registers leaves too few for five sums.
    onThisProcessor([this, &wanted, &patch, x, y, u, v](auto) CS_INLINED {
      Floats one{}, squares{}, values{}, across{}, down{};
#pragma clang loop unroll(full)
      for (int b = 0; b < blocks; ++b) {
        const Floats mask = counted(b);
        const float *line = patch.value[y] + x + b * lanes;
        Floats upper = load(line) + u * (load(line + 1) - load(line));
#pragma clang loop unroll_count(3)
        for (int r = 0; r < window; ++r) {
          line += Patch::columns;
          const Floats lower = load(line) + u * (load(line + 1) - load(line));
          const Floats sample = (upper + v * (lower - upper)) * mask;
          one += sample;
          squares += sample * sample;
          values += sample * wanted.value[b][r];
          across += sample * wanted.gx[b][r];
          down += sample * wanted.gy[b][r];
          upper = lower;
        }
      }
      sum = total(one), squared = total(squares);
      withValue = total(values), withX = total(across), withY = total(down);
    });
  }
};

struct Shift {
  float x, y;
  float correlation;
  /// The window wanted to leave the patch.
  bool left;
};

/// Windows that agree less do not show the same.
constexpr float leastCorrelation = 0.5f;
/// Steps that are at least this share of the one before lead there slowly.
constexpr float slow = 0.3f;
/// Steps at most.
constexpr int mostSteps = 8;

/// Moves the window over `patch` until it looks like `wanted`; shifts are from the patch's middle.
CS_INLINE Shift search(const Template &wanted, const Patch &patch, float startX, float startY) {
  constexpr float share = 1.0f / (window * window);
  Shift shift{startX, startY, -1, false};
  const float determinant = wanted.xx * wanted.yy - wanted.xy * wanted.xy;
  float lastX = 0, lastY = 0;
  for (int iteration = 0; iteration < mostSteps; ++iteration) {
    const float px = shift.x + reach, py = shift.y + reach;
    if (!(px >= 0 && py >= 0 && px < 2 * reach && py < 2 * reach)) {
      shift.left = true;
      return shift;
    }
    const int ix = int(px), iy = int(py);
    const Overlap overlap(wanted, patch, ix, iy, px - float(ix), py - float(iy));
    const float sum = overlap.sum;
    const float variance = overlap.squared - sum * sum * share;
    if (!(variance > 1)) return shift;
    const float norm = std::sqrt(variance);
    const float before = shift.correlation;
    shift.correlation = (overlap.withValue - sum * wanted.meanValue) / (norm * wanted.norm);
    // What is hidden by somebody is not found by going on.
    if (iteration > 1 && shift.correlation < std::min(leastCorrelation, before)) return shift;
    const float gain = wanted.norm / norm;
    const float ex = wanted.gxValue - gain * (overlap.withX - sum * wanted.meanX);
    const float ey = wanted.gyValue - gain * (overlap.withY - sum * wanted.meanY);
    const float stepX = (wanted.yy * ex - wanted.xy * ey) / determinant;
    const float stepY = (wanted.xx * ey - wanted.xy * ex) / determinant;
    shift.x += stepX;
    shift.y += stepY;
    const float length = stepX * stepX + stepY * stepY, lastLength = lastX * lastX + lastY * lastY;
    // The next step would be a tenth of this one, or less.
    if (length < 1e-4f) break;
    if (lastLength > 0) {
      // Each step is about the same share of the one before, so that the rest of them is known (Aitken's delta-squared
      // process, 1926): all that is left for most windows, and what brings those on that have little texture.
      const float ratio = std::min((stepX * lastX + stepY * lastY) / lastLength, 0.85f);
      const bool isLittle = std::abs(ratio) < slow && ratio * ratio * length < 4e-6f;
      if (isLittle || ratio > slow) {
        shift.x += stepX * ratio / (1 - ratio);
        shift.y += stepY * ratio / (1 - ratio);
        if (isLittle) break;
        lastX = lastY = 0;
        continue;
      }
    }
    lastX = stepX, lastY = stepY;
  }
  return shift;
}

}  // namespace cleanplate::tracking
