// Compiles a communication program and runs it on the cores of the mesh, without SystemC, with the
// checker of words and the values that must come out.
#pragma once

#include <functional>
#include <string>

#include "frontends/operators/compiler.h"
#include "frontends/operators/program_reader.h"
#include "models/scheduled/mesh_core.h"
#include "models/scheduled/word_checker.h"

namespace tessera::test {

struct ProgramRun {
  operators::Program program;
  operators::Compiled compiled;
  scheduled::MeshCore::Status status = scheduled::MeshCore::Status::kLimit;
  Cycle cycles = 0;  ///< until the last processor was through
  std::uint64_t findings = 0;
  std::string first_finding;
  std::string first_wait;
  std::string wrong;  ///< first word that is not what it must be

  bool finished() const { return status == scheduled::MeshCore::Status::kFinished; }
  /// All processors are through, no word was caught by a switch, all words are right.
  bool clean() const { return finished() && findings == 0 && wrong.empty(); }
  std::string problem() const;
  const operators::Decision& decision(const std::string& op, std::size_t phase = 0) const;
};

/// Rules of set P0 (numesh.md 6.1) with policy TAG.
operators::Target default_target();

/// `change` may alter what was compiled before it is lowered.
ProgramRun run_program(const std::string& text, const operators::Target& target = default_target(),
                       const std::function<void(operators::Compiled&)>& change = nullptr,
                       Cycle end = 2000000);

/// A program over `mesh` with these operators and this order, both JSON.
std::string program_text(const std::string& mesh, const std::string& operators,
                         const std::string& program, const std::string& more = "");

}  // namespace tessera::test
