#include "platforms/wse/recorders.h"

#include <array>
#include <sstream>

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

constexpr std::int64_t kMostTilesOnASide = 1 << 20;  // of a number in an option

observe::Names names_for(const Workload& workload) {
  observe::Names names;
  names.opcode = [](unsigned opcode) {
    return opcode < pe::kOpcodeCount
               ? std::string(pe::info(static_cast<pe::Opcode>(opcode)).mnemonic)
               : std::string();
  };
  const auto image_of = [&workload](std::uint32_t place) -> const auto& {
    const auto width = static_cast<unsigned>(workload.layout.width);
    return workload.programs.image_of(
        {static_cast<int>(place % width), static_cast<int>(place / width)});
  };
  names.line = [image_of](std::uint32_t place, std::uint32_t pc) {
    const auto& image = image_of(place);
    return image == nullptr ? std::string() : image->place_of(pc);
  };
  names.task = [image_of](std::uint32_t place, unsigned id) {
    const auto& image = image_of(place);
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

observe::Scope scope_of(const cli::Options& options, const FabricOptions& fabric, unsigned width,
                        unsigned height) {
  observe::Scope scope = options.trace_scope();
  if (!fabric.trace_rect) return scope;
  scope.rect = *fabric.trace_rect;
  if (scope.rect.x >= width || scope.rect.y >= height)
    throw UserError("", "--trace-rect",
                    "tile (" + std::to_string(scope.rect.x) + ", " + std::to_string(scope.rect.y) +
                        ") lies outside the fabric of " + std::to_string(width) + " x " +
                        std::to_string(height) + " tiles");
  return scope;
}

}  // namespace

observe::Scope::Rect rect_in(const std::string& text) {
  std::array<std::uint32_t, 4> numbers{};
  std::istringstream in(text);
  std::string part;
  std::size_t count = 0;
  while (std::getline(in, part, ',')) {
    const auto number = cli::whole_number_in(part);
    const bool is_right = number && *number >= 0 && *number <= kMostTilesOnASide;
    if (!is_right || count == numbers.size()) {
      count = 0;
      break;
    }
    numbers[count++] = static_cast<std::uint32_t>(*number);
  }
  if (count != numbers.size() || numbers[2] == 0 || numbers[3] == 0)
    throw UserError("", "--trace-rect",
                    "'" + text + "' is not of the form X,Y,W,H, such as 0,0,4,4");
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

Recorders::Recorders(const cli::Options& options, const FabricOptions& fabric,
                     const Workload& workload, const WseConfig& config)
    : stream_(static_cast<unsigned>(workload.layout.width),
              static_cast<unsigned>(workload.layout.height),
              options.report_detail || options.waits || !fabric.heatmap_file.empty()),
      heatmap_file_(fabric.heatmap_file), heatmap_of_(fabric.heatmap_of),
      heatmap_counter_(counter_named(fabric.heatmap_counter)),
      title_(options.program + " on " + config.name) {
  if (!fabric.print_log_file.empty()) {
    print_file_ = std::make_unique<text::OutputFile>(fabric.print_log_file);
    prints_ = std::make_unique<observe::PrintLog>(print_file_->stream());
  }
  if (options.max_cycles) stream_.set_end(*options.max_cycles);
  const auto width = static_cast<unsigned>(workload.layout.width);
  const auto height = static_cast<unsigned>(workload.layout.height);
  const auto names = names_for(workload);
  const observe::Scope scope = scope_of(options, fabric, width, height);
  if (const std::string& file = options.trace_perfetto_file; !file.empty())
    add_trace<observe::PerfettoTrace>(file, width, names, scope);
  if (!fabric.vcd_file.empty())
    add_trace<observe::VcdTrace>(fabric.vcd_file, width, height, config.clock_period_ps, names,
                                 scope);
  if (fabric.trace_wse_file.empty()) return;
  const observe::WseTraceOptions wse{
      width, height, config.fabric.hop_latency, config.fabric.on_ramp_latency, config.generation,
      scope};
  needs_every_group_ = true;
  add_trace<observe::WseTrace>(fabric.trace_wse_file, wse, names);
}

void Recorders::finish(const observe::WaitBook* waits) {
  for (run::TraceFile& trace : traces_) trace.finish();
  if (prints_) {
    prints_->finish();
    print_file_->commit();
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
  text::OutputFile file(heatmap_file_);
  observe::write_svg(file.stream(), map);
  file.commit();
}

}  // namespace tessera::wse
