// Minimum cuts of graphs, by OpenCV's implementation.
#include "opencv.hpp"

#include <opencv2/core.hpp>
#include <opencv2/imgproc/detail/gcgraph.hpp>

using cleanplate::opencv::guarded;

extern "C" cs_status cs_min_cut(int32_t vertices, const int32_t *source, const int32_t *sink, const cs_edge *edges,
                                int32_t count, uint8_t *on_source_side) {
  return guarded([&] {
    // OpenCV refuses graphs without edges. Where both cost the same, its vertices stay at the source.
    if (count == 0) {
      for (int32_t k = 0; k < vertices; k++) on_source_side[k] = source[k] >= sink[k] ? 1 : 0;
      return;
    }
    // Doubles hold whole numbers exactly.
    cv::detail::GCGraph<double> graph{unsigned(vertices), unsigned(count)};
    for (int32_t k = 0; k < vertices; k++) graph.addVtx();
    for (int32_t k = 0; k < count; k++) graph.addEdges(edges[k].from, edges[k].to, edges[k].capacity, 0);
    for (int32_t k = 0; k < vertices; k++) graph.addTermWeights(k, source[k], sink[k]);
    graph.maxFlow();
    for (int32_t k = 0; k < vertices; k++) on_source_side[k] = graph.inSourceSegment(k) ? 1 : 0;
  });
}
