// The other structure of a wafer, for comparison: a RouterCore, queue cores, an OnRampCore and a
// ComputeEngineCore a tile, each a block of its own, as the modules around them connect them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/fabric/on_ramp_core.h"
#include "models/fabric/router_core.h"
#include "models/pe/compute_engine_core.h"
#include "models/queue/input_queue_core.h"
#include "models/queue/output_queue_core.h"
#include "tests/models/wafer/bench.h"

namespace tessera::wafer::bench {

class ReferenceMachine : public Machine {
 public:
  ReferenceMachine(const Plan& plan, std::vector<PortScript> scripts, bool traced,
                   std::uint64_t shuffle = 0)
      : Machine(plan, std::move(scripts), traced) {
    for (std::uint32_t p = 0; p < plan.ports.size(); ++p)
      port_of_[{plan.place_of(plan.ports[p].tile), plan.ports[p].side}] = p;
    for (std::uint32_t place = 0; place < plan.tile_count(); ++place)
      tiles_.push_back(std::make_unique<Tile>(*this, place));
    for (std::uint32_t place = 0; place < plan.tile_count(); ++place) connect(place);
    add_ports();
    if (shuffle != 0) scheduler_.shuffle_step_order(shuffle);
    accounts_ = true;
    for (const auto& tile : tiles_) tile->router.set_link_waits(link_waits_);
  }

  pe::ComputeEngineCore* engine(TileCoord at) override { return tile(at).engine.get(); }
  void launch(TileCoord at, const pe::Function& function, Cycle when) override {
    tile(at).engine->launch(function, {}, when);
    scheduler_.wake(tile(at).engine_id, when);
  }
  std::size_t held() const override {
    std::size_t n = 0;
    for (const auto& tile : tiles_) {
      n += tile->router.held();
      for (const auto& queue : tile->inputs) n += queue.size();
      for (const auto& queue : tile->outputs) n += queue.size();
    }
    return n;
  }
  /// Where a credit is missing in an idle machine; empty when all have their start values.
  std::string missing_credits() const {
    std::string missing;
    for (const auto& tile : tiles_) {
      for (unsigned c = 0; c < kColorCount; ++c) {
        for (Direction out : kAllDirections) {
          if (tile->router.credits(out, Color(c)) != tile->capacity[c][index(out)])
            missing += to_string(tile->at) + " " + to_string(out) + " color " + std::to_string(c);
        }
      }
    }
    return missing;
  }

 private:
  struct Tile : pe::PeQueues, pe::PeConfig {
    Tile(ReferenceMachine& machine, std::uint32_t number)
        : at(machine.plan_.tile_of(number)), place(number),
          router(at, machine.plan_.fabric, observe::Probe(&machine.stream_, number)),
          machine_(machine) {
      const Plan& plan = machine.plan_;
      router_step.run = [this](Cycle now) { return machine_.step_router(*this, now); };
      router_id = machine.scheduler_.add(router_step);
      const std::int32_t number_of_image = plan.image_of_tile[place];
      if (number_of_image >= 0) add_pe(plan.images[static_cast<std::size_t>(number_of_image)]);
      for (std::uint32_t r = plan.tile_routes_begin[place]; r < plan.tile_routes_begin[place + 1];
           ++r)
        router.set_route(plan.tile_routes[r].color, plan.routes[plan.tile_routes[r].route]);
    }
    void add_pe(const std::shared_ptr<const pe::Image>& image) {
      const Plan& plan = machine_.plan_;
      const observe::Probe probe(&machine_.stream_, place);
      ramp.emplace(at, plan.fabric, place);
      ramp_step.run = [this](Cycle now) { return machine_.step_ramp(*this, now); };
      ramp_id = machine_.scheduler_.add(ramp_step);
      engine = std::make_unique<pe::ComputeEngineCore>(at, image, plan.pe, *this, probe);
      engine->set_config(this);
      engine_step.run = [this](Cycle now) { return engine->step(now); };
      engine_id = machine_.scheduler_.add(engine_step);
      machine_.scheduler_.wake(engine_id, 0);
      for (const pe::Instruction& in : image->code) {
        if (in.op == pe::Opcode::kStcfg) router.set_reconfigurable(plan.generation);
      }
      for (const pe::QueueBinding& queue : image->queues) {
        const unsigned id = queue.id.value();
        if (queue.input) {
          inputs.emplace_back(queue.id, *queue.color,
                              plan.fabric.queue_room(plan.input_queue_lengths.at(id)), probe);
        } else {
          outputs.emplace_back(queue.id, plan.output_queue_lengths.at(id), plan.queue_write_latency,
                               probe);
        }
      }
    }

    // pe::PeQueues
    Cycle ready_at(QueueId q) const override { return input(q).ready_at(); }
    unsigned available(QueueId q, Cycle now) const override { return input(q).available(now); }
    link::Wavelet front(QueueId q) const override { return input(q).front(); }
    link::Wavelet take(QueueId q, Cycle now) override {
      const link::Wavelet w = front(q);
      const Cycle due = input(q).pop(now);
      router.credit(kR, input(q).color(), due);
      machine_.scheduler_.wake(router_id, due);
      return w;
    }
    unsigned room(QueueId q, Cycle now) const override { return output(q).room(now); }
    void push(QueueId q, const link::Wavelet& w, Cycle now) override {
      machine_.scheduler_.wake(ramp_id, output(q).push(w, now));
    }
    // pe::PeConfig
    std::uint16_t read_config(config_space::Address address, Cycle now) const override {
      return router.read_register(address, now);
    }
    std::string why_illegal(config_space::Address address, std::uint16_t value) const override {
      return router.why_illegal(address, value);
    }
    void write_config(config_space::Address address, std::uint16_t value, Cycle due) override {
      if (router.write_register(address, value, due)) machine_.scheduler_.wake(router_id, due);
    }

    template <class Queue>
    static Queue& find(std::vector<Queue>& queues, QueueId q) {
      return *std::find_if(queues.begin(), queues.end(),
                           [q](const Queue& queue) { return queue.id() == q; });
    }
    queue::InputQueueCore& input(QueueId q) const {
      return find(const_cast<Tile*>(this)->inputs, q);
    }
    queue::OutputQueueCore& output(QueueId q) const {
      return find(const_cast<Tile*>(this)->outputs, q);
    }
    queue::InputQueueCore* input_of(Color color) {
      for (auto& queue : inputs) {
        if (queue.color() == color) return &queue;
      }
      return nullptr;
    }

    const TileCoord at;
    const std::uint32_t place;
    fabric::RouterCore router;
    std::vector<queue::InputQueueCore> inputs;
    std::vector<queue::OutputQueueCore> outputs;
    std::optional<fabric::OnRampCore> ramp;
    std::unique_ptr<pe::ComputeEngineCore> engine;
    Block router_step, ramp_step, engine_step;
    timing::BlockId router_id = 0, ramp_id = 0, engine_id = 0;
    std::array<std::array<unsigned, kDirectionCount>, kColorCount> capacity{};

   private:
    ReferenceMachine& machine_;
  };

  Tile& tile(TileCoord at) const { return *tiles_[plan_.place_of(at)]; }
  std::optional<std::uint32_t> port_at(std::uint32_t place, Direction side) const {
    const auto port = port_of_.find({place, side});
    return port == port_of_.end() ? std::nullopt : std::optional(port->second);
  }
  /// nullptr: off the wafer, or it has a port there.
  Tile* next_to(const Tile& from, Direction side) const {
    const TileCoord there = neighbour(from.at, side);
    if (!plan_.on_wafer(there)) return nullptr;
    return port_at(plan_.place_of(there), opposite(side)) ? nullptr : &tile(there);
  }

  unsigned room_behind(Tile& from, Direction out, Color color) const {
    if (out == kR) {
      const queue::InputQueueCore* queue = from.input_of(color);
      return queue == nullptr ? 0 : queue->capacity(color);
    }
    if (const auto port = port_at(from.place, out)) return room_at_port(*port, color);
    const Tile* next = next_to(from, out);
    return next == nullptr ? 0 : next->router.input_capacity(opposite(out), color);
  }
  void connect(std::uint32_t place) {
    Tile& from = *tiles_[place];
    for (unsigned c = 0; c < kColorCount; ++c) {
      const Color color(c);
      if (from.ramp) from.ramp->set_capacity(color, from.router.input_capacity(kR, color));
      for (Direction out : kAllDirections) {
        from.router.set_downstream_capacity(out, color, room_behind(from, out, color));
        from.capacity[c][index(out)] = from.router.credits(out, color);
      }
    }
  }

  Cycle step_router(Tile& from, Cycle now) {
    const fabric::RouterCore::Step step = from.router.step(now);
    for (const fabric::RouterCore::Send& send : step.sends) hand_over(from, send);
    for (const fabric::RouterCore::CreditReturn& credit : step.credits) give_back(from, credit);
    for (const fabric::RouterCore::Teardown& teardown : step.teardowns) {
      if (!from.engine) continue;
      from.engine->teardown(teardown.color, teardown.due);
      scheduler_.wake(from.engine_id, teardown.due);
    }
    return step.next;
  }
  void hand_over(Tile& from, const fabric::RouterCore::Send& send) {
    if (send.out == kR) {
      from.input_of(send.wavelet.color)->put(send.wavelet, send.due);
      scheduler_.wake(from.engine_id, send.due);
    } else if (const auto port = port_at(from.place, send.out)) {
      put_at_port(*port, send.wavelet, send.due);
    } else {
      Tile& next = *next_to(from, send.out);
      next.router.put(opposite(send.out), send.wavelet, send.due);
      scheduler_.wake(next.router_id, send.due);
    }
  }
  void give_back(Tile& from, const fabric::RouterCore::CreditReturn& credit) {
    if (credit.in == kR) {
      from.ramp->credit(credit.color, credit.due);
      scheduler_.wake(from.ramp_id, credit.due);
    } else if (const auto port = port_at(from.place, credit.in)) {
      credit_at_port(*port, credit.color, credit.due);
    } else {
      Tile& before = *next_to(from, credit.in);
      before.router.credit(opposite(credit.in), credit.color, credit.due);
      scheduler_.wake(before.router_id, credit.due);
    }
  }
  fabric::OnRampCore::Heads heads(const Tile& from, Cycle now) const {
    fabric::OnRampCore::Heads heads;
    for (const auto& queue : from.outputs) {
      fabric::OnRampCore::Head& head = heads[queue.id().value()];
      head.ready_at = queue.ready_at();
      if (head.ready_at <= now) head.wavelet = &queue.front();
    }
    return heads;
  }
  Cycle step_ramp(Tile& from, Cycle now) {
    const fabric::OnRampCore::Step step = from.ramp->step(now, heads(from, now));
    if (step.grant) {
      scheduler_.wake(from.engine_id, from.output(step.grant->queue).pop(now));
      from.router.put(kR, step.grant->wavelet, step.grant->due);
      scheduler_.wake(from.router_id, step.grant->due);
    }
    return step.next;
  }

  // What ports call.
  unsigned room_behind_port(std::uint32_t port, Color color) const override {
    return tile(plan_.ports[port].tile).router.input_capacity(plan_.ports[port].side, color);
  }
  void put_into_wafer(std::uint32_t port, const link::Wavelet& w, Cycle due) override {
    Tile& at = tile(plan_.ports[port].tile);
    at.router.put(plan_.ports[port].side, w, due);
    scheduler_.wake(at.router_id, due);
  }
  void credit_wafer(std::uint32_t port, Color color, Cycle due) override {
    Tile& at = tile(plan_.ports[port].tile);
    at.router.credit(plan_.ports[port].side, color, due);
    scheduler_.wake(at.router_id, due);
  }
  void add_lasting_waits(observe::LinkWaits& waits, Cycle end) const override {
    for (const auto& tile : tiles_) tile->router.add_lasting_waits(waits, end);
  }
  void describe_waits(observe::Waits& waits, Cycle now) const override {
    for (const auto& tile : tiles_) {
      if (tile->engine) tile->engine->describe_waits(waits, now);
      for (const auto& queue : tile->inputs) queue.describe_waits(waits, now);
      if (tile->ramp) tile->ramp->describe_waits(waits, now, heads(*tile, now));
      tile->router.describe_waits(waits, now);
    }
  }

  std::vector<std::unique_ptr<Tile>> tiles_;
  std::map<std::pair<std::uint32_t, Direction>, std::uint32_t> port_of_;
};

}  // namespace tessera::wafer::bench
