// Small wafers, and both structures of one side by side.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "models/observe/event_fields.h"
#include "tests/models/wafer/bench.h"
#include "tests/models/wafer/plan.h"
#include "tests/models/wafer/reference.h"
#include "tlm_ifaces/link/control_word.h"

namespace tessera::wafer::bench {

using observe::EventKind;

/// wse.md 1.11: one cycle a hop.
inline PlanBuilder grid(int width, int height) {
  PlanBuilder builder(width, height);
  builder.settings().fabric.hop_latency = 1;
  builder.settings().fabric.credit_latency = 1;
  builder.settings().fabric.buffer_depth = 2;
  builder.settings().fabric.on_ramp_latency = 2;
  builder.settings().fabric.off_ramp_latency = 2;
  return builder;
}
/// Color 1 from the west side of a row to the east side, both ports.
inline PlanBuilder row(int length) {
  PlanBuilder builder = grid(length, 1);
  for (int x = 0; x < length; ++x) builder.route_of({x, 0}, 1, route({kW}, {kE}));
  builder.port({0, 0}, kW).port({length - 1, 0}, kE);
  return builder;
}
inline std::vector<PortScript> scripts_for(const Plan& plan, unsigned room = 4) {
  std::vector<PortScript> scripts(plan.ports.size());
  for (PortScript& script : scripts) {
    script.latency = 1;
    script.room.fill(room);
  }
  return scripts;
}
inline link::Wavelet data(unsigned color, std::uint32_t payload) {
  link::Wavelet w;
  w.color = Color(color);
  w.payload = payload;
  w.ident = payload + 1000;
  return w;
}
inline link::Wavelet control(unsigned color, link::Command command, bool ignore_at_ce = false) {
  link::Wavelet w = data(color, link::with_command(31U << 16, 0, {command, ignore_at_ce}));
  w.control = true;
  return w;
}

/// Does the same with both structures and looks for a difference.
class Both {
 public:
  explicit Both(Plan plan, unsigned room = 4)
      : plan_(std::move(plan)), dense(plan_, scripts_for(plan_, room), true),
        reference(plan_, scripts_for(plan_, room), true) {}
  ~Both() { expect_equal(); }
  Both(const Both&) = delete;
  Both& operator=(const Both&) = delete;

  void send(std::uint32_t port, const link::Wavelet& w, Cycle from = 0) {
    dense.send(port, w, from);
    reference.send(port, w, from);
  }
  void launch(const std::string& function, Cycle when) {
    dense.launch_everywhere(function, when);
    reference.launch_everywhere(function, when);
  }
  void close_ports() {
    dense.close_ports();
    reference.close_ports();
  }
  void open_ports(Cycle from) {
    dense.open_ports(from);
    reference.open_ports(from);
  }
  void run(Cycle end = 100000) {
    dense.run(end);
    reference.run(end);
  }
  Outcome outcome() const { return dense.outcome(); }
  /// Up to the last event.
  observe::LinkWaits::Tile link_waits(std::uint32_t place) const {
    return dense.link_waits().tiles()[place];
  }
  std::vector<observe::Event> events(EventKind kind, std::uint32_t place) const {
    std::vector<observe::Event> found;
    for (const observe::Event& e : outcome().events) {
      if (e.kind == kind && e.place == place) found.push_back(e);
    }
    return found;
  }
  std::vector<Cycle> cycles(EventKind kind, std::uint32_t place) const {
    std::vector<Cycle> found;
    for (const observe::Event& e : events(kind, place)) found.push_back(e.cycle);
    return found;
  }
  /// What ports took: payloads, in order.
  std::vector<std::uint32_t> payloads() const {
    std::vector<std::uint32_t> found;
    for (const Delivery& d : outcome().deliveries) found.push_back(d.wavelet.payload);
    return found;
  }

 private:
  void expect_equal() const {
    const Outcome a = reference.outcome();
    const Outcome b = dense.outcome();
    ASSERT_EQ(a.events.size(), b.events.size());
    for (std::size_t i = 0; i < a.events.size(); ++i)
      ASSERT_EQ(as_tuple(a.events[i]), as_tuple(b.events[i])) << "event " << i;
    EXPECT_EQ(a.failure, b.failure);
    EXPECT_EQ(a.waits, b.waits);
    EXPECT_EQ(a.link_waits, b.link_waits);
    EXPECT_EQ(a.held, b.held);
    EXPECT_EQ(a.digest, b.digest);
  }
  const Plan plan_;

 public:
  DenseMachine dense;
  ReferenceMachine reference;
};

}  // namespace tessera::wafer::bench
