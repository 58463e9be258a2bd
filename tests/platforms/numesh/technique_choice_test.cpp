// The choice of techniques by predicted totals: predicted against simulated, and against every technique
// by itself, on the examples and on random programs.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>

#include "frontends/operators/program_reader.h"
#include "models/scheduled/mesh_core.h"
#include "models/scheduled/word_checker.h"
#include "platforms/numesh/numesh_config.h"
#include "platforms/numesh/technique_choice.h"
#include "tests/support/random_program.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::numesh {
namespace {

using operators::Technique;

constexpr std::array<Technique, 4> kSingles = {Technique::kMessage, Technique::kProcessor,
                                               Technique::kMarker, Technique::kBarrier};

/// Cycles of the run; none if it does not end or catches words.
std::optional<Cycle> simulated(const operators::Program& program,
                               const operators::Compiled& compiled,
                               const operators::Target& target) {
  const scheduled::Program lowered =
      operators::lower(program, compiled, target, operators::map_memory(program));
  scheduled::WordChecker words(lowered);
  scheduled::MeshCore mesh(lowered, nullptr, &words);
  const bool finished = mesh.run(kNever) == scheduled::MeshCore::Status::kFinished;
  if (!finished || words.total() > 0) return std::nullopt;
  return mesh.finished_at();
}

/// The program with one technique for every operator that leaves the choice to the compiler.
std::optional<Cycle> with_single(operators::Program program, Technique technique,
                                 const operators::Target& target) {
  for (operators::Operator& op : program.operators) {
    if (op.technique == Technique::kAuto && op.kind != operators::Kind::kOnline)
      op.technique = technique;
  }
  try {
    return simulated(program, operators::compile(program, target), target);
  } catch (const UserError&) {  // messages that are too short, or no slots
    return std::nullopt;
  }
}

/// `slack`: percent by which the prediction and the choice may be off.
void expect_fastest(const operators::Program& program, const operators::Target& target,
                    Cycle slack) {
  const TechniqueChoice choice = choose_techniques(program, target);
  const std::optional<Cycle> cycles = simulated(program, choice.compiled, target);
  if (!choice.predicted) return;
  ASSERT_TRUE(cycles);
  EXPECT_GE(*cycles * (100 + slack), *choice.predicted * 100);
  EXPECT_LE(*cycles * 100, *choice.predicted * (100 + slack));
  for (const Technique technique : kSingles) {
    const std::optional<Cycle> single = with_single(program, technique, target);
    if (single) {
      EXPECT_LE(*cycles * 100, *single * (100 + slack)) << operators::to_string(technique);
    }
  }
}

struct Example {
  const char* name;
  std::map<std::string, std::int64_t> params;
  Cycle slack = 0;  ///< 0: the prediction plays the whole program
};

TEST(NumeshTechniqueChoice, NoExampleIsFasterWithOneTechnique) {
  const std::array<Example, 12> examples = {{{"tour", {}},
                                             {"tour", {{"N", 12}, {"M", 4}}},
                                             {"tour", {{"M", 200}}},
                                             {"tour", {{"M", 20000}}, 1},
                                             {"jacobi", {}},
                                             {"jacobi", {{"W", 16}, {"H", 16}}},
                                             {"jacobi", {{"M", 64}}},
                                             {"jacobi", {{"M", 1000}}, 1},
                                             {"two_phases", {}},
                                             {"ring_right", {}},
                                             {"online", {}},
                                             {"continuing", {}}}};
  const NumeshConfig config = load_numesh_config("numesh", "");
  for (const Example& example : examples) {
    SCOPED_TRACE(example.name);
    const std::string file = TESSERA_SOURCE_DIR "/examples/numesh/" + std::string(example.name);
    expect_fastest(operators::read_program(file + ".json", example.params), config.target,
                   example.slack);
  }
}

// Random operators, groups, machines, starts and interruptions.
TEST(NumeshTechniqueChoice, NoRandomProgramIsFasterWithOneTechnique) {
  unsigned chosen = 0;
  for (std::uint64_t seed = 4200000; seed < 4200150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::RandomProgram random = test::random_mixed_program(seed);
    try {
      const operators::Program program = operators::read_program_text(random.text, "test.json");
      expect_fastest(program, random.target, 0);
      ++chosen;
    } catch (const UserError&) {  // many random programs are refused
    }
  }
  EXPECT_GT(chosen, 60U);
}

}  // namespace
}  // namespace tessera::numesh
