#include "platforms/numesh/simulation.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "models/state/archive.h"
#include "platforms/data/npy.h"
#include "platforms/numesh/mesh_counters.h"
#include "platforms/numesh/phase_trace.h"
#include "platforms/numesh/phase_vcd.h"
#include "platforms/run/events_state.h"

namespace tessera::numesh {

namespace {

constexpr std::size_t kMostFindings = 100;
constexpr unsigned kFirstWait = static_cast<unsigned>(scheduled::WaitReason::kIdle) + 1;

/// Lines of tasks with one name and phase are one, whatever node runs them.
void add_lines(const scheduled::Node& node, const std::vector<scheduled::ProcessorWaits::Line>& of,
               std::map<std::pair<std::string, scheduled::WaitReason>, std::uint64_t>& lines) {
  for (const scheduled::ProcessorWaits::Line& line : of) {
    if (line.reason == scheduled::WaitReason::kIdle || line.phase >= node.phases.size()) continue;
    const scheduled::NodePhase& phase = node.phases[line.phase];
    std::string place = "phase '" + phase.name + "'";
    if (line.task < phase.tasks.size())
      place = "task '" + phase.tasks[line.task].name + "', " + place;
    lines[{std::move(place), line.reason}] += line.cycles;
  }
}

/// What the compiler decided: the schedules of the phases, and how their operators end.
void add_decisions(const CompiledProgram& program, report::Report& report) {
  report::Group phases{"phases", {}};
  report::Group techniques{"techniques", {}};
  for (std::size_t p = 0; p < program.compiled.phases.size(); ++p) {
    const operators::CompiledPhase& phase = program.compiled.phases[p];
    const std::string name =
        "phase " + std::to_string(p) + " '" + program.compiled.plan.phases[p].name + "'";
    phases.entry(name).values = {{"slots", phase.length}, {"barrier", phase.barrier ? 1 : 0}};
    for (const operators::Decision& decision : phase.decisions) {
      report::Group::Entry& entry =
          techniques.entry(name + ": " + program.source.operators[decision.op].name);
      entry.texts = {{"technique", to_string(decision.outcome)},
                     {"why", decision.why},
                     {"cost", decision.cost}};
      entry.values = {{"longest_delay", static_cast<double>(decision.longest_delay())},
                      {"delayed_nodes", static_cast<double>(decision.delays.size())}};
    }
  }
  report.groups.push_back(std::move(phases));
  report.groups.push_back(std::move(techniques));
  if (!program.choice.predicted) return;
  report::Group predicted{"predicted_cycles", {}};
  predicted.add("chosen", static_cast<double>(*program.choice.predicted));
  for (const Candidate& candidate : program.choice.candidates) {
    if (candidate.predicted)
      predicted.add(candidate.name, static_cast<double>(*candidate.predicted));
  }
  report.groups.push_back(std::move(predicted));
}

/// What the nodes hold of an array.
data::HostArray array_of(const scheduled::MeshView& mesh, const operators::Program& program,
                         const operators::MemoryMap& map, std::size_t array) {
  const std::uint32_t words = program.arrays[array].words;
  data::HostArray result =
      data::HostArray::zeros(data::DType::kI32, array_shape(program, program.arrays[array]));
  for (scheduled::NodeId node = 0; node < mesh.size(); ++node) {
    const std::vector<std::uint32_t>& memory = mesh.processor(node).memory();
    for (std::uint32_t k = 0; k < words; ++k)
      result.set_bits(std::size_t{node} * words + k, memory[map.array[array] + k]);
  }
  return result;
}

}  // namespace

Simulation::Simulation(const Options& options, const NumeshConfig& config,
                       const CompiledProgram& program)
    : options_(options), config_(config), program_(program), words_(program.lowered, kMostFindings),
      events_(static_cast<unsigned>(program.source.mesh.node_count()), 1, false),
      machine_(options.structure, config.clock_period_ps, program.lowered, events_, words_),
      mesh_(machine_.view()) {
  if (options.max_cycles) events_.set_end(*options.max_cycles);
  if (const auto seed = options.step_order_seed()) machine_.domain().shuffle_step_order(*seed);
  if (options.validate) return;
  if (!options.trace_perfetto_file.empty())
    trace_ = run::TraceFile::of<PhaseTrace>(options.trace_perfetto_file, events_, program.lowered,
                                            mesh_, options.trace_scope());
  if (!options.vcd_file.empty())
    vcd_ = run::TraceFile::of<PhaseVcd>(options.vcd_file, events_, config.clock_period_ps,
                                        program.lowered, mesh_, options.trace_scope());
}

void Simulation::describe_waits(observe::Waits& waits) const {
  mesh_.describe_waits(program_.lowered, waits, machine_.domain().next_free_cycle());
}

std::string Simulation::state_of(std::uint32_t node, Cycle now) const {
  const scheduled::ProcessorWaits& waits = mesh_.processor(node).waits();
  if (waits.since() > now) return "the processor does I/O in this cycle";
  const std::string since = " since cycle " + std::to_string(waits.since());
  if (waits.reason() == scheduled::WaitReason::kBusy) return "the processor has computed" + since;
  if (waits.reason() == scheduled::WaitReason::kIdle)
    return "the processor has had nothing to do" + since;
  return "the processor has waited" + since + " for " +
         std::string(info(waits.reason()).description);
}

void Simulation::summarize_waits(Cycle cycles, report::WaitSummary& summary) const {
  using scheduled::WaitReason;
  std::array<std::uint64_t, scheduled::kWaitReasonCount> totals{};
  std::map<std::pair<std::string, WaitReason>, std::uint64_t> lines;
  for (scheduled::NodeId node = 0; node < mesh_.size(); ++node) {
    const auto of = mesh_.processor(node).waits().lines(cycles);
    for (const auto& line : of) totals[static_cast<std::size_t>(line.reason)] += line.cycles;
    add_lines(program_.lowered.nodes[node], of, lines);
  }
  summary.unit = "node";
  summary.units = mesh_.size();
  summary.busy = totals[static_cast<std::size_t>(WaitReason::kBusy)];
  summary.idle = totals[static_cast<std::size_t>(WaitReason::kIdle)];
  for (unsigned r = static_cast<unsigned>(WaitReason::kIdle) + 1; r < totals.size(); ++r) {
    const scheduled::WaitReasonInfo& row = info(static_cast<WaitReason>(r));
    summary.reasons.push_back({std::string(row.name), std::string(row.description), totals[r]});
  }
  for (const auto& [key, cycles_of] : lines) {
    if (key.second == WaitReason::kBusy) {
      summary.busy_lines.push_back({key.first, "", cycles_of});
      continue;
    }
    const auto busy = lines.find({key.first, WaitReason::kBusy});
    const scheduled::WaitReasonInfo& row = info(key.second);
    summary.lines.push_back({key.first, "", std::string(row.name), std::string(row.description),
                             cycles_of, busy == lines.end() ? 0 : busy->second});
  }
  summary.sort();
}

// Nodes are numbered with x first: a row is a line of the mesh.
run::LiveGrid Simulation::live_grid() const {
  run::LiveGrid grid;
  grid.kind = "mesh";
  grid.machine = config_.name;
  grid.period_ps = static_cast<double>(config_.clock_period_ps);
  grid.columns = static_cast<unsigned>(program_.source.mesh.size[0]);
  grid.rows = static_cast<unsigned>(mesh_.size()) / grid.columns;
  grid.used = {0, 0, grid.columns, grid.rows};
  grid.layers.push_back({"busy", "the processor computes or does I/O", "cycles"});
  for (unsigned r = kFirstWait; r < scheduled::kWaitReasonCount; ++r) {
    const scheduled::WaitReasonInfo& reason = info(static_cast<scheduled::WaitReason>(r));
    grid.layers.push_back(
        {"wait:" + std::string(reason.name), std::string(reason.description), "cycles"});
  }
  grid.layers.push_back({"written", "words of the processor into the mesh", "words"});
  grid.layers.push_back({"read", "words of the mesh to the processor", "words"});
  for (std::size_t node = 0; node < std::min(mesh_.size(), run::kMostWatched); ++node)
    grid.watched.push_back(node);
  return grid;
}

void Simulation::live_read(std::size_t cell, Cycle now, std::uint32_t* counts) const {
  const scheduled::ProcessorCore& processor = mesh_.processor(static_cast<scheduled::NodeId>(cell));
  for (const scheduled::ProcessorWaits::Line& line : processor.waits().lines(now + 1)) {
    const auto reason = static_cast<unsigned>(line.reason);
    if (line.reason == scheduled::WaitReason::kBusy)
      counts[0] += static_cast<std::uint32_t>(line.cycles);
    else if (reason >= kFirstWait)
      counts[1 + reason - kFirstWait] += static_cast<std::uint32_t>(line.cycles);
  }
  counts += 1 + scheduled::kWaitReasonCount - kFirstWait;
  counts[0] = static_cast<std::uint32_t>(processor.words_written());
  counts[1] = static_cast<std::uint32_t>(processor.words_read());
}

const run::SliceLog* Simulation::live_slices(Cycle now) {
  slices_ = {};
  PhaseTrace trace(slices_, program_.lowered, mesh_, options_.trace_scope());
  trace.reach(now + 1);
  trace.finish();
  return &slices_;
}

std::string Simulation::live_name(std::size_t cell) const {
  const auto node = static_cast<scheduled::NodeId>(cell);
  const scheduled::Node& program = program_.lowered.nodes[node];
  const std::size_t turn = mesh_.processor(node).turn();
  const std::string name = "node " + program_.source.mesh.name(node);
  return turn < program.turns.size()
             ? name + ", phase " + program.phases[program.turns[turn].phase].name
             : name;
}

// The cycles of a run that has not ended: a node may have computed, or begun to wait, after the last event.
Cycle Simulation::reached() const {
  Cycle cycles = 0;
  if (events_.digest().value() != 0)
    cycles = events_.counters().total(observe::Counter::kLastEventCycle) + 1;
  for (scheduled::NodeId node = 0; node < mesh_.size(); ++node)
    cycles = std::max(cycles, mesh_.processor(node).waits().since());
  return cycles;
}

void Simulation::summarize(report::Report& report) const {
  const observe::Counters& counters = events_.counters();
  report.preset = config_.name;
  report.run.config_digest = config::digest(config_, numesh_schema);
  report.run.set_params(program_.source.params);
  report.clock_period_ps = config_.clock_period_ps;
  if (mesh_.finished()) {
    report.cycles = mesh_.finished_at();
  } else {
    report.cycles = reached();
  }
  report.digest = events_.digest().hex();
  report.wall.tiles = mesh_.size();
  report.wall.hops = counters.seen(observe::EventKind::kVfsmMove);
  report.places_key = "nodes";
  report.counters = totals(program_.lowered, mesh_);
  if (options_.report_detail) report.places = places();
  summarize_waits(report.cycles, report.waits);
  report.waits.shown = options_.waits;
  add_decisions(program_, report);
  for (const scheduled::WordChecker::Finding& finding : words_.findings()) {
    const std::string text = words_.text(finding);  // "cycle 12: .."
    report.diagnoses.first.push_back({finding.cycle, coordinates(finding.node),
                                      std::string("/tessera/scheduled/") + to_string(finding.kind),
                                      text.substr(text.find(": ") + 2)});
  }
  report.diagnoses.count = words_.total();
}

report::Places Simulation::places() const {
  report::Places places;
  places.rank = program_.source.mesh.rank;
  places.counters = {"words_written", "words_read", "phase_changes", "finished_at"};
  for (scheduled::NodeId node = 0; node < mesh_.size(); ++node) {
    for (const int coordinate : coordinates(node)) places.at.push_back(coordinate);
    const scheduled::ProcessorCore& processor = mesh_.processor(node);
    const Cycle finished = processor.finished() ? processor.finished_at() : 0;
    places.values.insert(places.values.end(),
                         {processor.words_written(), processor.words_read(),
                          phase_changes(program_.lowered, mesh_, node), finished});
  }
  return places;
}

// Nodes announce no events of later cycles.
void Simulation::set_checkpoints(run::Checkpoints& checkpoints) {
  checkpoints_ = &checkpoints;
  run::Saved saved;
  saved.domain = &machine_.domain();
  saved.visit = [this](state::Archive& archive, Cycle next) {
    machine_.visit(archive, next);
    run::visit_events(archive, events_);
    archive(words_);
  };
  saved.recorded = [] { return std::string("counters, digest, waits"); };
  checkpoints.attach(std::move(saved));
}

run::Stop Simulation::drive(run::RunControl& control) {
  if (checkpoints_ != nullptr) checkpoints_->begin(control);
  const auto never = [] { return false; };
  run::Stop stop =
      checkpoints_ == nullptr ? control.run_to_idle() : checkpoints_->run(control, never, true);
  if (stop == run::Stop::kMaxCycles && mesh_.is_ending())
    stop = control.take_last_cycle([this] { return mesh_.finished(); });
  check_arrays();
  return stop;
}

std::string Simulation::describe_stop(const std::string& stopped,
                                      const report::Report& report) const {
  const std::string text = stopped + run::first_wait(report);
  const std::vector<scheduled::WordChecker::Finding> findings = words_.findings();
  if (findings.empty()) return text;
  return text + "; first of " + report::plural(words_.total(), "finding") + ": " +
         words_.text(findings.front());
}

void Simulation::finish(report::Report& report) {
  for (std::size_t a = 0; a < program_.source.arrays.size(); ++a) {
    const std::string& name = program_.source.arrays[a].name;
    const auto file = options_.outputs.find(name);
    if (file == options_.outputs.end()) continue;
    const data::HostArray values = array_of(mesh_, program_.source, program_.map, a);
    data::write_npy(file->second, values);
    report.outputs.push_back({name, data::to_string(values.dtype), values.shape, file->second});
  }
}

/// Arrays that an operator sets which the program uses.
std::set<std::size_t> Simulation::arrays_set() const {
  std::set<std::size_t> arrays;
  for (const operators::CompiledPhase& phase : program_.compiled.phases)
    for (const operators::OperatorStreams& op : phase.operators)
      arrays.insert(program_.source.operators[op.op].out);
  return arrays;
}

/// Whether every array that operators set is right, and all words came where they should.
void Simulation::check_arrays() {
  operators::Memory before;
  for (const scheduled::Node& node : program_.lowered.nodes) before.push_back(node.memory);
  const operators::Memory expected = operators::expected_memory(
      program_.source, program_.compiled.plan, program_.map, std::move(before));
  for (const std::size_t array : arrays_set()) checks_.push_back(check_array(array, expected));
  checks_.push_back(check_words());
}

report::Check Simulation::check_array(std::size_t array, const operators::Memory& expected) const {
  const operators::Array& declared = program_.source.arrays[array];
  const std::uint32_t begin = program_.map.array[array];
  for (scheduled::NodeId node = 0; node < mesh_.size(); ++node) {
    for (std::uint32_t k = begin; k < begin + declared.words; ++k) {
      const std::uint32_t found = mesh_.processor(node).memory()[k];
      if (found == expected[node][k]) continue;
      return {declared.name, false,
              "word " + std::to_string(k - begin) + " of node " + program_.source.mesh.name(node) +
                  " is " + std::to_string(static_cast<std::int32_t>(found)) + ", expected " +
                  std::to_string(static_cast<std::int32_t>(expected[node][k]))};
    }
  }
  const std::uint64_t words = std::uint64_t{declared.words} * mesh_.size();
  return {declared.name, true, "all " + report::plural(words, "word") + " agree"};
}

report::Check Simulation::check_words() const {
  if (words_.total() == 0)
    return {"words", true, "none was stranded, misrouted, reordered or duplicated"};
  return {"words", false,
          report::plural(words_.total(), "finding") +
              ", first: " + words_.text(words_.findings().front())};
}

}  // namespace tessera::numesh
