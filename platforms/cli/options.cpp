#include "platforms/cli/options.h"

#include <boost/program_options.hpp>
#include <boost/version.hpp>
#include <systemc>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <system_error>

#include <sys/stat.h>

#include "frontends/text/diagnostics.h"
#include "platforms/cli/pages.h"
#include "platforms/config/schema.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::cli {

namespace {

namespace po = boost::program_options;
using config::join;
using File = Option::File;

Option repeated(std::string name, std::string value, std::function<void(const std::string&)> take,
                std::string help) {
  return {std::move(name), std::move(value), std::move(help) + " (repeatable)",
          std::move(take), File::kNone,      true};
}

OptionGroup what_to_run(Options& o, const Executable& executable) {
  const std::string otherwise =
      executable.default_preset.empty() ? "" : " (default " + executable.default_preset + ")";
  Option preset =
      text("preset", "NAME", o.preset, "machine: " + join(executable.presets) + otherwise);
  preset.choices = executable.presets;
  const auto take_param = [&o](const std::string& given) {
    const auto [name, value] = split("param", given, "NAME=VALUE");
    o.params[name] = value;
  };
  return {
      "What to run",
      {file("program", "FILE", o.program, File::kRead,
            "the program: a " + executable.program_kind + "; also the first positional argument"),
       preset,
       file("config", "FILE", o.config_file, File::kRead,
            "machine from a file instead of a preset"),
       repeated(
           "set", "KEY=VALUE", [&o](const std::string& set) { o.sets.push_back(set); },
           "override one config value, e.g. --set " + executable.example_setting +
               "; of several for one key the last one counts"),
       repeated("param", "NAME=VALUE", take_param,
                "set a parameter of the program, e.g. --param W=16; of several for one name the "
                "last one counts"),
       one_of("structure", "NAME", o.structure, executable.structures,
              "how the machine is built: " + join(executable.structures))}};
}

PlaceAndCycle place_and_cycle(const std::string& given) {
  const auto refuse = [&given] {
    throw UserError("", "--why", "'" + given + "' is not of the form X,Y@CYCLE, such as 3,2@500");
  };
  const std::size_t at = given.find('@');
  if (at == std::string::npos) refuse();
  const auto number = [&](std::size_t from, std::size_t to) {
    const auto value = whole_number_in(given.substr(from, to - from));
    if (!value || *value < 0) refuse();
    return *value;
  };
  PlaceAndCycle asked;
  for (std::size_t from = 0; from <= at;) {
    const std::size_t to = std::min(given.find(',', from), at);
    asked.at.push_back(static_cast<int>(number(from, to)));
    from = to + 1;
  }
  asked.cycle = static_cast<Cycle>(number(at + 1, given.size()));
  return asked;
}

Option serve(Options& o) {
  constexpr std::uint64_t kMostPort = 65535;
  Option option =
      whole_number("serve", o.serve,
                   "watch and control the run in a browser at port N of this computer; 0: any free "
                   "one");
  option.take = [take = option.take, &o](const std::string& given) {
    take(given);
    if (*o.serve > kMostPort)
      throw UserError("", "--serve", "'" + given + "' is no port: 0 to 65535");
  };
  return option;
}

OptionGroup what_to_show(Options& o) {
  const std::vector<std::string> traces = {"trace-perfetto", "trace-wse", "vcd", "live-page",
                                           "serve"};
  const auto take_why = [&o](const std::string& given) { o.why_at = place_and_cycle(given); };
  return {
      "What to show",
      {file("report", "FILE.json", o.report_file, File::kWritten,
            "write the result as data, e.g. --report r.json"),
       flag("report-detail", o.report_detail, "with --report: counters of every place too"),
       flag("waits", o.waits, "show where the cycles went: waits by reason and by source line"),
       flag("no-waits", o.no_waits, "with --report: leave waits out, which is a little faster"),
       {"why", "X,Y@CYCLE", "show what a place waits for in a cycle, e.g. --why 3,2@500", take_why},
       flag("quiet", o.quiet, "print nothing but errors and the answer of --why"),
       flag("progress", o.progress,
            "on a terminal: cycle, pace and time left of runs over two seconds"),
       file("trace-perfetto", "FILE", o.trace_perfetto_file, File::kWritten,
            "trace for ui.perfetto.dev, e.g. --trace-perfetto t.json (1 us = 1 cycle); any "
            "trace whose name ends in .gz is compressed"),
       serve(o),
       file("live-page", "FILE.html", o.live_page_file, File::kWritten,
            "the live view of the run as one file for a browser, e.g. --live-page run.html"),
       text("debug", "stdio|PATH", o.debug,
            "let a debugger control the run by the Debug Adapter Protocol, on standard input and "
            "output or at a socket, e.g. --debug /tmp/d.sock"),
       needing(whole_number("trace-from", o.trace_from, "traces begin with cycle N"), traces),
       needing(whole_number("trace-to", o.trace_to, "traces end with cycle N"), traces)}};
}

OptionGroup bounds_and_checks(Options& o) {
  const auto take_timeout = [&o](const std::string& given) {
    o.timeout_s = finite_number_in(given);
    if (!o.timeout_s || *o.timeout_s < 0)
      throw UserError("", "--timeout", "'" + given + "' is not a number of seconds, 0 or more");
  };
  return {
      "Bounds and checks",
      {deciding(whole_number("max-cycles", o.max_cycles,
                             "stop before cycle N with a diagnosis, exit 4")),
       {"timeout", "SECONDS", "stop after this wall time with a diagnosis, exit 4", take_timeout},
       whole_number("seed", o.seed, "seed of --shuffle-step-order (default 1)"),
       flag("shuffle-step-order", o.shuffle_step_order,
            "step the blocks of a cycle in random order; results must not change"),
       flag("validate", o.validate, "check program, config and inputs; run nothing")}};
}

/// Everything that a command line may have.
class Table {
 public:
  Table(Options& options, const Executable& executable)
      : groups_{what_to_run(options, executable), what_to_show(options),
                bounds_and_checks(options)} {
    groups_.insert(groups_.end(), options.own_groups.begin(), options.own_groups.end());
    for (const OptionGroup& group : groups_) all_.add(describe(group));
    all_.add(about());
  }

  const po::options_description& description() const { return all_; }
  const std::vector<OptionGroup>& groups() const { return groups_; }

  po::variables_map read(int argc, const char* const* argv) const {
    po::positional_options_description positional;
    positional.add("program", 1);
    const auto style =
        po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
    po::variables_map given;
    try {
      po::store(po::command_line_parser(argc, argv)
                    .options(all_)
                    .positional(positional)
                    .style(style)
                    .run(),
                given);
    } catch (const po::error& e) {
      throw UserError("", "", text_of(e));
    }
    return given;
  }

  /// Refuses options that would have no effect beside the others.
  void check_needs(const po::variables_map& given) const {
    const auto is_given = [&given](const std::string& name) {
      const po::variable_value& value = given[name];
      return !value.empty() && !value.defaulted();
    };
    const auto check = [&](const Option& option) {
      if (option.needs.empty() || !is_given(option.name)) return;
      if (std::any_of(option.needs.begin(), option.needs.end(), is_given)) return;
      std::vector<std::string> known;
      for (const std::string& name : option.needs)
        if (all_.find_nothrow(name, false) != nullptr) known.push_back("--" + name);
      throw UserError("", "--" + option.name, "has no effect without " + text::alternatives(known));
    };
    for (const OptionGroup& group : groups_)
      std::for_each(group.options.begin(), group.options.end(), check);
  }

  /// Calls visit(group, option, value) for every value that is given.
  template <class Visit>
  void for_each(const po::variables_map& given, Visit visit) const {
    for (const OptionGroup& group : groups_) {
      for (const Option& option : group.options) {
        const po::variable_value& value = given[option.name];
        if (value.empty() || value.defaulted()) continue;
        if (option.value.empty()) {
          visit(group, option, std::string());
        } else if (option.repeatable) {
          for (const auto& text : value.as<std::vector<std::string>>()) visit(group, option, text);
        } else {
          visit(group, option, value.as<std::string>());
        }
      }
    }
  }

 private:
  static po::options_description about() {
    po::options_description about("About");
    about.add_options()("help,h", "this text")("version", "version of Tessera, SystemC and Boost")(
        "man", "the manual page, for man -l -")("completion", "completion for bash, to be sourced");
    return about;
  }

  static po::options_description describe(const OptionGroup& group) {
    po::options_description description(group.title);
    for (const Option& option : group.options)
      description.add_options()(option.name.c_str(), semantic_of(option), option.help.c_str());
    return description;
  }

  static const po::value_semantic* semantic_of(const Option& option) {
    if (option.value.empty()) return po::bool_switch();
    if (option.repeatable)
      return po::value<std::vector<std::string>>()->value_name(option.value)->composing();
    auto* const semantic = po::value<std::string>()->value_name(option.value);
    if (!option.default_value.empty()) semantic->default_value(option.default_value);
    if (!option.implicit_value.empty()) semantic->implicit_value(option.implicit_value);
    return semantic;
  }

  // Boost's own text says what is wrong; for a misspelt option we add the nearest one.
  std::string text_of(const po::error& e) const {
    const auto* const unknown = dynamic_cast<const po::unknown_option*>(&e);
    if (unknown == nullptr) return e.what();
    std::vector<std::string> names;
    for (const auto& option : all_.options()) names.push_back(option->long_name());
    const std::string name = unknown->get_option_name();
    const std::size_t word = name.find_first_not_of('-');
    const std::string known = word == std::string::npos ? "" : nearest(name.substr(word), names);
    return "unknown option '" + name + "'" +
           (known.empty() ? "; see --help" : "; did you mean '--" + known + "'?");
  }

  std::vector<OptionGroup> groups_;
  po::options_description all_;
};

void print_help(std::ostream& out, const Executable& executable, const Table& table) {
  out << executable.name << ": " << executable.purpose << "\n\n"
      << "usage: " << executable.name << " PROGRAM [options]\n"
      << table.description()
      << "\nexit codes: 0 finished and checks passed, 1 a check failed, 2 unusable input, 3 "
         "integration mistake,\n"
      << "            4 the program could not finish (deadlock, bound, illegal behaviour), 5 "
         "internal error\n";
}

void print_version(std::ostream& out, const Executable& executable) {
  out << executable.name << " " << TESSERA_VERSION << " (SystemC " << sc_core::sc_release()
      << ", Boost " << BOOST_VERSION / 100000 << "." << BOOST_VERSION / 100 % 1000 << "."
      << BOOST_VERSION % 100 << ")\n";
  if (!executable.commit.empty()) out << "commit " << executable.commit << "\n";
}

/// A file that the command line names.
struct FileUse {
  std::string option;  ///< "--report", "--output y"
  std::string path;
};

FileUse file_use(const Option& option, const std::string& value) {
  if (!option.repeatable) return {"--" + option.name, value};
  const std::size_t equal = value.find('=');
  return {"--" + option.name + " " + value.substr(0, equal), value.substr(equal + 1)};
}

/// Where a link leads to that leads to nothing yet; other paths as they are.
std::filesystem::path end_of_links(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // as the system follows
  std::error_code error;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, error); ++i)
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  return path;
}

/// What two names of one file have in common, also of links. No value: a device or a pipe.
std::optional<std::string> identity_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) return std::nullopt;
    return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
  }
  std::error_code error;
  // weakly_canonical leaves a relative path whose first folder is not there as it is: ./a and a would be two.
  const std::filesystem::path whole = std::filesystem::absolute(end_of_links(path), error);
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(whole, error);
  return error ? std::nullopt : std::optional(canonical.string());
}

// A file that is written must not be one that is read, nor be written twice. Devices may.
void check_files(const std::vector<FileUse>& read, const std::vector<FileUse>& written) {
  std::map<std::string, std::string> used;
  const auto use = [&used](const FileUse& file, bool is_written) {
    if (file.path.empty() || file.path.rfind("/dev/", 0) == 0) return;
    const std::optional<std::string> identity = identity_of(file.path);
    if (!identity) return;
    const auto [entry, is_new] = used.emplace(*identity, file.option);
    if (is_new || !is_written) return;
    throw UserError("", file.option, "'" + file.path + "' is also the file of " + entry->second);
  };
  for (const FileUse& file : read) use(file, false);
  for (const FileUse& file : written) use(file, true);
}

void check_together(Options& o, const Executable& executable) {
  if (!o.preset.empty() && !o.config_file.empty())
    throw UserError("", "--preset",
                    "give --preset or --config, not both; a config file names its base itself");
  if (o.preset.empty() && o.config_file.empty()) o.preset = executable.default_preset;
  if (o.program.empty() && !o.print_config && !o.print_schema)
    throw UserError("", "",
                    "no program given; name a " + executable.program_kind + ", or see --help");
}

}  // namespace

void Options::refuse(const std::string& heading, const std::string& why) const {
  const auto found = given.find(heading);
  if (found != given.end()) throw UserError("", "--" + found->second.front(), why);
}

namespace {

void refuse_given(const Options& options, std::initializer_list<const char*> names, bool listed,
                  const std::string& why) {
  for (const auto& [heading, given] : options.given)
    for (const std::string& name : given)
      if ((std::find(names.begin(), names.end(), name) != names.end()) == listed)
        throw UserError("", "--" + name, why);
}

}  // namespace

void Options::refuse_any(std::initializer_list<const char*> names, const std::string& why) const {
  refuse_given(*this, names, true, why);
}

void Options::refuse_all_but(std::initializer_list<const char*> names,
                             const std::string& why) const {
  refuse_given(*this, names, false, why);
}

std::optional<std::uint64_t> Options::step_order_seed() const {
  if (!shuffle_step_order) return std::nullopt;
  return seed.value_or(1);
}

observe::Scope Options::trace_scope() const {
  observe::Scope scope;
  scope.from = trace_from.value_or(scope.from);
  scope.to = trace_to.value_or(scope.to);
  if (scope.to < scope.from)
    throw UserError("", "--trace-to",
                    "cycle " + std::to_string(scope.to) + " lies before --trace-from " +
                        std::to_string(scope.from));
  return scope;
}

std::map<std::string, std::int64_t> Options::whole_params() const {
  std::map<std::string, std::int64_t> numbers;
  for (const auto& [name, value] : params) {
    const auto number = whole_number_in(value);
    if (!number)
      throw UserError("", "--param",
                      name + "=" + value + ": the value must be an integer of 64 bits");
    numbers[name] = *number;
  }
  return numbers;
}

MachineOptions::MachineOptions() {
  own_groups.push_back(
      {"Arrays and configuration",
       {array_files("input", inputs, File::kRead,
                    "host array in, e.g. --input A=A.npy (repeatable)"),
        array_files("output", outputs, File::kWritten,
                    "host array out, e.g. --output y=y.npy (repeatable)"),
        flag("print-config", print_config, "print the effective config with its sources"),
        flag("print-schema", print_schema, "print the JSON Schema of config files"),
        flag("print-program", print_program, "print the program as it was read; run nothing")}});
}

bool parse(int argc, const char* const* argv, const Executable& executable, Options& options,
           std::ostream& out) {
  const Table table(options, executable);
  const po::variables_map given = table.read(argc, argv);
  if (given.count("help") != 0) {
    print_help(out, executable, table);
    return false;
  }
  if (given.count("version") != 0) {
    print_version(out, executable);
    return false;
  }
  if (given.count("man") != 0 || given.count("completion") != 0) {
    out << (given.count("man") != 0 ? man_page : bash_completion)(executable, table.groups());
    return false;
  }
  table.check_needs(given);
  std::vector<FileUse> read, written;
  table.for_each(given,
                 [&](const OptionGroup& group, const Option& option, const std::string& value) {
                   option.take(value);
                   options.given[group.title].push_back(option.name);
                   if (option.decides) options.decisive[option.name].push_back(value);
                   if (option.file == File::kRead) read.push_back(file_use(option, value));
                   if (option.file == File::kRead && option.repeatable)
                     options.arrays_read.insert(split(option.name, value, option.value));
                   if (option.file == File::kWritten) written.push_back(file_use(option, value));
                 });
  check_files(read, written);
  for (const FileUse& file : written) options.files_written.push_back(file.path);
  check_together(options, executable);
  return true;
}

}  // namespace tessera::cli
