#include "platforms/vp/ascend_accelerator.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "models/cluster/cluster_core.h"
#include "models/cluster/hazards/cache_hazards.h"
#include "platforms/ascend/session.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::vp {

namespace {

struct CounterText {
  const char* name;
  const char* unit;
  const char* description;
};
constexpr std::array<CounterText, 5> kCounters = {{
    {"cores", "cores", "of the launch"},
    {"tile_operations", "operations", "that pipes have executed"},
    {"gm_bytes_read", "bytes", "from GM and L2"},
    {"gm_bytes_written", "bytes", "to GM and L2"},
    {"finished_at", "cycles", "cycle in which the last core finished"},
}};

// A program that cannot run should be known before the platform is built.
void try_launch(const ascend::AscendConfig& config, const cluster::Launch& launch,
                const pto::Kernel& kernel, cluster::ClusterData* data) {
  cluster::ClusterCore machine(config.machine, launch, {nullptr, data});
  try {
    machine.launch(kernel.aic, kernel.aiv, 0);
  } catch (const UserError& e) {
    throw IllegalBehaviour(e.what());
  }
}

}  // namespace

AscendAccelerator::AscendAccelerator(const cli::Options& options, ascend::AscendConfig config)
    : config_(std::move(config)), kernel_(ascend::read_kernel(options, config_)),
      launch_(ascend::launch_of(config_, kernel_)),
      data_(options.no_data ? nullptr
                            : std::make_unique<cluster::ClusterData>(config_.machine.profile,
                                                                     launch_, kernel_.arrays)),
      events_(static_cast<unsigned>(launch_.places()), 1, false),
      launch_watch_([this](Cycle now) { launch_ended(now); }),
      machine_(options.structure, config_.machine, launch_,
               {&events_, data_.get(), nullptr, &launch_watch_}) {
  try_launch(config_, launch_, kernel_, data_.get());
  if (options.shuffle_step_order) machine_.shuffle_step_order(options.seed);
  info_.kind = host::DeviceKind::kAscend;
  info_.width = launch_.clusters;
  info_.height = 1;
  info_.period_ps = config_.machine.clock_period_ps();
  info_.functions = {kFunction};
  for (const CounterText& counter : kCounters) info_.counters.emplace_back(counter.name);
  if (data_ != nullptr) name_arrays(options.program);
}

void AscendAccelerator::name_arrays(const std::string& program) {
  for (const cluster::GmArray& array : kernel_.arrays) info_.arrays.push_back(array.name);
  if (info_.arrays.size() <= host::kMaxArrays) return;
  throw UserError(program, "",
                  "the kernel has " + std::to_string(info_.arrays.size()) +
                      " pointer arguments; the host port has windows for " +
                      std::to_string(host::kMaxArrays));
}

void AscendAccelerator::set_listener(host::DeviceListener* listener) {
  listener_ = listener;
  machine_.domain().set_rest_listener([this](Cycle now) {
    if (listener_ != nullptr) listener_->came_to_rest(now);
  });
}

// One kernel at a time; the rectangle of the request does not matter.
std::uint32_t AscendAccelerator::launch(const host::LaunchRequest&, Cycle at) {
  if (running_) return 0;
  machine_.launch(kernel_.aic, kernel_.aiv, at);
  running_ = true;
  return 1;
}

// An array of GM may become larger than its window when a kernel writes it.
std::uint32_t AscendAccelerator::array_bytes(std::uint32_t array) const {
  return static_cast<std::uint32_t>(std::min<std::size_t>(data_->size(array), host::kArrayStride));
}

bool AscendAccelerator::resize_array(std::uint32_t array, std::uint32_t bytes) {
  if (running_) return false;
  data_->resize(array, bytes);
  return true;
}

void AscendAccelerator::read_memory(std::uint32_t array, std::uint32_t at, std::uint32_t count,
                                    std::byte* to) {
  std::copy_n(direct_memory(array) + at, count, to);
}

void AscendAccelerator::write_memory(std::uint32_t array, std::uint32_t at, std::uint32_t count,
                                     const std::byte* from) {
  std::copy_n(from, count, direct_memory(array) + at);
}

// As it is at the end of the last cycle.
std::byte* AscendAccelerator::direct_memory(std::uint32_t array) {
  const Cycle next = machine_.domain().next_free_cycle();
  return data_->bytes_at(array, next == 0 ? 0 : next - 1);
}

void AscendAccelerator::launch_ended(Cycle now) {
  running_ = false;
  if (listener_ != nullptr) listener_->launch_ended(now);
}

const host::EdgeCore& AscendAccelerator::edge(std::uint32_t) const {
  throw std::logic_error("an AI-core cluster has no edges");
}

std::uint64_t AscendAccelerator::counter(std::uint32_t number) {
  const cluster::MachineView& machine = machine_.view();
  std::uint64_t cores = 0, operations = 0;
  for (const cluster::AiCore* core : machine.cores()) {
    ++cores;
    for (const sync::Pipe pipe : sync::kPipes)
      operations += pipe == sync::Pipe::kS ? 0 : core->stats(pipe).instructions;
  }
  const std::array<std::uint64_t, kCounters.size()> values = {
      cores, operations, machine.gm().bytes_read(), machine.gm().bytes_written(),
      machine.finished() ? machine.finished_at() : 0};
  return values[number];
}

void AscendAccelerator::finish(report::Report& report) {
  report.preset = config_.name;
  report.structure = machine_.structure();
  report.places_key = "cores";
  report.clock_period_ps = info_.period_ps;
  const cluster::MachineView& machine = machine_.view();
  report.cycles = machine.finished() ? machine.finished_at() : machine_.domain().now() + 1;
  report.digest = events_.digest().hex();
  for (const cluster::AiCore* core : machine.cores()) {
    const std::string left = cluster::describe_lines_left(*core);
    if (left.empty()) continue;
    ++report.diagnoses.count;
    report.diagnoses.first.push_back(
        {report.cycles, {core->id().cluster, core->id().unit}, "/tessera/ascend/lines_left", left});
  }
  for (std::uint32_t i = 0; i < kCounters.size(); ++i)
    report.counters.push_back(
        {kCounters[i].name, counter(i), kCounters[i].unit, kCounters[i].description});
}

}  // namespace tessera::vp
