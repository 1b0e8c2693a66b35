// Computes what was planned.
#include "plan.hpp"

#include <memory>
#include <unordered_map>

using namespace cleanplate;
using namespace cleanplate::onednn;

struct cs_workspace {
  dnnl::stream stream{processor()};
  Room room;
  size_t bytes = 0;

  char *holding(size_t wanted) {
    if (bytes < wanted) {
      // The old one goes first.
      bytes = 0;
      room.reset();
      room = onednn::room(wanted);
      bytes = wanted;
    }
    return static_cast<char *>(room.get());
  }
};

extern "C" cs_status cs_workspace_create(cs_workspace **workspace) {
  return onednn::guarded([&] { *workspace = new cs_workspace; });
}

extern "C" void cs_workspace_free(cs_workspace *workspace) { delete workspace; }

extern "C" cs_status cs_network_run(const cs_network_plan *plan, cs_workspace *workspace, const float *input,
                                    float *const *outputs) {
  return onednn::guarded([&] {
    char *const room = workspace->holding(plan->bytes);
    const auto samples = [&](const Operand &operand) -> void * {
      switch (operand.place) {
      case Place::workspace: return room + plan->parts[operand.index].offset;
      case Place::input: return const_cast<float *>(input);
      case Place::output: return outputs[operand.index];
      case Place::kept: break;
      }
      return nullptr;
    };
    std::unordered_map<int, memory> arguments;
    for (const Step &step : plan->steps) {
      arguments.clear();
      for (const Operand &operand : step.operands) {
        arguments.emplace(operand.argument, operand.place == Place::kept
                                                ? operand.kept
                                                : memory(operand.form, processor(), samples(operand)));
      }
      step.compute.execute(workspace->stream, arguments);
    }
    workspace->stream.wait();
  });
}
