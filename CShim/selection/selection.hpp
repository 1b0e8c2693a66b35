// What the steps of Selection share: the aligned pictures, the noise, the contested cells and their labels.
#pragma once

#include "../include/CShim.h"
#include "../instructions.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace cleanplate::selection {

/// Pixels along a side of a cell, the unit in which is decided.
constexpr int cellSide = CS_SELECTION_CELL;
constexpr int cellPixels = cellSide * cellSide;
/// Frames, and after them the median as one more candidate.
constexpr int maximumLabels = CS_SELECTION_FRAMES + 1;

/// Mean squared distance, in units of the noise, up to which two frames show the same thing.
constexpr float sameThing = 4;
/// From here on they certainly do not. In between lie drifting clouds and shadows, which have no border that could
/// tell anything.
constexpr float anotherThing = 3 * sameThing;
/// From here on a frame counts as departing from the median.
constexpr float departure = 2 * sameThing;
/// The share of frames that must depart before a place is contested: a single passer-by among many frames is no
/// rival to the median.
constexpr float rivalShare = 0.2f;

/// Costs are integers, so that sums do not depend on their order; this many are one pixel of a seam.
constexpr int unit = 31;

/// Variance of a plane: constant + slope * luma + (shift * gradient)^2, in levels; `shift` stands for pixels of
/// residual misregistration.
struct Noise {
  float constant = 1;
  float slope = 0;
  float squaredShift = 0;
  float variance(float luma, float gradient) const {
    return constant + slope * luma + squaredShift * gradient * gradient;
  }
};

/// The candidates' values at one pixel.
struct PixelValues {
  alignas(32) float luma[maximumLabels];
  alignas(32) float blue[maximumLabels];
  alignas(32) float red[maximumLabels];
  alignas(32) float gradient[maximumLabels];
  alignas(32) float clipped[maximumLabels];
};

/// One bit per candidate.
using Set = uint32_t;
static_assert(maximumLabels <= 32);

/// Index of the pair a < b in a packed triangle.
inline int pairIndex(int a, int b, int labels) { return a * (2 * labels - a - 1) / 2 + b - a - 1; }

}  // namespace cleanplate::selection

struct cs_selection {
  int frames = 0;
  /// Frames and the median.
  int labels = 0;
  int width = 0;
  int height = 0;
  int planes = 0;
  int reference = 0;
  /// Whether the planes after the first are chroma; the first stands for brightness in any case.
  bool hasChroma = false;
  int columns = 0;
  int rows = 0;
  /// Candidate after candidate, plane after plane.
  std::vector<uint8_t> samples;
  std::vector<uint8_t> gradients;
  /// Candidate after candidate, row after row.
  std::vector<cs_warp_span> spans;
  /// The level from which a frame's samples are saturated.
  std::vector<float> saturation;
  /// Frame after frame, per pixel: how surely somebody is seen there, 0...255; empty when nobody looked.
  std::vector<uint8_t> occupied;
  /// Per cell: 1 + the frame that must be followed, or 0.
  std::vector<uint8_t> kept;
  std::vector<uint64_t> histogram;
  std::mutex histogramLock;
  std::array<cleanplate::selection::Noise, 3> noise;
  /// Per cell: how many frames agree with the median at its worst pixel, and whether rivals are seen.
  std::vector<uint8_t> steadiness;
  std::vector<uint8_t> rivalled;
  /// Per cell: its place among the contested, or -1.
  std::vector<int32_t> place;
  std::vector<int32_t> contested;
  /// Per contested cell, pixel and candidate: who shows the same, and who certainly does not.
  std::vector<cleanplate::selection::Set> same;
  std::vector<cleanplate::selection::Set> other;
  /// Per contested cell and pair: by how much the first has edges that the second lacks (1/64), and how often asked.
  std::vector<int16_t> excess;
  std::vector<uint16_t> borders;
  /// Per contested cell and candidate.
  std::vector<int32_t> cost;
  std::vector<int32_t> edgeCost;
  /// Per contested cell: the pair seams to the right and below, packed triangles.
  std::vector<uint8_t> seams;
  std::vector<uint8_t> labelOf;
  /// Per cell: what `cs_selection_plan` hands out.
  std::vector<uint32_t> speakers;
  std::vector<uint8_t> support;
  std::vector<uint8_t> unresolved;
  std::vector<uint8_t> led;

  int pairs() const { return labels * (labels - 1) / 2; }
  size_t area() const { return size_t(width) * height; }
  const uint8_t *plane(int candidate, int plane) const {
    return samples.data() + (size_t(candidate) * planes + plane) * area();
  }
  uint8_t *plane(int candidate, int plane) { return samples.data() + (size_t(candidate) * planes + plane) * area(); }
  const uint8_t *gradient(int candidate) const { return gradients.data() + size_t(candidate) * area(); }
  bool covers(int candidate, int x, int y) const {
    const cs_warp_span &span = spans[size_t(candidate) * height + y];
    return x >= span.start && x < span.end;
  }
  int cellAt(int x, int y) const {
    return y / cleanplate::selection::cellSide * columns + x / cleanplate::selection::cellSide;
  }
  /// The sets of a pixel, or null where nothing is contested.
  const cleanplate::selection::Set *setsAt(const std::vector<cleanplate::selection::Set> &sets, int x, int y) const {
    using namespace cleanplate::selection;
    const int k = place[cellAt(x, y)];
    if (k < 0) return nullptr;
    return &sets[(size_t(k) * cellPixels + y % cellSide * cellSide + x % cellSide) * labels];
  }
  /// The frames that cover a pixel, and the median.
  cleanplate::selection::Set covering(int x, int y) const;
  /// How surely somebody is seen in the frames of a set, on average, 0...1.
  float occupancy(cleanplate::selection::Set set, size_t pixel) const;
  void gather(size_t pixel, cleanplate::selection::PixelValues &values) const;
};

namespace cleanplate::selection {

// One function per step, in the order of their use; those with a range may run at once for different ranges.
void takeMedians(cs_selection &selection, int firstRow, int endRow);
void takeGradients(cs_selection &selection, int firstRow, int endRow);
void countDeviations(cs_selection &selection, int firstRow, int endRow);
void fitNoise(cs_selection &selection);
void findRivals(cs_selection &selection, int firstCellRow, int endCellRow);
void collectContested(cs_selection &selection);
void compareFrames(cs_selection &selection, int first, int end);
void weighBorders(cs_selection &selection, int first, int end);
void priceCandidates(cs_selection &selection, int first, int end);
void priceSeams(cs_selection &selection, int first, int end);
void chooseLabels(cs_selection &selection);
void writePlan(cs_selection &selection, int firstCellRow, int endCellRow);

/// Squared distances of all pairs at one pixel in units of the noise, `distances[a * labels + b]` for a < b.
void pairDistances(const PixelValues &values, const std::array<Noise, 3> &noise, int labels, int planes,
                   float *distances);

}  // namespace cleanplate::selection
