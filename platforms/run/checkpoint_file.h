// The file of a checkpoint (docs/checkpoints.md): a header for people and for the comparison with the run that is to
// go on, and the compressed state, both with digests. The same state makes the same bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::run {

struct CheckpointHeader {
  /// What has to be the same where the run goes on, by name: "platform" -> "wse", "structure" -> "dense",
  /// "config fabric.hop_latency" -> "2", "parameter W" -> "16", "program x.tasm" -> digest.
  std::map<std::string, std::string> same;
  /// What is only told: version, commit, program, what recorded.
  std::map<std::string, std::string> told;
  Cycle cycle = 0;  ///< the first cycle that has not been stepped
};

/// What differs between the run that was saved and this one, as a sentence: "the configuration value
/// fabric.hop_latency is 2 in the checkpoint and 3 in this run"; empty: nothing.
std::string difference(const CheckpointHeader& saved, const CheckpointHeader& here);

struct Checkpoint {
  CheckpointHeader header;
  std::vector<std::uint8_t> state;
};

/// Throws UserError where the file cannot be read, is no checkpoint, is of another format or is damaged.
Checkpoint read_checkpoint(const std::string& path);

}  // namespace tessera::run
