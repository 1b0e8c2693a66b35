// Selection's C face: memory, and the steps in their order.
#include "selection/selection.hpp"
#include "status.hpp"

#include <memory>

using namespace cleanplate;
using namespace cleanplate::selection;

namespace {

void require(bool condition, const char *message) {
  if (!condition) throw Failure(CS_INVALID_ARGUMENT, message);
}

void run(cs_selection &selection, cs_selection_step step, int first, int end) {
  switch (step) {
  case CS_SELECTION_MEDIANS: return takeMedians(selection, first, end);
  case CS_SELECTION_GRADIENTS: return takeGradients(selection, first, end);
  case CS_SELECTION_DEVIATIONS: return countDeviations(selection, first, end);
  case CS_SELECTION_NOISE: return fitNoise(selection);
  case CS_SELECTION_RIVALS: return findRivals(selection, first, end);
  case CS_SELECTION_CONTESTED: return collectContested(selection);
  case CS_SELECTION_COMPARISONS: return compareFrames(selection, first, end);
  case CS_SELECTION_BORDERS: return weighBorders(selection, first, end);
  case CS_SELECTION_CANDIDATES: return priceCandidates(selection, first, end);
  case CS_SELECTION_SEAMS: return priceSeams(selection, first, end);
  case CS_SELECTION_LABELS: return chooseLabels(selection);
  case CS_SELECTION_PLAN: return writePlan(selection, first, end);
  }
  throw Failure(CS_INVALID_ARGUMENT, "no such step");
}

}  // namespace

extern "C" cs_status cs_selection_create(cs_selection_shape shape, cs_selection **result) {
  return guarded([&] {
    require(shape.frames >= 1 && shape.frames <= CS_SELECTION_FRAMES, "1 to CS_SELECTION_FRAMES frames");
    require(shape.planes == 1 || shape.planes == 3, "one plane or three");
    require(shape.reference >= 0 && shape.reference < shape.frames, "a reference");
    require(shape.width > 0 && shape.height > 0, "a size");
    auto made = std::make_unique<cs_selection>();
    made->frames = shape.frames;
    made->labels = shape.frames + 1;
    made->width = shape.width;
    made->height = shape.height;
    made->planes = shape.planes;
    made->reference = shape.reference;
    made->hasChroma = shape.has_chroma != 0;
    made->columns = (shape.width + cellSide - 1) / cellSide;
    made->rows = (shape.height + cellSide - 1) / cellSide;
    made->samples.resize(size_t(made->labels) * shape.planes * made->area());
    made->gradients.resize(size_t(made->labels) * made->area());
    made->spans.assign(size_t(made->labels) * shape.height, {0, shape.width});
    made->saturation.assign(made->labels, 1e9f);
    made->histogram.assign(size_t(shape.planes) * 8 * 8 * 256, 0);
    const size_t cells = size_t(made->columns) * made->rows;
    made->steadiness.assign(cells, 255);
    made->rivalled.assign(cells, 0);
    made->speakers.assign(cells, CS_SELECTION_EVERYBODY);
    made->support.assign(cells, 0);
    made->unresolved.assign(cells, 0);
    made->led.assign(cells, 0);
    *result = made.release();
  });
}

extern "C" void cs_selection_free(cs_selection *selection) { delete selection; }

extern "C" uint8_t *cs_selection_samples(cs_selection *selection, int32_t frame, int32_t plane) {
  return selection->plane(frame, plane);
}

extern "C" cs_warp_span *cs_selection_spans(cs_selection *selection, int32_t frame) {
  return &selection->spans[size_t(frame) * selection->height];
}

extern "C" void cs_selection_saturate(cs_selection *selection, int32_t frame, float level) {
  selection->saturation[frame] = level;
}

extern "C" const uint8_t *cs_selection_rivals(const cs_selection *selection) { return selection->rivalled.data(); }

extern "C" cs_status cs_selection_keep(cs_selection *selection, int32_t frame, const uint8_t *cells) {
  return guarded([&] {
    require(frame >= 0 && frame < selection->frames, "a frame");
    selection->kept.resize(selection->speakers.size());
    for (size_t k = 0; k < selection->kept.size(); k++) selection->kept[k] = cells[k] != 0 ? uint8_t(frame + 1) : 0;
  });
}

extern "C" cs_status cs_selection_expect_occupants(cs_selection *selection) {
  return guarded([&] { selection->occupied.assign(size_t(selection->frames) * selection->area(), 0); });
}

extern "C" void cs_selection_occupy(cs_selection *selection, int32_t frame, int32_t x, int32_t y, int32_t width,
                                    int32_t height, float score) {
  const uint8_t certainty = uint8_t(std::clamp(score, 0.f, 1.f) * 255);
  uint8_t *picture = selection->occupied.data() + size_t(frame) * selection->area();
  for (int v = std::max(y, 0); v < std::min(y + height, selection->height); v++) {
    for (int u = std::max(x, 0); u < std::min(x + width, selection->width); u++) {
      uint8_t &seen = picture[size_t(v) * selection->width + u];
      seen = std::max(seen, certainty);
    }
  }
}

extern "C" int32_t cs_selection_extent(const cs_selection *selection, cs_selection_step step) {
  switch (step) {
  case CS_SELECTION_MEDIANS:
  case CS_SELECTION_GRADIENTS:
  case CS_SELECTION_DEVIATIONS: return selection->height;
  case CS_SELECTION_RIVALS:
  case CS_SELECTION_PLAN: return selection->rows;
  case CS_SELECTION_COMPARISONS:
  case CS_SELECTION_BORDERS:
  case CS_SELECTION_CANDIDATES:
  case CS_SELECTION_SEAMS: return int32_t(selection->contested.size());
  case CS_SELECTION_NOISE:
  case CS_SELECTION_CONTESTED:
  case CS_SELECTION_LABELS: return 1;
  }
  return 0;
}

extern "C" cs_status cs_selection_run(cs_selection *selection, cs_selection_step step, int32_t first, int32_t end) {
  return guarded([&] {
    require(first >= 0 && first <= end && end <= cs_selection_extent(selection, step), "a range of the step");
    run(*selection, step, first, end);
  });
}

extern "C" cs_selection_plan cs_selection_result(const cs_selection *selection) {
  return {selection->columns, selection->rows, selection->speakers.data(), selection->support.data(),
          selection->unresolved.data(), selection->led.data()};
}
