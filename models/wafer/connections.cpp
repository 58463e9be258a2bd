#include "models/wafer/connections.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "models/wafer/blocks.h"
#include "models/wafer/slot_graph.h"

namespace tessera::wafer {

Connections::Connections(Blocks& blocks, std::vector<Ref> buffers)
    : blocks_(blocks), plan_(blocks.plan), buffers_(std::move(buffers)) {
  for (std::uint32_t p = 0; p < plan_.ports.size(); ++p) {
    const std::uint64_t place = plan_.place_of(plan_.ports[p].tile);
    port_of_[place * kDirectionCount + index(plan_.ports[p].side)] = p;
  }
}

void Connections::connect() {
  std::vector<Pipe>& pipes = blocks_.pipes.all();
  for (std::uint32_t p = 0; p < pipes.size(); ++p) {
    Pipe& pipe = pipes[p];
    const Color color(pipe.color);
    pipe.target = receiver_behind(pipe.place, pipe.direction(), color);
    pipe.credits = static_cast<std::uint8_t>(attach(Ref(Ref::Kind::kPipe, p), pipe.target, color));
  }
  std::vector<Slot>& slots = blocks_.slots.all();
  std::vector<Link>& links = blocks_.slots.links();
  for (std::uint32_t l = 0; l < links.size(); ++l) {
    Link& link = links[l];
    const Slot& slot = slots[link.slot];
    link.target = receiver_behind(slot.place, link.out, slot.color);
    link.credits =
        static_cast<std::uint16_t>(attach(Ref(Ref::Kind::kSlot, l), link.target, slot.color));
  }
  for (Slot& slot : slots) {
    const Ref port = port_at(slot.place, slot.in);
    if (port.kind() == Ref::Kind::kPort) slot.upstream = port;
  }
  connect_routers();
  for (std::uint32_t place = 0; place < plan_.tile_count(); ++place) connect_ramps(place);
}

void Connections::connect_routers() {
  for (std::uint32_t i = 0; i < blocks_.routers.all().size(); ++i) {
    WholeRouter& router = blocks_.routers.all()[i];
    for (unsigned c = 0; c < kColorCount; ++c) {
      const Color color(c);
      for (Direction d : kAllDirections) {
        const Ref behind = receiver_behind(router.place, d, color);
        router.receiver(d, color) = behind;
        router.core.set_downstream_capacity(d, color, attach(Ref::router(i, d), behind, color));
        const Ref port = port_at(router.place, d);
        if (port.kind() == Ref::Kind::kPort) router.sender(d, color) = port;
      }
    }
  }
}

// The ways of an on-ramp: the colors that its router receives from RAMP. With color swap these may be
// more than the tile routes.
void Connections::connect_ramps(std::uint32_t place) {
  if (blocks_.pes.at(place) == nullptr) return;
  const std::uint32_t router = blocks_.routers.index_at(place);
  for (unsigned c = 0; c < kColorCount; ++c) {
    const Color color(c);
    Ref target =
        router != kNoIndex ? Ref::router(router, Direction::kRamp) : buffer_of(place, color);
    if (router == kNoIndex && input_of(target) != Direction::kRamp) continue;
    const unsigned credits = capacity_of(target, color);
    if (credits == 0) continue;
    const std::uint32_t link = blocks_.pes.add_ramp_link(place, color, target, credits);
    attach(Ref(Ref::Kind::kRamp, link), target, color);
  }
}

// Tells `receiver` who sends wavelets of `color`; returns its room for them.
unsigned Connections::attach(Ref sender, Ref receiver, Color color) {
  switch (receiver.kind()) {
  case Ref::Kind::kPipe:
    blocks_.pipes.all()[receiver.index()].upstream = sender;
    break;
  case Ref::Kind::kSlot:
    blocks_.slots.all()[receiver.index()].upstream = sender;
    break;
  case Ref::Kind::kQueue:
    blocks_.pes.in_queue(receiver.index()).upstream = sender;
    break;
  case Ref::Kind::kRouter:
    blocks_.routers.all()[receiver.router()].sender(receiver.direction(), color) = sender;
    break;
  default:
    break;
  }
  return capacity_of(receiver, color);
}

Ref Connections::buffer_of(std::uint32_t place, Color color) const {
  const std::uint32_t route = find_route(plan_, place, color);
  return route == kNoIndex ? Ref() : buffers_[route];
}

std::optional<Direction> Connections::input_of(Ref buffer) const {
  if (buffer.kind() == Ref::Kind::kSlot) return blocks_.slots.all()[buffer.index()].in;
  if (buffer.kind() != Ref::Kind::kPipe) return std::nullopt;
  const Pipe& pipe = blocks_.pipes.all()[buffer.index()];
  return input_of_route(plan_, find_route(plan_, pipe.place, Color(pipe.color)));
}

// Who takes wavelets of `color` behind the output `out` of a tile.
Ref Connections::receiver_behind(std::uint32_t place, Direction out, Color color) const {
  if (out == Direction::kRamp) return queue_of(place, color);
  const Ref port = port_at(place, out);
  if (port.kind() == Ref::Kind::kPort) return port;
  const TileCoord next = neighbour(plan_.tile_of(place), out);
  if (!plan_.on_wafer(next)) return {};
  const std::uint32_t there = plan_.place_of(next);
  if (port_at(there, opposite(out)).kind() == Ref::Kind::kPort) return {};
  const std::uint32_t router = blocks_.routers.index_at(there);
  if (router != kNoIndex) return Ref::router(router, opposite(out));
  const Ref buffer = buffer_of(there, color);
  return input_of(buffer) == opposite(out) ? buffer : Ref();
}

unsigned Connections::capacity_of(Ref receiver, Color color) const {
  switch (receiver.kind()) {
  case Ref::Kind::kPipe:
  case Ref::Kind::kSlot:
    return plan_.fabric.input_room(*input_of(receiver));
  case Ref::Kind::kQueue:
    return blocks_.pes.in_queue(receiver.index()).room;
  case Ref::Kind::kRouter:
    return blocks_.routers.all()[receiver.router()].core.input_capacity(receiver.direction(),
                                                                        color);
  case Ref::Kind::kPort:
    return blocks_.outside.capacity(receiver.index(), color);
  case Ref::Kind::kNone:
  case Ref::Kind::kRamp:
    break;
  }
  return 0;
}

Ref Connections::queue_of(std::uint32_t place, Color color) const {
  const Pe* const pe = blocks_.pes.at(place);
  Ref found;
  for (unsigned i = 0; pe != nullptr && i < pe->inputs; ++i) {
    const std::uint32_t queue = pe->first_input + i;
    if (blocks_.pes.in_queue(queue).color != color) continue;
    if (found.kind() == Ref::Kind::kQueue) {
      throw std::logic_error(
          "tile " + to_string(plan_.tile_of(place)) + ": two input queues are bound to color " +
          std::to_string(color.value()) + "; a color may belong to one input queue of a PE");
    }
    found = Ref(Ref::Kind::kQueue, queue);
  }
  return found;
}

Ref Connections::port_at(std::uint32_t place, Direction side) const {
  const auto port = port_of_.find(std::uint64_t{place} * kDirectionCount + index(side));
  return port == port_of_.end() ? Ref() : Ref(Ref::Kind::kPort, port->second);
}

}  // namespace tessera::wafer
