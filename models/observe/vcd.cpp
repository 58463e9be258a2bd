#include "models/observe/vcd.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <string>

namespace tessera::observe {

namespace {

constexpr unsigned kSignalsPerTile = 1 + 2 * kDirectionCount;
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

std::string binary(unsigned value, unsigned bits) {
  std::string text(bits, '0');
  for (unsigned i = 0; i < bits; ++i) {
    if ((value >> (bits - 1 - i)) & 1U) text[i] = '1';
  }
  return text;
}

/// Number of the pulse signal of output number place * kDirectionCount + direction; its color
/// signal is the next.
std::size_t pulse_signal(std::size_t output) {
  const std::size_t place = output / kDirectionCount;
  return place * kSignalsPerTile + 1 + 2 * (output % kDirectionCount);
}

}  // namespace

VcdTrace::VcdTrace(std::ostream& out, unsigned width, unsigned height, unsigned clock_period_ps)
    : out_(out), tiles_(width * height), period_ps_(clock_period_ps),
      outputs_(std::size_t{tiles_} * kDirectionCount) {
  write_header(width, height);
}

void VcdTrace::write_header(unsigned width, unsigned height) {
  out_ << "$version tessera $end\n$timescale 1 ps $end\n$scope module wafer $end\n";
  std::size_t signal = 0;
  for (unsigned y = 0; y < height; ++y) {
    for (unsigned x = 0; x < width; ++x) {
      out_ << "$scope module tile_" << x << '_' << y << " $end\n";
      out_ << "$var wire 8 " << code(signal++) << " task $end\n";
      for (const char letter : kLetters) {
        out_ << "$var wire 1 " << code(signal++) << " out_" << letter << " $end\n";
        out_ << "$var wire 5 " << code(signal++) << " color_" << letter << " $end\n";
      }
      out_ << "$upscope $end\n";
    }
  }
  out_ << "$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n";
  for (std::size_t s = 0; s < signal; ++s) {
    const std::size_t in_tile = s % kSignalsPerTile;
    const bool pulse = in_tile != 0 && (in_tile - 1) % 2 == 0;
    if (pulse) {
      out_ << '0' << code(s) << '\n';
    } else {
      out_ << (in_tile == 0 ? "bz " : "bx ") << code(s) << '\n';
    }
  }
  out_ << "$end\n";
}

void VcdTrace::on_sorted_event(const Event& e) {
  if (e.place >= tiles_) return;
  if (e.kind == EventKind::kHop) hop(e);
  if (e.kind == EventKind::kTaskStart || e.kind == EventKind::kTaskEnd) change_task(e);
}

// A pulse falls at the end of its cycle unless the next wavelet leaves in the cycle behind it,
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
  out_ << '#' << now_ * period_ps_ << '\n';
}

void VcdTrace::change_task(const Event& e) {
  advance_to(e.cycle);
  stamp();
  const bool starts = e.kind == EventKind::kTaskStart;
  out_ << 'b' << (starts ? binary(e.a, 8) : "z") << ' '
       << code(std::size_t{e.place} * kSignalsPerTile) << '\n';
}

void VcdTrace::hop(const Event& e) {
  advance_to(e.cycle);
  const std::size_t number = std::size_t{e.place} * kDirectionCount + index(direction_of(e));
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
