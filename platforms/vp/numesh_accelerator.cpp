#include <systemc>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "frontends/operators/program_reader.h"
#include "frontends/text/files_read.h"
#include "models/observe/event_stream.h"
#include "models/pe/isa.h"
#include "models/scheduled/word_checker.h"
#include "models/state/archive.h"
#include "platforms/numesh/compiled_program.h"
#include "platforms/numesh/machine.h"
#include "platforms/numesh/mesh_counters.h"
#include "platforms/numesh/numesh_config.h"
#include "platforms/run/checkpoints.h"
#include "platforms/run/events_state.h"
#include "platforms/vp/accelerator.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::vp {

namespace {

constexpr std::size_t kMostFindings = 100;

numesh::NumeshConfig mesh_config_of(const Options& options) {
  const bool is_named = !options.preset.empty() || !options.config_file.empty();
  return numesh::load_numesh_config(is_named ? options.preset : "numesh", options.config_file,
                                    options.sets);
}

/// A scheduled mesh as the accelerator of vp_platform. A launch runs the communication program once, on the
/// memory of the nodes as it is. Nodes are tiles; arrays of the program are symbols. No streams.
class NumeshAccelerator final : public Accelerator, private run::View, private host::Device {
 public:
  NumeshAccelerator(const Options& options, const std::string& file)
      : config_(mesh_config_of(options)),
        program_(operators::read_program(file, options.whole_params()), config_),
        words_(program_.lowered, kMostFindings),
        events_(static_cast<unsigned>(program_.source.mesh.node_count()), 1, false),
        machine_(options.structure, config_.clock_period_ps, program_.lowered, events_, words_,
                 scheduled::Start::kOnLaunch) {
    if (!options.trace_perfetto_file.empty())
      throw UserError(options.program, "--trace-perfetto",
                      "a scheduled mesh behind a host port writes no trace; use numesh_platform");
    if (const auto seed = options.step_order_seed()) machine_.domain().shuffle_step_order(*seed);
    machine_.set_end([this](Cycle now) {
      running_ = false;
      if (listener_ != nullptr) listener_->launch_ended(now);
    });
    describe(file);
    if (text::FilesRead::current() == nullptr) return;
    report::Run run;
    run.set_params(program_.source.params);
    saved_header_ = run::header_of("numesh", run::kAnyStructure, options, run, "");
    run::add_config(config_, numesh::numesh_schema, saved_header_);
  }

  timing::ClockDomain& domain() override { return machine_.domain(); }
  const char* structure() const override { return machine_.structure(); }
  run::View& view() override { return *this; }
  host::Device& device() override { return *this; }
  const host::DeviceInfo& info_of(std::uint32_t) const override { return info_; }
  run::CheckpointHeader saved_header() const override { return saved_header_; }
  void visit(state::Archive& archive, Cycle next) override {
    machine_.visit(archive, next);
    archive(launched_, running_, words_);
    run::visit_events(archive, events_);
    std::vector<std::uint64_t> past;
    for (const report::Counter& counter : past_) past.push_back(counter.value);
    archive(past);
    if (archive.saving()) return;
    past_ = past.empty() ? std::vector<report::Counter>() : counters();
    if (past.size() != past_.size()) state::Archive::fail("it has other counters");
    for (std::size_t i = 0; i < past.size(); ++i) past_[i].value = past[i];
  }
  std::optional<std::uint32_t> find_symbol(TileCoord, const std::string& name,
                                           std::uint32_t) const override {
    for (const host::SymbolInfo& symbol : info_.symbols)
      if (symbol.name == name) return symbol.address;
    return std::nullopt;
  }

 private:
  void describe(const std::string& file) {
    const operators::Mesh& mesh = program_.source.mesh;
    const std::size_t bytes = program_.lowered.nodes.front().memory.size() * sizeof(std::uint32_t);
    if (bytes > host::kTileStride)
      throw UserError(file, "arrays",
                      "the arrays take " + std::to_string(bytes) +
                          " bytes of every node; the host port has windows of " +
                          std::to_string(host::kTileStride));
    info_.kind = host::DeviceKind::kNumesh;
    info_.width = static_cast<std::uint32_t>(mesh.size[0]);
    info_.height = static_cast<std::uint32_t>(mesh.size[1] * mesh.size[2]);
    info_.tile_bytes = static_cast<std::uint32_t>(bytes);
    info_.period_ps = config_.clock_period_ps;
    info_.functions = {"program"};
    for (const report::Counter& counter : counters()) info_.counters.push_back(counter.name);
    for (std::size_t a = 0; a < program_.source.arrays.size(); ++a) {
      const operators::Array& array = program_.source.arrays[a];
      info_.symbols.push_back({array.name, 0, program_.map.array[a] * 4, array.words * 4,
                               static_cast<std::uint32_t>(pe::ElementType::kI32)});
    }
  }

  // run::View
  void describe_waits(observe::Waits& waits) const override {
    if (!launched_) return;
    machine_.view().describe_waits(program_.lowered, waits,
                                   machine_.domain().next_free_cycle() - machine_.start_cycle());
  }
  std::vector<int> coordinates(std::uint32_t node) const override {
    return program_.source.mesh.place(node);
  }
  void summarize(report::Report& report) const override {
    report.preset = config_.name;
    report.run.config_digest = config::digest(config_, numesh::numesh_schema);
    report.places_key = "nodes";
    report.clock_period_ps = config_.clock_period_ps;
    report.cycles = machine_.domain().now() + 1;
    report.digest = events_.digest().hex();
    report.counters = counters();
    for (const scheduled::WordChecker::Finding& finding : words_.findings())
      report.diagnoses.first.push_back(
          {finding.cycle, coordinates(finding.node),
           std::string("/tessera/scheduled/") + to_string(finding.kind), words_.text(finding)});
    report.diagnoses.count = words_.total();
  }
  // host::Device
  const host::DeviceInfo& info() const override { return info_; }
  void set_listener(host::DeviceListener* listener) override {
    listener_ = listener;
    machine_.domain().set_rest_listener([this](Cycle now) {
      if (listener_ != nullptr) listener_->came_to_rest(now);
    });
  }
  bool at_rest() const override { return machine_.domain().idle(); }
  bool failed() const override { return machine_.domain().failure().has_value(); }
  bool has_memory(std::uint32_t) const override { return info_.tile_bytes > 0; }
  void read_memory(std::uint32_t node, std::uint32_t at, std::uint32_t count,
                   std::byte* to) override {
    std::memcpy(to, direct_memory(node) + at, count);
  }
  void write_memory(std::uint32_t node, std::uint32_t at, std::uint32_t count,
                    const std::byte* from) override {
    std::memcpy(direct_memory(node) + at, from, count);
  }
  std::byte* direct_memory(std::uint32_t node) override {
    return reinterpret_cast<std::byte*>(machine_.memory(node).data());
  }
  // One run at a time, of all nodes; the rectangle of the request does not matter.
  std::uint32_t launch(const host::LaunchRequest&, Cycle at) override {
    if (running_) return 0;
    if (launched_) past_ = counters();
    machine_.start(at);
    running_ = launched_ = true;
    return 1;
  }
  void send(std::uint32_t, Color, std::vector<host::Word>, Cycle) override {}
  void expect(std::uint32_t, Color, std::uint32_t) override {}
  void cancel(std::uint32_t, Color) override {}
  const host::EdgeCore& edge(std::uint32_t) const override {
    throw std::logic_error("a scheduled mesh has no edges");
  }
  std::uint64_t counter(std::uint32_t number) override { return counters()[number].value; }
  std::uint32_t program_of(std::uint32_t) const override { return 0; }
  void reset(bool keep_memory) override {
    machine_.reset(keep_memory);
    past_.clear();
    running_ = launched_ = false;
  }

  /// Counts since the last reset; a launch begins with new nodes, so earlier launches are added.
  std::vector<report::Counter> counters() const {
    std::vector<report::Counter> counters = numesh::totals(program_.lowered, machine_.view());
    counters.push_back({"words_caught", words_.total(), "words",
                        "words that a change of the schedule stranded, misrouted, reordered or "
                        "duplicated"});
    for (std::size_t i = 0; i < counters.size() && !past_.empty(); ++i) {
      if (counters[i].name != "words_left") counters[i].value += past_[i].value;
    }
    const bool finished = launched_ && machine_.view().finished();
    counters.push_back({"finished_at",
                        finished ? machine_.start_cycle() + machine_.view().finished_at() : 0,
                        "cycles", "cycle in which the last node finished"});
    return counters;
  }

  const numesh::NumeshConfig config_;
  const numesh::CompiledProgram program_;
  scheduled::WordChecker words_;
  observe::EventStream events_;
  numesh::Machine machine_;
  host::DeviceInfo info_;
  host::DeviceListener* listener_ = nullptr;
  std::vector<report::Counter> past_;  // counters of the launches before the present one
  run::CheckpointHeader saved_header_;
  bool launched_ = false;
  bool running_ = false;
};

}  // namespace

std::unique_ptr<Accelerator> build_numesh_accelerator(const Options& options,
                                                      const std::string& program) {
  return std::make_unique<NumeshAccelerator>(options, program);
}

}  // namespace tessera::vp
