#include "models/observe/vcd.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <string>
#include <utility>

namespace tessera::observe {

namespace {

constexpr std::size_t kFirstSignal = 1;  // after the one of the cycle
// Number of the name in the signals of a tile; its task is number 0.
constexpr unsigned kNameSignal = 1;
constexpr unsigned kFirstOutput = 2;
constexpr unsigned kSignalsPerTile = kFirstOutput + 2 * kDirectionCount;
constexpr std::array<char, kDirectionCount> kLetters = {'w', 'e', 's', 'n', 'r'};  // as Direction

/// Short identifier code of a signal: printable characters, as the format wants.
std::string code(std::size_t signal) {
  std::string text;
  do {
    text += static_cast<char>('!' + signal % 94);
    signal /= 94;
  } while (signal != 0);
  return text;
}

std::string binary(std::uint64_t value, unsigned bits) {
  std::string text(bits, '0');
  for (unsigned i = 0; i < bits; ++i) {
    if ((value >> (bits - 1 - i)) & 1U) text[i] = '1';
  }
  return text;
}

/// The value of the signal of the cycle. A viewer adds the zeros in front.
std::string cycle_value(Cycle cycle) {
  const std::string text = binary(cycle, 64);
  return "b" + text.substr(std::min(text.find('1'), text.size() - 1)) + " " + code(0) + "\n";
}

std::size_t signal_of_tile(std::size_t tile) {
  return kFirstSignal + tile * kSignalsPerTile;
}

/// Number of the pulse signal of output number tile * kDirectionCount + direction; its color signal
/// is the next.
std::size_t pulse_signal(std::size_t output) {
  return signal_of_tile(output / kDirectionCount) + kFirstOutput + 2 * (output % kDirectionCount);
}

/// A value of a string signal has no blanks.
std::string string_value(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) <= ' ') c = '_';
  }
  return "s" + text + " ";
}

}  // namespace

VcdTrace::VcdTrace(std::ostream& out, unsigned width, unsigned height, unsigned clock_period_ps,
                   Names names, const Scope& scope)
    : out_(out), width_(width), period_ps_(clock_period_ps), names_(std::move(names)),
      scope_(scope) {
  Scope::Rect& rect = scope_.rect;
  rect.width = std::min(rect.width, width - std::min(rect.x, width));
  rect.height = std::min(rect.height, height - std::min(rect.y, height));
  outputs_.resize(std::size_t{rect.width} * rect.height * kDirectionCount);
  write_header();
}

void VcdTrace::write_header() {
  out_ << "$version tessera $end\n$timescale 1 ps $end\n$scope module wafer $end\n"
       << "$var wire 64 " << code(0) << " cycle $end\n";
  std::size_t signal = kFirstSignal;
  const Scope::Rect& rect = scope_.rect;
  for (unsigned y = rect.y; y < rect.y + rect.height; ++y) {
    for (unsigned x = rect.x; x < rect.x + rect.width; ++x) {
      out_ << "$scope module tile_" << x << '_' << y << " $end\n";
      out_ << "$var wire 8 " << code(signal++) << " task $end\n";
      out_ << "$var string 1 " << code(signal++) << " name $end\n";
      for (const char letter : kLetters) {
        out_ << "$var wire 1 " << code(signal++) << " out_" << letter << " $end\n";
        out_ << "$var wire 5 " << code(signal++) << " color_" << letter << " $end\n";
      }
      out_ << "$upscope $end\n";
    }
  }
  out_ << "$upscope $end\n$enddefinitions $end\n";
  write_initial_values(signal);
}

void VcdTrace::write_initial_values(std::size_t signals) {
  now_ = scope_.from;
  out_ << '#' << now_ * period_ps_ << "\n$dumpvars\n" << cycle_value(now_);
  for (std::size_t s = kFirstSignal; s < signals; ++s) {
    const std::size_t in_tile = (s - kFirstSignal) % kSignalsPerTile;
    if (in_tile == 0)
      out_ << "bz " << code(s) << '\n';
    else if (in_tile == kNameSignal)
      out_ << string_value("-") << code(s) << '\n';
    else if (in_tile % 2 == kFirstOutput % 2)
      out_ << '0' << code(s) << '\n';
    else
      out_ << "bx " << code(s) << '\n';
  }
  out_ << "$end\n";
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
    ++now_;
    stamped_ = false;
    drop_old_pulses();
  }
  now_ = cycle;
  stamped_ = false;
}

void VcdTrace::drop_old_pulses() {
  const auto still_high = [this](std::size_t i) { return outputs_[i].last_hop == now_; };
  const auto old = std::partition(high_.begin(), high_.end(), still_high);
  for (auto it = old; it != high_.end(); ++it) {
    stamp();
    out_ << '0' << code(pulse_signal(*it)) << '\n';
    outputs_[*it].high = false;
  }
  high_.erase(old, high_.end());
}

void VcdTrace::stamp() {
  if (stamped_) return;
  stamped_ = true;
  out_ << '#' << now_ * period_ps_ << '\n' << cycle_value(now_);
}

void VcdTrace::change_task(const Event& e) {
  advance_to(e.cycle);
  stamp();
  write_task(static_cast<std::size_t>(e.ident), e);
}

void VcdTrace::write_task(std::size_t tile, const Event& e) {
  const bool starts = e.kind == EventKind::kTaskStart;
  const std::size_t signal = signal_of_tile(tile);
  out_ << 'b' << (starts ? binary(e.a, 8) : "z") << ' ' << code(signal) << '\n'
       << string_value(starts ? names_.task_name(e.place, e.a) : "-") << code(signal + kNameSignal)
       << '\n';
}

void VcdTrace::hop(const Event& e) {
  advance_to(e.cycle);
  const std::size_t number =
      static_cast<std::size_t>(e.ident) * kDirectionCount + index(direction_of(e));
  Output& output = outputs_[number];
  output.last_hop = e.cycle;
  if (!output.high) {
    stamp();
    output.high = true;
    high_.push_back(number);
    out_ << '1' << code(pulse_signal(number)) << '\n';
  }
  const auto color = static_cast<std::uint8_t>(color_of(e));
  if (output.color == color) return;
  output.color = color;
  stamp();
  out_ << 'b' << binary(color, 5) << ' ' << code(pulse_signal(number) + 1) << '\n';
}

void VcdTrace::on_end() {
  advance_to(now_ + 2);
  stamp();
  out_.flush();
}

}  // namespace tessera::observe
