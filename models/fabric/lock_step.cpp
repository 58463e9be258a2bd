#include "models/fabric/lock_step.h"

#include <algorithm>
#include <bitset>
#include <ostream>
#include <sstream>

namespace tessera::fabric {

namespace {

FabricTiming merging(FabricTiming timing) {
  timing.coincidence = Coincidence::kMerge;
  return timing;
}

std::string words(const std::optional<link::Wavelet>& wavelet) {
  if (!wavelet) return "nothing";
  link::Wavelet w = *wavelet;
  w.ident = 0;
  std::ostringstream text;
  text << w;
  const std::string all = text.str();
  return all.substr(0, all.find(" ident"));
}

bool same(const std::optional<link::Wavelet>& a, const std::optional<link::Wavelet>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  link::Wavelet other = *b;
  other.ident = a->ident;
  return *a == other;
}

/// A signal of the wave form.
struct Signal {
  std::string name;
  unsigned bits;
};
constexpr unsigned kSignalsOfPort = 10;

std::vector<Signal> signals() {
  std::vector<Signal> all;
  for (Direction d : kAllDirections) {
    const std::string side = to_string(d);
    for (const char* end : {"_in_", "_out_"}) {
      all.push_back({side + end + "valid", 1});
      all.push_back({side + end + "color", 5});
      all.push_back({side + end + "data", 32});
      all.push_back({side + end + "control", 1});
      all.push_back({side + end + "credit", kColorCount});  // a bit for each color
    }
  }
  return all;
}

void append(std::vector<std::uint32_t>& values, const std::optional<link::Wavelet>& w,
            const std::array<std::uint8_t, kColorCount>& credits) {
  values.push_back(w ? 1 : 0);
  values.push_back(w ? w->color.value() : 0);
  values.push_back(w ? w->payload : 0);
  values.push_back(w && w->control ? 1 : 0);
  std::uint32_t mask = 0;
  for (unsigned c = 0; c < kColorCount; ++c) mask |= (credits[c] > 0 ? 1U : 0U) << c;
  values.push_back(mask);
}

std::vector<std::uint32_t> values_of(const RouterCycle& cycle) {
  std::vector<std::uint32_t> values;
  values.reserve(kSignalsOfPort * kDirectionCount);
  for (const PortCycle& port : cycle) {
    append(values, port.arrives, port.freed);
    append(values, port.leaves, port.credits);
  }
  return values;
}

std::string id_of(std::size_t signal) {
  return {static_cast<char>('!' + signal / 90), static_cast<char>('!' + signal % 90)};
}

}  // namespace

LockStep::LockStep(TileCoord at, FabricTiming timing, const Routes& routes)
    : at_(at), core_(at, merging(timing), {}) {
  for (const auto& [color, route] : routes) core_.set_route(color, route);
}

RouterCycle LockStep::expect(Cycle now, const RouterCycle& seen) {
  RouterCycle expected;
  for (Direction d : kAllDirections) {
    const PortCycle& port = seen[index(d)];
    expected[index(d)].arrives = port.arrives;
    expected[index(d)].credits = port.credits;
    if (port.arrives) core_.put(d, *port.arrives, now);
    for (unsigned c = 0; c < kColorCount; ++c) {
      for (unsigned n = 0; n < port.credits[c]; ++n) core_.credit(d, Color(c), now);
    }
  }
  const RouterCore::Step step = core_.step(now);
  next_ = step.next;
  for (const RouterCore::Send& send : step.sends) expected[index(send.out)].leaves = send.wavelet;
  for (const RouterCore::CreditReturn& credit : step.credits)
    ++expected[index(credit.in)].freed[credit.color.value()];
  return expected;
}

std::string LockStep::compare(Cycle now, const RouterCycle& seen) {
  const RouterCycle expected = expect(now, seen);
  if (history_.size() == kHistory) history_.pop_front();
  history_.push_back({now, seen, expected});
  const std::string where = "tile " + to_string(at_) + ", cycle " + std::to_string(now) + ": ";
  for (Direction d : kAllDirections) {
    const PortCycle& is = seen[index(d)];
    const PortCycle& should = expected[index(d)];
    if (!same(should.leaves, is.leaves))
      return where + "through " + to_string(d) + " the core sends " + words(should.leaves) +
             ", the module " + words(is.leaves);
    for (unsigned c = 0; c < kColorCount; ++c) {
      if (should.freed[c] == is.freed[c]) continue;
      return where + "at its " + to_string(d) + " input the core gives " +
             std::to_string(should.freed[c]) + " credits of color " + std::to_string(c) +
             " back, the module " + std::to_string(is.freed[c]);
    }
  }
  return {};
}

void LockStep::write_vcd(std::ostream& out, std::uint64_t period_ps) const {
  const std::vector<Signal> all = signals();
  out << "$timescale 1ps $end\n";
  std::size_t number = 0;
  for (const char* scope : {"module", "core"}) {
    out << "$scope module " << scope << " $end\n";
    for (const Signal& signal : all)
      out << "$var wire " << signal.bits << ' ' << id_of(number++) << ' ' << signal.name
          << " $end\n";
    out << "$upscope $end\n";
  }
  out << "$enddefinitions $end\n";
  std::vector<std::uint32_t> before;
  Cycle end = 0;
  const auto show = [&](Cycle cycle, const RouterCycle& seen, const RouterCycle& expected) {
    std::vector<std::uint32_t> values = values_of(seen);
    const std::vector<std::uint32_t> wanted = values_of(expected);
    values.insert(values.end(), wanted.begin(), wanted.end());
    out << '#' << cycle * period_ps << '\n';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!before.empty() && before[i] == values[i]) continue;
      const std::string bits = std::bitset<32>(values[i]).to_string();
      out << 'b' << bits.substr(32 - all[i % all.size()].bits) << ' ' << id_of(i) << '\n';
    }
    before = values;
    end = cycle + 1;
  };
  for (const Frame& frame : history_) {
    if (!before.empty() && frame.cycle > end) show(end, {}, {});  // cycles in which nothing passed
    show(frame.cycle, frame.seen, frame.expected);
  }
  out << '#' << end * period_ps << '\n';
}

}  // namespace tessera::fabric
