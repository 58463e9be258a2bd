// Test bench: a rectangle of RouterCores with a source and a sink at every RAMP, run by a plain
// timing::Scheduler.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/fabric/epoch_checker.h"
#include "models/fabric/router_core.h"
#include "models/timing/scheduler.h"

namespace tessera::fabric::bench {

inline constexpr Direction kW = Direction::kWest;
inline constexpr Direction kE = Direction::kEast;
inline constexpr Direction kS = Direction::kSouth;
inline constexpr Direction kN = Direction::kNorth;
inline constexpr Direction kR = Direction::kRamp;

inline link::Wavelet wavelet(unsigned color, std::uint32_t payload) {
  return {payload, Color(color), false, false, false, payload};
}

/// WSE-2 like (wse.md 1.11: one cycle per hop) and WSE-3 like (two cycles per hop).
inline FabricTiming timing_1_1_2() {
  FabricTiming t;
  t.hop_latency = 1;
  t.credit_latency = 1;
  t.buffer_depth = 2;
  return t;
}
inline FabricTiming timing_2_1_2() {
  FabricTiming t;
  t.hop_latency = 2;
  t.credit_latency = 1;
  t.buffer_depth = 2;
  return t;
}

inline ColorRoute route(DirectionSet rx, DirectionSet tx) {
  ColorRoute r;
  r.positions[0] = {rx, tx, true};
  return r;
}

struct Delivery {
  Cycle cycle;
  link::Wavelet wavelet;
};

class Mesh;

/// What stands behind the RAMP of a tile: sends what it is given, one wavelet per cycle, and takes
/// what comes.
class Endpoint : public timing::Steppable {
 public:
  Endpoint(Mesh& mesh, TileCoord at) : mesh_(mesh), at_(at) {}

  void send(const link::Wavelet& w) { outgoing_[w.color.value()].push_back(w); }
  /// The sink takes wavelets of `color` and has room for `capacity` of them.
  void open(Color color, unsigned capacity = 16) { capacity_[color.value()] = capacity; }
  /// In a cycle for which `stalls` answers true the sink takes nothing.
  void stall(std::function<bool(Cycle)> stalls) { stalls_ = std::move(stalls); }
  unsigned capacity(Color color) const { return capacity_[color.value()]; }
  const std::vector<Delivery>& deliveries() const { return deliveries_; }
  Credits& credits() { return credits_; }
  bool waiting(Color color) const { return !outgoing_[color.value()].empty(); }

  void put(const link::Wavelet& w, Cycle due) { arrived_.push_back({due, w}); }
  Cycle step(Cycle now) override;

 private:
  void send_one(Cycle now);
  Mesh& mesh_;
  TileCoord at_;
  std::array<std::deque<link::Wavelet>, kColorCount> outgoing_;
  std::array<unsigned, kColorCount> capacity_{};
  Credits credits_{kColorCount};
  Arbiter arbiter_;
  std::deque<Delivery> arrived_;
  std::vector<Delivery> deliveries_;
  std::function<bool(Cycle)> stalls_;
};

class RouterBlock : public timing::Steppable {
 public:
  RouterBlock(Mesh& mesh, TileCoord at, const FabricTiming& timing, observe::Probe probe)
      : core(at, timing, probe), mesh_(mesh), at_(at) {}
  Cycle step(Cycle now) override;
  RouterCore core;

  struct Write {
    config_space::Address address;
    std::uint16_t value;
  };
  std::multimap<Cycle, Write> writes;  ///< that programs will make, by cycle

 private:
  Mesh& mesh_;
  TileCoord at_;
};

class Mesh {
 public:
  Mesh(int width, int height, const FabricTiming& timing, observe::Sink* sink = nullptr)
      : epochs(width, height), width_(width), height_(height) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const auto place = static_cast<std::uint32_t>(y * width + x);
        routers_.push_back(std::make_unique<RouterBlock>(*this, TileCoord{x, y}, timing,
                                                         observe::Probe(sink, place)));
        endpoints_.push_back(std::make_unique<Endpoint>(*this, TileCoord{x, y}));
      }
    }
    capacity_.resize(routers_.size());
    for (auto& block : routers_) router_ids_.push_back(scheduler_.add(*block));
    watch(&epochs);
    for (auto& block : endpoints_) endpoint_ids_.push_back(scheduler_.add(*block));
  }

  RouterCore& router(TileCoord at) { return routers_[number(at)]->core; }
  Endpoint& endpoint(TileCoord at) { return *endpoints_[number(at)]; }
  bool contains(TileCoord t) const { return t.x >= 0 && t.x < width_ && t.y >= 0 && t.y < height_; }
  timing::Scheduler& scheduler() { return scheduler_; }
  /// Whom the routers tell: `epochs`, if nothing else is said; nullptr: nobody.
  void watch(EpochChecker* checker) {
    for (auto& block : routers_) block->core.set_epoch_checker(checker);
  }
  /// The program of `at` writes a register of its router in cycle `due`, which lies ahead.
  void write(TileCoord at, config_space::Address address, unsigned value, Cycle due) {
    routers_[number(at)]->writes.insert({due, {address, static_cast<std::uint16_t>(value)}});
    scheduler_.wake(router_ids_[number(at)], due);
  }
  /// Hears of every color that enters teardown; it may write().
  std::function<void(TileCoord, const RouterCore::Teardown&)> on_teardown;
  /// It knows what tests send by the idents that compute engines would give them.
  EpochChecker epochs;
  void step_everything_every_cycle() { step_everything_ = true; }

  /// Call after the routes are set and the sinks are open.
  void connect() {
    for_each_tile([this](TileCoord at) {
      for (unsigned c = 0; c < kColorCount; ++c) connect(at, Color(c));
      scheduler_.wake(endpoint_ids_[number(at)], 0);
    });
  }
  /// Runs until nothing is due or `until` is reached.
  void run(Cycle until = 1000000) {
    while (scheduler_.next_due() < until) {
      const Cycle now = scheduler_.next_due();
      if (step_everything_ && now > 0) wake_all(now);
      scheduler_.run_cycle(now);
    }
  }
  std::size_t held() {
    std::size_t n = 0;
    for (auto& block : routers_) n += block->core.held();
    return n;
  }
  /// Where a credit is missing in an idle mesh; empty when all have their start values.
  std::string missing_credits() {
    std::string missing;
    for_each_tile([&](TileCoord at) {
      for (unsigned c = 0; c < kColorCount; ++c) {
        const Credits& source = endpoint(at).credits();
        if (source.owned(c) != source.capacity(c)) missing += place_text(at, Direction::kRamp, c);
        for (Direction out : kAllDirections) {
          if (router(at).credits(out, Color(c)) != capacity_[number(at)][c][index(out)])
            missing += place_text(at, out, c);
        }
      }
    });
    return missing;
  }
  observe::Waits waits(Cycle now) {
    observe::Waits waits;
    for (auto& block : routers_) block->core.describe_waits(waits, now);
    return waits;
  }
  template <class Visit>
  void for_each_tile(Visit&& visit) {
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) visit(TileCoord{x, y});
    }
  }

  // What the blocks call: a wavelet or a credit crosses the port `d` of the tile `at`.
  void put_to_router(TileCoord at, Direction in, const link::Wavelet& w, Cycle due) {
    router(at).put(in, w, due);
    scheduler_.wake(router_ids_[number(at)], due);
  }
  void credit_to_router(TileCoord at, Direction out, Color color, Cycle due) {
    router(at).credit(out, color, due);
    scheduler_.wake(router_ids_[number(at)], due);
  }
  void put_to_endpoint(TileCoord at, const link::Wavelet& w, Cycle due) {
    endpoint(at).put(w, due);
    scheduler_.wake(endpoint_ids_[number(at)], due);
  }
  void credit_to_endpoint(TileCoord at, Color color, Cycle due) {
    if (!endpoint(at).credits().give_back(color.value(), due)) {
      throw std::logic_error("a router gave back a credit that nobody took");
    }
    wake_endpoint(at, due);
  }
  /// After send() while the mesh is running.
  void wake_endpoint(TileCoord at, Cycle due) { scheduler_.wake(endpoint_ids_[number(at)], due); }

 private:
  std::size_t number(TileCoord t) const { return static_cast<std::size_t>(t.y * width_ + t.x); }
  void connect(TileCoord at, Color color) {
    endpoint(at).credits().set_capacity(color.value(),
                                        router(at).input_capacity(Direction::kRamp, color));
    for (Direction d : kAllDirections) {
      router(at).set_downstream_capacity(d, color, room_behind(at, d, color));
      capacity_[number(at)][color.value()][index(d)] = router(at).credits(d, color);
    }
  }
  unsigned room_behind(TileCoord at, Direction out, Color color) {
    if (out == Direction::kRamp) return endpoint(at).capacity(color);
    const TileCoord there = neighbour(at, out);
    return contains(there) ? router(there).input_capacity(opposite(out), color) : 0;
  }
  static std::string place_text(TileCoord at, Direction out, unsigned color) {
    return to_string(at) + " " + to_string(out) + " color " + std::to_string(color) + "; ";
  }
  void wake_all(Cycle now) {
    for (timing::BlockId id : router_ids_) scheduler_.wake(id, now);
    for (timing::BlockId id : endpoint_ids_) scheduler_.wake(id, now);
  }

  int width_;
  int height_;
  bool step_everything_ = false;
  using Capacities = std::array<std::array<unsigned, kDirectionCount>, kColorCount>;
  std::vector<Capacities> capacity_;  // per tile: credits of the router at the start
  timing::Scheduler scheduler_;
  std::vector<std::unique_ptr<RouterBlock>> routers_;
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::vector<timing::BlockId> router_ids_;
  std::vector<timing::BlockId> endpoint_ids_;
};

inline Cycle RouterBlock::step(Cycle now) {
  for (; !writes.empty() && writes.begin()->first <= now; writes.erase(writes.begin()))
    core.write_register(writes.begin()->second.address, writes.begin()->second.value, now);
  const RouterCore::Step step = core.step(now);
  for (const RouterCore::Send& s : step.sends) {
    if (s.out == Direction::kRamp) {
      mesh_.put_to_endpoint(at_, s.wavelet, s.due);
    } else {
      mesh_.put_to_router(neighbour(at_, s.out), opposite(s.out), s.wavelet, s.due);
    }
  }
  for (const RouterCore::CreditReturn& c : step.credits) {
    if (c.in == Direction::kRamp) {
      mesh_.credit_to_endpoint(at_, c.color, c.due);
    } else {
      mesh_.credit_to_router(neighbour(at_, c.in), opposite(c.in), c.color, c.due);
    }
  }
  for (const RouterCore::Teardown& t : step.teardowns) {
    if (mesh_.on_teardown) mesh_.on_teardown(at_, t);
  }
  return step.next;
}

inline void Endpoint::send_one(Cycle now) {
  credits_.settle(now);
  CandidateSet requests;
  for (unsigned c = 0; c < kColorCount; ++c) {
    if (!outgoing_[c].empty() && credits_.usable(c) > 0) requests.insert(c);
  }
  const std::optional<unsigned> color = arbiter_.grant(requests);
  if (!color) return;
  credits_.take(*color);
  mesh_.put_to_router(at_, Direction::kRamp, outgoing_[*color].front(), now + 1);
  outgoing_[*color].pop_front();
}

inline Cycle Endpoint::step(Cycle now) {
  send_one(now);
  const bool stalled = stalls_ && stalls_(now);
  if (!stalled && !arrived_.empty() && arrived_.front().cycle <= now) {
    deliveries_.push_back({now, arrived_.front().wavelet});
    mesh_.credit_to_router(at_, Direction::kRamp, arrived_.front().wavelet.color, now + 1);
    arrived_.pop_front();
  }
  bool busy = !arrived_.empty();
  for (unsigned c = 0; c < kColorCount; ++c) {
    busy = busy || (!outgoing_[c].empty() && credits_.usable(c) > 0);
  }
  return busy ? now + 1 : kNever;
}

}  // namespace tessera::fabric::bench
