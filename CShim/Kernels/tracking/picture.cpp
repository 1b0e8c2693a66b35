#include "picture.hpp"

#include "../../instructions.hpp"

#include <algorithm>
#include <new>

namespace cleanplate::tracking {

namespace {

/// `a + 2 * b + c`, sample by sample.
void sumDown(const uint8_t *a, const uint8_t *b, const uint8_t *c, int count, uint16_t *sum) {
  cleanplate::onThisProcessor([=](auto) CS_INLINED {
    for (int x = 0; x < count; ++x) sum[x] = uint16_t(a[x] + 2 * b[x] + c[x]);
  });
}

/// The same along a row; `row[-1]` and `row[count]` are read.
void sumAcross(const uint16_t *row, int count, uint16_t *sum) {
  cleanplate::onThisProcessor([=](auto) CS_INLINED {
    for (int x = 0; x < count; ++x) sum[x] = uint16_t(row[x - 1] + 2 * row[x] + row[x + 1]);
  });
}

/// A picture of 8 bits, rows without gaps.
struct Picture {
  int width, height;
  std::unique_ptr<uint8_t[]> samples;

  Picture(int width, int height)
      : width(width), height(height), samples(new (std::nothrow) uint8_t[size_t(width) * size_t(height)]) {}

  uint8_t *row(int y) const { return samples.get() + ptrdiff_t(y) * width; }
  cs_plane plane() const { return {samples.get(), width, width, height, 8}; }
};

/// Blocks of 2 x 2 averaged; an odd column or row is left out.
Picture halved(const Picture &picture) {
  Picture result(picture.width / 2, picture.height / 2);
  if (!result.samples) return result;
  for (int y = 0; y < result.height; ++y)
    cs_halve_row(picture.row(2 * y), picture.row(2 * y + 1), result.width, result.row(y));
  return result;
}

/// Fills what a warp left open from the nearest sample of the row, and empty rows from the nearest row.
void close(const Picture &picture, const std::vector<cs_warp_span> &spans) {
  const auto isEmpty = [&](int y) { return spans[size_t(y)].start >= spans[size_t(y)].end; };
  int above = -1;
  for (int y = 0; y < picture.height; ++y) {
    uint8_t *row = picture.row(y);
    const cs_warp_span span = spans[size_t(y)];
    if (!isEmpty(y)) {
      std::fill(row, row + span.start, row[span.start]);
      std::fill(row + span.end, row + picture.width, row[span.end - 1]);
      for (int open = above < 0 ? 0 : y; open < y; ++open) std::copy_n(row, picture.width, picture.row(open));
      above = y;
    } else if (above >= 0) {
      std::copy_n(picture.row(above), picture.width, row);
    }
  }
  if (above < 0) std::fill_n(picture.row(0), ptrdiff_t(picture.width) * picture.height, uint8_t(0));
}

/// Where a level's pixels lie on level 0.
cs_warp_grid grid(int level) {
  const double scale = double(1 << level), offset = (scale - 1) / 2;
  return {scale, scale, offset, offset};
}

/// A frame's level as the reference's camera would have seen it.
Picture warped(const cs_plane *levels, int count, int level, int width, int height, const cs_tracking_path &path) {
  const int available = std::min(level, count - 1);
  cs_warp warp{};
  warp.source = levels[available];
  warp.source_grid = grid(available), warp.destination_grid = grid(level);
  std::copy_n(path.map, 9, warp.to_source);
  warp.shift_x = path.shift_x, warp.shift_y = path.shift_y;
  warp.gain = 1;
  warp.kernel = CS_WARP_EXACT;
  Picture result(width, height);
  if (!result.samples) return result;
  std::vector<cs_warp_span> spans(size_t(height), cs_warp_span{});
  cs_warp_tile(&warp, {0, 0, width, height}, result.samples.get(), width, spans.data());
  close(result, spans);
  return result;
}

constexpr Map identity{{1, 0, 0, 0, 1, 0, 0, 0, 1}};

}  // namespace

SmoothLevel::SmoothLevel(const cs_plane &picture)
    : width(picture.width),
      height(picture.height),
      stride((width + 2 * border + 31) / 32 * 32),
      samples(new (std::nothrow) uint16_t[size_t(stride * (height + 2 * border))]) {
  if (!samples) return;
  std::vector<uint16_t> line(size_t(width) + 2);
  const auto source = [&](int y) {
    return static_cast<const uint8_t *>(picture.samples) + std::clamp(y, 0, height - 1) * picture.stride;
  };
  for (int y = 0; y < height; ++y) {
    sumDown(source(y - 1), source(y), source(y + 1), width, line.data() + 1);
    line.front() = line[1];
    line.back() = line[size_t(width)];
    uint16_t *row = samples.get() + (y + border) * stride;
    sumAcross(line.data() + 1, width, row + border);
    std::fill(row, row + border, row[border]);
    std::fill(row + border + width, row + stride, row[border + width - 1]);
  }
  const uint16_t *first = samples.get() + border * stride, *last = first + (height - 1) * stride;
  for (int y = 0; y < border; ++y) {
    std::copy_n(first, stride, samples.get() + y * stride);
    std::copy_n(last, stride, samples.get() + (border + height + y) * stride);
  }
}

}  // namespace cleanplate::tracking

using namespace cleanplate;
using namespace cleanplate::tracking;

bool cs_tracking_picture::shows(double x, double y, double radius) const {
  for (const double dx : {-radius, radius})
    for (const double dy : {-radius, radius}) {
      const cs_point q = toFrame(x + dx, y + dy);
      // Written so that NaN counts as invisible.
      if (!(q.x > 0 && q.y > 0 && q.x < frameWidth - 1 && q.y < frameHeight - 1)) return false;
    }
  return true;
}

bool cs_tracking_picture::add(const cs_plane &picture) {
  if (picture.samples == nullptr) return false;
  levels.emplace_back(picture);
  return levels.back().isMade();
}

extern "C" {

cs_tracking_picture *cs_tracking_picture_of(const cs_plane *levels, int32_t count, int32_t finest, int32_t coarsest) {
  std::unique_ptr<cs_tracking_picture> result(new (std::nothrow) cs_tracking_picture());
  if (!result) return nullptr;
  const int last = count - 1;
  result->finest = std::min(int(finest), last);
  for (int level = result->finest; level <= std::min(int(coarsest), last); ++level)
    if (!result->add(levels[level])) return nullptr;
  result->toFrame = identity;
  result->frameWidth = levels[0].width, result->frameHeight = levels[0].height;
  return result.release();
}

cs_tracking_picture *cs_tracking_picture_warped(const cs_plane *levels, int32_t count, const cs_tracking_path *path,
                                                const cs_tracking_picture *reference) {
  std::unique_ptr<cs_tracking_picture> result(new (std::nothrow) cs_tracking_picture());
  if (!result) return nullptr;
  std::copy_n(path->map, 9, result->toFrame.element);
  result->finest = reference->finest;
  result->frameWidth = levels[0].width, result->frameHeight = levels[0].height;
  const SmoothLevel &like = reference->levels[0];
  Picture level = warped(levels, count, reference->finest, like.width, like.height, *path);
  if (!result->add(level.plane())) return nullptr;
  while (result->levels.size() < reference->levels.size()) {
    level = halved(level);
    if (!result->add(level.plane())) return nullptr;
  }
  return result.release();
}

void cs_tracking_picture_free(cs_tracking_picture *picture) { delete picture; }

}  // extern "C"
