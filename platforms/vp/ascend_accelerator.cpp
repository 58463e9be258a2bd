#include <systemc>

#include <algorithm>
#include <stdexcept>

#include "frontends/pto/parser.h"
#include "models/cluster/cluster_core.h"
#include "models/observe/event_stream.h"
#include "platforms/ascend/cluster_view.h"
#include "platforms/ascend/kernel.h"
#include "platforms/ascend/machine.h"
#include "platforms/ascend/pipe_trace.h"
#include "platforms/run/output_file.h"
#include "platforms/vp/accelerator.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::vp {

namespace {

// A program that cannot run should be known before the platform is built.
void try_launch(const ascend::AscendConfig& config, const ascend::LaunchedKernel& kernel,
                cluster::ClusterData* data) {
  cluster::ClusterCore machine(config.machine, kernel.launch, {nullptr, data});
  try {
    machine.launch(kernel.kernel.aic, kernel.kernel.aiv, 0);
  } catch (const UserError& e) {
    throw IllegalBehaviour(e.what());
  }
}

/// AI-core clusters as the accelerator of vp_platform. A launch runs the kernel on all cores. The
/// memory that the host port sees is that of the arrays in GM, the pointer arguments of the program;
/// with --no-data there is none. No streams.
class AscendAccelerator final : public Accelerator,
                                private ascend::ClusterView,
                                private host::Device {
 public:
  AscendAccelerator(const Options& options, const std::string& program)
      : ClusterView(machine_, kernel_.launch), module_(pto::parse_file(program)),
        config_(ascend::config_of(options, &module_)), kernel_(module_, options, config_),
        data_(options.no_data
                  ? nullptr
                  : std::make_unique<cluster::ClusterData>(config_.machine.profile, kernel_.launch,
                                                           kernel_.kernel.arrays)),
        events_(static_cast<unsigned>(kernel_.launch.places()), 1, false),
        launch_watch_([this](Cycle now) { launch_ended(now); }),
        machine_(options.structure, config_.machine, kernel_.launch,
                 {&events_, data_.get(), nullptr, &launch_watch_}) {
    try_launch(config_, kernel_, data_.get());
    if (const auto seed = options.step_order_seed()) machine_.shuffle_step_order(*seed);
    if (!options.validate && !options.trace_perfetto_file.empty())
      trace_ = run::TraceFile::of<ascend::PipeTrace>(options.trace_perfetto_file, events_,
                                                     kernel_.launch.clusters, kernel_.kernel.aic,
                                                     kernel_.kernel.aiv, options.trace_scope());
    info_.kind = host::DeviceKind::kAscend;
    info_.width = kernel_.launch.clusters;
    info_.height = 1;
    info_.period_ps = config_.machine.clock_period_ps();
    info_.functions = {"kernel"};
    for (const report::Counter& counter : counters()) info_.counters.push_back(counter.name);
    if (data_ != nullptr) name_arrays(program);
  }

  timing::ClockDomain& domain() override { return machine_.domain(); }
  const char* structure() const override { return machine_.structure(); }
  run::View& view() override { return *this; }
  host::Device& device() override { return *this; }
  std::optional<std::uint32_t> find_symbol(TileCoord, const std::string&) const override {
    return std::nullopt;
  }

 private:
  // run::View
  void summarize(report::Report& report) const override {
    const cluster::MachineView& machine = machine_.view();
    report.preset = config_.name;
    report.run.config_digest = config::digest(config_, ascend::ascend_schema);
    report.places_key = "cores";
    report.clock_period_ps = info_.period_ps;
    report.cycles = machine.finished() ? machine.finished_at() : machine_.domain().now() + 1;
    report.digest = events_.digest().hex();
    report.counters = counters();
    for (const cluster::AiCore* core : machine.cores()) ascend::warn_of_lines(*core, report);
  }
  void complete_traces(const report::Report&) override {
    if (trace_) trace_->finish();
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
  // As it is at the end of the last cycle.
  std::byte* direct_memory(std::uint32_t array) override {
    const Cycle next = machine_.domain().next_free_cycle();
    return data_->bytes_at(array, next == 0 ? 0 : next - 1);
  }
  // One kernel at a time; the rectangle of the request does not matter.
  std::uint32_t launch(const host::LaunchRequest&, Cycle at) override {
    if (running_) return 0;
    machine_.launch(kernel_.kernel.aic, kernel_.kernel.aiv, at);
    running_ = true;
    return 1;
  }
  void send(std::uint32_t, Color, std::vector<host::Word>, Cycle) override {}
  void expect(std::uint32_t, Color, std::uint32_t) override {}
  void cancel(std::uint32_t, Color) override {}
  bool failed() const override { return machine_.domain().failure().has_value(); }
  void reset(bool keep_memory) override {
    const Cycle next = machine_.domain().next_free_cycle();
    if (data_ != nullptr) data_->reset(next == 0 ? 0 : next - 1, keep_memory);
    launch_watch_.reset();
    machine_.reset();
    running_ = false;
  }
  const host::EdgeCore& edge(std::uint32_t) const override {
    throw std::logic_error("an AI-core cluster has no edges");
  }
  std::uint64_t counter(std::uint32_t number) override { return counters()[number].value; }

  void launch_ended(Cycle now) {
    running_ = false;
    if (listener_ != nullptr) listener_->launch_ended(now);
  }
  void name_arrays(const std::string& program) {
    for (const cluster::GmArray& array : kernel_.kernel.arrays) info_.arrays.push_back(array.name);
    if (info_.arrays.size() <= host::kMaxArrays) return;
    throw UserError(program, "",
                    "the kernel has " + std::to_string(info_.arrays.size()) +
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

  const pto::Module module_;
  const ascend::AscendConfig config_;
  const ascend::LaunchedKernel kernel_;
  const std::unique_ptr<cluster::ClusterData> data_;  // nullptr: timing only
  observe::EventStream events_;
  std::optional<run::TraceFile> trace_;
  cluster::LaunchWatch launch_watch_;
  ascend::Machine machine_;
  host::DeviceInfo info_;
  host::DeviceListener* listener_ = nullptr;
  bool running_ = false;
};

}  // namespace

std::unique_ptr<Accelerator> build_ascend_accelerator(const Options& options,
                                                      const std::string& program) {
  return std::make_unique<AscendAccelerator>(options, program);
}

}  // namespace tessera::vp
