// Random communication programs, saved at random cycles and restored into a new mesh of either structure: the same events, the
// same words, waits and findings as without that.
//
// TESSERA_NUMESH_PROGRAMS: programs of the test instead (soak), but at most kMostAtOnce.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <systemc>
#include <vector>

#include "models/observe/event_stream.h"
#include "models/scheduled/mesh.h"
#include "models/state/archive.h"
#include "models/timing/clock_domain.h"
#include "platforms/run/events_state.h"
#include "tests/platforms/numesh/mesh_programs.h"

namespace tessera::numesh {
namespace {

using scheduled::SkewPolicy;
using Bytes = std::vector<std::uint8_t>;

using mesh_programs::compiled;
using mesh_programs::count_or;

/// What a run has come to.
struct Outcome {
  Outcome(const scheduled::Program& program, const scheduled::MeshView& mesh,
          const observe::EventStream& events, const scheduled::WordChecker& checker)
      : digest(events.digest().hex()), counts(events.counters().state().totals),
        finished_at(mesh.finished_at()) {
    for (const auto& finding : checker.findings()) findings.push_back(checker.text(finding));
    for (scheduled::NodeId n = 0; n < mesh.size(); ++n) {
      const scheduled::ProcessorCore& processor = mesh.processor(n);
      memories.push_back(processor.memory());
      words.push_back(processor.words_read());
      words.push_back(processor.words_written());
      for (const auto& line : processor.waits().lines(finished_at)) words.push_back(line.cycles);
    }
    observe::Waits all(1000);
    mesh.describe_waits(program, all, finished_at);
    for (const observe::Wait& wait : all) waits.push_back(wait.who + ": " + wait.what);
  }
  void expect_equal(const Outcome& other) const {
    EXPECT_EQ(digest, other.digest);
    EXPECT_EQ(counts, other.counts);
    EXPECT_EQ(finished_at, other.finished_at);
    EXPECT_EQ(findings, other.findings);
    EXPECT_EQ(memories, other.memories);
    EXPECT_EQ(words, other.words);
    EXPECT_EQ(waits, other.waits);
  }

  std::string digest;
  std::vector<std::uint64_t> counts;
  Cycle finished_at;
  std::vector<std::string> findings, waits;
  std::vector<std::vector<std::uint32_t>> memories;
  std::vector<std::uint64_t> words;
};

/// A mesh without modules.
struct Plain {
  explicit Plain(const scheduled::Program& of)
      : program(of), events(static_cast<unsigned>(of.nodes.size()), 1, false), checker(of),
        mesh(of, &events, &checker) {}
  void visit(state::Archive& archive, Cycle next) {
    mesh.visit(archive, next);
    run::visit_events(archive, events);
    archive(checker);
  }
  Bytes saved(Cycle next) {
    state::Archive archive;
    visit(archive, next);
    return archive.take_bytes();
  }
  void restore(const Bytes& bytes, Cycle next) {
    state::Archive archive(bytes);
    visit(archive, next);
    archive.finish();
  }
  Outcome outcome() const { return {program, mesh, events, checker}; }

  const scheduled::Program& program;
  observe::EventStream events;
  scheduled::WordChecker checker;
  scheduled::MeshCore mesh;
};

/// The same with a module for each node.
struct Modules {
  Modules(const std::string& name, const scheduled::Program& of)
      : program(of), domain((name + "_clock").c_str(), 1000),
        events(static_cast<unsigned>(of.nodes.size()), 1, false), checker(of),
        mesh(name.c_str(), domain, of, &events, &checker) {
    domain.set_bound(0);
  }
  void restore(const Bytes& bytes, Cycle next) {
    state::Archive archive(bytes);
    mesh.visit(archive, next);
    run::visit_events(archive, events);
    archive(checker);
    archive.finish();
    domain.set_bound(kNever);
  }

  const scheduled::Program& program;
  timing::ClockDomain domain;
  observe::EventStream events;
  scheduled::WordChecker checker;
  scheduled::NodeMesh mesh;
};

struct Saved {
  std::uint64_t seed;
  std::unique_ptr<scheduled::Program> program;
  std::unique_ptr<Outcome> whole;
  Cycle saved_before = 0;
  Bytes state;
  std::unique_ptr<Modules> modules;
};

/// Saves and restores at some cycles; the last state stays in `run`.
void check_plain(Saved& run) {
  SCOPED_TRACE("seed " + std::to_string(run.seed));
  Plain whole(*run.program);
  constexpr Cycle kEnd = 1 << 20;
  whole.mesh.run(kEnd);
  run.whole = std::make_unique<Outcome>(whole.outcome());
  std::mt19937_64 draw(run.seed);
  Plain goes_on(*run.program);
  for (unsigned i = 1; i <= 3; ++i) {
    const Cycle next = i * whole.mesh.now() / 4 + draw() % (whole.mesh.now() / 4 + 1);
    if (next <= run.saved_before || next >= whole.mesh.now()) continue;
    goes_on.mesh.run(next);
    run.state = goes_on.saved(next);
    run.saved_before = next;
    Plain restored(*run.program);
    restored.restore(run.state, next);
    EXPECT_EQ(restored.saved(next), run.state) << "saved again before cycle " << next;
    restored.mesh.run(kEnd);
    restored.outcome().expect_equal(*run.whole);
  }
  goes_on.mesh.run(kEnd);
  goes_on.outcome().expect_equal(*run.whole);
}

TEST(NumeshCheckpoints, MixedProgramsGoOnAsIfNothingHadHappened) {
  constexpr std::array<SkewPolicy, 4> kPolicies = {SkewPolicy::kTag, SkewPolicy::kBarrier,
                                                   SkewPolicy::kHold, SkewPolicy::kCheck};
  std::vector<Saved> runs;
  const unsigned count = count_or(100);
  for (std::uint64_t seed = 8000000; runs.size() < count; ++seed) {
    Saved run;
    run.seed = seed;
    run.program = compiled(seed, kPolicies[seed % kPolicies.size()]);
    if (!run.program) continue;
    check_plain(run);
    if (run.saved_before == 0) continue;
    run.modules = std::make_unique<Modules>("c" + std::to_string(seed), *run.program);
    runs.push_back(std::move(run));
  }
  do sc_core::sc_start(sc_core::SC_ZERO_TIME);  // each domain pauses at its bound
  while (sc_core::sc_pending_activity_at_current_time());
  for (Saved& run : runs) {
    SCOPED_TRACE("seed " + std::to_string(run.seed));
    run.modules->restore(run.state, run.saved_before);
  }
  while (std::any_of(runs.begin(), runs.end(),
                     [](const Saved& run) { return !run.modules->domain.idle(); }))
    sc_core::sc_start();
  for (const Saved& run : runs) {
    SCOPED_TRACE("seed " + std::to_string(run.seed));
    const Modules& of = *run.modules;
    Outcome(of.program, of.mesh, of.events, of.checker).expect_equal(*run.whole);
  }
}

}  // namespace
}  // namespace tessera::numesh
