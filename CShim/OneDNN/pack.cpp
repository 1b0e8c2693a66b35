// Memory for what a network computes on its way.
#include "plan.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

using namespace cleanplate::onednn;

size_t cleanplate::onednn::pack(std::vector<Part> &parts) {
  std::vector<size_t> largestFirst(parts.size());
  std::iota(largestFirst.begin(), largestFirst.end(), size_t(0));
  std::sort(largestFirst.begin(), largestFirst.end(),
            [&](size_t a, size_t b) { return std::tie(parts[b].bytes, a) < std::tie(parts[a].bytes, b); });
  size_t all = 0;
  // In the order of their offsets.
  std::vector<const Part *> placed;
  for (size_t index : largestFirst) {
    Part &part = parts[index];
    part.bytes = roundedUp(part.bytes, line);
    for (const Part *other : placed) {
      if (other->last < part.first || part.last < other->first) continue;
      if (part.offset + part.bytes <= other->offset) break;
      part.offset = std::max(part.offset, other->offset + other->bytes);
    }
    all = std::max(all, part.offset + part.bytes);
    const auto next = std::upper_bound(placed.begin(), placed.end(), &part,
                                       [](const Part *a, const Part *b) { return a->offset < b->offset; });
    placed.insert(next, &part);
  }
  return all;
}
