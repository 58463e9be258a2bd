// Which instruction may stand in the program of which core (reference ascend.md 1.2, 2.1 to 2.7).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/cluster/cluster_config.h"
#include "models/cluster/program/program.h"

namespace tessera::cluster {

/// What is wrong, in words without the place, and the id of the rule (illegal.h).
struct Violation {
  std::string text;
  const char* id;
};

/// Where an instruction runs.
struct Site {
  const ClusterConfig& config;
  const Launch& launch;
  CoreId core;
};

/// Whether the hardware has the flag from `from` to `to` (ascend.md 1.2).
bool has_flag(CoreKind kind, Pipe from, Pipe to);

/// The rules that need no values of registers.
std::optional<Violation> find_violation(const Instruction& instruction, const Site& site);
/// The rules about the id of a sync operation, `id`.
std::optional<Violation> find_id_violation(const Instruction& instruction, std::int64_t id,
                                           const Site& site);

/// Throws UserError with file and line of the first instruction of `program` that may not stand in
/// it: find_violation, and find_id_violation for ids that are no registers; jumps, registers, texts,
/// operations and arrays that do not exist.
void check_program(const Program& program, const Site& site);
/// Throws UserError with file and line of the first instruction whose value only the data of a machine
/// knows (kLoadScalar).
void check_needs_no_data(const Program& program);

}  // namespace tessera::cluster
