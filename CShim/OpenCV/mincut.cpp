// Minimum cuts of graphs, by OpenCV's implementation.
#include "opencv.hpp"

#include <algorithm>
#include <limits>

#include <opencv2/core.hpp>
#include <opencv2/imgproc/detail/gcgraph.hpp>

using cleanplate::opencv::guarded;

namespace {

struct Graph {
  int32_t vertices;
  const int32_t *source;
  const int32_t *sink;
  const cs_edge *edges;
  int32_t count;

  /// What flows from the source to the sink is no more.
  int64_t capacity() const {
    int64_t sum = 0;
    for (int32_t k = 0; k < vertices; k++) sum += std::min(source[k], sink[k]);
    for (int32_t k = 0; k < count; k++) sum += int64_t(edges[k].forth) + edges[k].back;
    return sum;
  }

  template <class Weight> void cut(uint8_t *on_source_side) const {
    // Every edge takes two places.
    cv::detail::GCGraph<Weight> graph{unsigned(vertices), 2 * unsigned(count)};
    for (int32_t k = 0; k < vertices; k++) graph.addVtx();
    for (int32_t k = 0; k < count; k++) {
      graph.addEdges(edges[k].first, edges[k].second, edges[k].forth, edges[k].back);
    }
    for (int32_t k = 0; k < vertices; k++) graph.addTermWeights(k, source[k], sink[k]);
    graph.maxFlow();
    for (int32_t k = 0; k < vertices; k++) on_source_side[k] = graph.inSourceSegment(k) ? 1 : 0;
  }
};

}  // namespace

extern "C" cs_status cs_min_cut(int32_t vertices, const int32_t *source, const int32_t *sink, const cs_edge *edges,
                                int32_t count, uint8_t *on_source_side) {
  return guarded([&] {
    // OpenCV refuses graphs without edges. Where both cost the same, its vertices stay at the source.
    if (count == 0) {
      for (int32_t k = 0; k < vertices; k++) on_source_side[k] = source[k] >= sink[k] ? 1 : 0;
      return;
    }
    const Graph graph{vertices, source, sink, edges, count};
    if (graph.capacity() <= std::numeric_limits<int32_t>::max()) {
      graph.cut<int32_t>(on_source_side);
    } else {
      // Doubles hold whole numbers exactly, but take twice the memory.
      graph.cut<double>(on_source_side);
    }
  });
}
