#include "models/observe/perfetto_trace.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tessera::observe {

namespace {

/// The main thread comes first.
unsigned number_of(unsigned thread) {
  return thread == kMainThread ? 0 : thread + 1;
}

std::string thread_name(unsigned thread) {
  return thread == kMainThread ? "main" : "microthread " + std::to_string(thread);
}

}  // namespace

PerfettoTrace::PerfettoTrace(std::ostream& out, unsigned width, Names names)
    : out_(out), width_(std::max(width, 1U)), names_(std::move(names)) {}

PerfettoTrace::Tile& PerfettoTrace::tile_at(std::uint32_t place) {
  const auto [it, is_new] = tiles_.try_emplace(place);
  if (is_new)
    out_.name_process(place, "tile (" + std::to_string(place % width_) + ", " +
                                 std::to_string(place / width_) + ")");
  return it->second;
}

void PerfettoTrace::on_sorted_event(const Event& e) {
  newest_ = e.cycle;
  Tile& tile = tile_at(e.place);
  const unsigned thread = thread_of(e);  // of operations
  switch (e.kind) {
  case EventKind::kHop:
    return count_hop(e, tile);
  case EventKind::kTaskStart:
    return start_slice(e, tile, kMainThread, tile.task, names_.task_name(e.place, e.a),
                       "\"task\":" + std::to_string(e.a));
  case EventKind::kTaskEnd:
    return end_slice(e.place, kMainThread, tile.task, e.cycle, "");
  case EventKind::kOpStart:
    return start_slice(e, tile, thread, tile.operations[thread], names_.opcode_name(opcode_of(e)),
                       "\"elements\":" + std::to_string(e.b));
  case EventKind::kOpEnd:
    return end_slice(e.place, thread, tile.operations[thread], e.cycle,
                     "\"done\":" + std::to_string(e.b));
  default:
    return;
  }
}

void PerfettoTrace::start_slice(const Event& e, Tile& tile, unsigned thread,
                                std::optional<Slice>& slice, std::string name, std::string args) {
  if (!tile.named[thread]) out_.name_thread({e.place, number_of(thread)}, thread_name(thread));
  tile.named[thread] = true;
  end_slice(e.place, thread, slice, e.cycle, "");
  slice = Slice{e.cycle, std::move(name), std::move(args)};
}

void PerfettoTrace::end_slice(std::uint32_t place, unsigned thread, std::optional<Slice>& slice,
                              Cycle end, const std::string& more_args) {
  if (!slice) return;
  std::string args = slice->args;
  if (!more_args.empty()) args += (args.empty() ? "" : ",") + more_args;
  out_.slice({place, number_of(thread)}, slice->name, slice->start, end, args);
  slice.reset();
}

void PerfettoTrace::count_hop(const Event& e, Tile& tile) {
  const Cycle bin = e.cycle / kBinCycles;
  if (tile.has_hops && bin != tile.bin) {
    write_counter(e.place, tile.bin * kBinCycles, tile.hops);
    if (bin > tile.bin + 1) write_counter(e.place, (tile.bin + 1) * kBinCycles, {});
    tile.hops = {};
  }
  tile.bin = bin;
  tile.has_hops = true;
  ++tile.hops[index(direction_of(e))];
}

void PerfettoTrace::write_counter(std::uint32_t place, Cycle at,
                                  const std::array<unsigned, kDirectionCount>& n) {
  const auto count = [&](Direction d) { return std::to_string(n[index(d)]); };
  out_.counter(place, "hops", at,
               "\"E\":" + count(Direction::kEast) + ",\"W\":" + count(Direction::kWest) +
                   ",\"N\":" + count(Direction::kNorth) + ",\"S\":" + count(Direction::kSouth) +
                   ",\"R\":" + count(Direction::kRamp));
}

void PerfettoTrace::on_end() {
  static const std::string kOpen = "\"unfinished\":true";
  std::vector<std::uint32_t> places;
  for (const auto& entry : tiles_) places.push_back(entry.first);
  std::sort(places.begin(), places.end());
  for (const std::uint32_t place : places) {
    Tile& tile = tiles_[place];
    for (unsigned thread = 0; thread < kThreadCount; ++thread) {
      end_slice(place, thread, tile.operations[thread], newest_, kOpen);
    }
    end_slice(place, kMainThread, tile.task, newest_, kOpen);
    if (!tile.has_hops) continue;
    write_counter(place, tile.bin * kBinCycles, tile.hops);
    write_counter(place, (tile.bin + 1) * kBinCycles, {});
  }
  out_.finish();
}

}  // namespace tessera::observe
