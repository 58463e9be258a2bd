// Test bench: one RouterCore between senders and receivers that take everything, and the words of
// tests about wavelets.
#pragma once

#include <deque>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "models/fabric/router_core.h"
#include "tests/models/fabric/mesh.h"
#include "tlm_ifaces/link/control_word.h"

namespace tessera::fabric::bench {

inline constexpr link::CommandEntry kNop = {link::Command::kNop, false};
inline constexpr link::CommandEntry kAdv = {link::Command::kAdvance, false};
inline constexpr link::CommandEntry kRst = {link::Command::kReset, false};
inline constexpr link::CommandEntry kTeardown = {link::Command::kTeardown, false};
/// The same command, ignored at the CE.
inline link::CommandEntry noce(link::CommandEntry entry) {
  entry.ignore_at_ce = true;
  return entry;
}

inline link::Wavelet data(unsigned color, std::uint32_t payload) {
  return {payload, Color(color), false, false, false, payload};
}
inline link::Wavelet control(unsigned color, std::uint32_t payload) {
  return {payload, Color(color), true, false, false, payload};
}
/// Payload with these commands, NOP after them, and entry point 0.
inline std::uint32_t commands(std::initializer_list<link::CommandEntry> list) {
  std::uint32_t payload = 0;
  unsigned i = 0;
  for (const link::CommandEntry& entry : list) payload = link::with_command(payload, i++, entry);
  return payload;
}
inline link::Wavelet control(unsigned color, std::initializer_list<link::CommandEntry> list) {
  return control(color, commands(list));
}

/// All events, in the order of their calls.
class Recorder : public observe::Sink {
 public:
  void on_event(const observe::Event& e) override { events.push_back(e); }
  std::vector<observe::Event> of(observe::EventKind kind) const {
    std::vector<observe::Event> found;
    for (const observe::Event& e : events) {
      if (e.kind == kind) found.push_back(e);
    }
    return found;
  }
  std::vector<observe::Event> events;
};

/// A router by itself. Every input hands over one wavelet per cycle as long as the router has room.
class Alone {
 public:
  explicit Alone(const FabricTiming& timing = timing_1_1_2())
      : core({0, 0}, timing, observe::Probe(&recorder, 7)) {
    core.set_epoch_checker(&epochs);
  }

  void set(unsigned color, const ColorRoute& route, unsigned room = 100) {
    core.set_route(Color(color), route);
    for (Direction out : kAllDirections) open(color, out, room);
  }
  void open(unsigned color, Direction out, unsigned room = 100) {
    core.set_downstream_capacity(out, Color(color), room);
  }
  void send(Direction in, const link::Wavelet& w) { waiting_[index(in)].push_back(w); }

  /// What leaves in the next `cycles`: "E1 R1 E2" for direction and payload (hexadecimal), "E*1"
  /// for a control wavelet; in one cycle in the order WEST, EAST, SOUTH, NORTH, RAMP.
  std::string run(unsigned cycles = 40) {
    std::string text;
    for (unsigned i = 0; i < cycles; ++i) {
      for (const RouterCore::Send& s : step().sends) append(text, s);
    }
    return text;
  }
  RouterCore::Step step() {
    for (Direction in : kAllDirections) hand_over(in);
    const RouterCore::Step step = core.step(now);
    for (const RouterCore::CreditReturn& c : step.credits) {
      --taken_[{c.in, c.color.value()}];
      ++returned[{c.in, c.color.value()}];
    }
    for (const RouterCore::Teardown& t : step.teardowns) teardowns.push_back(t);
    ++now;
    return step;
  }

  Recorder recorder;  // before the core, which holds both
  EpochChecker epochs{8, 1};
  RouterCore core;
  Cycle now = 1;
  bool show_colors = false;                                     ///< "3:E1" instead of "E1"
  std::map<std::pair<Direction, unsigned>, unsigned> returned;  ///< credits, by (input, color)
  std::vector<RouterCore::Teardown> teardowns;

 private:
  void hand_over(Direction in) {
    std::deque<link::Wavelet>& waiting = waiting_[index(in)];
    if (waiting.empty()) return;
    const link::Wavelet w = waiting.front();
    unsigned& taken = taken_[{in, w.color.value()}];
    if (taken >= core.input_capacity(in, w.color)) return;
    ++taken;
    core.put(in, w, now);
    waiting.pop_front();
  }
  void append(std::string& text, const RouterCore::Send& s) const {
    std::ostringstream word;
    if (show_colors) word << s.wavelet.color.value() << ":";
    word << to_string(s.out)[0] << (s.wavelet.control ? "*" : "") << std::hex << s.wavelet.payload;
    text += (text.empty() ? "" : " ") + word.str();
  }
  std::array<std::deque<link::Wavelet>, kDirectionCount> waiting_;
  std::map<std::pair<Direction, unsigned>, unsigned> taken_;
};

}  // namespace tessera::fabric::bench
