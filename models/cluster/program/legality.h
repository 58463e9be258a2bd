// Which instruction may stand in the program of which core (reference ascend.md 1.2, 2.1 to 2.7).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/cluster/cluster_config.h"
#include "models/cluster/program/program.h"

namespace tessera::cluster {

// Ids of what programs do that the documents forbid or leave undefined (reference ascend.md 2, 7).
// What can be seen in the text is refused when the program is loaded (UserError); what depends on
// registers or on other cores stops the run at the instruction (IllegalBehaviour).
inline constexpr const char* kProfileId = "/tessera/cluster/profile";            ///< 2.1
inline constexpr const char* kPipeId = "/tessera/cluster/pipe";                  ///< 1.2, 2.6
inline constexpr const char* kPairId = "/tessera/cluster/pair";                  ///< 1.2
inline constexpr const char* kIdRangeId = "/tessera/cluster/id_range";           ///< 2.1
inline constexpr const char* kUnreachableId = "/tessera/cluster/unreachable";    ///< 2.7
inline constexpr const char* kLaunchId = "/tessera/cluster/launch";              ///< 2.6 rule 7
inline constexpr const char* kDoubleSetId = "/tessera/cluster/double_set";       ///< 2.2
inline constexpr const char* kOverflowId = "/tessera/cluster/counter_overflow";  ///< 2.6 rule 4
inline constexpr const char* kBufferLockId = "/tessera/cluster/buffer_lock";     ///< 2.4
inline constexpr const char* kFftsId = "/tessera/cluster/ffts_base";             ///< 2.6 rule 10
inline constexpr const char* kUnitFlagId = "/tessera/cluster/unit_flag";         ///< 2.5
inline constexpr const char* kSizeId = "/tessera/cluster/size";  ///< sizes, modes, registers, jumps
inline constexpr const char* kAccessId = "/tessera/cluster/access";  ///< 1.3
inline constexpr const char* kScalarId = "/tessera/cluster/scalar";  ///< division by zero
inline constexpr const char* kControlId = "/tessera/cluster/control_registers";  ///< 7
inline constexpr const char* kNoValuesId =
    "/tessera/cluster/no_values";  ///< no rule of a device: the model has no values for it
inline constexpr const char* kTrapId = "/tessera/cluster/trap";  ///< kTrap

/// What is wrong, in words without the place, and the id of the rule.
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
