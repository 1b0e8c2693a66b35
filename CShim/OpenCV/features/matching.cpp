// Matches of features: pairs whose descriptors are nearest to each other.
#include "features.hpp"

#include "../../instructions.hpp"
#include "../opencv.hpp"

#include <algorithm>

using cleanplate::features::descriptorWords;
using cleanplate::opencv::guarded;

namespace {

/// A distance, and in the lower half the index of whom it is to: the smallest is the nearest, the first of equals.
using Neighbour = uint32_t;
constexpr Neighbour nobody = 0xFFFFFFFF;

int index(Neighbour neighbour) { return int(neighbour & 0xFFFF); }
int distance(Neighbour neighbour) { return int(neighbour >> 16); }

/// The nearest and the next nearest.
struct Nearest {
  std::vector<Neighbour> first, second;

  explicit Nearest(size_t count) : first(count, nobody), second(count, nobody) {}
};

/// How many bits of a descriptor differ from each of `others`.
void distances(const uint64_t *descriptor, const uint64_t *others, size_t count, uint32_t *bits) {
  cleanplate::onThisProcessor([=](auto) CS_INLINED {
    for (size_t i = 0; i < count; ++i) {
      uint64_t sum = 0;
      for (int word = 0; word < descriptorWords; ++word)
        sum += uint64_t(__builtin_popcountll(descriptor[word] ^ others[i * descriptorWords + size_t(word)]));
      bits[i] = uint32_t(sum);
    }
  });
}

/// Offers each of many the same neighbour, `bits` away.
void offer(Neighbour candidate, const uint32_t *bits, size_t count, Neighbour *first, Neighbour *second) {
  cleanplate::onThisProcessor([=](auto) CS_INLINED {
    for (size_t i = 0; i < count; ++i) {
      const Neighbour neighbour = bits[i] << 16 | candidate;
      second[i] = std::min(second[i], std::max(first[i], neighbour));
      first[i] = std::min(first[i], neighbour);
    }
  });
}

/// Finds the two nearest of many that are `bits` away.
void find(const uint32_t *bits, size_t count, Neighbour &first, Neighbour &second) {
  cleanplate::onThisProcessor([=, &first, &second](auto) CS_INLINED {
    // Several at a time, so that the minima need not wait for each other.
    constexpr size_t lanes = 8;
    Neighbour nearest[lanes], next[lanes];
    std::fill_n(nearest, lanes, nobody), std::fill_n(next, lanes, nobody);
    size_t i = 0;
    for (; i + lanes <= count; i += lanes)
      for (size_t lane = 0; lane < lanes; ++lane) {
        const Neighbour neighbour = bits[i + lane] << 16 | uint32_t(i + lane);
        next[lane] = std::min(next[lane], std::max(nearest[lane], neighbour));
        nearest[lane] = std::min(nearest[lane], neighbour);
      }
    const auto take = [&](Neighbour neighbour) {
      second = std::min(second, std::max(first, neighbour));
      first = std::min(first, neighbour);
    };
    for (size_t lane = 0; lane < lanes; ++lane) take(nearest[lane]), take(next[lane]);
    for (; i < count; ++i) take(bits[i] << 16 | uint32_t(i));
  });
}

/// Compares as many of `a` and `b` as neighbours are asked for.
void compare(const cs_features &a, const cs_features &b, Nearest &ofA, Nearest &ofB) {
  const size_t countA = ofA.first.size(), countB = ofB.first.size();
  std::vector<uint32_t> bits(countB);
  for (size_t i = 0; i < countA; ++i) {
    distances(&a.descriptors[i * descriptorWords], b.descriptors.data(), countB, bits.data());
    offer(uint32_t(i), bits.data(), countB, ofB.first.data(), ofB.second.data());
    find(bits.data(), countB, ofA.first[i], ofA.second[i]);
  }
}

}  // namespace

extern "C" cs_status cs_features_match(const cs_features *a, const cs_features *b, int32_t maximum, double ratio,
                                       cs_match *matches, int32_t *count) {
  return guarded([&] {
    const size_t most = size_t(std::max(maximum, 0));
    Nearest ofA(std::min(a->points.size(), most)), ofB(std::min(b->points.size(), most));
    compare(*a, *b, ofA, ofB);
    *count = 0;
    for (size_t i = 0; i < ofA.first.size(); ++i) {
      const Neighbour mine = ofA.first[i];
      if (mine == nobody || index(ofB.first[size_t(index(mine))]) != int(i)) continue;
      if (distance(mine) >= ratio * distance(ofA.second[i])) continue;
      matches[(*count)++] = cs_match{int32_t(i), index(mine)};
    }
  });
}
