#include "platforms/cli/options.h"

#include <boost/program_options.hpp>
#include <boost/version.hpp>
#include <systemc>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <ostream>
#include <system_error>

#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::cli {

namespace {

namespace po = boost::program_options;

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// One raw list per repeatable option; they are split after parsing.
struct Raw {
  std::vector<std::string> params;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::string max_cycles;
  std::string timeout_s;
  std::string seed;
};

po::options_description describe_run(Options& o, Raw& raw, const Executable& executable) {
  po::options_description group("What to run");
  auto add = group.add_options();
  add("program", po::value(&o.program)->value_name("FILE"),
      ("the program: a " + executable.program_kind + "; also the first positional argument")
          .c_str());
  add("preset", po::value(&o.preset)->value_name("NAME"),
      ("machine: " + join(executable.presets) +
       (executable.default_preset.empty() ? "" : " (default " + executable.default_preset + ")"))
          .c_str());
  add("config", po::value(&o.config_file)->value_name("FILE"),
      "machine from a file instead of a preset");
  add("set", po::value(&o.sets)->value_name("KEY=VALUE")->composing(),
      ("override one config value, e.g. --set " +
       std::string(executable.runs_pto ? "launch.clusters=24" : "fabric.hop_latency=3") +
       " (repeatable)")
          .c_str());
  add("param", po::value(&raw.params)->value_name("NAME=VALUE")->composing(),
      "set a parameter of the program, e.g. --param W=16 (repeatable)");
  add("structure", po::value(&o.structure)->value_name("NAME")->default_value(o.structure),
      ("how the machine is built: " + join(executable.structures)).c_str());
  add("input", po::value(&raw.inputs)->value_name("NAME=FILE.npy")->composing(),
      "host array in, e.g. --input A=A.npy (repeatable)");
  add("output", po::value(&raw.outputs)->value_name("NAME=FILE.npy")->composing(),
      "host array out, e.g. --output y=y.npy (repeatable)");
  if (executable.has_quantum) {
    add("quantum", po::value(&o.quantum)->value_name("TIME")->default_value(o.quantum),
        "how far the host may run ahead of the simulation, e.g. --quantum 100ns");
  }
  if (executable.runs_pto || executable.has_no_data)
    add("no-data", po::bool_switch(&o.no_data), "timing only: tiles and arrays have no contents");
  if (executable.runs_pto) {
    add("pto-unknown", po::value(&o.pto_unknown)->value_name("cost:N[,PIPE]"),
        "run operations that are not known as N cycles of a pipe (default V, on AICs M), "
        "e.g. --pto-unknown=cost:100,V");
    add("hazards", po::value(&o.hazards)->value_name("KIND")->default_value(o.hazards),
        "two operations on the same bytes that nothing orders: warn, error (exit 4), off");
  }
  return group;
}

/// Where options of the fabric go: the platforms of other machines take them to refuse them with a
/// reason, and do not show them.
po::options_description_easy_init add_of_fabric(po::options_description& group,
                                                po::options_description& hidden,
                                                const Executable& executable) {
  const bool hides = executable.platform == "ascend" || executable.platform == "numesh";
  return (hides ? hidden : group).add_options();
}

po::options_description describe_results(Options& o, const Executable& executable,
                                         po::options_description& hidden) {
  po::options_description group("What to show");
  auto add = group.add_options();
  add("report", po::value(&o.report_file)->value_name("FILE.json"),
      "write the result as data, e.g. --report r.json");
  add("report-detail", po::bool_switch(&o.report_detail),
      "with --report: counters of every place too");
  add("quiet", po::bool_switch(&o.quiet), "print nothing but errors");
  add("progress", po::bool_switch(&o.progress),
      "on a terminal: cycle, pace and time left of runs over two seconds");
  add("trace-perfetto", po::value(&o.trace_perfetto_file)->value_name("FILE"),
      "trace for ui.perfetto.dev, e.g. --trace-perfetto t.json (1 us = 1 cycle)");
  auto add_here = add_of_fabric(group, hidden, executable);
  add_here("trace-wse", po::value(&o.trace_wse_file)->value_name("FILE"),
           "text trace in the form of the vendor's simulator, e.g. --trace-wse sim.log");
  add_here("vcd", po::value(&o.vcd_file)->value_name("FILE"),
           "wave form of tasks and links, e.g. --vcd w.vcd");
  add_here("heatmap", po::value(&o.heatmap_file)->value_name("FILE.svg"),
           "picture of where the time went, e.g. --heatmap h.svg");
  add_here("heatmap-counter", po::value(&o.heatmap_counter)->value_name("NAME"),
           "counter that the heat map shows (default: busy issue cycles)");
  if (executable.makes_schedules) {
    add("schedules", po::value(&o.schedules_file)->value_name("FILE"),
        "write the compiled schedules as tables, e.g. --schedules s.txt, or /dev/stdout");
  }
  return group;
}

po::options_description describe_bounds(Options& o, Raw& raw, const Executable& executable,
                                        po::options_description& hidden) {
  po::options_description group("Bounds and checks");
  auto add = group.add_options();
  add("max-cycles", po::value(&raw.max_cycles)->value_name("N"),
      "stop before cycle N with a diagnosis, exit 4");
  add("timeout", po::value(&raw.timeout_s)->value_name("SECONDS"),
      "stop after this wall time with a diagnosis, exit 4");
  add("seed", po::value(&raw.seed)->value_name("N"), "seed of --shuffle-step-order (default 1)");
  add("shuffle-step-order", po::bool_switch(&o.shuffle_step_order),
      "step the blocks of a cycle in random order; results must not change");
  auto add_here = add_of_fabric(group, hidden, executable);
  add_here("check-links", po::bool_switch(&o.check_links),
           "watch the links between routers and at the rim for broken protocol rules (exit 3)");
  add_here("check-epochs", po::bool_switch(&o.check_epochs),
           "watch for wavelets that a change of a route catches under way (exit 4)");
  add("validate", po::bool_switch(&o.validate), "check program, config and inputs; run nothing");
  add("print-config", po::bool_switch(&o.print_config),
      "print the effective config with its sources");
  return group;
}

std::pair<std::string, std::string> split(const std::string& option, const std::string& text,
                                          const char* form) {
  const std::size_t equal = text.find('=');
  if (equal == std::string::npos || equal == 0 || equal + 1 == text.size()) {
    throw UserError("", "--" + option, "'" + text + "' has not the form " + form);
  }
  return {text.substr(0, equal), text.substr(equal + 1)};
}

// Not left to Boost, which takes -5 for a large number.
std::uint64_t to_whole_number(const std::string& option, const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  throw UserError("", "--" + option, "'" + text + "' is not a whole number of 0 or more");
}

double to_seconds(const std::string& text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error == std::errc() && end == text.data() + text.size() && std::isfinite(seconds) &&
      seconds >= 0) {
    return seconds;
  }
  throw UserError("", "--timeout", "'" + text + "' is not a number of seconds, 0 or more");
}

std::map<std::string, std::string> to_files(const std::string& option,
                                            const std::vector<std::string>& texts) {
  std::map<std::string, std::string> files;
  for (const std::string& text : texts) {
    if (!files.insert(split(option, text, "NAME=FILE.npy")).second) {
      throw UserError("", "--" + option, "'" + text.substr(0, text.find('=')) + "' is given twice");
    }
  }
  return files;
}

/// The number that all of `text` is.
template <class Number>
std::optional<Number> number_in(const std::string& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void read_params(Options& o, const std::vector<std::string>& texts, bool takes_reals) {
  for (const std::string& text : texts) {
    const auto [name, value] = split("param", text, "NAME=VALUE");
    o.params.erase(name);
    o.reals.erase(name);
    const auto real = takes_reals ? number_in<double>(value) : std::nullopt;
    if (const auto whole = number_in<std::int64_t>(value)) {
      o.params[name] = *whole;
    } else if (real && std::isfinite(*real)) {
      o.reals[name] = *real;
    } else {
      throw UserError("", "--param",
                      name + "=" + value + ": the value must be " +
                          (takes_reals ? "a number" : "an integer of 64 bits"));
    }
  }
}

// Boost's own text says what was wrong; for a misspelt option we add the nearest one.
[[noreturn]] void rethrow(const po::error& e, const po::options_description& all) {
  std::string what = e.what();
  if (const auto* unknown = dynamic_cast<const po::unknown_option*>(&e)) {
    std::vector<std::string> names;
    for (const auto& option : all.options()) names.push_back(option->long_name());
    const std::string name = unknown->get_option_name();
    const std::size_t word = name.find_first_not_of('-');
    const std::string nearest_name =
        word == std::string::npos ? "" : nearest(name.substr(word), names);
    what = "unknown option '" + name + "'" +
           (nearest_name.empty() ? "; see --help" : "; did you mean '--" + nearest_name + "'?");
  }
  throw UserError("", "", what);
}

void print_help(std::ostream& out, const Executable& executable,
                const po::options_description& all) {
  out << executable.name << ": " << executable.purpose << "\n\n"
      << "usage: " << executable.name << " PROGRAM [options]\n"
      << all
      << "\nexit codes: 0 finished and checks passed, 1 a check failed, 2 unusable input, 3 "
         "integration mistake,\n"
      << "            4 the program could not finish (deadlock, bound, illegal behaviour), 5 "
         "internal error\n";
}

void check_structure(const Options& o, const Executable& executable) {
  if (std::count(executable.structures.begin(), executable.structures.end(), o.structure) != 0)
    return;
  throw UserError("", "--structure",
                  "'" + o.structure + "' is unknown; allowed: " + join(executable.structures));
}

void check_hazards(const Options& o) {
  if (o.hazards == "warn" || o.hazards == "error" || o.hazards == "off") return;
  throw UserError("", "--hazards", "'" + o.hazards + "' is unknown; allowed: warn, error, off");
}

// A file that is written must not be one that is read, nor be written twice. Devices may.
void check_files(const Options& o) {
  std::map<std::filesystem::path, std::string> used;
  const auto use = [&used](const std::string& file, const std::string& what, bool written) {
    if (file.empty()) return;
    std::error_code error;  // /dev/stdout of a pipe has no canonical path
    const std::filesystem::path path = std::filesystem::weakly_canonical(file, error);
    if (error || path.string().rfind("/dev/", 0) == 0) return;
    const auto [entry, is_new] = used.emplace(path, what);
    if (is_new || !written) return;
    throw UserError("", what, "'" + file + "' is also the file of " + entry->second);
  };
  use(o.program, "--program", false);
  use(o.config_file, "--config", false);
  for (const auto& [name, file] : o.inputs) use(file, "--input " + name, false);
  use(o.report_file, "--report", true);
  use(o.trace_perfetto_file, "--trace-perfetto", true);
  use(o.trace_wse_file, "--trace-wse", true);
  use(o.vcd_file, "--vcd", true);
  use(o.heatmap_file, "--heatmap", true);
  use(o.schedules_file, "--schedules", true);
  for (const auto& [name, file] : o.outputs) use(file, "--output " + name, true);
}

void finish(Options& o, const Raw& raw, const po::variables_map& given,
            const Executable& executable) {
  read_params(o, raw.params, executable.runs_pto);
  o.inputs = to_files("input", raw.inputs);
  o.outputs = to_files("output", raw.outputs);
  if (given.count("max-cycles") != 0) o.max_cycles = to_whole_number("max-cycles", raw.max_cycles);
  if (given.count("timeout") != 0) o.timeout_s = to_seconds(raw.timeout_s);
  if (given.count("seed") != 0) o.seed = to_whole_number("seed", raw.seed);
  check_structure(o, executable);
  check_hazards(o);
  check_files(o);
  if (!o.preset.empty() && !o.config_file.empty()) {
    throw UserError("", "--preset",
                    "give --preset or --config, not both; a config file names its base itself");
  }
  if (o.preset.empty() && o.config_file.empty()) o.preset = executable.default_preset;
  if (o.program.empty() && !o.print_config) {
    throw UserError("", "",
                    "no program given; name a " + executable.program_kind + ", or see --help");
  }
}

}  // namespace

std::optional<Options> parse(int argc, const char* const* argv, const Executable& executable,
                             std::ostream& out) {
  Options options;
  Raw raw;
  po::options_description all, hidden;
  all.add(describe_run(options, raw, executable))
      .add(describe_results(options, executable, hidden))
      .add(describe_bounds(options, raw, executable, hidden));
  po::options_description about("About");
  about.add_options()("help,h", "this text")("version", "version of Tessera, SystemC and Boost");
  all.add(about);
  po::options_description accepted;
  accepted.add(all).add(hidden);
  po::positional_options_description positional;
  positional.add("program", 1);
  po::variables_map given;
  try {
    po::store(
        po::command_line_parser(argc, argv)
            .options(accepted)
            .positional(positional)
            .style(po::command_line_style::default_style & ~po::command_line_style::allow_guessing)
            .run(),
        given);
    po::notify(given);
  } catch (const po::error& e) {
    rethrow(e, all);
  }
  if (given.count("help") != 0) {
    print_help(out, executable, all);
    return std::nullopt;
  }
  if (given.count("version") != 0) {
    out << executable.name << " " << TESSERA_VERSION << " (SystemC " << sc_core::sc_release()
        << ", Boost " << BOOST_VERSION / 100000 << "." << BOOST_VERSION / 100 % 1000 << "."
        << BOOST_VERSION % 100 << ")\n";
    return std::nullopt;
  }
  finish(options, raw, given, executable);
  return options;
}

}  // namespace tessera::cli
