#include "picture.hpp"

#include "../instructions.hpp"
#include "../pyramid.hpp"
#include "../status.hpp"

#include <opencv2/imgproc.hpp>

#include <algorithm>

namespace cleanplate::tracking {

namespace {

/// `a + 2 * b + c`, sample by sample.
CLEANPLATE_CLONES void
sumDown(const uint8_t *a, const uint8_t *b, const uint8_t *c, int count, uint16_t *sum) {
  for (int x = 0; x < count; ++x) sum[x] = uint16_t(a[x] + 2 * b[x] + c[x]);
}

/// The same along a row; `row[-1]` and `row[count]` are read.
CLEANPLATE_CLONES void
sumAcross(const uint16_t *row, int count, uint16_t *sum) {
  for (int x = 0; x < count; ++x) sum[x] = uint16_t(row[x - 1] + 2 * row[x] + row[x + 1]);
}

/// Fills what a warp left open from the nearest sample of the row, and empty rows from the nearest row.
void close(cv::Mat &picture, const std::vector<cs_warp_span> &spans) {
  const auto isEmpty = [&](int y) { return spans[size_t(y)].start >= spans[size_t(y)].end; };
  int above = -1;
  for (int y = 0; y < picture.rows; ++y) {
    uint8_t *row = picture.ptr(y);
    const cs_warp_span span = spans[size_t(y)];
    if (!isEmpty(y)) {
      std::fill(row, row + span.start, row[span.start]);
      std::fill(row + span.end, row + picture.cols, row[span.end - 1]);
      for (int open = above < 0 ? 0 : y; open < y; ++open) std::copy_n(row, picture.cols, picture.ptr(open));
      above = y;
    } else if (above >= 0) {
      std::copy_n(picture.ptr(above), picture.cols, row);
    }
  }
  if (above < 0) picture.setTo(0);
}

/// Where a level's pixels lie on level 0.
cs_warp_grid grid(int level) {
  const double scale = double(1 << level), offset = (scale - 1) / 2;
  return {scale, scale, offset, offset};
}

/// A frame's level as the reference's camera would have seen it.
cv::Mat warped(const cs_pyramid &frame, int level, cv::Size size, const cs_tracking_path &path) {
  const int available = std::min(level, int(frame.levels.size()) - 1);
  const cv::Mat &source = frame.levels[size_t(available)];
  cs_warp warp{};
  warp.source = {source.data, ptrdiff_t(source.step), source.cols, source.rows, 8};
  warp.source_grid = grid(available), warp.destination_grid = grid(level);
  std::copy_n(path.map, 9, warp.to_source);
  warp.shift_x = path.shift_x, warp.shift_y = path.shift_y;
  warp.gain = 1;
  warp.kernel = CS_WARP_EXACT;
  cv::Mat result(size, CV_8UC1);
  std::vector<cs_warp_span> spans(size_t(size.height));
  cs_warp_tile(&warp, {0, 0, size.width, size.height}, result.data, ptrdiff_t(result.step), spans.data());
  close(result, spans);
  return result;
}

SmoothLevel smooth(const cv::Mat &picture) {
  return SmoothLevel(picture.data, ptrdiff_t(picture.step), picture.cols, picture.rows);
}

constexpr Map identity{{1, 0, 0, 0, 1, 0, 0, 0, 1}};

}  // namespace

SmoothLevel::SmoothLevel(const uint8_t *picture, ptrdiff_t pictureStride, int width, int height)
    : width(width), height(height), stride((width + 2 * border + 31) / 32 * 32),
      samples(new uint16_t[size_t(stride * (height + 2 * border))]) {
  std::vector<uint16_t> line(size_t(width) + 2);
  const auto source = [&](int y) { return picture + std::clamp(y, 0, height - 1) * pictureStride; };
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

extern "C" {

cs_status cs_tracking_picture_of(const cs_pyramid *reference, int32_t finest, int32_t coarsest,
                                 cs_tracking_picture **picture) {
  return guarded([&] {
    if (finest < 0 || coarsest < finest) throw Failure(CS_INVALID_ARGUMENT, "no such levels");
    auto result = std::make_unique<cs_tracking_picture>();
    const int last = int(reference->levels.size()) - 1;
    result->finest = std::min(int(finest), last);
    for (int level = result->finest; level <= std::min(int(coarsest), last); ++level)
      result->levels.push_back(smooth(reference->levels[size_t(level)]));
    result->toFrame = identity;
    result->frameWidth = reference->levels[0].cols, result->frameHeight = reference->levels[0].rows;
    *picture = result.release();
  });
}

cs_status cs_tracking_picture_warped(const cs_pyramid *frame, const cs_tracking_path *path,
                                     const cs_tracking_picture *reference, cs_tracking_picture **picture) {
  return guarded([&] {
    auto result = std::make_unique<cs_tracking_picture>();
    std::copy_n(path->map, 9, result->toFrame.element);
    result->finest = reference->finest;
    result->frameWidth = frame->levels[0].cols, result->frameHeight = frame->levels[0].rows;
    const SmoothLevel &like = reference->levels[0];
    cv::Mat level = warped(*frame, reference->finest, {like.width, like.height}, *path);
    result->levels.push_back(smooth(level));
    while (result->levels.size() < reference->levels.size()) {
      level = halved(level);
      result->levels.push_back(smooth(level));
    }
    *picture = result.release();
  });
}

void cs_tracking_picture_free(cs_tracking_picture *picture) { delete picture; }

}  // extern "C"
