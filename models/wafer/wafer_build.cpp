// A wafer from its plan: slots, routers, PEs, and who is connected with whom.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/wafer/pe.h"
#include "models/wafer/slot_graph.h"
#include "models/wafer/wafer_core.h"
#include "models/wafer/whole_router.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wafer {

namespace {

constexpr unsigned kMaxRoom = 255;  // of a slot: counted in 8 bits

void require_at_most(const char* key, unsigned value, unsigned most) {
  if (value <= most) return;
  throw UserError("config", key,
                  "structure 'dense' takes at most " + std::to_string(most) + ", found " +
                      std::to_string(value) + "; structure 'modules' takes more");
}

}  // namespace

WaferCore::WaferCore(const Plan& plan, Outside& outside, observe::EventStream* events)
    : plan_(plan), outside_(outside), events_(events),
      slot_room_(std::max(plan.fabric.input_room(Direction::kWest),
                          plan.fabric.input_room(Direction::kRamp))) {
  check_limits(plan.fabric, plan.queue_write_latency);
  for (std::uint32_t p = 0; p < plan.ports.size(); ++p) {
    const std::uint32_t place = plan.place_of(plan.ports[p].tile);
    port_places_.push_back(place);
    port_of_[std::uint64_t{place} * kDirectionCount + index(plan.ports[p].side)] = p;
  }
  build_routers(events);
  build_pes(events);
}

void WaferCore::check_limits(const fabric::FabricTiming& fabric, unsigned queue_write_latency) {
  require_at_most("fabric.hop_latency", fabric.hop_latency, kMaxLatency);
  require_at_most("fabric.credit_latency", fabric.credit_latency, kMaxLatency);
  require_at_most("fabric.on_ramp_latency", fabric.on_ramp_latency, kMaxLatency);
  require_at_most("fabric.off_ramp_latency", fabric.off_ramp_latency, kMaxLatency);
  require_at_most("queues.write_latency", queue_write_latency, kMaxLatency);
  const unsigned in_the_path = std::max(fabric.hop_latency, fabric.on_ramp_latency) - 1;
  require_at_most("fabric.buffer_depth", fabric.buffer_depth, kMaxRoom - in_the_path);
}

void WaferCore::build_routers(observe::EventStream* events) {
  const std::vector<bool> plain = plain_tiles(plan_);
  SlotGraph graph = lay_out_slots(plan_, plain);
  pipes_ = std::move(graph.pipes);
  slots_ = std::move(graph.slots);
  links_ = std::move(graph.links);
  groups_ = std::move(graph.groups);
  buffers_ = std::move(graph.receivers);
  entries_.resize(slots_.size() * slot_room_);
  if (events != nullptr && events->is_traced()) pipe_idents_.resize(pipes_.size() * kPipeRoom);
  due_pipes_.resize(pipes_.size());
  due_slots_.resize(slots_.size());
  router_of_tile_.assign(plan_.tile_count(), kNoIndex);
  for (std::uint32_t place = 0; place < plan_.tile_count(); ++place) {
    if (plain[place]) continue;
    router_of_tile_[place] = static_cast<std::uint32_t>(routers_.size());
    fabric::RouterCore core(plan_.tile_of(place), plan_.fabric, observe::Probe(events, place));
    const std::int32_t image = plan_.image_of_tile[place];
    if (image >= 0 && plan_.images[static_cast<std::size_t>(image)]->uses(pe::Opcode::kStcfg))
      core.set_reconfigurable(plan_.generation);
    for (std::uint32_t r = plan_.tile_routes_begin[place]; r < plan_.tile_routes_begin[place + 1];
         ++r) {
      core.set_route(plan_.tile_routes[r].color, plan_.routes[plan_.tile_routes[r].route]);
    }
    routers_.emplace_back(place, std::move(core));
  }
  due_routers_.resize(routers_.size());
}

WaferCore::QueueMap WaferCore::map_of(const pe::Image& image) const {
  QueueMap map;
  map.input.fill(kNoQueue);
  map.output.fill(kNoQueue);
  std::uint8_t inputs = 0;
  std::uint8_t outputs = 0;
  for (const pe::QueueBinding& queue : image.queues) {
    if (queue.input) {
      map.input[queue.id.value()] = inputs++;
    } else {
      map.output[queue.id.value()] = outputs++;
    }
  }
  return map;
}

void WaferCore::build_pes(observe::EventStream* events) {
  std::vector<std::shared_ptr<const pe::DecodedImage>> programs;  // each shared by its tiles
  for (const auto& image : plan_.images) {
    queue_maps_.push_back(map_of(*image));
    programs.push_back(std::make_shared<const pe::DecodedImage>(image, plan_.pe));
  }
  const auto pes = std::count_if(plan_.image_of_tile.begin(), plan_.image_of_tile.end(),
                                 [](std::int32_t image) { return image >= 0; });
  pes_ = std::make_unique<FixedArray<Pe>>(static_cast<std::size_t>(pes));
  pe_of_tile_.assign(plan_.tile_count(), kNoIndex);
  reserve_queues();
  for (std::uint32_t place = 0; place < plan_.tile_count(); ++place) {
    if (plan_.image_of_tile[place] < 0) continue;
    const auto image = static_cast<std::size_t>(plan_.image_of_tile[place]);
    pe_of_tile_[place] = static_cast<std::uint32_t>(pes_->size());
    Pe& pe = pes_->emplace_back(*this, place, plan_.tile_of(place), programs[image],
                                queue_maps_[image], events);
    if (router_of_tile_[place] != kNoIndex) pe.engine.set_config(&pe);
    build_queues(place, *plan_.images[image]);
  }
  due_pes_.resize(pes_->size());
  due_ramps_.resize(pes_->size());
}

// No more than needed: a wafer has millions of them.
void WaferCore::reserve_queues() {
  std::size_t inputs = 0, outputs = 0, in_entries = 0, out_entries = 0;
  for (const std::int32_t image : plan_.image_of_tile) {
    if (image < 0) continue;
    for (const pe::QueueBinding& queue : plan_.images[static_cast<std::size_t>(image)]->queues) {
      ++(queue.input ? inputs : outputs);
      (queue.input ? in_entries : out_entries) += length_of(queue);
    }
  }
  in_queues_.reserve(inputs);
  in_entries_.reserve(in_entries);
  out_queues_.reserve(outputs);
  out_entries_.reserve(out_entries);
}

unsigned WaferCore::length_of(const pe::QueueBinding& queue) const {
  const unsigned id = queue.id.value();
  return queue.input ? plan_.fabric.queue_room(plan_.input_queue_lengths.at(id))
                     : plan_.output_queue_lengths.at(id);
}

void WaferCore::build_queues(std::uint32_t place, const pe::Image& image) {
  Pe& pe = (*pes_)[pe_of_tile_[place]];
  pe.first_input = static_cast<std::uint32_t>(in_queues_.size());
  pe.first_output = static_cast<std::uint32_t>(out_queues_.size());
  for (const pe::QueueBinding& binding : image.queues) {
    const unsigned id = binding.id.value();
    if (binding.input) {
      InQueue& queue = in_queues_.emplace_back();
      queue.id = binding.id;
      queue.color = *binding.color;
      queue.pe = pe_of_tile_[place];
      queue.room = static_cast<std::uint16_t>(length_of(binding));
      queue.first_entry = static_cast<std::uint32_t>(in_entries_.size());
      in_entries_.resize(in_entries_.size() + queue.room);
      ++pe.inputs;
    } else {
      OutQueue& queue = out_queues_.emplace_back();
      queue.id = binding.id;
      queue.length = static_cast<std::uint16_t>(length_of(binding));
      queue.first_entry = static_cast<std::uint32_t>(out_entries_.size());
      out_entries_.resize(out_entries_.size() + queue.length);
      pe.with_room |= static_cast<std::uint8_t>(1U << id);
      ++pe.outputs;
    }
  }
}

void WaferCore::start() {
  connect_pipes();
  connect_slots();
  connect_routers();
  for (std::uint32_t place = 0; place < plan_.tile_count(); ++place) connect_ramps(place);
  for (std::uint32_t pe = 0; pe < pes_->size(); ++pe) due_pes_.insert(pe, 0);
}

void WaferCore::connect_pipes() {
  for (std::uint32_t p = 0; p < pipes_.size(); ++p) {
    Pipe& pipe = pipes_[p];
    const Color color(pipe.color);
    pipe.target = receiver(pipe.place, pipe.direction(), color);
    pipe.credits = static_cast<std::uint8_t>(capacity_of(pipe.target, color));
    set_sender(pipe.target, color, Ref(Ref::Kind::kPipe, p));
  }
}

void WaferCore::connect_slots() {
  for (std::uint32_t l = 0; l < links_.size(); ++l) {
    Link& link = links_[l];
    const Slot& slot = slots_[link.slot];
    link.target = receiver(slot.place, link.out, slot.color);
    link.credits = static_cast<std::uint16_t>(capacity_of(link.target, slot.color));
    set_sender(link.target, slot.color, Ref(Ref::Kind::kSlot, l));
  }
  for (Slot& slot : slots_) {
    const Ref port = port_at(slot.place, slot.in);
    if (port.kind() == Ref::Kind::kPort) slot.upstream = port;
  }
}

void WaferCore::connect_routers() {
  for (std::uint32_t i = 0; i < routers_.size(); ++i) {
    WholeRouter& router = routers_[i];
    for (unsigned c = 0; c < kColorCount; ++c) {
      const Color color(c);
      for (Direction d : kAllDirections) {
        const Ref behind = receiver(router.place, d, color);
        router.receiver(d, color) = behind;
        router.core.set_downstream_capacity(d, color, capacity_of(behind, color));
        set_sender(behind, color, Ref::router(i, d));
        const Ref port = port_at(router.place, d);
        if (port.kind() == Ref::Kind::kPort) router.sender(d, color) = port;
      }
    }
  }
}

// The ways of an on-ramp: the colors that its router receives from RAMP. With color swap these may be
// more than the tile routes.
void WaferCore::connect_ramps(std::uint32_t place) {
  if (pe_of_tile_[place] == kNoIndex) return;
  Pe& pe = (*pes_)[pe_of_tile_[place]];
  pe.first_ramp = static_cast<std::uint32_t>(ramp_links_.size());
  for (unsigned c = 0; c < kColorCount; ++c) {
    RampLink link;
    link.color = Color(c);
    link.pe = pe_of_tile_[place];
    const Ref buffer = buffer_of(place, link.color);
    if (router_of_tile_[place] != kNoIndex) {
      link.target = Ref::router(router_of_tile_[place], Direction::kRamp);
    } else if (input_of(buffer) == Direction::kRamp) {
      link.target = buffer;
    }
    link.credits = static_cast<std::uint16_t>(capacity_of(link.target, link.color));
    if (link.credits == 0) continue;
    set_sender(link.target, link.color,
               Ref(Ref::Kind::kRamp, static_cast<std::uint32_t>(ramp_links_.size())));
    ramp_links_.push_back(link);
    ++pe.ramps;
  }
}

// The pipe or slot of a color on a tile with a plain router.
Ref WaferCore::buffer_of(std::uint32_t place, Color color) const {
  const std::uint32_t route = find_route(plan_, place, color);
  return route == kNoIndex ? Ref() : buffers_[route];
}

std::optional<Direction> WaferCore::input_of(Ref buffer) const {
  if (buffer.kind() == Ref::Kind::kSlot) return slots_[buffer.index()].in;
  if (buffer.kind() != Ref::Kind::kPipe) return std::nullopt;
  const Pipe& pipe = pipes_[buffer.index()];
  return input_of_route(plan_, find_route(plan_, pipe.place, Color(pipe.color)));
}

unsigned WaferCore::held_in(Ref buffer) const {
  return buffer.kind() == Ref::Kind::kPipe ? pipes_[buffer.index()].held
                                           : slots_[buffer.index()].held;
}

// Who takes wavelets of `color` behind the output `out` of a tile.
Ref WaferCore::receiver(std::uint32_t place, Direction out, Color color) const {
  if (out == Direction::kRamp) return queue_of(place, color);
  const Ref port = port_at(place, out);
  if (port.kind() == Ref::Kind::kPort) return port;
  const TileCoord next = neighbour(plan_.tile_of(place), out);
  if (!plan_.on_wafer(next)) return {};
  const std::uint32_t there = plan_.place_of(next);
  if (port_at(there, opposite(out)).kind() == Ref::Kind::kPort) return {};
  if (router_of_tile_[there] != kNoIndex) return Ref::router(router_of_tile_[there], opposite(out));
  const Ref buffer = buffer_of(there, color);
  return input_of(buffer) == opposite(out) ? buffer : Ref();
}

unsigned WaferCore::capacity_of(Ref receiver, Color color) const {
  switch (receiver.kind()) {
  case Ref::Kind::kPipe:
  case Ref::Kind::kSlot:
    return plan_.fabric.input_room(*input_of(receiver));
  case Ref::Kind::kQueue:
    return in_queues_[receiver.index()].room;
  case Ref::Kind::kRouter:
    return routers_[receiver.router()].core.input_capacity(receiver.direction(), color);
  case Ref::Kind::kPort:
    return outside_.capacity(receiver.index(), color);
  case Ref::Kind::kNone:
  case Ref::Kind::kRamp:
    break;
  }
  return 0;
}

Ref WaferCore::queue_of(std::uint32_t place, Color color) const {
  if (pe_of_tile_[place] == kNoIndex) return {};
  const Pe& pe = (*pes_)[pe_of_tile_[place]];
  Ref found;
  for (unsigned i = 0; i < pe.inputs; ++i) {
    const std::uint32_t queue = pe.first_input + i;
    if (in_queues_[queue].color != color) continue;
    if (found.kind() == Ref::Kind::kQueue) {
      throw std::logic_error(
          "tile " + to_string(plan_.tile_of(place)) + ": two input queues are bound to color " +
          std::to_string(color.value()) + "; a color may belong to one input queue of a PE");
    }
    found = Ref(Ref::Kind::kQueue, queue);
  }
  return found;
}

Ref WaferCore::port_at(std::uint32_t place, Direction side) const {
  const auto port = port_of_.find(std::uint64_t{place} * kDirectionCount + index(side));
  return port == port_of_.end() ? Ref() : Ref(Ref::Kind::kPort, port->second);
}

void WaferCore::set_sender(Ref receiver, Color color, Ref sender) {
  if (receiver.kind() == Ref::Kind::kPipe) {
    pipes_[receiver.index()].upstream = sender;
  } else if (receiver.kind() == Ref::Kind::kSlot) {
    slots_[receiver.index()].upstream = sender;
  } else if (receiver.kind() == Ref::Kind::kQueue) {
    in_queues_[receiver.index()].upstream = sender;
  } else if (receiver.kind() == Ref::Kind::kRouter) {
    routers_[receiver.router()].sender(receiver.direction(), color) = sender;
  }
}

}  // namespace tessera::wafer
