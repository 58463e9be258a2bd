#include "models/observe/perfetto_trace.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tessera::observe {

namespace {

// Rows of a tile, in the order in which they are shown: the main thread, microthreads, input queues.
// Tasks are shown in the row of the main thread, but are slices of their own.
constexpr unsigned kMainRow = 0;
constexpr unsigned kFirstQueueRow = 10;
constexpr unsigned kTaskRow = 31;

/// A wait that has ended, among the events: `a` is number, thread << 8 and reason << 16, `b` its
/// length.
constexpr auto kWaitEnd = static_cast<EventKind>(kEventKindCount);

/// Waits that the operation itself decides, such as its rate, would hide those that matter.
bool is_for_others(WaitReason reason) {
  return reason >= WaitReason::kWavelet;
}

unsigned row_of(unsigned thread) {
  return thread == kMainThread ? kMainRow : thread + 1;
}
unsigned thread_of_row(unsigned row) {
  return row == kTaskRow ? kMainRow : row;
}

std::string name_of_row(unsigned row, unsigned color) {
  if (row == kMainRow || row == kTaskRow) return "main";
  if (row < kFirstQueueRow) return "microthread " + std::to_string(row - 1);
  return "input queue " + std::to_string(row - kFirstQueueRow) + " (color " +
         std::to_string(color) + ")";
}

}  // namespace

PerfettoTrace::PerfettoTrace(PerfettoWriter::Target out, unsigned width, Names names,
                             const Scope& scope)
    : out_(out), width_(std::max(width, 1U)), names_(std::move(names)), scope_(scope) {}

PerfettoWriter::Track PerfettoTrace::track(std::uint32_t place, unsigned row) const {
  return {place, thread_of_row(row)};
}

PerfettoTrace::Tile& PerfettoTrace::tile_at(std::uint32_t place) {
  if (place >= tiles_.size()) tiles_.resize(std::size_t{place} + 1);
  return tiles_[place];
}

// What needs no order is done at once: hops are counted. The instruction of an operation and the
// thread of a wavelet are known from the events beside them, and go with the event (`ident` of
// kOpStart: pc; `a` of kQueueOut: opcode and thread).
bool PerfettoTrace::takes(Event& e) {
  const bool is_end =
      e.kind == EventKind::kTaskEnd || e.kind == EventKind::kOpEnd || e.kind == kWaitEnd;
  if (e.cycle > scope_.to && !is_end) return false;
  if (!scope_.has_place(e.place, width_)) return false;
  switch (e.kind) {
  case EventKind::kHop:
    if (e.cycle >= scope_.from) count_hop(e);
    return false;
  case EventKind::kIssue:
    issued_pc_ = e.b;
    return false;
  case EventKind::kOpStart:
    e.ident = issued_pc_;
    return true;
  case EventKind::kQueueOut:
    if (written_.place != e.place || written_.cycle != e.cycle)
      written_ = {e.place, e.cycle, e.ident};
    return false;
  case EventKind::kCompute:
    if (written_.place != e.place || written_.cycle != e.cycle) return false;
    e.kind = EventKind::kQueueOut;
    e.ident = written_.ident;
    written_.cycle = kNever;
    return true;
  case EventKind::kQueueIn:
    return e.cycle >= scope_.from;
  default:
    return e.kind == kWaitEnd || e.kind == EventKind::kTaskStart || e.kind == EventKind::kTaskEnd ||
           e.kind == EventKind::kOpEnd;
  }
}

// Between two cycles. What is under way goes into the part in which it ends.
void PerfettoTrace::begin_part() {
  out_.begin_part();
  for (Tile& tile : tiles_) tile.named = 0;
}

void PerfettoTrace::on_sorted_event(const Event& e) {
  if (e.cycle > newest_ && out_.is_full()) begin_part();
  newest_ = std::max(newest_, e.cycle);
  switch (e.kind) {
  case EventKind::kTaskStart:
    return start_slice(e, kTaskRow, {e.cycle, 0, e.b, kNone, static_cast<std::uint16_t>(e.a)});
  case EventKind::kTaskEnd:
    return end_slice(e.place, kTaskRow, e.cycle);
  case EventKind::kOpStart:
    return start_slice(e, row_of(thread_of(e)),
                       {e.cycle, e.b, static_cast<std::uint32_t>(e.ident), kNone,
                        static_cast<std::uint16_t>(opcode_of(e))});
  case EventKind::kOpEnd:
    return end_operation(e);
  case EventKind::kQueueOut:
    return note_send(e);
  case EventKind::kQueueIn:
    return enter_queue(e);
  default:
    if (e.kind == kWaitEnd) write_wait(e);
  }
}

void PerfettoTrace::on_wait(const WaitSpan& span) {
  if (!is_for_others(span.reason)) return;
  on_event({span.to, span.place, kWaitEnd,
            span.number | span.thread << 8 | static_cast<std::uint32_t>(span.reason) << 16,
            static_cast<std::uint32_t>(span.to - span.from), 0});
}

void PerfettoTrace::write_wait(const Event& e) {
  const Cycle from = e.cycle - e.b;
  if (e.b == 0 || !scope_.has_span(from, e.cycle - 1)) return;
  const auto reason = static_cast<WaitReason>(e.a >> 16);
  const auto number = static_cast<std::uint8_t>(e.a & 0xFF);
  const unsigned row = row_of(thread_of(e));
  name_row(e.place, row);
  const std::string what = names_.wait ? names_.wait(e.place, reason, number) : std::string();
  PerfettoWriter::Args args;
  args.add("reason", info(reason).name);
  if (!what.empty()) args.add("for", what);
  out_.slice(track(e.place, row), "wait: " + std::string(info(reason).name), from, e.cycle, args,
             "grey");
}

void PerfettoTrace::name_row(std::uint32_t place, unsigned row, unsigned color) {
  Tile& tile = tile_at(place);
  const std::uint32_t bit = 1U << thread_of_row(row);
  if ((tile.named & bit) != 0) return;
  if (tile.named == 0) {
    out_.name_process(place, "tile (" + std::to_string(place % width_) + ", " +
                                 std::to_string(place / width_) + ")");
  }
  tile.named |= bit;
  out_.name_thread(track(place, row), name_of_row(row, color));
}

PerfettoTrace::Slice* PerfettoTrace::open_slice(std::uint32_t place, unsigned row) {
  for (std::uint32_t i = tile_at(place).open; i != kNone; i = slices_[i].next) {
    if (slices_[i].row == row) return &slices_[i];
  }
  return nullptr;
}

void PerfettoTrace::open_slice(std::uint32_t place, unsigned row, Slice slice) {
  Tile& tile = tile_at(place);
  slice.row = static_cast<std::uint8_t>(row);
  slice.next = tile.open;
  if (free_ == kNone) {
    tile.open = static_cast<std::uint32_t>(slices_.size());
    slices_.push_back(slice);
  } else {
    tile.open = free_;
    free_ = slices_[free_].next;
    slices_[tile.open] = slice;
  }
}

std::optional<PerfettoTrace::Slice> PerfettoTrace::take_slice(std::uint32_t place, unsigned row) {
  std::uint32_t* link = &tile_at(place).open;
  while (*link != kNone && slices_[*link].row != row) link = &slices_[*link].next;
  if (*link == kNone) return std::nullopt;
  const std::uint32_t taken = *link;
  const Slice slice = slices_[taken];
  *link = slice.next;
  slices_[taken].next = free_;
  free_ = taken;
  return slice;
}

void PerfettoTrace::start_slice(const Event& e, unsigned row, const Slice& slice) {
  end_slice(e.place, row, e.cycle);
  open_slice(e.place, row, slice);
}

void PerfettoTrace::end_slice(std::uint32_t place, unsigned row, Cycle end) {
  const std::optional<Slice> slice = take_slice(place, row);
  PerfettoWriter::Args args;
  if (slice) write_slice(place, row, *slice, end, args);
}

void PerfettoTrace::write_slice(std::uint32_t place, unsigned row, const Slice& slice, Cycle end,
                                PerfettoWriter::Args& args) {
  if (!scope_.has_span(slice.start, std::max(slice.start, end - 1))) return;
  name_row(place, row, slice.what);
  const bool is_task = row == kTaskRow;
  if (row >= kFirstQueueRow && !is_task) {
    out_.slice(track(place, row), "wavelets", slice.start, end,
               args.add("wavelets", slice.count).add("color", slice.what));
    return;
  }
  args.add(is_task ? "task" : "elements", is_task ? slice.what : slice.count);
  const bool has_line = names_.line && !(is_task && slice.what == kHostAccess);
  const std::string line = has_line ? names_.line(place, slice.at) : std::string();
  if (!line.empty()) args.add("line", line);
  out_.slice(track(place, row),
             is_task ? names_.task_name(place, slice.what) : names_.opcode_name(slice.what),
             slice.start, end, args);
}

void PerfettoTrace::end_operation(const Event& e) {
  const unsigned row = row_of(thread_of(e));
  const std::optional<Slice> slice = take_slice(e.place, row);
  if (!slice) return;
  PerfettoWriter::Args args;
  write_slice(e.place, row, *slice, e.cycle, args.add("done", e.b));
  Tile& tile = tile_at(e.place);
  for (std::size_t i = 0; i < Tile::kSends; ++i) {
    if (tile.send_rows[i] != row) continue;
    tile.send_rows[i] |= Tile::kOver;
    // The cycle of the end is not part of the slice.
    Cycle& sent = tile.send_cycles[i];
    if (sent >= e.cycle) sent = std::max(slice->start, e.cycle - 1);
  }
}

// Only the first wavelet of an operation has an arrow.
void PerfettoTrace::note_send(const Event& e) {
  const unsigned row = row_of(thread_of(e));
  if (open_slice(e.place, row) == nullptr) return;
  Tile& tile = tile_at(e.place);
  const auto& rows = tile.send_rows;
  if (std::find(rows.begin(), rows.end(), row) != rows.end()) return;
  const std::size_t i = tile.next_send++ % Tile::kSends;
  tile.send_cycles[i] = e.cycle;
  tile.send_numbers[i] = static_cast<std::uint32_t>(e.ident);
  tile.send_rows[i] = static_cast<std::uint8_t>(row);
}

void PerfettoTrace::enter_queue(const Event& e) {
  const unsigned row = kFirstQueueRow + queue_of(e);
  if (row >= kTaskRow) return;
  Slice* const slice = open_slice(e.place, row);
  if (slice != nullptr && e.cycle - slice->last() < kGapCycles) {
    slice->at = static_cast<std::uint32_t>(e.cycle - slice->start);
    ++slice->count;
  } else {
    if (slice != nullptr) end_slice(e.place, row, slice->last() + 1);
    open_slice(e.place, row, {e.cycle, 1, 0, kNone, static_cast<std::uint16_t>(queue_color_of(e))});
  }
  draw_arrow(e, row);
}

void PerfettoTrace::draw_arrow(const Event& e, unsigned row) {
  const std::uint64_t sender = e.ident >> 32;  // its place plus one; 0: the host
  if (sender == 0) return;
  const auto place = static_cast<std::uint32_t>(sender - 1);
  if (place >= tiles_.size()) return;
  const Tile& tile = tiles_[place];
  for (std::size_t i = 0; i < Tile::kSends; ++i) {
    const Cycle sent = tile.send_cycles[i];
    if (sent == kNever || tile.send_numbers[i] != static_cast<std::uint32_t>(e.ident)) continue;
    if (!scope_.has_cycle(sent)) continue;
    const unsigned from = tile.send_rows[i] & ~unsigned{Tile::kOver};
    name_row(place, from);
    name_row(e.place, row, queue_color_of(e));
    out_.flow("wavelet", track(place, from), sent, track(e.place, row), e.cycle);
    return;
  }
}

void PerfettoTrace::count_hop(const Event& e) {
  const auto bin = static_cast<std::uint32_t>(e.cycle / kBinCycles);
  if (bin != bin_) close_bin();
  bin_ = bin;
  Tile& tile = tile_at(e.place);
  if (tile.hops == Hops{}) counted_.push_back(e.place);
  ++tile.hops[index(direction_of(e))];
}

void PerfettoTrace::close_bin() {
  std::sort(counted_.begin(), counted_.end());
  for (const std::uint32_t place : was_counted_) {
    const std::uint32_t next = was_counted_bin_ + 1;
    if (bin_ != next || tile_at(place).hops == Hops{}) write_hops(place, next, {});
  }
  for (const std::uint32_t place : counted_)
    write_hops(place, bin_, std::exchange(tile_at(place).hops, {}));
  was_counted_.swap(counted_);
  was_counted_bin_ = bin_;
  counted_.clear();
}

void PerfettoTrace::write_hops(std::uint32_t place, std::uint32_t bin, const Hops& hops) {
  name_row(place, kMainRow);
  PerfettoWriter::Args args;
  constexpr std::array<std::pair<Direction, const char*>, kDirectionCount> kShown = {
      {{Direction::kEast, "E"},
       {Direction::kWest, "W"},
       {Direction::kNorth, "N"},
       {Direction::kSouth, "S"},
       {Direction::kRamp, "R"}}};
  for (const auto& [direction, letter] : kShown) args.add(letter, hops[index(direction)]);
  out_.counter(place, "hops", Cycle{bin} * kBinCycles, args);
}

// Numbers of wavelets begin again.
void PerfettoTrace::on_machine_reset(Cycle origin) {
  end_unfinished(origin);
  for (Tile& tile : tiles_) {
    tile.send_cycles.fill(kNever);
    tile.send_rows.fill(Tile::kOver);
  }
  written_ = {};
}

void PerfettoTrace::end_unfinished(Cycle end) {
  for (std::uint32_t place = 0; place < tiles_.size(); ++place) {
    for (unsigned row = 0; row <= kTaskRow && tiles_[place].open != kNone; ++row) {
      const std::optional<Slice> slice = take_slice(place, row);
      if (!slice) continue;
      const bool is_queue = row >= kFirstQueueRow && row != kTaskRow;
      PerfettoWriter::Args args;
      if (!is_queue) args.mark("unfinished");
      write_slice(place, row, *slice, is_queue ? slice->last() + 1 : end, args);
    }
  }
}

void PerfettoTrace::on_end() {
  end_unfinished(newest_);
  if (bin_ != ~0U) {
    close_bin();
    bin_ += 1;
    close_bin();
  }
  out_.finish();
}

}  // namespace tessera::observe
