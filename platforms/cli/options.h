// Command line of the platform executables (docs/running.md): the options that they have in common.
// A platform derives its own options from these.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/observe/scope.h"
#include "platforms/cli/option.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cli {

/// "3,2@500": a place of the machine, by its coordinates, in a cycle.
struct PlaceAndCycle {
  std::vector<int> at;
  Cycle cycle = 0;
};

/// Options of every platform.
struct Options {
  Options() = default;
  Options(const Options&) = delete;  // own_groups refer to the members
  Options& operator=(const Options&) = delete;

  std::string program;
  std::string preset;
  std::string config_file;
  std::vector<std::string> sets;              ///< KEY=VALUE, in order
  std::map<std::string, std::string> params;  ///< --param NAME=VALUE
  std::string structure = "auto";
  std::string report_file;
  bool report_detail = false;
  bool waits = false;
  bool no_waits = false;
  std::optional<PlaceAndCycle> why_at;
  bool quiet = false;
  bool progress = false;
  std::string trace_perfetto_file;
  std::optional<std::uint64_t> serve;  ///< port of the live view
  std::string debug;  ///< "stdio" or the path of a socket: where a debugger is; empty: nobody asked
  std::string live_page_file;
  std::optional<std::uint64_t> trace_from;  ///< cycles that traces show
  std::optional<std::uint64_t> trace_to;
  std::optional<Cycle> max_cycles;
  std::optional<double> timeout_s;
  std::optional<std::uint64_t> seed;
  bool shuffle_step_order = false;
  bool validate = false;
  bool print_config = false;               ///< only MachineOptions has the option
  bool print_schema = false;               ///< only MachineOptions has the option
  std::vector<std::string> files_written;  ///< files that the options write; parse() fills it
  std::map<std::string, std::string> arrays_read;  ///< --input: name -> file; parse() fills it
  /// The options that a platform adds to these, in its constructor.
  std::vector<OptionGroup> own_groups;
  /// The names of the options that were given, by heading of --help; parse() fills it.
  std::map<std::string, std::vector<std::string>> given;
  /// The values of those that decide about results (Option::decides), by name; parse() fills it.
  std::map<std::string, std::vector<std::string>> decisive;

  /// Whether the run is recorded for the live view.
  bool is_recorded() const { return serve.has_value() || !live_page_file.empty(); }
  /// Throws UserError with the sentence `why` if an option under `heading` was given.
  void refuse(const std::string& heading, const std::string& why) const;
  /// The same if one of `names` was given, and if one other than those was.
  void refuse_any(std::initializer_list<const char*> names, const std::string& why) const;
  void refuse_all_but(std::initializer_list<const char*> names, const std::string& why) const;
  /// The seed of --shuffle-step-order; no value: the blocks of a cycle keep their order.
  std::optional<std::uint64_t> step_order_seed() const;
  /// The cycles that traces show. Throws UserError when there are none.
  observe::Scope trace_scope() const;
  /// The parameters of a program that has whole numbers only. Throws UserError for another one.
  std::map<std::string, std::int64_t> whole_params() const;
};

/// Options of the platforms that are one machine and run one program on it.
struct MachineOptions : Options {
  MachineOptions();

  std::map<std::string, std::string> inputs;  ///< array name -> .npy file
  std::map<std::string, std::string> outputs;
  bool print_program = false;
};

/// What an executable says about itself in --help.
struct Executable {
  std::string name;
  std::string platform;      ///< "wse", as reports name it
  std::string purpose;       ///< one line
  std::string program_kind;  ///< "layout (JSON)"
  std::vector<std::string> presets;
  std::vector<std::string> structures;
  std::string default_preset;   ///< empty: the program names it
  std::string example_setting;  ///< for --set
  std::string commit = {};      ///< commit of the sources it was built from; empty: not known
};

/// Reads the command line into `options`. false: --help or --version was asked for and has been
/// printed to `out`. Throws UserError for what cannot be accepted.
bool parse(int argc, const char* const* argv, const Executable& executable, Options& options,
           std::ostream& out);

}  // namespace tessera::cli
