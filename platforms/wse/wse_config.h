// Configuration of a WSE machine: what a preset (platforms/wse/presets/*.json) or a config file
// gives. docs/configuration.md explains every key.
#pragma once

#include <string>
#include <vector>

#include "frontends/csl/host_room.h"
#include "models/fabric/fabric_timing.h"
#include "models/pe/pe_timing.h"
#include "platforms/config/load.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::wse {

enum class MemcpyProfile : std::uint8_t { kSimulator, kSilicon };

/// What commands cost on a CS-3 and its host, as published (wse_timing_3.md C5): the rows of a copy share the
/// channels, and each command has a latency that has nothing to do with the wafer.
struct SiliconMemcpy {
  unsigned launch_cycles = 415000;
  unsigned copy_cycles = 323000;
  unsigned channels = 16;
  unsigned percent_in = 591, percent_out = 591;  ///< 1/100 cycle a word and channel
};

/// How the words of one copy move.
struct CopyPace {
  unsigned held = 0;     ///< cycles that the copy takes of the main thread of a PE
  unsigned apart = 0;    ///< cycles from a PE to the next one on its channel
  unsigned ends = 0;     ///< cycles from a PE taking the copy until its last word has moved
  std::size_t rows = 1;  ///< of the copy that share a channel
};

/// What commands of the host cost (csl.md 11, wse_timing_3.md C5). The vendor's transport is not published: these are the
/// costs of an idealised one. The words of a copy pass through the channels of the program, whose rows share them. Words to the
/// PEs follow each other; of words from the PEs each PE sends one in turn, for which it needs a time of its own.
struct MemcpyTiming {
  MemcpyProfile profile = MemcpyProfile::kSimulator;
  SiliconMemcpy silicon;
  unsigned command_cycles =
      160;                     ///< from the end of a command until PEs may take a launch or stream
  unsigned copy_cycles = 308;  ///< the same of a copy
  unsigned out_word_cycles = 52;  ///< of a PE, for each word that it copies out
  unsigned start_cycles = 490;    ///< once, before the first command: program and transport start
  unsigned words_per_cycle = 1;   ///< words per cycle of a channel
  unsigned hop_cycles = 1;        ///< from a column of the rectangle to the next
  /// Bytes of each PE that a program with transfers cannot use, beside its task table.
  unsigned reserved_bytes = csl::kHostTransferBytes;

  bool is_silicon() const { return profile == MemcpyProfile::kSilicon; }
  /// From the end of a command until PEs may take a launch.
  unsigned before_launch() const { return is_silicon() ? silicon.launch_cycles : command_cycles; }
  /// The same of a copy.
  unsigned before_copy() const { return is_silicon() ? silicon.copy_cycles : copy_cycles; }
  /// The pace of a copy of `words` for each of `columns` x `rows` PEs, of a program with `channels` for `all_rows` rows.
  CopyPace pace(std::size_t words, std::size_t columns, std::size_t rows, std::size_t all_rows,
                unsigned channels, bool into_pes) const;
};

struct WseConfig {
  std::string name;  ///< name of the preset or config file: "wse3"
  Generation generation = Generation::kWse3;
  unsigned clock_period_ps = 1176;  ///< 850 MHz (wse.md 11)
  unsigned max_width = 762;         ///< tiles (wse.md 1.12)
  unsigned max_height = 1172;       ///< tiles
  fabric::FabricTiming fabric;
  unsigned max_filters = 6;                    ///< filters per tile (wse.md 1.7)
  std::vector<unsigned> input_queue_lengths;   ///< wavelets, by queue id (wse.md 2.1)
  std::vector<unsigned> output_queue_lengths;  ///< wavelets, by queue id
  unsigned queue_write_latency = 1;  ///< cycles: CE writes a wavelet -> the on-ramp may take it
  pe::PeTiming pe;
  MemcpyTiming memcpy;
  config::Loaded loaded;  ///< where each value comes from
};

/// The keys of a WSE configuration. The schema refers to `config`, which must outlive it.
config::Schema wse_schema(WseConfig& config);

/// Preset or file (one of them; the other empty), then overrides "KEY=VALUE", then the checks that
/// concern several keys: queue counts of the generation (wse.md 2.1). Throws UserError.
WseConfig load_wse_config(const std::string& preset, const std::string& file,
                          const std::vector<std::string>& overrides = {});

}  // namespace tessera::wse
