// What the pipes of a launch waited for, by reason and source line, and what its MADs achieved
// (docs/waits.md).
#pragma once

#include <string>

#include "models/cluster/machine_view.h"
#include "platforms/ascend/ascend_config.h"
#include "platforms/report/report.h"

namespace tessera::ascend {

/// Summarizes the waits of a launch that has taken `cycles`. Pipes that neither worked nor waited
/// are left out.
void summarize_waits(const cluster::MachineView& machine, const AscendConfig& config, Cycle cycles,
                     report::WaitSummary& summary);
/// The member `compute` of the report: multiply-adds of MADs, and how they compare with what the AICs of
/// the launch can do and with the bytes from and to GM. Has no entries without a MAD.
report::Group compute_group(const cluster::MachineView& machine, const AscendConfig& config,
                            Cycle cycles);
/// What an instruction that `reason` holds back waits for: "wait_flag(M, FIX, id 0)", "room in the
/// queue of a pipe: load(..)".
std::string what_waits_for(const cluster::Instruction& i, cluster::WaitReason reason);
/// What a reason means, for people.
const char* words_of(cluster::WaitReason reason);
/// The pipes of a core that are busy in cycle `now`, in words; empty: none.
std::string busy_pipes(const cluster::AiCore& core, Cycle now);

}  // namespace tessera::ascend
