// A router of one's own in place of ours: MyRouter stands between compute engines, queues and ramps of
// Tessera, behind the same link sockets. A checker on every link holds it to the protocol.
#include <systemc>

#include <algorithm>
#include <array>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/fabric/on_ramp.h"
#include "models/pe/compute_engine.h"
#include "models/queue/input_queue.h"
#include "models/queue/output_queue.h"
#include "platforms/cli/main.h"
#include "platforms/wse/wse_config.h"
#include "row_sum.h"
#include "tlm_ifaces/link/link_kit.h"

using namespace tessera;

namespace {

/// A color comes from one side and goes to one side, one wavelet a cycle; a hop takes one cycle.
class MyRouter : public sc_core::sc_module, public timing::Steppable {
 public:
  sc_core::sc_vector<link::TargetSocket> in{"in", kDirectionCount};  // by index(Direction)
  sc_core::sc_vector<link::InitiatorSocket> out{"out", kDirectionCount};

  MyRouter(sc_core::sc_module_name name, timing::ClockDomain& clock)
      : sc_core::sc_module(name), clock_(clock), block_(clock.add(*this)) {
    for (Direction d : kAllDirections) {
      Side& side = sides_[index(d)];
      side.router = this;
      side.direction = d;
      in[index(d)].bind(static_cast<link::ForwardIf&>(side));
      out[index(d)].bind(static_cast<link::BackwardIf&>(side));
    }
  }

  void set_route(Color color, Direction from, Direction to) {
    lanes_[color.value()] = Lane{from, to, {}, {}, 0};
  }

  Cycle step(Cycle now) override {
    Cycle next = kNever;
    std::array<bool, kDirectionCount> taken{};
    for (auto& [color, lane] : lanes_) {
      // 1. credits that have come back
      while (!lane.returning.empty() && lane.returning.front() <= now) {
        lane.returning.pop_front();
        ++lane.credits;
      }
      // 2. the oldest wavelet, if it is here and there is room behind
      if (lane.waiting.empty()) continue;
      const Arrival head = lane.waiting.front();
      if (head.due > now || taken[index(lane.to)]) {
        next = std::min(next, std::max(head.due, now + 1));
        continue;
      }
      if (lane.credits == 0) continue;  // credit() wakes the router
      taken[index(lane.to)] = true;
      --lane.credits;
      lane.waiting.pop_front();
      out[index(lane.to)]->put(head.wavelet, now + 1);
      in[index(lane.from)]->credit(Color(color), now + 1);
      if (!lane.waiting.empty()) next = std::min(next, std::max(lane.waiting.front().due, now + 1));
    }
    return next;
  }

 private:
  static constexpr unsigned kRoom = 4;  // wavelets a color
  struct Arrival {
    link::Wavelet wavelet;
    Cycle due;
  };
  struct Lane {
    Direction from, to;
    std::deque<Arrival> waiting;
    std::deque<Cycle> returning;
    unsigned credits;
  };
  // What the sockets of one direction call.
  struct Side : link::ForwardIf, link::BackwardIf {
    void put(const link::Wavelet& w, Cycle due) override {
      router->lanes_.at(w.color.value()).waiting.push_back({w, due});
      router->clock_.wake(router->block_, due);
    }
    unsigned capacity(Color color) const override {
      const auto lane = router->lanes_.find(color.value());
      return lane != router->lanes_.end() && lane->second.from == direction ? kRoom : 0;
    }
    void credit(Color color, Cycle due) override {
      router->lanes_.at(color.value()).returning.push_back(due);
      router->clock_.wake(router->block_, due);
    }
    MyRouter* router = nullptr;
    Direction direction = Direction::kWest;
  };

  void end_of_elaboration() override {
    for (const auto& [color, lane] : lanes_) {
      link::require_bound(in[index(lane.from)], std::string(name()) + ", where a color comes from");
      link::require_bound(out[index(lane.to)], std::string(name()) + ", where a color goes to");
    }
  }
  void start_of_simulation() override {
    for (auto& [color, lane] : lanes_) lane.credits = out[index(lane.to)]->capacity(Color(color));
  }

  timing::ClockDomain& clock_;
  const timing::BlockId block_;
  std::array<Side, kDirectionCount> sides_;
  std::map<unsigned, Lane> lanes_;
};

/// Everything of a tile but the router is Tessera's.
class Tile : public sc_core::sc_module {
 public:
  Tile(sc_core::sc_module_name name, timing::ClockDomain& clock, const wse::WseConfig& config,
       int x, int width)
      : sc_core::sc_module(name), router("router", clock),
        engine("engine", clock, {x, 0}, row_sum::image(x, width, x + 1), config.pe, probe_),
        input_("input", QueueId(2), Color(row_sum::link_color(x + 1)),
               config.fabric.queue_room(config.input_queue_lengths.at(2)), probe_),
        output_("output", QueueId(2), config.output_queue_lengths.at(2), config.queue_write_latency,
                probe_),
        on_ramp_("on_ramp", clock, {x, 0}, config.fabric, 0),
        ramp_checker_("ramp_checker", [&clock] { return clock.now(); }) {
    router.out[index(Direction::kRamp)].bind(input_.in);
    engine.input[2].bind(input_.out);
    engine.output[2].bind(output_.in);
    on_ramp_.queues[2].bind(output_.out);
    on_ramp_.out.bind(ramp_checker_.in);
    ramp_checker_.out.bind(router.in[index(Direction::kRamp)]);
    if (x > 0)
      router.set_route(Color(row_sum::link_color(x - 1)), Direction::kWest, Direction::kRamp);
    if (x + 1 < width)
      router.set_route(Color(row_sum::link_color(x)), Direction::kRamp, Direction::kEast);
  }

 private:
  observe::Probe probe_;

 public:
  MyRouter router;
  pe::ComputeEngine engine;

 private:
  queue::InputQueue input_;
  queue::OutputQueue output_;
  fabric::OnRamp on_ramp_;
  link::Checker ramp_checker_;
};

int run() {
  constexpr int kWidth = 5;
  const wse::WseConfig config = wse::load_wse_config("wse3", "");
  timing::ClockDomain clock("clock", config.clock_period_ps);
  std::vector<std::unique_ptr<Tile>> tiles;
  std::vector<std::unique_ptr<link::Checker>> checkers;
  for (int x = 0; x < kWidth; ++x) {
    const std::string number = std::to_string(x);
    tiles.push_back(std::make_unique<Tile>(("tile_" + number).c_str(), clock, config, x, kWidth));
    if (x == 0) continue;
    checkers.push_back(std::make_unique<link::Checker>(("checker_" + number).c_str(),
                                                       [&clock] { return clock.now(); }));
    MyRouter& west = tiles[static_cast<std::size_t>(x - 1)]->router;
    west.out[index(Direction::kEast)].bind(checkers.back()->in);
    checkers.back()->out.bind(tiles.back()->router.in[index(Direction::kWest)]);
  }
  for (const auto& tile : tiles) {
    const pe::Function* entry = tile->engine.core().image().find_function("main");
    tile->engine.launch(*entry, {}, 0);
  }
  sc_core::sc_start();
  pe::ComputeEngineCore& last = tiles.back()->engine.core();
  last.catch_up(kNever);
  const std::uint32_t sum = last.sram().read(last.image().find_symbol("sum")->address, 4);
  std::cout << "sum " << sum << " after " << clock.now() << " cycles\n";
  return sum == 1 + 2 + 3 + 4 + 5 && last.launches_open() == 0 ? 0 : 1;
}

}  // namespace

int sc_main(int, char*[]) {
  return cli::run_guarded("my_router", run);
}
