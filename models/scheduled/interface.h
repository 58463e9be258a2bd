// The processor interface of a node (reference numesh.md 1.4): several addresses, a queue each.
#pragma once

#include <vector>

#include "models/scheduled/interface_queue.h"
#include "models/scheduled/program.h"

namespace tessera::scheduled {

struct Interface {
  std::vector<InterfaceQueue> outputs;  ///< processor to router
  std::vector<InterfaceQueue> inputs;   ///< router to processor

  Interface(const Node& node, const Rules& rules) {
    for (const Address& a : node.outputs)
      outputs.emplace_back(a.depth != 0 ? a.depth : rules.output_depth);
    for (const Address& a : node.inputs)
      inputs.emplace_back(a.depth != 0 ? a.depth : rules.input_depth);
  }
};

}  // namespace tessera::scheduled
