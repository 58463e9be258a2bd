#include "platforms/wse/recorders.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "models/observe/heatmap.h"
#include "models/observe/names.h"
#include "models/observe/perfetto_trace.h"
#include "models/observe/vcd.h"
#include "models/observe/wse_trace.h"
#include "models/pe/isa.h"
#include "models/pe/readiness.h"
#include "platforms/run/live_machine.h"
#include "platforms/wse/route_picture.h"
#include "platforms/wse/wait_summary.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::wse {

namespace {

constexpr std::int64_t kMostTilesOnASide = 1 << 20;  // largest number that an option may give

// "gemv/layout.csl", wherever it lies.
std::string short_name(const std::string& program) {
  const std::filesystem::path path(program);
  return (path.parent_path().filename() / path.filename()).generic_string();
}

// The numbers of an option such as 0,0,4,4; empty: the text has another form.
std::vector<std::uint32_t> numbers_in(const std::string& text) {
  std::vector<std::uint32_t> numbers;
  std::istringstream in(text);
  std::string part;
  while (std::getline(in, part, ',')) {
    const auto number = cli::whole_number_in(part);
    if (!number || *number < 0 || *number > kMostTilesOnASide) return {};
    numbers.push_back(static_cast<std::uint32_t>(*number));
  }
  return numbers;
}

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
  names.wait = [image_of](std::uint32_t place, observe::WaitReason reason, std::uint8_t number) {
    return pe::words_of(*image_of(place), {reason, number});
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

/// Counters of tiles that somebody looks at: a picture needs its own one only, which costs a run
/// far less than all of them.
observe::Counters counters_for(const cli::Options& options, const FabricOptions& fabric,
                               const layout::Layout& layout) {
  using C = observe::Counter;
  const auto width = static_cast<unsigned>(layout.width);
  const auto height = static_cast<unsigned>(layout.height);
  if (options.report_detail || options.waits || options.is_recorded())
    return observe::Counters(width, height);
  if (fabric.heatmap_file.empty()) return {};
  const C counter = counter_named(fabric.heatmap_counter);
  if (fabric.heatmap_of == "links" || counter == C::kHops)
    return {width, height, {C::kHopsEast, C::kHopsWest, C::kHopsNorth, C::kHopsSouth}};
  return {width, height, {counter}};
}

std::optional<observe::Scope::Rect> watched_rect(const FabricOptions& fabric,
                                                 const layout::Layout& layout) {
  if (fabric.trace_rect) return fabric.trace_rect;
  const observe::Scope::Rect used = used_rect(layout);
  const std::uint64_t tiles = std::uint64_t{used.width} * used.height;
  if (tiles == 0 || tiles > run::kMostWatched) return std::nullopt;
  return used;
}

}  // namespace

observe::Scope::Rect used_rect(const layout::Layout& layout) {
  int west = layout.width, north = layout.height, east = -1, south = -1;
  for (std::size_t place = 0; place < layout.program_of_tile.size(); ++place) {
    if (layout.program_of_tile[place] < 0) continue;
    const auto x = static_cast<int>(place) % layout.width;
    const auto y = static_cast<int>(place) / layout.width;
    west = std::min(west, x);
    east = std::max(east, x);
    north = std::min(north, y);
    south = std::max(south, y);
  }
  if (east < west) return {0, 0, 0, 0};
  const auto size = [](int from, int to) { return static_cast<unsigned>(to - from + 1); };
  return {static_cast<unsigned>(west), static_cast<unsigned>(north), size(west, east),
          size(north, south)};
}

observe::Scope::Rect rect_in(const std::string& text) {
  const std::vector<std::uint32_t> numbers = numbers_in(text);
  if (numbers.size() != 4 || numbers[2] == 0 || numbers[3] == 0)
    throw UserError("", "--trace-rect",
                    "'" + text + "' is not of the form X,Y,W,H, such as 0,0,4,4");
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

wafer::Skew skew_in(const std::string& text) {
  const std::vector<std::uint32_t> numbers = numbers_in(text);
  if (numbers.size() != 3 || std::count(numbers.begin(), numbers.end(), 0) > 0 ||
      numbers[0] > wafer::kMaxDepth)
    throw UserError("", "--skew",
                    "'" + text +
                        "' is not of the form CYCLES,ROWS,COLUMNS, such as 8,16,16, with " +
                        std::to_string(wafer::kMaxDepth) + " cycles or fewer");
  return {numbers[0], static_cast<int>(numbers[1]), static_cast<int>(numbers[2]), false};
}

Recorders::Recorders(const cli::Options& options, const FabricOptions& fabric,
                     const Workload& workload, const WseConfig& config)
    : stream_(counters_for(options, fabric, workload.layout)), heatmap_file_(fabric.heatmap_file),
      heatmap_of_(fabric.heatmap_of), heatmap_counter_(counter_named(fabric.heatmap_counter)),
      title_(short_name(options.program) + " on " + config.name), routes_file_(fabric.routes_file),
      switch_positions_(config.fabric.switch_positions), layout_(workload.layout),
      width_(static_cast<unsigned>(workload.layout.width)),
      height_(static_cast<unsigned>(workload.layout.height)) {
  if (!fabric.print_log_file.empty()) {
    print_file_ = std::make_unique<text::OutputFile>(fabric.print_log_file);
    prints_ = std::make_unique<observe::PrintLog>(print_file_->stream());
  } else if (!options.quiet && options.debug.empty()) {
    prints_ = std::make_unique<observe::PrintLog>(std::cout);
  }
  if (options.max_cycles) {
    stream_.set_end(*options.max_cycles);
    shown_.set_end(*options.max_cycles);
  }
  const auto names = names_for(workload);
  scope_ = scope_of(options, fabric, width_, height_);
  if (fabric.trace_megabytes == 0)
    throw UserError("", "--trace-megabytes", "is the size of a file, 1 or more");
  if (!options.trace_perfetto_file.empty())
    add_perfetto(options.trace_perfetto_file, fabric.trace_megabytes, names);
  if (options.is_recorded()) {
    watched_ = watched_rect(fabric, layout_);
    if (watched_) watch_tiles(names);
  }
  if (!fabric.vcd_file.empty())
    add_trace<observe::VcdTrace>(fabric.vcd_file, width_, height_, config.clock_period_ps, names,
                                 scope_);
  if (fabric.trace_wse_file.empty()) return;
  observe::Scope scope = scope_;
  if (options.max_cycles)
    scope.to = std::min(scope.to, std::max(*options.max_cycles, Cycle{1}) - 1);
  const observe::WseTraceOptions wse{
      width_, height_, config.fabric.hop_latency, config.fabric.on_ramp_latency, config.generation,
      scope};
  stall_listener_ = &add_trace<observe::WseTrace>(fabric.trace_wse_file, wse, names);
}

void Recorders::add_perfetto(const std::string& file, const std::optional<std::uint64_t>& megabytes,
                             const observe::Names& names) {
  using observe::PerfettoTrace;
  constexpr std::uint64_t kMegabyte = 1'000'000;
  if (!megabytes) {
    wait_listener_ = &add_trace<PerfettoTrace>(file, width_, names, scope_);
    return;
  }
  traces_.push_back(run::TraceFile::cut<PerfettoTrace>(file, *megabytes * kMegabyte, shown_, width_,
                                                       names, scope_));
  wait_listener_ = &static_cast<PerfettoTrace&>(traces_.back().trace());
}

void Recorders::watch_tiles(const observe::Names& names) {
  observe::Scope scope = scope_;
  scope.rect = *watched_;
  slice_trace_ = std::make_unique<observe::PerfettoTrace>(slices_, width_, names, scope);
  shown_.add(*slice_trace_);
  if (wait_listener_ == nullptr) {
    wait_listener_ = slice_trace_.get();
    return;
  }
  both_.first = wait_listener_;
  both_.second = slice_trace_.get();
  wait_listener_ = &both_;
}

bool Recorders::shows_waits(std::uint32_t place) const {
  constexpr std::uint64_t kMost = 65536;
  const std::uint64_t tiles =
      std::uint64_t{std::min(scope_.rect.width, width_)} * std::min(scope_.rect.height, height_);
  return tiles <= kMost && scope_.has_place(place, width_);
}

void Recorders::finish(const observe::WaitBook* waits) {
  for (run::TraceFile& trace : traces_) trace.finish();
  if (slice_trace_) slice_trace_->finish();
  if (prints_) {
    prints_->finish();
    if (print_file_) print_file_->commit();
  }
  if (!heatmap_file_.empty()) draw_heatmap(waits);
  if (!routes_file_.empty()) draw_routes_of_layout();
}

void Recorders::draw_routes_of_layout() const {
  text::OutputFile file(routes_file_);
  draw_routes(file.stream(), layout_, switch_positions_, title_ + ": routes");
  file.commit();
}

void Recorders::draw_heatmap(const observe::WaitBook* waits) const {
  const Cycle cycles = counters().total(observe::Counter::kLastEventCycle) + 1;
  observe::HeatMap map = heatmap_of_ == "waits"
                             ? wait_map(*waits, counters().width(), counters().height(), cycles)
                         : heatmap_of_ == "links" ? link_map(counters(), cycles)
                         : heatmap_counter_ == observe::Counter::kBusyIssueCycles
                             ? observe::issue_slot_use(counters(), cycles)
                             : observe::counter_map(counters(), heatmap_counter_);
  // Wavelets also pass through tiles without a program, which are never busy and never wait.
  const bool is_of_programs =
      heatmap_of_ == "waits" ||
      (heatmap_of_ != "links" && heatmap_counter_ == observe::Counter::kBusyIssueCycles);
  if (is_of_programs) {
    for (const std::int32_t program : layout_.program_of_tile) map.counted.push_back(program >= 0);
  }
  map.title = title_ + ": " + map.title;
  text::OutputFile file(heatmap_file_);
  observe::write_svg(file.stream(), map);
  file.commit();
}

}  // namespace tessera::wse
