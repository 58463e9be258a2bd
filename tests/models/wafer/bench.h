// Test bench: a wafer and what stands at its ports, run by a plain timing::Scheduler. The wafer is
// wafer::Strips or, in reference.h, the blocks of the other structure.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/fabric/sender.h"
#include "models/observe/event_stream.h"
#include "models/timing/scheduler.h"
#include "models/wafer/sharing/strips.h"
#include "tests/models/wafer/plan.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wafer::bench {

inline auto as_tuple(const observe::Event& e) {
  return std::make_tuple(e.cycle, e.place, static_cast<unsigned>(e.kind), e.a, e.b, e.ident);
}

class Recorder : public observe::Sink {
 public:
  void on_event(const observe::Event& e) override { events.push_back(e); }
  std::vector<observe::Event> sorted() const {
    std::vector<observe::Event> all = events;
    std::sort(all.begin(), all.end(), [](const observe::Event& a, const observe::Event& b) {
      return as_tuple(a) < as_tuple(b);
    });
    return all;
  }
  std::vector<observe::Event> events;
};

/// A block made of a function.
struct Block : timing::Steppable {
  Cycle step(Cycle now) override { return run(now); }
  std::function<Cycle(Cycle)> run;
};

/// What stands at a port: hands over what it is given, one wavelet a cycle, and takes what comes.
struct PortScript {
  unsigned latency = 2;         ///< cycles until a wavelet that it sends arrives
  unsigned credit_latency = 1;  ///< cycles until a credit that it gives arrives
  unsigned stall_percent = 0;   ///< percent of the cycles in which it takes nothing
  std::uint64_t key = 0;        ///< selects these cycles
  unsigned per_cycle = 1;       ///< most wavelets that it takes in any other cycle
  std::array<unsigned, kColorCount> room{};

  bool stalls(Cycle now) const {
    return (now * 0x9E3779B97F4A7C15 + key) % 1009 % 100 < stall_percent;
  }
};

/// What a port gave and when.
struct Delivery {
  std::uint32_t port;
  Cycle cycle;
  link::Wavelet wavelet;
};

/// How a machine ends up, for comparison with another one.
struct Outcome {
  std::vector<observe::Event> events;  ///< sorted; none if the machine is not traced
  std::vector<Delivery> deliveries;    ///< by port, in order
  std::uint64_t digest = 0;
  std::size_t held = 0;
  std::string waits;
  std::string failure;     ///< illegal behaviour, and its cycle
  Cycle asleep_at = 0;     ///< last cycle in which anything was due
  std::string link_waits;  ///< empty if they are not accounted
};

inline std::string to_text(const observe::LinkWaits& waits) {
  std::string text;
  for (const observe::LinkWaits::Tile& tile : waits.tiles()) {
    for (Direction out : kAllDirections) {
      text += std::to_string(tile.credit(out)) + "+" + std::to_string(tile.taken[index(out)]) + " ";
    }
    text += std::to_string(tile.route) + "\n";
  }
  return text;
}

class Machine {
 public:
  Machine(const Plan& plan, std::vector<PortScript> scripts, bool traced)
      : plan_(plan), sides_(scripts.size()),
        stream_(static_cast<unsigned>(plan.width), static_cast<unsigned>(plan.height), false) {
    if (traced) stream_.add(recorder_);
    for (std::size_t p = 0; p < scripts.size(); ++p) sides_[p].script = std::move(scripts[p]);
  }
  virtual ~Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  virtual pe::ComputeEngineCore* engine(TileCoord at) = 0;
  virtual void launch(TileCoord at, const pe::Function& function, Cycle when) = 0;

  /// The port hands `w` over in cycle `from` or later, after what it was given before.
  void send(std::uint32_t port, const link::Wavelet& w, Cycle from = 0) {
    sides_[port].outgoing[w.color.value()].push_back({from, w});
    scheduler_.wake(sides_[port].block, from);
  }
  /// The ports take nothing any more, or go on taking from cycle `from` on, which lies ahead.
  void close_ports() { closed_ = true; }
  void open_ports(Cycle from) {
    closed_ = false;
    for (const Side& side : sides_) scheduler_.wake(side.block, from);
  }
  void launch_everywhere(const std::string& name, Cycle when) {
    for (std::uint32_t place = 0; place < plan_.tile_count(); ++place) {
      pe::ComputeEngineCore* there = engine(plan_.tile_of(place));
      if (there == nullptr) continue;
      const pe::Function* function = there->image().find_function(name);
      if (function != nullptr) launch(plan_.tile_of(place), *function, when);
    }
  }
  /// Runs until nothing is due, cycle `end` is reached, or it fails.
  void run(Cycle end = 200000) {
    run_end_ = end;
    while (failure_.empty() && scheduler_.next_due() < end) {
      now_ = scheduler_.next_due();
      try {
        scheduler_.run_cycle(now_);
      } catch (const IllegalBehaviour& e) {
        failure_ = "cycle " + std::to_string(now_) + ": " + e.what();
      }
    }
  }
  Cycle now() const { return now_; }
  /// Where the present run() ends: nobody looks before.
  Cycle run_end() const { return run_end_; }
  bool idle() const { return scheduler_.next_due() == kNever; }

  Outcome outcome() const {
    Outcome result;
    result.events = recorder_.sorted();
    for (const Side& side : sides_)
      result.deliveries.insert(result.deliveries.end(), side.taken.begin(), side.taken.end());
    result.digest = stream_.digest().value();
    result.held = held();
    observe::Waits waits;
    describe_waits(waits, now_);
    for (const observe::Wait& wait : waits)
      result.waits +=
          to_string(plan_.tile_of(wait.place)) + " " + wait.who + ": " + wait.what + "\n";
    result.failure = failure_;
    result.asleep_at = now_;
    if (accounts_) result.link_waits = to_text(link_waits());
    return result;
  }
  /// Up to the last event, or to the last cycle: events may be announced for later ones.
  observe::LinkWaits link_waits() const {
    observe::LinkWaits all = link_waits_;
    const Cycle last = stream_.counters().total(observe::Counter::kLastEventCycle);
    add_lasting_waits(all, std::min(last, now_) + 1);
    return all;
  }
  virtual std::size_t held() const = 0;
  /// Wavelets that ports have not handed over or not taken yet.
  std::size_t waiting_at_ports() const {
    std::size_t n = 0;
    for (const Side& side : sides_) {
      n += side.arrived.size();
      for (const auto& outgoing : side.outgoing) n += outgoing.size();
    }
    return n;
  }

 protected:
  /// Adds the ports as blocks: after the wafer.
  void add_ports() {
    for (std::uint32_t p = 0; p < sides_.size(); ++p) {
      Side& side = sides_[p];
      side.step.run = [this, p](Cycle now) { return step_port(p, now); };
      side.block = scheduler_.add(side.step);
      for (unsigned c = 0; c < kColorCount; ++c)
        side.credits.set_capacity(c, room_behind_port(p, Color(c)));
    }
  }
  // What the wafer calls.
  unsigned room_at_port(std::uint32_t port, Color color) const {
    return sides_[port].script.room[color.value()];
  }
  void put_at_port(std::uint32_t port, const link::Wavelet& w, Cycle due) {
    sides_[port].arrived.push_back({due, w});
    scheduler_.wake(sides_[port].block, due);
  }
  void credit_at_port(std::uint32_t port, Color color, Cycle due) {
    if (!sides_[port].credits.give_back(color.value(), due))
      throw std::logic_error("the wafer gave back a credit that nobody took");
    scheduler_.wake(sides_[port].block, due);
  }
  // What ports call.
  virtual unsigned room_behind_port(std::uint32_t port, Color color) const = 0;
  virtual void put_into_wafer(std::uint32_t port, const link::Wavelet& w, Cycle due) = 0;
  virtual void credit_wafer(std::uint32_t port, Color color, Cycle due) = 0;
  virtual void describe_waits(observe::Waits& waits, Cycle now) const = 0;
  virtual void add_lasting_waits(observe::LinkWaits& waits, Cycle end) const = 0;

  const Plan& plan_;
  observe::LinkWaits link_waits_{plan_.tile_count()};
  bool accounts_ = false;  ///< waits of links

 private:
  struct Timed {
    Cycle cycle;
    link::Wavelet wavelet;
  };
  struct Side {
    PortScript script;
    Block step;
    timing::BlockId block = 0;
    std::array<std::deque<Timed>, kColorCount> outgoing;
    std::deque<Timed> arrived;
    std::vector<Delivery> taken;
    fabric::Credits credits{kColorCount};
    fabric::Arbiter arbiter;
  };

  Cycle step_port(std::uint32_t port, Cycle now) {
    Side& side = sides_[port];
    send_one(port, now);
    const bool stalled = closed_ || side.script.stalls(now);
    for (unsigned n = stalled ? side.script.per_cycle : 0;
         n < side.script.per_cycle && !side.arrived.empty() && side.arrived.front().cycle <= now;
         ++n) {
      const link::Wavelet w = side.arrived.front().wavelet;
      side.arrived.pop_front();
      side.taken.push_back({port, now, w});
      credit_wafer(port, w.color, now + side.script.credit_latency);
    }
    return next_wake(side, now);
  }
  Cycle next_wake(const Side& side, Cycle now) const {
    Cycle next = side.credits.next_due();
    if (!closed_ && !side.arrived.empty()) next = std::max(now + 1, side.arrived.front().cycle);
    for (unsigned c = 0; c < kColorCount; ++c) {
      if (side.outgoing[c].empty() || side.credits.usable(c) == 0) continue;
      next = std::min(next, std::max(now + 1, side.outgoing[c].front().cycle));
    }
    return next;
  }
  void send_one(std::uint32_t port, Cycle now) {
    Side& side = sides_[port];
    side.credits.settle(now);
    fabric::CandidateSet requests;
    for (unsigned c = 0; c < kColorCount; ++c) {
      if (!side.outgoing[c].empty() && side.outgoing[c].front().cycle <= now &&
          side.credits.usable(c) > 0)
        requests.insert(c);
    }
    const std::optional<unsigned> color = side.arbiter.grant(requests);
    if (!color) return;
    side.credits.take(*color);
    put_into_wafer(port, side.outgoing[*color].front().wavelet, now + side.script.latency);
    side.outgoing[*color].pop_front();
  }

  Recorder recorder_;
  std::vector<Side> sides_;
  Cycle now_ = 0;
  Cycle run_end_ = 0;
  bool closed_ = false;
  std::string failure_;

 protected:
  observe::EventStream stream_;
  timing::Scheduler scheduler_;
};

/// A wafer of one strip or several as one block.
class DenseMachine : public Machine, private Outside {
 public:
  DenseMachine(const Plan& plan, std::vector<PortScript> scripts, bool traced,
               std::uint64_t shuffle = 0, Threads threads = {})
      : Machine(plan, std::move(scripts), traced), wafer_(Strip(plan), threads, *this, &stream_) {
    accounts_ = traced || shuffle != 0;
    if (accounts_) wafer_.set_link_waits(link_waits_);
    step_.run = [this](Cycle now) {
      const Cycle next = wafer_.step(now, run_end());
      runs_ahead_ |= wafer_.computed_to() > now + 1;
      return next;
    };
    block_ = scheduler_.add(step_);
    add_ports();
    if (shuffle != 0) {
      wafer_.shuffle_step_order(shuffle);
      scheduler_.shuffle_step_order(shuffle);
    }
    wafer_.start();
    scheduler_.wake(block_, 0);
  }
  pe::ComputeEngineCore* engine(TileCoord at) override { return wafer_.engine(at); }
  void launch(TileCoord at, const pe::Function& function, Cycle when) override {
    wafer_.launch(at, function, {}, when);
    scheduler_.wake(block_, when);
  }
  std::size_t held() const override { return wafer_.wavelets_held(); }
  Strips& core() { return wafer_; }
  /// Whether cycles were computed before their time.
  bool runs_ahead() const { return runs_ahead_; }

 private:
  unsigned room_behind_port(std::uint32_t port, Color color) const override {
    return wafer_.capacity(port, color);
  }
  void put_into_wafer(std::uint32_t port, const link::Wavelet& w, Cycle due) override {
    wafer_.put(port, w, due);
    scheduler_.wake(block_, due);
  }
  void credit_wafer(std::uint32_t port, Color color, Cycle due) override {
    wafer_.credit(port, color, due);
    scheduler_.wake(block_, due);
  }
  unsigned capacity(std::uint32_t port, Color color) const override {
    return room_at_port(port, color);
  }
  void put(std::uint32_t port, const link::Wavelet& w, Cycle due) override {
    put_at_port(port, w, due);
  }
  void credit(std::uint32_t port, Color color, Cycle due) override {
    credit_at_port(port, color, due);
  }
  void add_lasting_waits(observe::LinkWaits& waits, Cycle end) const override {
    wafer_.add_lasting_waits(waits, end);
  }
  void describe_waits(observe::Waits& waits, Cycle now) const override {
    wafer_.describe_waits(waits, now);
  }

  Strips wafer_;
  Block step_;
  timing::BlockId block_ = 0;
  bool runs_ahead_ = false;
};

}  // namespace tessera::wafer::bench
