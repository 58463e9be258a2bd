// A node of a scheduled mesh: router, processor and the queues between them. Plain C++.
#pragma once

#include "models/scheduled/barriers.h"
#include "models/scheduled/interface.h"
#include "models/scheduled/processor_core.h"
#include "models/scheduled/router_core.h"

namespace tessera::scheduled {

struct NodeCore {
  NodeCore(const Program& program, NodeId at, Barriers& barriers, observe::EventStream* events,
           WordChecker* checker)
      : interface(program.nodes[at], program.rules),
        router(program, at, interface, events, checker),
        processor(program, at, interface, router, barriers, observe::Probe(events, at)) {}
  NodeCore(const NodeCore&) = delete;
  NodeCore& operator=(const NodeCore&) = delete;

  Interface interface;
  RouterCore router;
  ProcessorCore processor;
};

}  // namespace tessera::scheduled
