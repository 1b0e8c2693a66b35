// Windows tracked to a few hundredths of a pixel between two pictures that a homography already brings close.
//
// Pyramidal Lucas-Kanade (Bouguet, 2001), inverse compositional (Baker and Matthews, IJCV 2004): the frame is resampled
// into the reference's geometry, so that every iteration is a shift of a small patch by a constant fraction of a pixel,
// which vectorises. Windows are compared by their normalised values, so that exposure and its offset cancel.
#include "window.hpp"

#include <algorithm>

using namespace cleanplate;
using namespace cleanplate::tracking;

namespace {

/// A level 0 coordinate on level `level`.
double onLevel(double value, int level) { return (value + 0.5) / double(1 << level) - 0.5; }

/// Two pictures of one geometry, and the patches that a track cuts from them.
struct Tracker {
  const cs_tracking_picture &reference, &frame;
  Patch source, target;

  /// Follows the window around `p`, from coarse to fine; false when it was lost.
  CS_INLINE bool follow(cs_track &track, cs_point p) {
    for (int level = reference.coarsest(); level > reference.finest; --level) {
      const cs_track before = track;
      if (!advance(track, p, level)) track = before;
    }
    return advance(track, p, reference.finest);
  }

private:
  /// Improves `track` on one level; false when the window has no texture there or was lost.
  CS_INLINE bool advance(cs_track &track, cs_point p, int level) {
    const SmoothLevel &from = reference.level(level), &to = frame.level(level);
    // On coarse levels the window is centred on the nearest pixel, whose motion is the corner's, nearly.
    const int x = int(std::lround(onLevel(p.x, level))), y = int(std::lround(onLevel(p.y, level)));
    if (x < 0 || y < 0 || x >= from.width || y >= from.height) return false;
    source.cut(from, x, y);
    const Template wanted(source, reach, reach);
    if (!wanted.hasTexture()) return false;
    const bool isFinest = level == reference.finest;
    const double scale = double(1 << level);
    for (int round = 0; round < 2; ++round) {
      if (!frame.shows(p.x + track.dx, p.y + track.dy, isFinest ? scale * (radius + 1) : 0)) return false;
      const double atX = x + track.dx / scale, atY = y + track.dy / scale;
      const int column = int(std::lround(atX)), row = int(std::lround(atY));
      if (column < 0 || row < 0 || column >= to.width || row >= to.height) return false;
      target.cut(to, column, row);
      const float startX = float(atX - column), startY = float(atY - row);
      const Shift shift = search(wanted, target, startX, startY);
      const cs_point cut{double(column - x), double(row - y)};
      if (!shift.left && isFinest) {
        return shift.correlation >= leastCorrelation && comeBack(track, shift, cut, startX, startY, scale);
      }
      track.dx = (cut.x + std::clamp(shift.x, float(-reach), float(reach))) * scale;
      track.dy = (cut.y + std::clamp(shift.y, float(-reach), float(reach))) * scale;
      if (!shift.left) return true;
    }
    return false;
  }

  /// Looks for what the frame shows at the nearest pixel of the patch in the reference, and takes the mean of the two
  /// directions, which err in opposite ways where the windows differ in sharpness or noise.
  CS_INLINE bool comeBack(cs_track &track, const Shift &shift, cs_point cut, float startX, float startY, double scale) {
    // Within what a template reaches, which is a pixel less than what a window does.
    const int column = std::clamp(int(std::lround(shift.x)), 1 - reach, reach - 1);
    const int row = std::clamp(int(std::lround(shift.y)), 1 - reach, reach - 1);
    const Template wanted(target, reach + row, reach + column);
    if (!wanted.hasTexture()) return false;
    // From where the window would be if the frame had moved as foretold, not from the answer.
    const Shift back = search(wanted, source, std::clamp(float(column) - startX, -1.5f, 1.5f),
                              std::clamp(float(row) - startY, -1.5f, 1.5f));
    if (back.left || back.correlation < leastCorrelation) return false;
    const float backX = float(column) - back.x, backY = float(row) - back.y;
    track.roundTrip = float(scale) * std::hypot(backX - shift.x, backY - shift.y);
    const float correlation = std::min(shift.correlation, back.correlation);
    const float difference = wanted.norm * wanted.norm * std::max(0.0f, 1 - correlation * correlation);
    track.deviation = float(scale) * std::sqrt(difference / (window * window) / wanted.weakest());
    track.dx = (cut.x + (shift.x + backX) / 2) * scale;
    track.dy = (cut.y + (shift.y + backY) / 2) * scale;
    return std::isfinite(track.dx) && std::isfinite(track.dy);
  }
};

CS_INLINE void followAll(const cs_tracking_picture &reference, const cs_tracking_picture &frame, const cs_point *points,
                         int32_t count, cs_track *tracks) {
  Tracker tracker{reference, frame, {}, {}};
  for (int32_t i = 0; i < count; ++i) {
    tracks[i] = cs_track{0, 0, 0, 0, 0};
    tracks[i].found = tracker.follow(tracks[i], points[i]);
  }
}

}  // namespace

extern "C" int32_t cs_track_points(const cs_tracking_picture *reference, const cs_tracking_picture *frame,
                                   const cs_point *points, int32_t count, cs_track *tracks) {
  if (reference->finest != frame->finest || reference->levels.size() != frame->levels.size()) return 0;
  onThisProcessor([=](auto) CS_INLINED { followAll(*reference, *frame, points, count, tracks); });
  return 1;
}
