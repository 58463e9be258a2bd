#include "platforms/wse/recorders.h"

#include "models/observe/heatmap.h"
#include "models/observe/names.h"
#include "models/observe/perfetto_trace.h"
#include "models/observe/vcd.h"
#include "models/observe/wse_trace.h"
#include "models/pe/isa.h"
#include "platforms/wse/wait_summary.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::wse {

namespace {

observe::Names names_for(const Workload& workload) {
  observe::Names names;
  names.opcode = [](unsigned opcode) {
    return opcode < pe::kOpcodeCount
               ? std::string(pe::info(static_cast<pe::Opcode>(opcode)).mnemonic)
               : std::string();
  };
  names.task = [&workload](std::uint32_t place, unsigned id) {
    const int x = static_cast<int>(place) % workload.layout.width;
    const int y = static_cast<int>(place) / workload.layout.width;
    const auto& image = workload.programs.image_of({x, y});
    if (image == nullptr) return std::string();
    for (const pe::TaskBinding& task : image->tasks) {
      if (image->number_of(task) == id) return task.name;
    }
    return std::string();
  };
  return names;
}

observe::Counter counter_named(const std::string& name) {
  if (name.empty()) return observe::Counter::kBusyIssueCycles;
  const auto counter = observe::find_counter(name);
  if (counter && *counter != observe::Counter::kLastEventCycle) return *counter;
  std::vector<std::string> known;
  for (const observe::CounterInfo& info : observe::counter_table()) {
    if (info.counter != observe::Counter::kLastEventCycle) known.emplace_back(info.name);
  }
  throw UserError("", "--heatmap-counter",
                  "'" + name + "' is no counter of a tile" + did_you_mean(name, known));
}

}  // namespace

Recorders::Recorders(const cli::Options& options, const FabricOptions& fabric,
                     const Workload& workload, const WseConfig& config)
    : stream_(static_cast<unsigned>(workload.layout.width),
              static_cast<unsigned>(workload.layout.height),
              options.report_detail || options.waits || !fabric.heatmap_file.empty()),
      heatmap_file_(fabric.heatmap_file), heatmap_of_(fabric.heatmap_of),
      heatmap_counter_(counter_named(fabric.heatmap_counter)),
      title_(options.program + " on " + config.name) {
  if (print_file_ = fabric.print_log_file; !print_file_.empty()) {
    print_stream_ = run::open_output(print_file_);
    prints_ = std::make_unique<observe::PrintLog>(print_stream_);
  }
  if (options.max_cycles) stream_.set_end(*options.max_cycles);
  const auto width = static_cast<unsigned>(workload.layout.width);
  const auto height = static_cast<unsigned>(workload.layout.height);
  const auto names = names_for(workload);
  if (const std::string& file = options.trace_perfetto_file; !file.empty())
    traces_.push_back(run::TraceFile::of<observe::PerfettoTrace>(file, stream_, width, names));
  if (!fabric.vcd_file.empty())
    traces_.push_back(run::TraceFile::of<observe::VcdTrace>(fabric.vcd_file, stream_, width, height,
                                                            config.clock_period_ps));
  if (fabric.trace_wse_file.empty()) return;
  const observe::WseTraceOptions wse{width, height, config.fabric.hop_latency,
                                     config.fabric.on_ramp_latency, config.generation};
  traces_.push_back(
      run::TraceFile::of<observe::WseTrace>(fabric.trace_wse_file, stream_, wse, names));
}

void Recorders::finish(const observe::WaitBook* waits) {
  for (run::TraceFile& trace : traces_) trace.finish();
  if (prints_) {
    prints_->finish();
    run::require_complete(print_file_, print_stream_);
  }
  if (!heatmap_file_.empty()) draw_heatmap(waits);
}

void Recorders::draw_heatmap(const observe::WaitBook* waits) const {
  const Cycle cycles = counters().total(observe::Counter::kLastEventCycle) + 1;
  observe::HeatMap map = heatmap_of_ == "waits"
                             ? wait_map(*waits, counters().width(), counters().height(), cycles)
                         : heatmap_of_ == "links" ? link_map(counters(), cycles)
                         : heatmap_counter_ == observe::Counter::kBusyIssueCycles
                             ? observe::issue_slot_use(counters(), cycles)
                             : observe::counter_map(counters(), heatmap_counter_);
  map.title = title_ + ": " + map.title;
  std::ofstream stream = run::open_output(heatmap_file_);
  observe::write_svg(stream, map);
  run::require_complete(heatmap_file_, stream);
}

}  // namespace tessera::wse
