#include "platforms/numesh/session.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <utility>

#include "frontends/operators/program_reader.h"
#include "frontends/operators/compiler.h"
#include "platforms/cli/main.h"
#include "platforms/cli/output_file.h"
#include "platforms/data/npy.h"
#include "platforms/numesh/arrays.h"
#include "platforms/numesh/phase_trace.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::numesh {

namespace {

using Clock = std::chrono::steady_clock;
using Stop = cli::RunControl::Stop;

constexpr std::size_t kMostWaits = 10000;
constexpr std::size_t kMostFindings = 100;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string plural(std::uint64_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

/// Options of other platforms; saying nothing would be a promise.
void refuse_options(const cli::Options& options) {
  const auto refuse = [](bool given, const char* option, const char* why) {
    if (given) throw UserError("", option, why);
  };
  refuse(!options.trace_wse_file.empty(), "--trace-wse",
         "this is a trace of wse_platform; a scheduled mesh has --trace-perfetto");
  refuse(!options.vcd_file.empty(), "--vcd",
         "a scheduled mesh has no wave forms; it has --trace-perfetto and --schedules");
  refuse(!options.heatmap_file.empty() || !options.heatmap_counter.empty(), "--heatmap",
         "a scheduled mesh has no heat map; --report-detail gives the counters of every node");
  refuse(options.check_links, "--check-links",
         "links of a scheduled mesh have no credits to check; its words are always followed");
  refuse(options.check_epochs, "--check-epochs",
         "this is for wse_platform; the words of a scheduled mesh are always followed");
}

operators::Program read_checked(const cli::Options& options) {
  refuse_options(options);
  operators::Program program = operators::read_program(options.program, options.params);
  read_inputs(options.inputs, program);
  check_output_names(options.outputs, program);
  return program;
}

std::vector<report::Counter> totals(const report::Places& places, const scheduled::MeshView& mesh) {
  const std::size_t count = places.counters.size();
  std::vector<std::uint64_t> sums(count, 0);
  for (std::size_t i = 0; i < places.values.size(); ++i) sums[i % count] += places.values[i];
  return {{"words_written", sums[0], "words", "words that processors handed to their routers"},
          {"words_read", sums[1], "words", "words that processors took from their routers"},
          {"phase_changes", sums[2], "switches", "changes of the schedule, of all nodes"},
          {"words_left", mesh.words_in_network(), "words",
           "words that lie in routers and queues at the end"}};
}

report::Places places_of(const operators::Program& program, const scheduled::Program& lowered,
                         const scheduled::MeshView& mesh) {
  report::Places places;
  places.rank = program.mesh.rank;
  places.counters = {"words_written", "words_read", "phase_changes", "finished_at"};
  for (scheduled::NodeId node = 0; node < mesh.size(); ++node) {
    for (const int coordinate : program.mesh.place(node)) places.at.push_back(coordinate);
    const scheduled::ProcessorCore& processor = mesh.processor(node);
    std::uint64_t changes = 0;
    for (std::size_t turn = 0; turn + 1 < lowered.nodes[node].turns.size(); ++turn)
      changes += processor.ended_at(turn) != kNever ? 1 : 0;
    const Cycle finished = processor.finished() ? processor.finished_at() : 0;
    places.values.insert(places.values.end(),
                         {processor.words_written(), processor.words_read(), changes, finished});
  }
  return places;
}

}  // namespace

Session::Session(const cli::Options& options, NumeshConfig config)
    : options_(options), config_(std::move(config)), program_(read_checked(options)),
      compiled_(operators::compile(program_, config_.target)),
      map_(operators::map_memory(program_)),
      lowered_(operators::lower(program_, compiled_, config_.target, map_)),
      words_(lowered_, kMostFindings),
      events_(static_cast<unsigned>(program_.mesh.node_count()), 1, false) {
  print_compiled();
}

void Session::print_compiled() const {
  if (!options_.quiet) {
    operators::print_decisions(std::cout, program_, compiled_);
    std::cout << '\n';
  }
  if (options_.schedules_file.empty()) return;
  std::ofstream out = cli::open_output(options_.schedules_file);
  operators::print_schedules(out, program_, compiled_);
  cli::require_complete(options_.schedules_file, out);
}

report::Report Session::run() {
  // A result that cannot be written should be known before the run.
  for (const std::string& file : {options_.report_file, options_.trace_perfetto_file})
    if (!file.empty()) cli::require_writable(file);
  for (const auto& [name, file] : options_.outputs) cli::require_writable(file);
  if (options_.max_cycles) events_.set_end(*options_.max_cycles);
  report::Report report;
  report.platform = "numesh";
  report.preset = config_.name;
  report.places_key = "nodes";
  report.clock_period_ps = config_.clock_period_ps;
  const auto begin = Clock::now();
  try {
    Machine machine(options_.structure, config_.clock_period_ps, lowered_, events_, words_);
    report.structure = machine.structure();
    if (options_.shuffle_step_order) machine.domain().shuffle_step_order(options_.seed);
    report.wall.elaborate_s = seconds_since(begin);
    drive(machine, report);
    summarize(machine.view(), report);
    write_results(machine.view(), report);
  } catch (const IllegalBehaviour& e) {  // before the kernel runs: refused by policy CHECK
    report.status = report::Status::kCouldNotFinish;
    report.message = e.what();
  }
  return report;
}

void Session::drive(Machine& machine, report::Report& report) {
  cli::RunControl control(machine.domain(),
                          {options_.max_cycles, options_.timeout_s, options_.progress});
  try {
    const Stop stop = control.run_to_idle();
    report.wall.run_s = control.elapsed_s();
    report.checks = checks(machine.view());
    describe_outcome(stop, machine, report);
  } catch (const sc_core::sc_report& e) {
    report.wall.run_s = control.elapsed_s();
    const cli::Failure failure = cli::failure_of(e);
    report.status = failure.status;
    report.message = failure.message;
  }
}

void Session::describe_outcome(Stop stop, const Machine& machine, report::Report& report) const {
  if (machine.view().finished()) return describe_end(report);
  report.status = report::Status::kCouldNotFinish;
  list_waits(machine, report);
  report.message = cli::stop_text(stop, options_.max_cycles);
  if (!report.waits.empty()) {
    report.message += "; " + report.waits.front().who + " waits for " + report.waits.front().what;
    if (report.wait_count > 1)
      report.message += "; and " + plural(report.wait_count - 1, "more wait");
  }
  const std::vector<scheduled::WordChecker::Finding> findings = words_.findings();
  if (!findings.empty())
    report.message +=
        "; first of " + plural(words_.total(), "finding") + ": " + words_.text(findings.front());
}

void Session::describe_end(report::Report& report) const {
  for (const report::Check& check : report.checks) {
    if (check.passed) continue;
    report.status = report::Status::kCheckFailed;
    report.message = "check of '" + check.name + "' failed: " + check.detail;
    return;
  }
}

void Session::list_waits(const Machine& machine, report::Report& report) const {
  observe::Waits waits(kMostWaits);
  machine.view().describe_waits(lowered_, waits, machine.domain().next_free_cycle());
  for (const bool blocks : {true, false}) {
    for (const observe::Wait& wait : waits) {
      if (wait.blocks != blocks) continue;
      report.waits.push_back({program_.mesh.place(wait.place), wait.who, wait.what});
    }
  }
  report.wait_count = waits.total();
}

void Session::summarize(const scheduled::MeshView& mesh, report::Report& report) const {
  const observe::Counters& counters = events_.counters();
  if (mesh.finished()) {
    report.cycles = mesh.finished_at();
  } else if (events_.digest().value() != 0) {
    report.cycles = counters.total(observe::Counter::kLastEventCycle) + 1;
  }
  report.digest = events_.digest().hex();
  report.wall.tiles = mesh.size();
  report.wall.hops = counters.seen(observe::EventKind::kVfsmMove);
  report::Places places = places_of(program_, lowered_, mesh);
  report.counters = totals(places, mesh);
  if (options_.report_detail) report.places = std::move(places);
  for (const scheduled::WordChecker::Finding& finding : words_.findings()) {
    const std::string text = words_.text(finding);  // "cycle 12: .."
    report.diagnoses.first.push_back({finding.cycle, program_.mesh.place(finding.node),
                                      std::string("/tessera/scheduled/") + to_string(finding.kind),
                                      text.substr(text.find(": ") + 2)});
  }
  report.diagnoses.count = words_.total();
}

void Session::write_results(const scheduled::MeshView& mesh, report::Report& report) const {
  try {
    for (std::size_t a = 0; a < program_.arrays.size(); ++a) {
      const std::string& name = program_.arrays[a].name;
      const auto file = options_.outputs.find(name);
      if (file == options_.outputs.end()) continue;
      const data::HostArray values = array_of(mesh, program_, map_, a);
      data::write_npy(file->second, values);
      report.outputs.push_back({name, data::to_string(values.dtype), values.shape, file->second});
    }
    if (options_.trace_perfetto_file.empty()) return;
    std::ofstream out = cli::open_output(options_.trace_perfetto_file);
    write_phase_trace(out, lowered_, mesh, report.cycles);
    cli::require_complete(options_.trace_perfetto_file, out);
  } catch (const UserError& e) {  // a full disk does not take the result away
    report.status = report::Status::kUserInput;
    report.message = e.what();
  }
}

/// Arrays that an operator sets which the program uses.
std::set<std::size_t> Session::arrays_set() const {
  std::set<std::size_t> arrays;
  for (const operators::CompiledPhase& phase : compiled_.phases)
    for (const operators::OperatorStreams& op : phase.operators)
      arrays.insert(program_.operators[op.op].out);
  return arrays;
}

/// Every array that operators set, and whether all words came where they should.
std::vector<report::Check> Session::checks(const scheduled::MeshView& mesh) const {
  operators::Memory before;
  for (const scheduled::Node& node : lowered_.nodes) before.push_back(node.memory);
  const operators::Memory expected =
      operators::expected_memory(program_, compiled_.plan, map_, std::move(before));
  const std::set<std::size_t> set = arrays_set();
  std::vector<report::Check> checks;
  for (std::size_t a = 0; a < program_.arrays.size(); ++a) {
    const operators::Array& array = program_.arrays[a];
    if (set.count(a) == 0) continue;
    report::Check check{array.name, true, ""};
    for (scheduled::NodeId node = 0; check.passed && node < mesh.size(); ++node) {
      for (std::uint32_t k = map_.array[a]; k < map_.array[a] + array.words; ++k) {
        const std::uint32_t found = mesh.processor(node).memory()[k];
        if (found == expected[node][k]) continue;
        check.passed = false;
        check.detail = "word " + std::to_string(k - map_.array[a]) + " of node " +
                       program_.mesh.name(node) + " is " +
                       std::to_string(static_cast<std::int32_t>(found)) + ", expected " +
                       std::to_string(static_cast<std::int32_t>(expected[node][k]));
        break;
      }
    }
    if (check.passed)
      check.detail = "all " + plural(std::uint64_t{array.words} * mesh.size(), "word") + " agree";
    checks.push_back(std::move(check));
  }
  checks.push_back(words_check());
  return checks;
}

report::Check Session::words_check() const {
  if (words_.total() == 0)
    return {"words", true, "none was stranded, misrouted, reordered or duplicated"};
  return {"words", false,
          plural(words_.total(), "finding") + ", first: " + words_.text(words_.findings().front())};
}

}  // namespace tessera::numesh
