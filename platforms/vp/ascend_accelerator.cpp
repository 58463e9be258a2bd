#include <systemc>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "frontends/pto/parser.h"
#include "frontends/text/files_read.h"
#include "models/cluster/cluster_core.h"
#include "models/observe/event_stream.h"
#include "models/state/archive.h"
#include "platforms/ascend/cluster_view.h"
#include "platforms/ascend/kernel.h"
#include "platforms/ascend/machine.h"
#include "platforms/run/checkpoints.h"
#include "platforms/run/events_state.h"
#include "platforms/run/output_file.h"
#include "platforms/vp/accelerator.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::vp {

namespace {

// A program that cannot run should be known before the platform is built.
void try_launch(const ascend::AscendConfig& config, const cluster::Launch& launch,
                const ascend::LaunchedKernel& kernel, bool has_data) {
  std::optional<cluster::ClusterData> data;
  if (has_data) data.emplace(config.machine.profile, launch, kernel.kernel.arrays);
  cluster::ClusterCore machine(config.machine, launch, {nullptr, data ? &*data : nullptr});
  try {
    machine.launch(kernel.kernel.aic, kernel.kernel.aiv, 0);
  } catch (const UserError& e) {
    throw IllegalBehaviour(e.what());
  }
}

/// A program that the clusters can run.
struct KernelProgram {
  KernelProgram(const std::string& file, const Options& options)
      : module(pto::parse_file(file)), config(ascend::config_of(options, pto::profile_of(module))),
        kernel(module, options, config) {}

  const pto::Module module;
  const ascend::AscendConfig config;
  const ascend::LaunchedKernel kernel;
};

/// Machines are built for one way to launch: another program has to be launched alike.
void require_alike(const KernelProgram& first, const KernelProgram& other,
                   const std::string& file) {
  const auto described = [](const KernelProgram& program) {
    const cluster::Launch& launch = program.kernel.launch;
    return program.config.name + ", launch.ratio " + to_string(launch.ratio) + ", launch.mix " +
           (launch.mix ? "true" : "false");
  };
  if (described(first) != described(other))
    throw UserError(file, "",
                    "the program needs clusters with " + described(other) +
                        "; those of the device have " + described(first));
}

/// The programs of a device. The first one runs from the start.
struct KernelPrograms {
  KernelPrograms(const Options& options, const DeviceStatement& device) {
    programs.push_back(std::make_unique<const KernelProgram>(device.file, options));
    for (const std::string& file : device.others) {
      programs.push_back(std::make_unique<const KernelProgram>(file, options));
      require_alike(*programs.front(), *programs.back(), file);
    }
  }
  std::vector<std::unique_ptr<const KernelProgram>> programs;
};

/// AI-core clusters as the accelerator of vp_platform. A launch runs the kernel on all cores. The
/// memory that the host port sees is that of the arrays in GM, the pointer arguments of the program;
/// with --no-data there is none. No streams.
class AscendAccelerator final : public Accelerator,
                                private KernelPrograms,
                                private ascend::ClusterView,
                                private host::Device {
 public:
  AscendAccelerator(const Options& options, const DeviceStatement& device)
      : KernelPrograms(options, device), ClusterView(machine_, programs.front()->kernel.launch),
        config_(programs.front()->config), launch_(programs.front()->kernel.launch),
        has_data_(!options.no_data), events_(static_cast<unsigned>(launch_.places()), 1, false),
        launch_watch_([this](Cycle now) { launch_ended(now); }),
        machine_(options.structure, config_.machine, launch_,
                 {&events_, make_data(0), nullptr, &launch_watch_}) {
    for (const auto& program : programs) try_launch(config_, launch_, program->kernel, has_data_);
    if (const auto seed = options.step_order_seed()) machine_.shuffle_step_order(*seed);
    if (!options.trace_perfetto_file.empty() && programs.size() > 1)
      throw UserError(options.program, "--trace-perfetto",
                      "a trace shows one program, and the device has " +
                          std::to_string(programs.size()));
    trace_ = trace_pipes(options, events_);
    for (std::size_t i = 0; i < programs.size(); ++i)
      infos_.push_back(describe(*programs[i], i == 0 ? device.file : device.others[i - 1]));
    if (text::FilesRead::current() != nullptr) saved_header_ = make_header(options);
  }

  timing::ClockDomain& domain() override { return machine_.domain(); }
  const char* structure() const override { return machine_.structure(); }
  run::View& view() override { return *this; }
  host::Device& device() override { return *this; }
  const host::DeviceInfo& info_of(std::uint32_t program) const override { return infos_[program]; }
  run::CheckpointHeader saved_header() const override { return saved_header_; }
  // Cores know their program from the first launch on.
  void visit(state::Archive& archive, Cycle next) override {
    archive.same(programs.size(), "the number of programs");
    archive(launched_, running_);
    if (launched_) {
      const pto::Kernel& kernel = programs[program_]->kernel.kernel;
      if (archive.loading()) machine_.launch(kernel.aic, kernel.aiv, 0);
      machine_.visit(archive, next);
      archive(launch_watch_);
    } else {
      if (data_) data_->visit(archive, next);
      if (archive.loading()) machine_.domain().go_on_at(next);
    }
    run::visit_events(archive, events_);
  }
  std::optional<std::uint32_t> find_symbol(TileCoord, const std::string&,
                                           std::uint32_t) const override {
    return std::nullopt;
  }

 private:
  /// Makes the contents of a program's arrays; nullptr: timing only.
  cluster::ClusterData* make_data(std::size_t program) {
    if (!has_data_) return nullptr;
    return &data_.emplace(config_.machine.profile, launch_,
                          programs[program]->kernel.kernel.arrays);
  }
  run::CheckpointHeader make_header(const Options& options) const {
    run::CheckpointHeader header =
        run::header_of("ascend", run::kAnyStructure, options, report::Run(), "");
    run::add_config(config_, ascend::ascend_schema, header);
    for (const auto& [name, value] : options.params) header.same["parameter " + name] = value;
    header.same["run"] = has_data_ ? "one with data" : "one without data";
    return header;
  }
  host::DeviceInfo describe(const KernelProgram& program, const std::string& file) const {
    host::DeviceInfo info;
    info.kind = host::DeviceKind::kAscend;
    info.width = launch_.clusters;
    info.height = 1;
    info.period_ps = config_.machine.clock_period_ps();
    info.functions = {"kernel"};
    for (const report::Counter& counter : counters()) info.counters.push_back(counter.name);
    info.programs = static_cast<std::uint32_t>(programs.size());
    if (has_data_) name_arrays(program, file, info);
    return info;
  }

  // run::View
  void summarize(report::Report& report) const override {
    const cluster::MachineView& machine = machine_.view();
    report.preset = config_.name;
    report.run.config_digest = config::digest(config_, ascend::ascend_schema);
    report.places_key = "cores";
    report.clock_period_ps = config_.machine.clock_period_ps();
    report.cycles = machine.finished() ? machine.finished_at() : machine_.domain().now() + 1;
    report.digest = events_.digest().hex();
    report.counters = counters();
    for (const cluster::AiCore* core : machine.cores()) ascend::warn_of_lines(*core, report);
  }
  void complete_traces(const report::Report&) override {
    if (trace_) trace_->finish();
  }
  // host::Device
  const host::DeviceInfo& info() const override { return infos_[program_]; }
  void set_listener(host::DeviceListener* listener) override {
    listener_ = listener;
    machine_.domain().set_rest_listener([this](Cycle now) {
      if (listener_ != nullptr) listener_->came_to_rest(now);
    });
  }
  bool at_rest() const override { return machine_.domain().idle(); }
  bool has_memory(std::uint32_t) const override { return false; }
  // An array of GM may become larger than its window when a kernel writes it.
  std::uint32_t array_bytes(std::uint32_t array) const override {
    return static_cast<std::uint32_t>(
        std::min<std::size_t>(data_->size(array), host::kArrayStride));
  }
  bool resize_array(std::uint32_t array, std::uint32_t bytes) override {
    if (running_) return false;
    data_->resize(array, bytes);
    return true;
  }
  void read_memory(std::uint32_t array, std::uint32_t at, std::uint32_t count,
                   std::byte* to) override {
    std::copy_n(direct_memory(array) + at, count, to);
  }
  void write_memory(std::uint32_t array, std::uint32_t at, std::uint32_t count,
                    const std::byte* from) override {
    std::copy_n(from, count, direct_memory(array) + at);
  }
  // The contents as they are at the end of the last cycle.
  std::byte* direct_memory(std::uint32_t array) override {
    const Cycle next = machine_.domain().next_free_cycle();
    return data_->bytes_at(array, next == 0 ? 0 : next - 1);
  }
  // One kernel at a time; the rectangle of the request does not matter.
  std::uint32_t launch(const host::LaunchRequest&, Cycle at) override {
    if (running_) return 0;
    const pto::Kernel& kernel = programs[program_]->kernel.kernel;
    machine_.launch(kernel.aic, kernel.aiv, at);
    running_ = launched_ = true;
    return 1;
  }
  void send(std::uint32_t, Color, std::vector<host::Word>, Cycle) override {}
  void expect(std::uint32_t, Color, std::uint32_t) override {}
  void cancel(std::uint32_t, Color) override {}
  bool failed() const override { return machine_.domain().failure().has_value(); }
  void reset(bool keep_memory) override {
    const Cycle next = machine_.domain().next_free_cycle();
    if (has_data_) data_->reset(next == 0 ? 0 : next - 1, keep_memory);
    reset_machine();
  }
  bool load(std::uint32_t program) override {
    program_ = program;
    make_data(program);  // at the same address, which the cores know
    reset_machine();
    return true;
  }
  std::uint32_t program() const override { return program_; }
  void reset_machine() {
    launch_watch_.reset();
    machine_.reset();
    running_ = launched_ = false;
  }
  const host::EdgeCore& edge(std::uint32_t) const override {
    throw std::logic_error("an AI-core cluster has no edges");
  }
  std::uint64_t counter(std::uint32_t number) override { return counters()[number].value; }

  void launch_ended(Cycle now) {
    running_ = false;
    if (listener_ != nullptr) listener_->launch_ended(now);
  }
  static void name_arrays(const KernelProgram& program, const std::string& file,
                          host::DeviceInfo& info) {
    for (const cluster::GmArray& array : program.kernel.kernel.arrays)
      info.arrays.push_back(array.name);
    if (info.arrays.size() <= host::kMaxArrays) return;
    throw UserError(file, "",
                    "the kernel has " + std::to_string(info.arrays.size()) +
                        " pointer arguments; the host port has windows for " +
                        std::to_string(host::kMaxArrays));
  }
  std::vector<report::Counter> counters() const {
    const cluster::MachineView& machine = machine_.view();
    std::vector<report::Counter> counters = ascend::totals(machine);
    counters.push_back({"finished_at", machine.finished() ? machine.finished_at() : 0, "cycles",
                        "cycle in which the last core finished"});
    return counters;
  }

  const ascend::AscendConfig& config_;
  const cluster::Launch& launch_;
  const bool has_data_;
  std::optional<cluster::ClusterData> data_;  // the program's arrays; none: timing only
  observe::EventStream events_;
  std::optional<run::TraceFile> trace_;
  cluster::LaunchWatch launch_watch_;
  ascend::Machine machine_;
  std::vector<host::DeviceInfo> infos_;  // by program
  std::uint32_t program_ = 0;
  host::DeviceListener* listener_ = nullptr;
  run::CheckpointHeader saved_header_;
  bool launched_ = false;  // since the last reset
  bool running_ = false;
};

}  // namespace

std::unique_ptr<Accelerator> build_ascend_accelerator(const Options& options,
                                                      const DeviceStatement& device) {
  return std::make_unique<AscendAccelerator>(options, device);
}

}  // namespace tessera::vp
