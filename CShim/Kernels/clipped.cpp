// What samples become that are clipped, or nearly: what most of the other frames agree on that may be what was clipped.
//
// Sixteen columns at a time, lane by lane: what is asked of the other frames differs from column to column, but not
// what is done with them. Sums are exact, everything else single IEEE operations, so that every processor computes the
// same.
#include "../instructions.hpp"
#include "../vectors.hpp"
#include "include/CShimKernels.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

// A fused multiply-add rounds differently from a multiplication and an addition, and not every processor has one.
#pragma STDC FP_CONTRACT OFF

namespace {

constexpr int lanes = 16;
template <class T> using Lanes = cleanplate::Vector<T, lanes>;
using Ints = Lanes<int32_t>;
using Counts = Lanes<uint32_t>;
using Floats = Lanes<float>;
using Doubles = Lanes<double>;

/// How little is believed of what is certainly clipped.
constexpr int certain = CS_CERTAINLY_CLIPPED;
/// More than any sample.
constexpr int32_t beyond = 1 << 16;
/// How much brighter than it came out what is hardly near white may be, as a share, and the share over which that ends.
constexpr float headroom = 0.5f, end = 0.25f;

/// A frame's samples in some columns.
struct Shown {
  Ints sample, light;
  /// How little it is to be believed; 0 where it shows nothing.
  Ints doubt;
  /// How much it counts: its weight times how much of `certain` it is to be believed.
  Ints counts;
  /// How much it counts in what a clipped sample becomes.
  Ints weight;
  /// By how many levels light may exceed it.
  Ints room;
  Ints colours[3];
};
static_assert(sizeof(Shown) == CS_CLIPPED_SCRATCH * sizeof(int32_t));

struct Row {
  const cs_clipped_row *rows;
  int frames;
  const int32_t *lastFirst;
  int marked;
  cs_clipped_layout layout;
  Shown *shown;

  /// Bits beyond 8.
  CS_INLINE int32_t more() const { return layout.bits - 8; }
  /// Levels about the median within which samples agree, and by which what is as bright may be darker: 16 of 8 bits.
  CS_INLINE int32_t reach() const { return 16 << more(); }
};

CS_INLINE bool isAnyMarked(const Row &row, int start, int size) {
  for (int k = 0; k < row.marked; ++k) {
    const uint8_t *doubts = row.rows[row.lastFirst[k]].doubts + start;
    uint8_t any = 0;
    for (int x = 0; x < size; ++x) any |= doubts[x];
    if (any != 0) return true;
  }
  return false;
}

/// The first `size` of the lanes, and zeros.
template <class T> CS_INLINE Lanes<T> load(const T *from, int size) {
  Lanes<T> values = 0;
  if (size == lanes)
    std::memcpy(&values, from, sizeof values);
  else
    std::memcpy(&values, from, size * sizeof(T));
  return values;
}

template <class T> CS_INLINE void store(T *to, Lanes<T> values, int size) {
  if (size == lanes)
    std::memcpy(to, &values, sizeof values);
  else
    std::memcpy(to, &values, size * sizeof(T));
}

template <class Sample> CS_INLINE Ints loadLight(const Row &row, const Sample *light, int start, int size) {
  const int step = row.layout.light_step;
  if (step == 1) return __builtin_convertvector(load(light + start, size), Ints);
  Ints values = 0;
  for (int x = 0; x < size; ++x) values[x] = light[std::min((start + x) * step, row.layout.light_columns - 1)];
  return values;
}

template <class Sample> CS_INLINE Ints loadColour(const Row &row, const Sample *colour, int start, int size) {
  const int step = row.layout.colour_step;
  if (step == 1) return __builtin_convertvector(load(colour + start, size), Ints);
  if (step == 2 && start / 2 + lanes / 2 <= row.layout.colour_columns) {
    Lanes<Sample> pairs = 0;
    std::memcpy(&pairs, colour + start / 2, lanes / 2 * sizeof(Sample));
    return __builtin_convertvector(
        __builtin_shufflevector(pairs, pairs, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7), Ints);
  }
  Ints values = 0;
  for (int x = 0; x < size; ++x) values[x] = colour[std::min((start + x) / step, row.layout.colour_columns - 1)];
  return values;
}

template <class Sample> CS_INLINE void show(const Row &row, int start, int size) {
  Ints column;
  for (int x = 0; x < lanes; ++x) column[x] = start + x;
  for (int k = 0; k < row.frames; ++k) {
    const cs_clipped_row &from = row.rows[k];
    const Ints covered = (column >= from.first) & (column < from.past);
    Shown &shown = row.shown[k];
    shown.sample = __builtin_convertvector(load(static_cast<const Sample *>(from.samples) + start, size), Ints);
    shown.light = loadLight(row, static_cast<const Sample *>(from.light), start, size);
    shown.doubt = 0;
    shown.room = 0;
    if (from.doubts) {
      shown.doubt = __builtin_convertvector(load(from.doubts + start, size), Ints) & covered;
      shown.room = __builtin_convertvector(load(from.rooms + start, size), Ints) << row.more();
    }
    for (int i = 0; i < row.layout.colours; ++i)
      shown.colours[i] = loadColour(row, static_cast<const Sample *>(from.colours[i]), start, size);
    shown.counts = (from.weight * (certain - shown.doubt)) & covered;
  }
}

/// 32 for half a reach of slack below 0, and less and less down to one and a half.
CS_INLINE Ints share(const Row &row, Ints slack) {
  const int32_t reach = row.reach();
  return __builtin_elementwise_min(__builtin_elementwise_max(2 * slack + 3 * reach, Ints(0)), Ints(2 * reach)) >>
         row.more();
}

/// Sets the frames' `weight` for a frame: how far what they show may be what it clips, gradually, or it would show
/// where noise decides. They must be as bright. Nor may they be much brighter, the nearer to white the more, and never
/// by more than fits below white; no colour changes by more than that, either.
CS_INLINE void weigh(const Row &row, int frame) {
  const Shown &itself = row.shown[frame];
  const Floats light = __builtin_convertvector(__builtin_elementwise_max(itself.light, Ints(1)), Floats);
  const Floats room = headroom * certain / __builtin_convertvector(certain - itself.doubt, Floats);
  const Floats brightest = light * (1 + room + end), scale = 32 / (end * light);
  const Ints change = row.layout.are_chroma ? itself.room >> 1 : itself.room;
  for (int k = 0; k < row.frames; ++k) {
    Shown &other = row.shown[k];
    const Ints isAsBright = share(row, other.light - itself.light);
    const Floats below = (brightest - __builtin_convertvector(other.light, Floats)) * scale;
    const Ints fits = __builtin_convertvector(
        __builtin_elementwise_min(__builtin_elementwise_max(below, Floats(0)), Floats(32)), Ints);
    Ints slack = itself.room - (other.light - itself.light);
    for (int i = 0; i < row.layout.colours; ++i)
      slack =
          __builtin_elementwise_min(slack, change - __builtin_elementwise_abs(other.colours[i] - itself.colours[i]));
    other.weight = (((((other.counts * isAsBright) >> 5) * fits) >> 5) * share(row, slack)) >> 5;
  }
  row.shown[frame].weight = 0;
}

/// The weighted sum of some samples, and what they weigh together.
template <class Sum> struct Weighed {
  Lanes<Sum> sum = 0;
  Counts weight = 0;

  CS_INLINE void add(Ints sample, Ints weight) {
    sum += __builtin_convertvector(sample, Lanes<Sum>) * __builtin_convertvector(weight, Lanes<Sum>);
    this->weight += __builtin_convertvector(weight, Counts);
  }
};

/// What all samples below a level weigh.
CS_INLINE Counts weightBelow(const Row &row, Ints level) {
  Counts weight = 0;
  for (int k = 0; k < row.frames; ++k)
    weight += __builtin_convertvector(row.shown[k].sample < level ? row.shown[k].weight : Ints(0), Counts);
  return weight;
}

/// Those near the weighted median, which is the mean of two where they divide all weight in halves.
template <class Sum> CS_INLINE Weighed<Sum> consensus(const Row &row) {
  Weighed<Sum> all;
  Ints least = beyond, most = 0;
  for (int k = 0; k < row.frames; ++k) {
    const Shown &shown = row.shown[k];
    all.add(shown.sample, shown.weight);
    least = __builtin_elementwise_min(least, shown.weight > 0 ? shown.sample : Ints(beyond));
    most = __builtin_elementwise_max(most, shown.weight > 0 ? shown.sample : Ints(0));
  }
  // Where a sky is white in most frames, none of the others is bright enough to tell. Where those that are agree, as
  // hardly anywhere they do not, all of them lie near their median.
  const Ints agree = most - least <= row.reach();
  if (__builtin_reduce_and(agree)) return all;
  // Bit by bit, from the highest: the largest level with less than half of all weight below it.
  Ints lower = 0;
  for (int bit = row.layout.bits - 1; bit >= 0; --bit) {
    const Ints trial = lower | (1 << bit);
    const Counts below = weightBelow(row, trial);
    lower = below < all.weight - below ? trial : lower;
  }
  const Counts upTo = weightBelow(row, lower + 1);
  Ints above = beyond;
  for (int k = 0; k < row.frames; ++k) {
    const Shown &shown = row.shown[k];
    const Ints counts = (shown.sample > lower) & (shown.weight > 0);
    above = __builtin_elementwise_min(above, counts ? shown.sample : Ints(beyond));
  }
  const Ints isHalf = upTo == all.weight - upTo, upper = (isHalf & (above < beyond)) ? above : lower;
  const Ints from = lower + upper - 2 * row.reach(), to = lower + upper + 2 * row.reach();
  Weighed<Sum> near;
  for (int k = 0; k < row.frames; ++k) {
    const Ints twice = 2 * row.shown[k].sample;
    near.add(row.shown[k].sample, ((twice >= from) & (twice <= to)) ? row.shown[k].weight : Ints(0));
  }
  Weighed<Sum> result;
  const auto middle = __builtin_convertvector((lower + upper) / 2, Lanes<Sum>);
  for (int x = 0; x < lanes; ++x) {
    const bool isNear = !agree[x] && near.weight[x] > 0;
    result.sum[x] = agree[x] ? all.sum[x] : isNear ? near.sum[x] : middle[x] * Sum(all.weight[x]);
    result.weight[x] = isNear ? near.weight[x] : all.weight[x];
  }
  return result;
}

/// What counts instead of a frame's samples. All that is known of them is that they were as bright at least.
/// - Parameters:
///   - last: what the frames show that clip last, as far as they are doubted.
///   - rest: how much of that is the frame's own.
template <class Sum> CS_INLINE Doubles values(const Row &row, int frame, Doubles last, Doubles rest) {
  weigh(row, frame);
  const Weighed<Sum> agreed = consensus<Sum>(row);
  const Shown &itself = row.shown[frame];
  const Doubles sample = __builtin_convertvector(itself.sample, Doubles);
  const Doubles weight = __builtin_convertvector(agreed.weight, Doubles), enough = row.rows[frame].weight * certain;
  Doubles value = __builtin_convertvector(agreed.sum, Doubles) / __builtin_elementwise_max(weight, Doubles(1));
  const Doubles share = weight / enough, others = last + rest * sample;
  value = weight < enough ? share * value + (1 - share) * others : value;
  const Doubles doubt = __builtin_convertvector(itself.doubt, Doubles) / certain;
  return sample + doubt * (value - sample) + 0.5;
}

template <class Sample> CS_INLINE void repair(const Row &row) {
  using Sum = std::conditional_t<sizeof(Sample) == 1, uint32_t, uint64_t>;
  for (int start = 0; start < row.layout.columns; start += lanes) {
    const int size = std::min(lanes, row.layout.columns - start);
    if (!isAnyMarked(row, start, size)) continue;
    show<Sample>(row, start, size);
    Doubles last = 0, rest = 1;
    for (int k = 0; k < row.marked; ++k) {
      const Shown &shown = row.shown[row.lastFirst[k]];
      const Doubles share = rest * __builtin_convertvector(shown.doubt, Doubles) / certain;
      last += share * __builtin_convertvector(shown.sample, Doubles);
      rest -= share;
    }
    for (int k = 0; k < row.marked; ++k) {
      const int frame = row.lastFirst[k];
      const Ints doubt = row.shown[frame].doubt;
      if (__builtin_reduce_max(doubt) == 0) continue;
      const Ints value = __builtin_convertvector(values<Sum>(row, frame, last, rest), Ints);
      // What is not doubted becomes what it is.
      store(static_cast<Sample *>(row.rows[frame].samples) + start, __builtin_convertvector(value, Lanes<Sample>),
            size);
    }
  }
}

}  // namespace

extern "C" void cs_repair_clipped(const cs_clipped_row *rows, int32_t frames, const int32_t *last_first, int32_t marked,
                                  cs_clipped_layout layout, void *scratch) {
  const Row row = {rows, frames, last_first, marked, layout, static_cast<Shown *>(scratch)};
  cleanplate::onThisProcessor([=](auto) CS_INLINED {
    if (row.layout.bits > 8)
      repair<uint16_t>(row);
    else
      repair<uint8_t>(row);
  });
}
