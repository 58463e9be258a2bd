#include "models/wafer/wafer_core.h"

#include <algorithm>
#include <utility>

#include "models/wafer/plan/slot_graph.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wafer {

namespace {

constexpr unsigned kMaxRoom = 255;  // largest room of a slot: it is counted in 8 bits

void require_at_most(const char* key, unsigned value, unsigned most) {
  if (value <= most) return;
  throw UserError("config", key,
                  "structure 'dense' takes at most " + std::to_string(most) + ", found " +
                      std::to_string(value) + "; structure 'modules' takes more");
}

// What is built from a plan relies on its limits.
const Strip& checked(const Strip& strip) {
  WaferCore::check_limits(strip.plan.fabric, strip.plan.queue_write_latency);
  return strip;
}

}  // namespace

WaferCore::WaferCore(const Strip& strip, Outside& outside, observe::EventStream* events)
    : WaferCore(checked(strip), outside, events, lay_out_slots(strip)) {}

WaferCore::WaferCore(const Strip& strip, Outside& outside, observe::EventStream* events,
                     SlotGraph graph)
    : blocks_(strip, outside, events, graph), connections_(blocks_, std::move(graph.receivers)),
      has_idents_(events != nullptr && events->is_traced()) {}

void WaferCore::check_limits(const fabric::FabricTiming& fabric, unsigned queue_write_latency) {
  require_at_most("fabric.hop_latency", fabric.hop_latency, kMaxLatency);
  require_at_most("fabric.credit_latency", fabric.credit_latency, kMaxLatency);
  require_at_most("fabric.on_ramp_latency", fabric.on_ramp_latency, kMaxLatency);
  require_at_most("fabric.off_ramp_latency", fabric.off_ramp_latency, kMaxLatency);
  require_at_most("queues.write_latency", queue_write_latency, kMaxLatency);
  const unsigned in_the_path =
      std::max(fabric.input_room(Direction::kWest), fabric.input_room(Direction::kRamp)) -
      fabric.buffer_depth;
  require_at_most("fabric.buffer_depth", fabric.buffer_depth, kMaxRoom - in_the_path);
}

bool WaferCore::is_within_limits(const fabric::FabricTiming& fabric, unsigned queue_write_latency) {
  try {
    check_limits(fabric, queue_write_latency);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

Cycle WaferCore::step(Cycle now) {
  blocks_.now = now;
  ports_.take_announced(now);
  step_blocks(now);
  failure_.report();
  return next_due(now);
}

void WaferCore::step_blocks(Cycle now) {
  // 1. Routers.
  blocks_.pipes.step(now);
  blocks_.slots.step(now);
  blocks_.routers.step(now, failure_);
  // 2. Compute engines.
  blocks_.pes.step_engines(now, failure_);
  // 3. On-ramps.
  blocks_.pes.step_ramps(now);
}

void WaferCore::begin_ahead(Cycle begin, Cycle end) {
  blocks_.selection.select(blocks_, {});
  blocks_.routers.bring_near(end - 1);
  blocks_.pes.bring_near(end - 1);
  if (blocks_.events != nullptr)
    blocks_.events->begin_ahead(begin, static_cast<unsigned>(end - begin));
}

void WaferCore::step_area(Cycle now, const Area& area) {
  blocks_.now = now;
  blocks_.selection.select(blocks_, area);
  if (blocks_.events != nullptr) blocks_.events->ahead(now);
  step_blocks(now);
}

void WaferCore::prefetch(const Area& row) const {
  if (row.empty()) return;
  blocks_.slots.prefetch(blocks_.selection.units(blocks_, Selection::kSlots, row));
  blocks_.pes.prefetch(blocks_.selection.units(blocks_, Selection::kPes, row));
}

void WaferCore::prefetch_operations(const Area& row) const {
  if (row.empty()) return;
  blocks_.slots.prefetch_links(blocks_.selection.units(blocks_, Selection::kSlots, row));
  blocks_.pes.prefetch_operations(blocks_.selection.units(blocks_, Selection::kPes, row));
}

void WaferCore::prefetch_operands(const Area& row) const {
  if (!row.empty())
    blocks_.pes.prefetch_operands(blocks_.selection.units(blocks_, Selection::kPes, row));
}

void WaferCore::end_ahead(Cycle begin, Cycle end) {
  blocks_.selection.select_all();
  for (Cycle cycle = begin; cycle < end; ++cycle) {
    blocks_.pipes.forget(cycle);
    blocks_.slots.forget(cycle);
    blocks_.routers.forget(cycle);
    blocks_.pes.forget(cycle);
  }
  blocks_.now = end - 1;
  if (blocks_.events != nullptr) blocks_.events->keep(end);
  if (failure_.cycle() < end) failure_.report();
}

Cycle WaferCore::next_due(Cycle now) const {
  return std::min({blocks_.last_credit > now ? blocks_.last_credit : kNever, ports_.next_due(),
                   blocks_.pipes.next_due(now), blocks_.slots.next_due(now),
                   blocks_.routers.next_due(now), blocks_.pes.next_due(now)});
}

pe::ComputeEngineCore* WaferCore::engine(TileCoord tile) {
  Pe* const pe = blocks_.pes.at(blocks_.plan.place_of(tile));
  return pe == nullptr ? nullptr : &pe->engine;
}

std::size_t WaferCore::wavelets_held() const {
  std::size_t held = blocks_.pes.wavelets_held();
  for (const Pipe& pipe : blocks_.pipes.all()) held += pipe.held;
  for (const Slot& slot : blocks_.slots.all()) held += slot.held;
  for (const WholeRouter& router : blocks_.routers.all()) held += router.core.held();
  return held;
}

// --- waits, in the order and in the words of the blocks of one tile after the other

void WaferCore::describe_waits(observe::Waits& waits, Cycle now) const {
  const Plan& plan = blocks_.plan;
  for (std::uint32_t place = blocks_.strip.first_place; place < blocks_.strip.end_place; ++place) {
    if (!waits.wants(place)) continue;
    blocks_.pes.describe_waits(place, connections_, waits, now);
    if (blocks_.routers.index_at(place) != kNoIndex) {
      blocks_.routers.core_at(place).describe_waits(waits, now);
      continue;
    }
    for (std::uint32_t r = plan.tile_routes_begin[place]; r < plan.tile_routes_begin[place + 1];
         ++r) {
      const Ref first = connections_.buffer_of_route(r);
      const Color color = plan.tile_routes[r].color;
      for (std::uint32_t i = 0; i < std::max(slots_of(first), 1U); ++i)
        describe_waits_of(Ref(first.kind(), first.index() + i), color, place, waits);
    }
  }
}

void WaferCore::describe_waits_of(Ref buffer, Color color, std::uint32_t place,
                                  observe::Waits& waits) const {
  std::vector<observe::Resource> needs;
  std::string what = buffer.kind() == Ref::Kind::kPipe
                         ? what_pipe_waits_for(blocks_.pipes.all()[buffer.index()], needs)
                         : what_slot_waits_for(blocks_.slots.all()[buffer.index()], needs);
  if (what.empty()) return;
  for (observe::Resource& need : needs) need.place = place;
  waits.push_back(fabric::wait_of_buffer(place, color, *connections_.input_of(buffer),
                                         std::move(what), std::move(needs)));
}

void WaferCore::set_link_waits(observe::LinkWaits& waits) {
  blocks_.waits.emplace(waits, blocks_.pipes, blocks_.slots);
  for (WholeRouter& router : blocks_.routers.all()) router.core.set_link_waits(waits);
}

void WaferCore::add_lasting_waits(observe::LinkWaits& waits, Cycle end) const {
  blocks_.waits->add_lasting(waits, end);
  for (const WholeRouter& router : blocks_.routers.all()) router.core.add_lasting_waits(waits, end);
}

std::string WaferCore::what_pipe_waits_for(const Pipe& pipe,
                                           std::vector<observe::Resource>& needs) const {
  if (pipe.landed % Pipe::kSuspended == 0) return {};
  if (pipe.suspended()) {
    needs.push_back({observe::Resource::Kind::kSwitch});
    return fabric::end_of_teardown(pipe.held);
  }
  if (pipe.credits > 0 || pipe.returning != 0) return {};
  const Color color(pipe.color);
  const unsigned capacity = connections_.capacity_of(pipe.target, color);
  needs.push_back(fabric::need_of_output(0, pipe.direction(), color, capacity));
  return "room at " + fabric::output_without_credit(pipe.direction(), color, capacity, pipe.held);
}

std::string WaferCore::what_slot_waits_for(const Slot& slot,
                                           std::vector<observe::Resource>& needs) const {
  if (blocks_.slots.landed(slot) == 0) return {};
  if (slot.suspended) {
    needs.push_back({observe::Resource::Kind::kSwitch});
    return fabric::end_of_teardown(slot.held);
  }
  if (!blocks_.slots.is_open(slot)) {
    needs.push_back({observe::Resource::Kind::kSwitch});
    const fabric::ColorRoute& route = blocks_.slots.switch_of(slot)->route;
    return fabric::position_that_receives(slot.in, route, route.current, slot.held);
  }
  std::string what;
  const unsigned to_go = blocks_.slots.branches_of_head(slot);
  for (unsigned i = 0; i < slot.links; ++i) {
    const Link& link = blocks_.slots.links()[slot.first_link + i];
    if ((to_go >> i & 1U) == 0 || ports_.credits_of(slot.first_link + i) > 0) continue;
    const unsigned capacity = connections_.capacity_of(link.target, slot.color);
    what += (what.empty() ? "room at " : " and room at ") +
            fabric::output_without_credit(link.out, slot.color, capacity, slot.held);
    needs.push_back(fabric::need_of_output(0, link.out, slot.color, capacity));
  }
  return what;
}

}  // namespace tessera::wafer
