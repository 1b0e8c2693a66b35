// The segment test of FAST (Rosten and Drummond, ECCV 2006), of all pixels alike: without branches it takes a fraction
// of the time that picking out candidates does where pictures are rich in texture.
#include "features.hpp"

#include "../../instructions.hpp"
#include "../../vectors.hpp"

#include <algorithm>
#include <cstring>

namespace cleanplate::features {

namespace {

using Level = uint8_t;
/// Levels that are worked on at once.
constexpr int lanes = 32;
using Levels = Vector<Level, lanes>;

CS_INLINE Levels load(const Level *from) {
  Levels levels;
  std::memcpy(&levels, from, lanes);
  return levels;
}

CS_INLINE Levels lesser(Levels a, Levels b) { return __builtin_elementwise_min(a, b); }
CS_INLINE Levels greater(Levels a, Levels b) { return __builtin_elementwise_max(a, b); }
CS_INLINE Levels excess(Levels a, Levels b) { return greater(a, b) - b; }

/// For every pixel of a row the largest contrast at which nine of the sixteen pixels around it that follow each other
/// are all brighter or all darker; 0 for those up to `least`. Works on whole vectors, the last of which may exceed
/// `count`.
void measure(const Level *row, ptrdiff_t stride, int count, Level least, Level *contrast) {
  cleanplate::onThisProcessor([=](auto) CS_INLINED {
    const ptrdiff_t circle[16] = {
        3 * stride,  3 * stride + 1,  2 * stride + 2,  stride + 3,  3,  3 - stride, 2 - 2 * stride, 1 - 3 * stride,
        -3 * stride, -3 * stride - 1, -2 * stride - 2, -stride - 3, -3, stride - 3, 2 * stride - 2, 3 * stride - 1};
    for (int x = 0; x < count; x += lanes) {
      const Levels here = load(row + x);
      Levels around[16], least2[8], most2[8];
      for (int k = 0; k < 16; ++k) around[k] = load(row + x + circle[k]);
      for (int k = 0; k < 8; ++k) {
        const Levels a = around[2 * k + 1], b = around[(2 * k + 2) % 16];
        least2[k] = lesser(a, b), most2[k] = greater(a, b);
      }
      Levels brightest{}, darkest = ~Levels{};
      for (int k = 0; k < 8; ++k) {
        // Eight in a row, and the better one of their two neighbours.
        const Levels before = around[2 * k], after = around[(2 * k + 9) % 16];
        const Levels low =
            lesser(lesser(least2[k], least2[(k + 1) % 8]), lesser(least2[(k + 2) % 8], least2[(k + 3) % 8]));
        const Levels high =
            greater(greater(most2[k], most2[(k + 1) % 8]), greater(most2[(k + 2) % 8], most2[(k + 3) % 8]));
        brightest = greater(brightest, lesser(low, greater(before, after)));
        darkest = lesser(darkest, greater(high, lesser(before, after)));
      }
      const Levels most = greater(excess(brightest, here), excess(here, darkest));
      const Levels counted = most & Levels(most > least);
      std::memcpy(contrast + x, &counted, lanes);
    }
  });
}

/// What exceeds all of its eight neighbours, the rest as 0; of whole vectors as well.
void keepPeaks(const Level *above, const Level *here, const Level *below, int count, Level *peaks) {
  cleanplate::onThisProcessor([=](auto) CS_INLINED {
    for (int x = 0; x < count; x += lanes) {
      const auto most = [x](const Level *row) CS_INLINED { return greater(load(row + x - 1), load(row + x + 1)); };
      const Levels value = load(here + x);
      const Levels upper = greater(most(above), load(above + x)), lower = greater(most(below), load(below + x));
      const Levels kept = value & Levels(value > greater(greater(upper, lower), most(here)));
      std::memcpy(peaks + x, &kept, lanes);
    }
  });
}

}  // namespace

std::vector<ContrastPeak> contrastPeaks(const cv::Mat &picture, int least) {
  std::vector<ContrastPeak> found;
  const int width = picture.cols - 2 * margin, height = picture.rows - 2 * margin;
  if (width <= 0 || height <= 0) return found;
  // One more on each side; what whole vectors take beyond are samples of the rows below, of which there are enough.
  const int columns = width + 2, room = (columns + 2 * lanes - 1) / lanes * lanes;
  std::vector<Level> contrasts(size_t(3 * room)), peaks(contrasts.size() / 3);
  const auto contrast = [&](int y) { return contrasts.data() + y % 3 * room; };
  for (int y = margin - 1; y <= margin + height; ++y) {
    measure(picture.ptr(y) + margin - 1, ptrdiff_t(picture.step), columns, Level(least), contrast(y));
    const int middle = y - 1;
    if (middle < margin) continue;
    keepPeaks(contrast(middle - 1) + 1, contrast(middle) + 1, contrast(y) + 1, width, peaks.data());
    for (int first = 0; first < width; first += 8) {
      uint64_t eight;
      std::memcpy(&eight, &peaks[size_t(first)], sizeof eight);
      if (eight == 0) continue;
      for (int x = first; x < std::min(first + 8, width); ++x)
        if (peaks[size_t(x)] != 0) found.push_back({x + margin, middle, peaks[size_t(x)]});
    }
  }
  return found;
}

}  // namespace cleanplate::features
