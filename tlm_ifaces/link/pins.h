// Pins of a link, for a module that is no TLM model: a router in Verilog, for example
// (docs/rtl-in-the-loop.md). ToPins receives wavelets over a socket and drives the pins of an input;
// FromPins samples the pins of an output and sends over a socket.
//
// One rising edge of the clock is one cycle. The edge of cycle n lies inside cycle n, after its
// beginning. What is due in cycle n is on the pins when that edge comes, and on no other edge. What
// the module drives after the edge of cycle n leaves it in cycle n.
//
//   cycle        n                                     n+1
//   clock        ______/''''''''\_____________________|______/''''''''\____
//   to the RTL   <== due in n ====>-----------------
//   from the RTL -------<== left in n, sampled a little after the edge ===>
//
// Integration mistakes:
//
//   /tessera/link/unbound      a pin or the clock was left open
//   /tessera/link/pin          the module has no pin of that name, or one of another width
//   /tessera/link/pin_clock    the clock does not rise once in a cycle, or rises where a cycle begins
//   /tessera/link/pin_value    a color above 23, or more credits of a color in a cycle than pins carry
#pragma once

#include <systemc>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "tlm_ifaces/kit/process.h"
#include "tlm_ifaces/link/link_kit.h"

namespace tessera::link {

/// Bits of a color in the credit pins: how many places have become free in this cycle.
inline constexpr unsigned kCreditPinBits = 4;
/// Bits of a color in the capacity pins: the room of the receiver, which does not change.
inline constexpr unsigned kCapacityPinBits = 8;

/// The signals of one link, color 0 in the lowest bits of the vectors. The sender drives the first
/// six, the receiver the other two. The C++ types are those of Verilator's ports.
struct Pins {
  sc_core::sc_signal<bool> valid{"valid"};           ///< the next five are a wavelet
  sc_core::sc_signal<std::uint32_t> color{"color"};  ///< 5 bits
  sc_core::sc_signal<std::uint32_t> data{"data"};    ///< 32 bits
  sc_core::sc_signal<bool> control{"control"};
  sc_core::sc_signal<bool> half{"half"};
  sc_core::sc_signal<bool> local_flip{"local_flip"};
  sc_core::sc_signal<sc_dt::sc_bv<kColorCount * kCreditPinBits>> credit{"credit"};
  sc_core::sc_signal<sc_dt::sc_bv<kColorCount * kCapacityPinBits>> capacity{"capacity"};
};

namespace detail {

inline sc_core::sc_object* pin_of(const sc_core::sc_module& module, const std::string& name) {
  return sc_core::sc_find_object((std::string(module.name()) + "." + name).c_str());
}

/// What the type of a port says of its width.
inline std::string width_of(sc_core::sc_object& pin) {
  using namespace sc_core;
  if (dynamic_cast<sc_in<bool>*>(&pin) || dynamic_cast<sc_out<bool>*>(&pin)) return "1 bit";
  if (dynamic_cast<sc_in<std::uint32_t>*>(&pin) || dynamic_cast<sc_out<std::uint32_t>*>(&pin))
    return "2 to 32 bits";
  if (dynamic_cast<sc_in<std::uint64_t>*>(&pin) || dynamic_cast<sc_out<std::uint64_t>*>(&pin))
    return "33 to 64 bits";
  return "another number of bits";
}

}  // namespace detail

/// Binds the port `name` of `module` to `signal`, which has `bits`. An `optional` port may be absent.
/// During construction, as every binding.
template <class T>
void bind_pin(sc_core::sc_module& module, const std::string& name, sc_core::sc_signal<T>& signal,
              unsigned bits, bool optional = false) {
  sc_core::sc_object* const pin = detail::pin_of(module, name);
  if (pin == nullptr && optional) return;
  if (auto* const input = dynamic_cast<sc_core::sc_in<T>*>(pin)) return input->bind(signal);
  if (auto* const output = dynamic_cast<sc_core::sc_out<T>*>(pin)) return output->bind(signal);
  const std::string expected = std::to_string(bits) + (bits == 1 ? " bit" : " bits");
  kit::report<Kit>("pin",
                   std::string(module.name()) +
                       (pin == nullptr ? " has no pin '" + name + "', " + expected + " wide"
                                       : ": its pin '" + name + "' has " + detail::width_of(*pin) +
                                             ", expected " + expected));
}

/// Binds the pins of a link to the ports of `module` whose names begin with `prefix`: "west_in_valid"
/// and so on. The ports "half" and "local_flip" may be absent.
inline void bind_pins(sc_core::sc_module& module, const std::string& prefix, Pins& pins) {
  bind_pin(module, prefix + "valid", pins.valid, 1);
  bind_pin(module, prefix + "color", pins.color, 5);
  bind_pin(module, prefix + "data", pins.data, 32);
  bind_pin(module, prefix + "control", pins.control, 1);
  bind_pin(module, prefix + "half", pins.half, 1, true);
  bind_pin(module, prefix + "local_flip", pins.local_flip, 1, true);
  bind_pin(module, prefix + "credit", pins.credit, kColorCount * kCreditPinBits);
  // The room of its inputs is the module's own affair.
  bind_pin(module, prefix + "capacity", pins.capacity, kColorCount * kCapacityPinBits, true);
}

/// Reports every port of `module` that is bound to nothing. Before the end of elaboration.
inline void require_pins_bound(const sc_core::sc_module& module) {
  for (sc_core::sc_object* child : module.get_child_objects()) {
    auto* const port = dynamic_cast<sc_core::sc_port_base*>(child);
    if (port != nullptr && port->bind_count() == 0)
      kit::report<Kit>("unbound", std::string(port->name()) +
                                      " is a pin that nothing is bound to: bind it to a signal, "
                                      "also if its value does not matter");
  }
}

/// What ToPins and FromPins share: the clock and when to do what.
class PinEnd : public sc_core::sc_module {
 public:
  Pins pins;
  /// Any signal that rises once in each cycle in which something is on the pins.
  sc_core::sc_port<sc_core::sc_signal_in_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND> clock{
      "clock"};

  /// `listener(c)` is called when something will be, or was, on the pins in cycle c: the clock must run.
  void on_activity(std::function<void(Cycle)> listener) { listener_ = std::move(listener); }
  /// Forgets all that is on its way: the clock domain was reset, and counts from 0 in cycle `origin` of the
  /// simulation. The module behind the pins needs a reset too (PinClock::restart).
  void restart(Cycle origin) {
    origin_ = origin;
    armed_ = kNever;
    edge_ = 0;
    settled_.cancel();
    forget();
    clear_ = true;
    begin_.cancel();
    begin_.notify(sc_core::SC_ZERO_TIME);
  }

 protected:
  PinEnd(sc_core::sc_module_name name, const sc_core::sc_time& period)
      : sc_core::sc_module(name), period_(period) {
    TESSERA_HAS_PROCESS(PinEnd);
    SC_METHOD(rise);
    dont_initialize();
    sensitive << clock;
    SC_METHOD(react);
    dont_initialize();
    sensitive << begin_ << settled_;
  }

  /// Cycle `now` begins: sets the pins for its edge. Answers the next cycle that needs it.
  virtual Cycle drive(Cycle now) = 0;
  /// A little after the edge of cycle `now`: what the module drives now left it in this cycle.
  virtual void sample(Cycle now) = 0;
  /// Nothing is on its way any more.
  virtual void forget() = 0;
  /// No pin says anything.
  virtual void clear_pins() = 0;

  /// drive() is called in cycle `due` too.
  void drive_in(Cycle due) {
    if (due == kNever) return;
    announce(due);
    if (due >= armed_) return;
    armed_ = due;
    begin_.notify(sc_core::sc_time::from_value((origin_ + due) * period_.value()) -
                  sc_core::sc_time_stamp());
  }
  void announce(Cycle cycle) const {
    if (listener_) listener_(cycle);
  }
  void end_of_elaboration() override {
    if (clock.size() == 0)
      kit::report<Kit>("unbound", std::string(name()) +
                                      ".clock is not bound: bind a link::PinClock or a clock with "
                                      "the period of the fabric");
  }
  /// The pins of cycle `before` were never sampled.
  void report_no_edge(Cycle before) const {
    clock_error("does not rise in cycle " + std::to_string(before) +
                ", in which something is on the pins");
  }

 private:
  Cycle cycle() const { return sc_core::sc_time_stamp().value() / period_.value() - origin_; }
  /// From an edge until what the module drives is read.
  std::uint64_t settling() const { return std::max<std::uint64_t>(period_.value() / 16, 1); }
  void clock_error(const std::string& what) const {
    kit::report<Kit>("pin_clock",
                     std::string(name()) + ": its clock " + what +
                         "; it must rise once in each cycle of the fabric, which takes " +
                         period_.to_string());
  }
  void rise() {
    if (!clock->read()) return;
    const Cycle now = cycle();
    if (now == 0) return;  // reset: nothing is due yet
    const std::uint64_t offset = sc_core::sc_time_stamp().value() % period_.value();
    if (offset == 0 || offset + settling() >= period_.value())
      return clock_error("rises where cycle " + std::to_string(offset == 0 ? now : now + 1) +
                         " begins and the pins change");
    if (now == edge_) return clock_error("rises twice in cycle " + std::to_string(now));
    edge_ = now;
    settled_.notify(sc_core::sc_time::from_value(settling()));
  }
  void react() {
    if (clear_) {
      clear_ = false;
      clear_pins();
      drive_in(std::exchange(armed_, kNever));  // its notification gave way to this one
      return;
    }
    const Cycle now = cycle();
    if (armed_ <= now) {
      armed_ = kNever;
      drive_in(drive(now));
      return;
    }
    sample(now);
  }

  const sc_core::sc_time period_;
  sc_core::sc_event begin_{"begin"};
  sc_core::sc_event settled_{"settled"};
  Cycle armed_ = kNever;
  Cycle edge_ = 0;
  Cycle origin_ = 0;
  bool clear_ = false;
  std::function<void(Cycle)> listener_;
};

/// Wavelets of `in` appear on the pins of an input of the module; its credits go back.
class ToPins : public PinEnd, private ForwardIf {
 public:
  TargetSocket in{"in"};

  /// `period`: one cycle of the clock domain of the fabric. `room`: how many wavelets of a color
  /// the module takes. `credit_latency`: cycles from the edge that frees a place to the cycle in
  /// which the sender may use it, at least 1.
  ToPins(sc_core::sc_module_name name, const sc_core::sc_time& period,
         std::function<unsigned(Color)> room, unsigned credit_latency)
      : PinEnd(name, period), room_(std::move(room)), credit_latency_(credit_latency) {
    in.bind(static_cast<ForwardIf&>(*this));
  }

 private:
  struct Arrival {
    Wavelet wavelet;
    Cycle due;
  };
  void put(const Wavelet& w, Cycle due) override {
    waiting_.push_back({w, due});
    drive_in(due);
  }
  unsigned capacity(Color color) const override { return room_(color); }

  Cycle drive(Cycle now) override {
    if (presented_ != kNever) report_no_edge(presented_);
    if (waiting_.empty() || waiting_.front().due > now)
      return waiting_.empty() ? kNever : waiting_.front().due;
    const Wavelet w = waiting_.front().wavelet;
    waiting_.pop_front();
    presented_ = now;
    pins.valid.write(true);
    pins.color.write(w.color.value());
    pins.data.write(w.payload);
    pins.control.write(w.control);
    pins.half.write(w.half);
    pins.local_flip.write(w.local_flip);
    return waiting_.empty() ? kNever : waiting_.front().due;
  }
  void sample(Cycle now) override {
    if (presented_ != kNever) pins.valid.write(false);
    presented_ = kNever;
    const auto credits = pins.credit.read();
    if (!credits.or_reduce()) return;
    announce(now);
    for (unsigned c = 0; c < kColorCount; ++c) {
      const unsigned low = c * kCreditPinBits;
      for (unsigned n =
               credits.range(static_cast<int>(low + kCreditPinBits - 1), static_cast<int>(low))
                   .to_uint();
           n > 0; --n)
        in->credit(Color(c), now + credit_latency_);
    }
  }
  void forget() override {
    waiting_.clear();
    presented_ = kNever;
  }
  void clear_pins() override { pins.valid.write(false); }
  void end_of_elaboration() override {
    PinEnd::end_of_elaboration();
    require_bound(in, std::string(name()) + ".in");
  }

  const std::function<unsigned(Color)> room_;
  const unsigned credit_latency_;
  std::deque<Arrival> waiting_;
  Cycle presented_ = kNever;
};

/// What the module drives on the pins of an output leaves through `out`; credits of the receiver
/// appear on the pins.
class FromPins : public PinEnd, private BackwardIf {
 public:
  InitiatorSocket out{"out"};

  /// `period`: one cycle of the clock domain of the fabric. `latency`: cycles from the edge at
  /// which a wavelet leaves the module to the cycle in which the receiver sees it, at least 1.
  FromPins(sc_core::sc_module_name name, const sc_core::sc_time& period, unsigned latency)
      : PinEnd(name, period), latency_(latency) {
    out.bind(static_cast<BackwardIf&>(*this));
  }

 private:
  struct Credit {
    Color color;
    Cycle due;
  };
  void credit(Color color, Cycle due) override {
    returning_.push_back({color, due});
    drive_in(due);
  }

  Cycle drive(Cycle now) override {
    if (presented_ != kNever) report_no_edge(presented_);
    std::array<unsigned, kColorCount> counts{};
    Cycle next = kNever;
    const auto taken = [&](const Credit& credit) {
      if (credit.due > now) {
        next = std::min(next, credit.due);
        return false;
      }
      ++counts[credit.color.value()];
      return true;
    };
    returning_.erase(std::remove_if(returning_.begin(), returning_.end(), taken), returning_.end());
    sc_dt::sc_bv<kColorCount* kCreditPinBits> value = 0;
    for (unsigned c = 0; c < kColorCount; ++c) {
      if (counts[c] >> kCreditPinBits != 0) report_too_many(Color(c), counts[c], now);
      set(value, c, kCreditPinBits, counts[c]);
    }
    pins.credit.write(value);
    presented_ = now;
    return next;
  }
  void sample(Cycle now) override {
    if (presented_ != kNever) pins.credit.write(0);
    presented_ = kNever;
    if (!pins.valid.read()) return;
    announce(now);
    const std::uint32_t color = pins.color.read();
    if (color >= kColorCount)
      return kit::report<Kit>("pin_value", std::string(name()) + ": in cycle " +
                                               std::to_string(now) +
                                               " the module sends a wavelet of color " +
                                               std::to_string(color) + "; expected 0 to 23");
    out->put({pins.data.read(), Color(color), pins.control.read(), pins.half.read(),
              pins.local_flip.read(), 0},
             now + latency_);
  }
  void forget() override {
    returning_.clear();
    presented_ = kNever;
  }
  void clear_pins() override { pins.credit.write(0); }
  void report_too_many(Color color, unsigned count, Cycle now) const {
    kit::report<Kit>("pin_value", std::string(name()) + ": in cycle " + std::to_string(now) + ", " +
                                      std::to_string(count) + " credits of color " +
                                      std::to_string(color.value()) +
                                      " come back; the pins carry at most 15");
  }
  template <class Vector>
  static void set(Vector& vector, unsigned color, unsigned bits, unsigned value) {
    for (unsigned bit = 0; bit < bits; ++bit)
      vector[static_cast<int>(color * bits + bit)] = (value >> bit & 1U) != 0;
  }
  void end_of_elaboration() override {
    PinEnd::end_of_elaboration();
    require_bound(out, std::string(name()) + ".out");
  }
  void start_of_simulation() override {
    sc_dt::sc_bv<kColorCount* kCapacityPinBits> value = 0;
    for (unsigned c = 0; c < kColorCount; ++c)
      set(value, c, kCapacityPinBits,
          std::min(out->capacity(Color(c)), (1U << kCapacityPinBits) - 1));
    pins.capacity.write(value);
  }

  const unsigned latency_;
  std::deque<Credit> returning_;
  Cycle presented_ = kNever;
};

/// Clock and reset for a module behind pins. The clock rises in the middle of a cycle. It stops when
/// no pin has changed for some cycles, so that sc_start() can return, and goes on when one changes
/// again; a module whose state changes without any pin needs a clock that does not stop. All edges with
/// reset lie in cycle 0, in which no wavelet can be due, at one time: a delta cycle apart.
class PinClock : public sc_core::sc_module {
 public:
  sc_core::sc_signal<bool> clock{"clock"};
  sc_core::sc_signal<bool> reset{"reset"};

  /// `quiet_cycles`: after how many cycles without activity the clock stops.
  PinClock(sc_core::sc_module_name name, const sc_core::sc_time& period, unsigned quiet_cycles = 64,
           unsigned reset_edges = 4)
      : sc_core::sc_module(name), period_(period), quiet_cycles_(quiet_cycles),
        reset_toggles_(2 * reset_edges) {
    TESSERA_HAS_PROCESS(PinClock);
    SC_METHOD(toggle);
    sensitive << toggle_;
  }

  /// Something is on the pins in `cycle`: the clock runs until some cycles after it. Connect it to
  /// PinEnd::on_activity().
  void run_until_after(Cycle cycle) {
    last_activity_ = std::max(last_activity_, cycle);
    if (running_ || in_reset_) return;
    running_ = true;
    const Cycle now = present();
    rise_in(sc_core::sc_time_stamp() < middle_of(now) ? now : now + 1);
  }
  /// Resets the module behind the pins; as PinEnd::restart().
  void restart(Cycle origin) {
    origin_ = origin;
    last_activity_ = 0;
    toggles_ = 0;
    in_reset_ = true;
    toggle_.cancel();
    toggle_.notify(sc_core::SC_ZERO_TIME);
  }
  /// False: no pin has changed for so long that the module is taken for idle.
  bool running() const { return running_; }

 private:
  Cycle present() const { return sc_core::sc_time_stamp().value() / period_.value() - origin_; }
  sc_core::sc_time middle_of(Cycle cycle) const {
    return sc_core::sc_time::from_value((origin_ + cycle) * period_.value() + period_.value() / 2);
  }
  void rise_in(Cycle cycle) { toggle_.notify(middle_of(cycle) - sc_core::sc_time_stamp()); }

  void toggle() {
    if (in_reset_) return step_reset();
    clock.write(!level_);
    level_ = !level_;
    if (level_) return toggle_.notify(sc_core::sc_time::from_value(period_.value() / 4));
    const Cycle now = present();
    running_ = now < last_activity_ + quiet_cycles_;
    if (running_) rise_in(now + 1);
  }
  void step_reset() {
    if (toggles_ == 0) {
      reset.write(true);
    } else if (toggles_ <= reset_toggles_) {
      level_ = !level_;
      clock.write(level_);
    } else {
      reset.write(false);
      in_reset_ = false;
      running_ = true;
      return rise_in(1);
    }
    ++toggles_;
    toggle_.notify(sc_core::SC_ZERO_TIME);
  }

  const sc_core::sc_time period_;
  const unsigned quiet_cycles_;
  const unsigned reset_toggles_;
  sc_core::sc_event toggle_{"next_toggle"};
  unsigned toggles_ = 0;
  Cycle last_activity_ = 0;
  Cycle origin_ = 0;
  bool in_reset_ = true;
  bool running_ = false;
  bool level_ = false;
};

}  // namespace tessera::link
