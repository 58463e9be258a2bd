#include "models/observe/vcd.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace tessera::observe {

namespace {

// Number of the name in the signals of a tile; its task is number 0.
constexpr unsigned kNameSignal = 1;
constexpr unsigned kFirstOutput = 2;
constexpr unsigned kSignalsPerTile = kFirstOutput + 2 * kDirectionCount;
constexpr std::array<char, kDirectionCount> kLetters = {'w', 'e', 's', 'n', 'r'};  // as Direction

}  // namespace

VcdTrace::VcdTrace(std::ostream& out, unsigned width, unsigned height, unsigned clock_period_ps,
                   Names names, const Scope& scope)
    : writer_(out, {clock_period_ps, 1}, "wafer"), width_(width), names_(std::move(names)),
      scope_(scope) {
  Scope::Rect& rect = scope_.rect;
  rect.width = std::min(rect.width, width - std::min(rect.x, width));
  rect.height = std::min(rect.height, height - std::min(rect.y, height));
  outputs_.resize(std::size_t{rect.width} * rect.height * kDirectionCount);
  declare_signals();
}

void VcdTrace::declare_signals() {
  const Scope::Rect& rect = scope_.rect;
  for (unsigned y = rect.y; y < rect.y + rect.height; ++y) {
    for (unsigned x = rect.x; x < rect.x + rect.width; ++x) {
      writer_.open_scope("tile_" + std::to_string(x) + '_' + std::to_string(y));
      const VcdWriter::Signal task = writer_.add_wire("task", 8, 'z');
      if (x == rect.x && y == rect.y) first_signal_ = task;
      writer_.add_text("name");
      for (const char letter : kLetters) {
        writer_.add_wire(std::string("out_") + letter, 1, '0');
        writer_.add_wire(std::string("color_") + letter, 5, 'x');
      }
      writer_.close_scope();
    }
  }
  now_ = scope_.from;
  writer_.start(now_);
}

VcdWriter::Signal VcdTrace::signal_of_tile(std::size_t tile) const {
  return first_signal_ + tile * kSignalsPerTile;
}

// The color signal of the output is the next one.
VcdWriter::Signal VcdTrace::pulse_signal(std::size_t output) const {
  return signal_of_tile(output / kDirectionCount) + kFirstOutput + 2 * (output % kDirectionCount);
}

bool VcdTrace::takes(Event& e) {
  const bool is_task = e.kind == EventKind::kTaskStart || e.kind == EventKind::kTaskEnd;
  if (!is_task && (e.kind != EventKind::kHop || e.cycle < scope_.from)) return false;
  if (e.cycle > scope_.to || !scope_.has_place(e.place, width_)) return false;
  const unsigned x = e.place % width_ - scope_.rect.x, y = e.place / width_ - scope_.rect.y;
  e.ident = std::uint64_t{y} * scope_.rect.width + x;  // the tile in the scope
  return true;
}

void VcdTrace::on_sorted_event(const Event& e) {
  const bool shown = e.cycle >= scope_.from;
  if (shown && !begun_) begin();
  if (e.kind == EventKind::kHop) return hop(e);
  if (e.kind == EventKind::kTaskStart)
    running_[e.place] = e;
  else
    running_.erase(e.place);
  if (shown) change_task(e);
}

void VcdTrace::on_machine_reset(Cycle origin) {
  for (const auto& [place, start] : running_) {
    Event end = start;
    end.cycle = origin;
    end.kind = EventKind::kTaskEnd;
    if (begun_ && origin <= scope_.to) change_task(end);
  }
  running_.clear();
}

// Tasks that have begun before the first cycle of the scope.
void VcdTrace::begin() {
  begun_ = true;
  for (const auto& [place, e] : running_) write_task(static_cast<std::size_t>(e.ident), e);
}

// A pulse falls at the end of its cycle unless the next wavelet leaves in the cycle after it,
// which is known only once all events of that cycle have come.
void VcdTrace::advance_to(Cycle cycle) {
  if (cycle <= now_) return;
  drop_old_pulses();
  if (!high_.empty() && cycle > now_ + 1) {
    writer_.advance_to(++now_);
    drop_old_pulses();
  }
  now_ = cycle;
  writer_.advance_to(now_);
}

void VcdTrace::drop_old_pulses() {
  const auto still_high = [this](std::size_t i) { return outputs_[i].last_hop == now_; };
  const auto old = std::partition(high_.begin(), high_.end(), still_high);
  for (auto it = old; it != high_.end(); ++it) {
    writer_.set(pulse_signal(*it), 0);
    outputs_[*it].high = false;
  }
  high_.erase(old, high_.end());
}

void VcdTrace::change_task(const Event& e) {
  advance_to(e.cycle);
  write_task(static_cast<std::size_t>(e.ident), e);
}

void VcdTrace::write_task(std::size_t tile, const Event& e) {
  const VcdWriter::Signal signal = signal_of_tile(tile);
  if (e.kind == EventKind::kTaskStart) {
    writer_.set(signal, e.a);
    writer_.set_text(signal + kNameSignal, names_.task_name(e.place, e.a));
  } else {
    writer_.release(signal);
    writer_.set_text(signal + kNameSignal, "-");
  }
}

void VcdTrace::hop(const Event& e) {
  advance_to(e.cycle);
  const std::size_t number =
      static_cast<std::size_t>(e.ident) * kDirectionCount + index(direction_of(e));
  Output& output = outputs_[number];
  output.last_hop = e.cycle;
  if (!output.high) {
    output.high = true;
    high_.push_back(number);
    writer_.set(pulse_signal(number), 1);
  }
  const auto color = static_cast<std::uint8_t>(color_of(e));
  if (output.color == color) return;
  output.color = color;
  writer_.set(pulse_signal(number) + 1, color);
}

void VcdTrace::on_end() {
  advance_to(now_ + 1);  // where the last cycle ends, and its pulses
  drop_old_pulses();
  writer_.finish(now_);
}

}  // namespace tessera::observe
