// A scheduled mesh in both structures, a module a node and all nodes in one: a reduction and a prefix
// on six nodes, compiled here. Both must give what the operators mean, in the same cycles.
#include <systemc>

#include <iostream>

#include "frontends/operators/compiler.h"
#include "frontends/operators/program_reader.h"
#include "models/scheduled/mesh.h"
#include "models/scheduled/word_checker.h"
#include "platforms/cli/main.h"
#include "platforms/numesh/numesh_config.h"

using namespace tessera;

namespace {

const char* const kProgram = R"({
  "schema": "tessera-numesh-program-1",
  "mesh": [6],
  "arrays": {"v": {"words": 8, "init": "10 * node + k"}},
  "operators": {
    "total": {"kind": "reduce", "to": 0, "nodes": "all", "words": 8, "in": "v", "combine": "sum"},
    "scan":  {"kind": "prefix", "nodes": "all", "words": 8, "in": "v", "combine": "sum"}
  },
  "program": {"sequential": ["total", "scan"], "phases": "separate"}
})";

/// Whether every node holds what it must.
bool is_right(const scheduled::MeshView& mesh, const operators::Memory& expected,
              std::uint32_t first, std::uint32_t count) {
  for (scheduled::NodeId node = 0; node < mesh.size(); ++node) {
    const std::vector<std::uint32_t>& memory = mesh.processor(node).memory();
    for (std::uint32_t k = first; k < first + count; ++k)
      if (memory[k] != expected[node][k]) return false;
  }
  return true;
}

int run() {
  const numesh::NumeshConfig config = numesh::load_numesh_config("numesh", "");
  const operators::Program program = operators::read_program_text(kProgram, "my_mesh");
  const operators::Compiled compiled = operators::compile(program, config.target);
  const operators::MemoryMap map = operators::map_memory(program);
  const scheduled::Program lowered = operators::lower(program, compiled, config.target, map);
  scheduled::WordChecker words(lowered), same_words(lowered);
  timing::ClockDomain clock("clock", config.clock_period_ps);
  scheduled::NodeMesh modules("modules", clock, lowered, nullptr, &words);
  scheduled::Mesh dense("dense", clock, lowered, nullptr, &same_words);
  sc_core::sc_start();
  if (!modules.finished() || !dense.core().finished()) return 1;
  std::cout << modules.finished_at() << " cycles\n";
  const operators::Memory expected = operators::expected_memory(
      program, compiled.plan, map, operators::initial_memory(program, map));
  const auto holds = [&](const scheduled::MeshView& mesh) {
    return is_right(mesh, expected, map.array[0], 8);
  };
  const bool right = holds(modules) && holds(dense.core()) && words.total() == 0 &&
                     modules.finished_at() == dense.core().finished_at();
  return right ? 0 : 1;
}

}  // namespace

int sc_main(int, char*[]) {
  return cli::run_guarded("my_mesh", run);
}
