// Command line of the platform executables (docs/running.md): the options they have in
// common.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cli {

struct Options {
  std::string program;
  std::string preset;
  std::string config_file;
  std::vector<std::string> sets;               ///< KEY=VALUE, in order
  std::map<std::string, std::int64_t> params;  ///< --param NAME=VALUE
  std::map<std::string, double> reals;         ///< .. of executables that run PTO: other numbers
  std::string structure = "auto";
  std::map<std::string, std::string> inputs;  ///< array name -> .npy file
  std::map<std::string, std::string> outputs;
  std::string report_file;
  bool report_detail = false;
  bool quiet = false;
  bool progress = false;
  std::string trace_perfetto_file;
  std::string trace_wse_file;
  std::string vcd_file;
  std::string heatmap_file;
  std::string heatmap_counter;
  std::string quantum = "1us";  ///< of executables with a temporally decoupled host
  std::string schedules_file;   ///< of executables that make schedules
  std::string pto_unknown;      ///< of executables that run PTO programs, and the next one
  std::string hazards = "warn";
  std::optional<Cycle> max_cycles;
  std::optional<double> timeout_s;
  std::uint64_t seed = 1;
  bool shuffle_step_order = false;
  bool check_links = false;
  bool check_epochs = false;
  bool no_data = false;  ///< of executables that run PTO: timing only
  bool validate = false;
  bool print_config = false;
};

/// What an executable says about itself in --help.
struct Executable {
  std::string name;
  std::string platform;      ///< "wse", as reports name it
  std::string purpose;       ///< one line
  std::string program_kind;  ///< "layout (JSON)"
  std::vector<std::string> presets;
  std::vector<std::string> structures;
  std::string default_preset;
  bool makes_schedules = false;  ///< it has the option --schedules
  bool runs_pto = false;         ///< it has the options --no-data, --pto-unknown and --hazards
  bool has_quantum = false;      ///< it has the option --quantum
  bool has_no_data = false;      ///< it has the option --no-data
};

/// Reads the command line. No value: --help or --version was asked for and has been printed to
/// `out`. Throws UserError for what cannot be accepted.
std::optional<Options> parse(int argc, const char* const* argv, const Executable& executable,
                             std::ostream& out);

}  // namespace tessera::cli
