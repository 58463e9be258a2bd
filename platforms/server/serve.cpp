#include "platforms/server/serve.h"

#include <boost/json.hpp>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "frontends/compiled/changed_sources.h"
#include "frontends/compiled/folder.h"
#include "frontends/text/diagnostics.h"
#include "frontends/text/files_read.h"
#include "platforms/cli/main.h"
#include "platforms/cli/manifest.h"
#include "platforms/cli/options.h"
#include "platforms/debug/attached.h"
#include "platforms/report/report.h"
#include "platforms/run/driver.h"
#include "platforms/run/signals.h"
#include "platforms/server/memory_dump.h"
#include "platforms/server/peer_watch.h"
#include "platforms/server/session.h"
#include "platforms/server/sim_log.h"
#include "platforms/wse/checkpoints.h"
#include "platforms/wse/debug_target.h"
#include "platforms/wse/dense_machine.h"
#include "platforms/wse/observed_machine.h"
#include "platforms/wse/options.h"
#include "platforms/wse/ranks.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::server {

namespace {

namespace json = boost::json;

constexpr int kProtocol = 1;
constexpr const char* kName = "tessera_csl_server";

cli::Executable executable_for(Generation generation, const std::string& commit) {
  return {kName,
          "wse",
          "runs a compiled CSL program for its host program",
          "folder that tessera_cslc has written",
          {"wse2", "wse3", "wse2_silicon", "wse3_silicon"},
          wse::kStructures,
          generation == Generation::kWse2 ? "wse2" : "wse3",
          "memcpy.command_cycles=500",
          commit};
}

/// The options of the host's environment, as those of wse_platform.
void read_options(const cli::Executable& executable, const std::string& folder,
                  const std::vector<std::string>& given, wse::Options& options) {
  std::vector<const char*> arguments = {kName, folder.c_str()};
  for (const std::string& option : given) arguments.push_back(option.c_str());
  const bool goes_on = cli::parse(static_cast<int>(arguments.size()), arguments.data(), executable,
                                  options, std::cerr);
  if (!goes_on || options.validate || options.print_config || options.print_program)
    throw UserError("", "", "only options of a run can be given here; there is no run otherwise");
  options.refuse(wse::CslOptions::kHeading, "the program has been compiled");
  wse::check_checkpoints(options.checkpoints, options, options.fabric);
  if (options.checkpoints.is_used() && options.structure == "auto") options.structure = "dense";
  wse::prepare_for_debugger(options, options.fabric);
  if (options.debug == "stdio")
    throw UserError("", "--debug", "a host program has standard input and output; name a socket");
  if (!options.inputs.empty() || !options.outputs.empty())
    throw UserError("", "",
                    "--input and --output have no place here; the host program copies arrays");
}

json::object describe(const compiled::Program& program) {
  json::array symbols;
  for (const compiled::Export& symbol : program.exports) {
    json::array inputs(symbol.parameters.begin(), symbol.parameters.end());
    symbols.push_back(json::object{{"name", symbol.name},
                                   {"kind", symbol.is_function ? "function" : "variable"},
                                   {"type", symbol.type},
                                   {"mutable", symbol.is_mutable},
                                   {"inputs", std::move(inputs)}});
  }
  json::array ports;
  for (const compiled::Port& port : program.ports)
    ports.push_back(json::object{{"name", port.name},
                                 {"direction", port.is_out ? "out" : "in"},
                                 {"x", port.tile.x},
                                 {"y", port.tile.y},
                                 {"color", port.color.value()}});
  const layout::Rect& rect = program.rectangle;
  return {{"arch", program.generation == Generation::kWse2 ? "wse2" : "wse3"},
          {"size", {rect.w, rect.h}},
          {"offset", {rect.x, rect.y}},
          {"symbols", std::move(symbols)},
          {"streams", {program.streams_in, program.streams_out}},
          {"ports", std::move(ports)}};
}

class Server {
 public:
  Server(FrameChannel& channel, std::string commit)
      : channel_(channel), commit_(std::move(commit)) {}

  int run() {
    std::optional<Frame> frame;
    while ((frame = channel_.read())) {
      const Command command = command_of(*frame);
      try {
        if (command.name == "run") return simulate(command.id);
        channel_.write(answer(command, *frame));
      } catch (...) {
        return refuse(command.id, cli::current_failure());
      }
    }
    return 0;
  }

 private:
  Frame answer(const Command& command, const Frame& frame) {
    const json::object header = json::parse(frame.header).as_object();
    if (command.name == "hello") return greet(command.id, header.at("protocol").to_number<int>());
    if (command.name == "load") return load(command.id, header);
    throw UserError("", "", "'" + command.name + "' needs a machine that runs");
  }

  static Frame greet(std::int64_t id, int protocol) {
    if (protocol != kProtocol)
      throw UserError(
          "", "",
          "the Python package and tessera_csl_server are of different versions of Tessera: "
          "they speak protocols " +
              std::to_string(protocol) + " and " + std::to_string(kProtocol));
    return reply_frame(id, "\"protocol\":" + std::to_string(kProtocol));
  }

  Frame load(std::int64_t id, const json::object& header) {
    folder_ = json::value_to<std::string>(header.at("folder"));
    program_ = compiled::read_folder(folder_, TESSERA_VERSION);
    given_ = json::value_to<std::vector<std::string>>(header.at("options"));
    try {
      read_options(executable_for(program_.generation, commit_), folder_, given_, options_);
    } catch (const UserError& error) {
      throw UserError("TESSERA_OPTIONS, TESSERA_PRESET", "", error.what());
    }
    is_loaded_ = true;
    json::object reply = describe(program_);
    reply["id"] = id;
    if (const auto changed = compiled::changed_sources(program_, folder_); !changed.empty())
      reply["warning"] = folder_ + " was compiled before " + text::listed(changed) +
                         (changed.size() == 1 ? " was" : " were") + " changed; cslc makes it anew";
    return {json::serialize(reply), {}};
  }

  int refuse(std::int64_t id, const cli::Failure& failure) {
    channel_.write(failure_frame(id, {Failure::Kind::kRuntime, failure.message, true}));
    return report::exit_code(failure.status);
  }

  // The reply to the last command comes when the report and the memory have been written.
  int simulate(std::int64_t id) {
    if (!is_loaded_) throw UserError("", "", "'run' needs a program; 'load' comes first");
    report::Report report;
    report.platform = "wse";
    report.preset = options_.preset;
    report.program = folder_;
    require_memory_writable(folder_);
    const SimLog log(options_);
    const wse::WseConfig config =
        wse::load_wse_config(options_.preset, options_.config_file, options_.sets);
    const wse::Workload workload(program_, config);
    const std::unique_ptr<wse::Ranks> ranks = share();
    wse::check_structure(options_.structure, options_.fabric, workload, config);
    report.run.set_params(program_.params);
    std::optional<wse::Checkpoints> checkpoints;
    if (options_.checkpoints.is_used()) {
      checkpoints.emplace(options_.checkpoints, options_,
                          wse::header_of(options_, config, report.run, commit_));
      checkpoints->header().same["host"] = "a host program";
    }
    send_program(ranks.get());
    run::Driver driver(options_, report);
    wse::ObservedMachine observed(options_, options_.fabric, config, workload);
    if (!options_.quiet)
      for (const std::string& warning : observed.warnings())
        std::cerr << kName << ": warning: " << warning << '\n';
    wse::Machine& machine = observed.machine();
    Session session(channel_, program_, workload, config, observed, folder_);
    if (checkpoints) session.set_checkpoints(*checkpoints);
    const debug::Attached<wse::DebugTarget> debugger(options_, driver, observed, workload,
                                                     &program_);
    channel_.write(reply_frame(id));
    std::optional<PeerWatch> watch(std::in_place, channel_.input());
    driver.run(machine.domain(), machine.structure(), observed, session);
    watch.reset();
    if (checkpoints) checkpoints->tell(kName, options_.quiet, report);
    const int code = conclude(session, report, log);
    if (session.last_command()) await_hang_up();
    return code;
  }

  // The processes of mpirun that share the machine; nullptr: there is one.
  std::unique_ptr<wse::Ranks> share() {
    const bool was_shared = wse::were_ranks_started();
    std::unique_ptr<wse::Ranks> ranks = wse::start_ranks_once();
    if (was_shared && !options_.quiet)
      std::cerr << kName
                << ": warning: the processes of mpirun share the first run of a host program; this "
                   "one has all "
                   "tiles in one process\n";
    if (ranks == nullptr) return ranks;
    options_.fabric.ranks = ranks.get();
    options_.fabric.saves_state = options_.checkpoints.saves();
    wse::require_one_process_for(options_, options_.fabric);
    wse::check_checkpoints(options_.checkpoints, options_, options_.fabric);
    return ranks;
  }

  // serve_rank() takes it.
  void send_program(wse::Ranks* ranks) const {
    wafer::Packet packet;
    packet.put_text(std::filesystem::absolute(folder_).string());
    packet.put(given_.size());
    for (const std::string& option : given_) packet.put_text(option);
    for (unsigned rank = 1; ranks != nullptr && rank < ranks->count(); ++rank)
      ranks->channel_to(rank).send(packet);
  }

  // The memory in the folder stays that of this run until the host has opened it.
  void await_hang_up() {
    try {
      while (channel_.read()) {
      }
    } catch (const std::runtime_error&) {  // what comes after the end has no answer
    }
  }

  int conclude(const Session& session, report::Report& report, const SimLog& log) {
    std::vector<std::string> argv = {kName, folder_};
    argv.insert(argv.end(), given_.begin(), given_.end());
    report.run.set_params(program_.params);
    cli::describe_run(executable_for(program_.generation, commit_), std::move(argv), options_,
                      read_, report.run);
    std::optional<Failure> failure = session.failure();
    if (!failure && report.status != report::Status::kFinished)
      failure = Failure{Failure::Kind::kRuntime, report.message, true};
    if (!options_.quiet) report::print_warnings(report, std::cerr);
    // The output is that of the script.
    (options_.waits ? report::print_text : report::print_why)(report, std::cerr);
    try {
      log.write(program_, folder_, report);
      if (!options_.report_file.empty()) report::write_json(report, options_.report_file);
    } catch (const UserError& error) {
      if (!failure) failure = Failure{Failure::Kind::kRuntime, error.what(), true};
    }
    try {
      if (!session.last_command()) throw HostHasGone(failure->text);
      const std::int64_t id = *session.last_command();
      std::string members = "\"cycles\":" + std::to_string(report.cycles);
      if (!session.unfinished().empty())
        members += ",\"warning\":" + json::serialize(json::string(session.unfinished()));
      channel_.write(failure ? failure_frame(id, *failure) : reply_frame(id, members));
    } catch (const HostHasGone& error) {
      std::cerr << kName << ": " << (failure ? failure->text : error.what()) << '\n';
    }
    return report::exit_code(report.status);
  }

  const text::FilesRead read_;
  FrameChannel& channel_;
  const std::string commit_;
  std::string folder_;
  std::vector<std::string> given_;  // options
  compiled::Program program_;
  wse::Options options_;
  bool is_loaded_ = false;
};

/// What send_program() has sent, as the leading process has read it.
void read_program(wafer::Packet& packet, const std::string& commit, wse::Options& options,
                  wse::WseConfig& config, compiled::Program& program,
                  std::optional<wse::Workload>& workload) {
  const std::string folder = packet.get_text();
  std::vector<std::string> given(packet.get<std::size_t>());
  for (std::string& option : given) option = packet.get_text();
  program = compiled::read_folder(folder, TESSERA_VERSION);
  read_options(executable_for(program.generation, commit), folder, given, options);
  config = wse::load_wse_config(options.preset, options.config_file, options.sets);
  workload.emplace(program, config);
}

}  // namespace

int serve_rank(const std::string& commit) {
  return cli::run_guarded(kName, [&] {
    const std::unique_ptr<wse::Ranks> ranks = wse::start_ranks();
    if (ranks == nullptr || ranks->number() == 0)
      throw UserError("", "--rank", "is for the processes that mpirun starts beside the first one");
    wafer::Packet packet = ranks->channel_to(0).receive();
    if (packet.at_end()) return 0;
    wse::Options options;
    wse::WseConfig config;
    compiled::Program program;
    std::optional<wse::Workload> workload;
    try {
      read_program(packet, commit, options, config, program, workload);
    } catch (...) {
      std::_Exit(report::exit_code(cli::current_failure().status));  // mpirun ends the others
    }
    wse::serve_tiles(*ranks, wse::plan_of(config, *workload));
    return 0;
  });
}

int release_ranks() {
  return cli::run_guarded(kName, [] {
    wse::start_ranks_once();
    return 0;
  });
}

int serve(FrameChannel& channel, const std::string& commit) {
  return cli::run_guarded(kName, [&] { return Server(channel, commit).run(); });
}

}  // namespace tessera::server
