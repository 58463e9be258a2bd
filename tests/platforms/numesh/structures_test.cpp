// Random communication programs in modules and in one structure: the same events in the same
// cycles, the same words in the memories.
//
// TESSERA_NUMESH_PROGRAMS: programs of the test instead (soak), but at most kMostAtOnce.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/observe/event_stream.h"
#include "models/scheduled/mesh.h"
#include "models/timing/clock_domain.h"
#include "tests/platforms/numesh/mesh_programs.h"

namespace tessera::numesh {
namespace {

using scheduled::SkewPolicy;

using mesh_programs::compiled;
using mesh_programs::count_or;

/// One program in a clock domain of its own.
struct Simulation {
  Simulation(const std::string& name, const scheduled::Program& program, bool modules,
             std::uint64_t shuffle)
      : domain((name + "_clock").c_str(), 1000),
        events(static_cast<unsigned>(program.nodes.size()), 1, false), checker(program) {
    if (shuffle != 0) domain.shuffle_step_order(shuffle);
    if (modules) {
      auto made =
          std::make_unique<scheduled::NodeMesh>(name.c_str(), domain, program, &events, &checker);
      view = made.get();
      mesh = std::move(made);
    } else {
      auto made =
          std::make_unique<scheduled::Mesh>(name.c_str(), domain, program, &events, &checker);
      view = &made->core();
      mesh = std::move(made);
    }
  }
  timing::ClockDomain domain;
  observe::EventStream events;
  scheduled::WordChecker checker;
  std::unique_ptr<sc_core::sc_module> mesh;
  const scheduled::MeshView* view = nullptr;
};

struct Pair {
  std::uint64_t seed;
  std::unique_ptr<scheduled::Program> program;
  std::unique_ptr<Simulation> dense, modules;
};

void expect_equal(const Pair& pair) {
  SCOPED_TRACE("seed " + std::to_string(pair.seed));
  const scheduled::MeshView& dense = *pair.dense->view;
  const scheduled::MeshView& modules = *pair.modules->view;
  ASSERT_TRUE(dense.finished());
  ASSERT_TRUE(modules.finished());
  EXPECT_EQ(modules.finished_at(), dense.finished_at());
  EXPECT_EQ(pair.modules->events.digest().hex(), pair.dense->events.digest().hex());
  EXPECT_EQ(pair.modules->checker.total(), pair.dense->checker.total());
  for (scheduled::NodeId node = 0; node < dense.size(); ++node)
    EXPECT_EQ(modules.processor(node).memory(), dense.processor(node).memory()) << node;
}

TEST(NumeshStructures, MixedProgramsGiveTheSameEvents) {
  constexpr std::array<SkewPolicy, 4> kPolicies = {SkewPolicy::kTag, SkewPolicy::kBarrier,
                                                   SkewPolicy::kHold, SkewPolicy::kCheck};
  std::vector<Pair> pairs;
  const unsigned count = count_or(120);
  for (std::uint64_t seed = 9000000; pairs.size() < count; ++seed) {
    Pair pair{seed, compiled(seed, kPolicies[seed % kPolicies.size()]), nullptr, nullptr};
    if (!pair.program) continue;
    const std::string name = "m" + std::to_string(seed);
    pair.dense = std::make_unique<Simulation>(name + "_dense", *pair.program, false, 0);
    pair.modules = std::make_unique<Simulation>(name + "_modules", *pair.program, true, seed);
    pairs.push_back(std::move(pair));
  }
  sc_core::sc_start();
  for (const Pair& pair : pairs) expect_equal(pair);
}

}  // namespace
}  // namespace tessera::numesh
