#include "platforms/wse/recorders.h"

#include <utility>

#include "models/observe/heatmap.h"
#include "models/observe/perfetto_trace.h"
#include "models/observe/vcd.h"
#include "models/observe/wse_trace.h"
#include "models/pe/isa.h"
#include "platforms/cli/output_file.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::wse {

namespace {

observe::Names names_for(const layout::Layout& layout, const Programs& programs) {
  observe::Names names;
  names.opcode = [](unsigned opcode) {
    return opcode < pe::kOpcodeCount
               ? std::string(pe::info(static_cast<pe::Opcode>(opcode)).mnemonic)
               : std::string();
  };
  names.task = [&layout, &programs](std::uint32_t place, unsigned id) {
    const int x = static_cast<int>(place) % layout.width;
    const int y = static_cast<int>(place) / layout.width;
    const auto& image = programs.image_of({x, y});
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

Recorders::Recorders(const cli::Options& options, const layout::Layout& layout,
                     const Programs& programs, const WseConfig& config)
    : stream_(static_cast<unsigned>(layout.width), static_cast<unsigned>(layout.height),
              options.report_detail || !options.heatmap_file.empty()),
      heatmap_file_(options.heatmap_file), heatmap_counter_(counter_named(options.heatmap_counter)),
      title_(options.program + " on " + config.name) {
  if (options.max_cycles) stream_.set_end(*options.max_cycles);
  const auto width = static_cast<unsigned>(layout.width);
  const auto height = static_cast<unsigned>(layout.height);
  add_trace<observe::PerfettoTrace>(options.trace_perfetto_file, width,
                                    names_for(layout, programs));
  add_trace<observe::VcdTrace>(options.vcd_file, width, height, config.clock_period_ps);
  const observe::WseTraceOptions wse{width, height, config.fabric.hop_latency,
                                     config.fabric.on_ramp_latency, config.generation};
  add_trace<observe::WseTrace>(options.trace_wse_file, wse, names_for(layout, programs));
  if (!heatmap_file_.empty()) cli::require_writable(heatmap_file_);  // known before the run
}

template <class Trace, class... Args>
void Recorders::add_trace(const std::string& file, Args&&... args) {
  if (file.empty()) return;
  TraceFile entry{file, std::make_unique<std::ofstream>(cli::open_output(file)), nullptr};
  entry.trace = std::make_unique<Trace>(*entry.stream, std::forward<Args>(args)...);
  stream_.add(*entry.trace);
  traces_.push_back(std::move(entry));
}

void Recorders::finish() {
  for (TraceFile& file : traces_) {
    file.trace->finish();
    cli::require_complete(file.path, *file.stream);
  }
  if (!heatmap_file_.empty()) draw_heatmap();
}

void Recorders::draw_heatmap() const {
  const Cycle cycles = counters().total(observe::Counter::kLastEventCycle) + 1;
  observe::HeatMap map = heatmap_counter_ == observe::Counter::kBusyIssueCycles
                             ? observe::issue_slot_use(counters(), cycles)
                             : observe::counter_map(counters(), heatmap_counter_);
  map.title = title_ + ": " + map.title;
  std::ofstream stream = cli::open_output(heatmap_file_);
  observe::write_svg(stream, map);
  cli::require_complete(heatmap_file_, stream);
}

}  // namespace tessera::wse
