// Compiled communication programs made wrong (numesh.md 3.3, 3.4): a delay one cycle below what the
// run needs, or an echo served before the other branches. The checker finds what that does.
//
// TESSERA_NUMESH_PROGRAMS: programs of each test instead (soak).
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "frontends/operators/compiler.h"
#include "frontends/operators/program_reader.h"
#include "models/scheduled/mesh_core.h"
#include "tests/support/number_from.h"
#include "tests/support/random_program.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::scheduled {
namespace {

constexpr Cycle kEnd = 2000000;

unsigned count_or(unsigned otherwise) {
  return static_cast<unsigned>(tessera::test::number_from("TESSERA_NUMESH_PROGRAMS", otherwise));
}

/// None if the program is refused.
std::optional<Program> compiled(std::uint64_t seed) {
  const ::tessera::test::RandomProgram random = ::tessera::test::random_program(seed);
  try {
    const operators::Program program = operators::read_program_text(random.text, "test.json");
    const operators::Compiled compiled = operators::compile(program, random.target);
    return operators::lower(program, compiled, random.target, operators::map_memory(program));
  } catch (const UserError&) {
    return std::nullopt;
  }
}

/// A task that alone keeps its node in a turn, by its delay.
struct Candidate {
  NodeId node;
  std::size_t turn;
  std::size_t task;
};

/// The first turns of their phases that could end by the delay of a message-bound task.
std::vector<Candidate> candidates(const Program& program) {
  std::vector<Candidate> all;
  for (NodeId n = 0; n < program.nodes.size(); ++n) {
    const Node& node = program.nodes[n];
    for (std::size_t t = 0; t + 1 < node.turns.size(); ++t) {
      const Index phase = node.turns[t].phase;
      const auto same = [&](const Turn& turn) { return turn.phase == phase; };
      const auto here = node.turns.begin() + static_cast<std::ptrdiff_t>(t);
      if (std::any_of(node.turns.begin(), here, same)) continue;
      for (std::size_t k = 0; k < node.phases[phase].tasks.size(); ++k) {
        const Task& task = node.phases[phase].tasks[k];
        if (task.technique == Technique::kMessageBound && task.delay > 0) all.push_back({n, t, k});
      }
    }
  }
  return all;
}

bool continues(const Program& program, StreamId stream) {
  return program.streams[stream].continuing;
}

/// Whether the router of `node` has words that a switch would strand.
bool has_words(const Program& program, const MeshCore& mesh, NodeId node) {
  if (mesh.router(node).words() == 0) return false;
  for (StreamId s = 0; s < program.streams.size(); ++s)
    if (!continues(program, s) && mesh.router(node).words_of(s) > 0) return true;
  return false;
}

/// A barrier or markers decide when the node leaves.
bool waits_for_others(const NodePhase& phase) {
  return phase.barrier || std::any_of(phase.tasks.begin(), phase.tasks.end(), [](const Task& task) {
           return task.technique == Technique::kBarrier || task.technique == Technique::kMarker;
         });
}

/// Runs it and shortens the delay of a candidate so that its node is told to switch in the last
/// cycle at whose end it still has words. False: there is none that needs its delay.
bool shorten_a_delay(Program& program) {
  const std::vector<Candidate> all = candidates(program);
  if (all.empty()) return false;
  program.rules.load_cycles = 0;  // a node that waits for its next schedule needs no delay
  std::vector<Cycle> last_busy(all.size(), 0);
  MeshCore mesh(program);
  while (mesh.run(mesh.now() + 1) == MeshCore::Status::kLimit && mesh.now() < kEnd) {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (mesh.processor(all[i].node).turn() == all[i].turn &&
          has_words(program, mesh, all[i].node))
        last_busy[i] = mesh.now() - 1;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Candidate& c = all[i];
    Node& node = program.nodes[c.node];
    NodePhase& phase = node.phases[node.turns[c.turn].phase];
    const Cycle returned = mesh.processor(c.node).returned_at(c.turn, c.task);
    if (returned == kNever || waits_for_others(phase)) continue;
    Cycle others = phase.not_before;
    for (std::size_t k = 0; k < phase.tasks.size(); ++k) {
      if (k == c.task || phase.tasks[k].technique == Technique::kContinuing) continue;
      const bool delays = phase.tasks[k].technique == Technique::kMessageBound;
      others = std::max(others, mesh.processor(c.node).returned_at(c.turn, k) +
                                    (delays ? phase.tasks[k].delay : 0));
    }
    const Cycle tell_at = last_busy[i];  // to switch
    if (std::max(others, returned) + phase.delay > tell_at) continue;
    phase.tasks[c.task].delay = tell_at - phase.delay - returned;
    return true;
  }
  return false;
}

TEST(ScheduledMutation, ADelayOneCycleTooShortIsFound) {
  const unsigned programs = count_or(60);
  unsigned shortened = 0;
  for (std::uint64_t seed = 9000000; seed < 9000000 + programs; ++seed) {
    std::optional<Program> program = compiled(seed);
    if (!program || !shorten_a_delay(*program)) continue;
    ++shortened;
    WordChecker checker(*program);
    MeshCore mesh(*program, nullptr, &checker);
    mesh.run(kEnd);
    EXPECT_GT(checker.count(WordChecker::Kind::kStranded), 0U) << "seed " << seed;
  }
  EXPECT_GT(shortened, programs / 20);
}

/// Serves the echoes of sources before their other branches, in the slots that they had. False:
/// there are none.
bool echoes_first(Program& program) {
  bool any = false;
  for (Node& node : program.nodes) {
    for (Schedule& schedule : node.schedules) {
      for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
        Transfer& transfer = schedule.transfers[t];
        const std::size_t last = transfer.branches.size() - 1;
        if (transfer.source.kind != End::Kind::kOutput || last == 0 ||
            transfer.branches[last].kind != End::Kind::kInput)
          continue;
        std::rotate(transfer.branches.begin(), transfer.branches.end() - 1,
                    transfer.branches.end());
        for (Slot& slot : schedule.slots)
          if (slot.transfer == t)
            slot.branch = static_cast<std::uint8_t>(slot.branch == last ? 0 : slot.branch + 1);
        any = true;
      }
    }
  }
  return any;
}

TEST(ScheduledMutation, EchoesServedFirstAreFoundWhenTheyDoHarm) {
  const unsigned programs = count_or(120);
  unsigned changed = 0, found = 0;
  for (std::uint64_t seed = 9500000; seed < 9500000 + programs; ++seed) {
    std::optional<Program> program = compiled(seed);
    if (!program || !echoes_first(*program)) continue;
    ++changed;
    WordChecker checker(*program);
    MeshCore mesh(*program, nullptr, &checker);
    const bool finished = mesh.run(kEnd) == MeshCore::Status::kFinished;
    // Without a finding the change did no harm, or the processors wait for echoes and words in a
    // ring before anybody has switched, which the report names.
    if (!finished && checker.total() == 0) {
      observe::Waits waits;
      mesh.describe_waits(waits);
      EXPECT_TRUE(std::any_of(waits.begin(), waits.end(),
                              [](const observe::Wait& wait) {
                                return wait.what.find("nobody reads it") != std::string::npos;
                              }))
          << "seed " << seed;
    }
    found += checker.total() > 0 ? 1 : 0;
  }
  EXPECT_GT(changed, programs / 10);
  EXPECT_GT(found, changed / 10);
}

}  // namespace
}  // namespace tessera::scheduled
