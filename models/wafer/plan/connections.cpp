#include "models/wafer/plan/connections.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "models/wafer/plan/slot_graph.h"
#include "models/wafer/units/blocks.h"

namespace tessera::wafer {

Connections::Connections(Blocks& blocks, std::vector<Ref> buffers)
    : blocks_(blocks), plan_(blocks.plan), buffers_(std::move(buffers)) {
  for (std::uint32_t p = 0; p < plan_.ports.size(); ++p) {
    const std::uint64_t place = plan_.place_of(plan_.ports[p].tile);
    if (!blocks.strip.has(static_cast<std::uint32_t>(place))) continue;
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
    blocks_.slots.set_credits(l, attach(Ref(Ref::Kind::kSlot, l), link.target, slot.color));
  }
  for (Slot& slot : slots) {
    const Ref port = port_at(slot.place, slot.in);
    if (port.kind() == Ref::Kind::kPort) slot.upstream = port;
  }
  connect_routers();
  connect_rim(Direction::kNorth);
  connect_rim(Direction::kSouth);
  const Strip& strip = blocks_.strip;
  for (std::uint32_t place = strip.first_place; place < strip.end_place; ++place)
    connect_ramps(place);
  for (std::uint32_t p = 0; p < plan_.ports.size(); ++p) {
    const PortPlan& port = plan_.ports[p];
    if (port.side == Direction::kRamp && strip.has(plan_.place_of(port.tile))) connect_ramp_port(p);
  }
}

// The input queues of its colors receive from the port instead of the router.
void Connections::connect_ramp_port(std::uint32_t port) {
  for (unsigned c = 0; c < kColorCount; ++c) {
    const Ref queue = queue_of_port(port, Color(c));
    if (queue.kind() == Ref::Kind::kQueue)
      blocks_.pes.in_queue(queue.index()).upstream = Ref(Ref::Kind::kPort, port);
  }
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

void Connections::connect_rim(Direction side) {
  if (!blocks_.rims.has(side)) return;
  for (int x = 0; x < plan_.width; ++x) {
    for (unsigned c = 0; c < kColorCount; ++c) {
      const Ref receiver = receiver_at_rim(side, x, Color(c));
      if (receiver.kind() == Ref::Kind::kNone) continue;
      const Ref way = blocks_.rims.way(side, x, Color(c));
      attach(way, receiver, Color(c));
      blocks_.rims.receiver(way) = receiver;
    }
  }
}

Ref Connections::receiver_at_rim(Direction side, int x, Color color) const {
  const Strip& strip = blocks_.strip;
  const int y = side == Direction::kNorth ? strip.first_row : strip.end_row - 1;
  const std::uint32_t place = plan_.place_of({x, y});
  const bool is_cut = port_at(place, side).kind() == Ref::Kind::kPort;
  return is_cut ? Ref() : receiver_at(place, side, color);
}

std::vector<std::uint16_t> Connections::rooms_at(Direction side) const {
  std::vector<std::uint16_t> rooms;
  rooms.reserve(static_cast<std::size_t>(plan_.width) * kColorCount);
  for (int x = 0; x < plan_.width; ++x) {
    for (unsigned c = 0; c < kColorCount; ++c) {
      const unsigned room = capacity_of(receiver_at_rim(side, x, Color(c)), Color(c));
      rooms.push_back(static_cast<std::uint16_t>(room));
    }
  }
  return rooms;
}

// The ways of an on-ramp: the colors that its router receives from RAMP. With color swap these may
// be more than the tile routes.
void Connections::connect_ramps(std::uint32_t place) {
  if (blocks_.pes.at(place) == nullptr) return;
  const Ref port = port_at(place, Direction::kRamp);
  for (unsigned c = 0; c < kColorCount; ++c) {
    const Color color(c);
    const bool leaves = capacity_of(port, color) > 0;
    const Ref target = leaves ? port : receiver_at(place, Direction::kRamp, color);
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
  case Ref::Kind::kRim:
    blocks_.rims.sender(receiver) = sender;
    break;
  default:
    break;
  }
  return capacity_of(receiver, color);
}

Ref Connections::buffer_of(std::uint32_t place, Color color) const {
  const std::uint32_t route = find_route(plan_, place, color);
  return route == kNoIndex ? Ref() : buffer_of_route(route);
}

Ref Connections::buffer_of_route(std::uint32_t tile_route) const {
  return buffers_[tile_route - blocks_.strip.first_route];
}

std::optional<Direction> Connections::input_of(Ref buffer) const {
  if (buffer.kind() == Ref::Kind::kSlot) return blocks_.slots.all()[buffer.index()].in;
  if (buffer.kind() != Ref::Kind::kPipe) return std::nullopt;
  const Pipe& pipe = blocks_.pipes.all()[buffer.index()];
  return input_of_route(plan_, find_route(plan_, pipe.place, Color(pipe.color)));
}

// Who takes wavelets of `color` behind the output `out` of a tile.
Ref Connections::receiver_behind(std::uint32_t place, Direction out, Color color) const {
  const Ref port = port_at(place, out);
  if (out == Direction::kRamp) {
    const bool is_of_port = port.kind() == Ref::Kind::kPort &&
                            (plan_.ports[port.index()].in_colors >> color.value() & 1U) != 0;
    return is_of_port ? Ref() : queue_of(place, color);
  }
  if (port.kind() == Ref::Kind::kPort) return port;
  const TileCoord next = neighbour(plan_.tile_of(place), out);
  if (!plan_.on_wafer(next)) return {};
  const std::uint32_t there = plan_.place_of(next);
  if (!blocks_.strip.has(there)) {
    const Ref way = blocks_.rims.way(out, next.x, color);
    return blocks_.rims.room(way) > 0 ? way : Ref();
  }
  if (port_at(there, opposite(out)).kind() == Ref::Kind::kPort) return {};
  return receiver_at(there, opposite(out), color);
}

Ref Connections::receiver_at(std::uint32_t place, Direction in, Color color) const {
  const std::uint32_t router = blocks_.routers.index_at(place);
  if (router != kNoIndex) return Ref::router(router, in);
  const Ref first = buffer_of(place, color);
  if (first.kind() != Ref::Kind::kSlot) return input_of(first) == in ? first : Ref();
  const unsigned slots = blocks_.slots.slots_of_color(first.index());
  for (std::uint32_t slot = first.index(); slot < first.index() + slots; ++slot) {
    if (blocks_.slots.all()[slot].in == in) return {Ref::Kind::kSlot, slot};
  }
  return {};
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
  case Ref::Kind::kRim:
    return blocks_.rims.room(receiver);
  default:
    return 0;
  }
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

Ref Connections::queue_of_port(std::uint32_t port, Color color) const {
  const PortPlan& at = plan_.ports[port];
  if ((at.in_colors >> color.value() & 1U) == 0) return {};
  return queue_of(plan_.place_of(at.tile), color);
}

Ref Connections::port_at(std::uint32_t place, Direction side) const {
  const auto port = port_of_.find(std::uint64_t{place} * kDirectionCount + index(side));
  return port == port_of_.end() ? Ref() : Ref(Ref::Kind::kPort, port->second);
}

bool Ports::fits(std::uint64_t mask, Cycle due) const {
  return due - blocks_.now < ActiveSet::kHorizon && (mask & cycle_bit(due)) == 0;
}

std::vector<Ports::Announced> Ports::announced(Cycle last, bool fits) const {
  std::vector<Announced> sorted = announced_;
  const auto key = [](const Announced& a) { return std::tuple(a.due, a.index, a.credit); };
  std::sort(sorted.begin(), sorted.end(),
            [key](const Announced& a, const Announced& b) { return key(a) < key(b); });
  std::vector<Announced> asked;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const Announced& a = sorted[i];
    const std::uint64_t mask =
        a.credit ? blocks_.slots.returning(a.index) : blocks_.slots.arriving(a.index);
    const bool is_second = i > 0 && key(sorted[i - 1]) == key(a);  // a mask has a place for one
    const bool has_place =
        !is_second && a.due - last < ActiveSet::kHorizon && (mask & cycle_bit(a.due)) == 0;
    if (has_place == fits) asked.push_back(a);
  }
  return asked;
}

std::uint32_t Ports::place_of(std::uint32_t port) const {
  return blocks_.plan.place_of(blocks_.plan.ports[port].tile);
}

// A router, a slot or an input queue: pipes have no ports.
Ref Ports::receiver_at(std::uint32_t port, Color color) const {
  if (blocks_.plan.ports[port].side == Direction::kRamp)
    return connections_.queue_of_port(port, color);
  return connections_.receiver_at(place_of(port), blocks_.plan.ports[port].side, color);
}

void Ports::refuse(std::uint32_t port, const std::string& what) const {
  const PortPlan& at = blocks_.plan.ports[port];
  throw std::logic_error("tile " + to_string(at.tile) + ", " + to_string(at.side) + " " + what);
}

unsigned Ports::capacity(std::uint32_t port, Color color) const {
  return connections_.capacity_of(receiver_at(port, color), color);
}

void Ports::put(std::uint32_t port, const link::Wavelet& w, Cycle due) {
  const Ref receiver = receiver_at(port, w.color);
  if (receiver.kind() == Ref::Kind::kRouter) return blocks_.deliver(receiver, w, due);
  const bool is_queue = receiver.kind() == Ref::Kind::kQueue;
  if (is_queue && has_room(receiver.index())) return blocks_.deliver(receiver, w, due);
  if (receiver.kind() == Ref::Kind::kNone || is_queue ||
      blocks_.slots.all()[receiver.index()].held >=
          blocks_.plan.fabric.input_room(blocks_.plan.ports[port].side)) {
    refuse(port, "input: a wavelet of color " + std::to_string(w.color.value()) +
                     " was handed over without a credit");
  }
  if (fits(blocks_.slots.arriving(receiver.index()), due)) return blocks_.deliver(receiver, w, due);
  blocks_.slots.append(receiver.index(), Stored(w), w.ident);
  announced_.push_back({due, receiver.index(), false});
}

void Ports::credit(std::uint32_t port, Color color, Cycle due) {
  const Direction side = blocks_.plan.ports[port].side;
  if (side == Direction::kRamp) return credit_of_ramp(port, color, due);
  const std::uint32_t router = blocks_.routers.index_at(place_of(port));
  if (router != kNoIndex) {
    return blocks_.give_credit(Ref::router(router, side), color, due);
  }
  const std::uint32_t link = link_into(port, color);
  if (link == kNoIndex || credits_of(link) >= blocks_.outside.capacity(port, color))
    refuse_credit(port, color);
  if (fits(blocks_.slots.returning(link), due))
    return blocks_.give_credit(Ref(Ref::Kind::kSlot, link), color, due);
  announced_.push_back({due, link, true});
}

// The latencies of both ends are below those that the masks of links and queues have room for.
void Ports::credit_of_ramp(std::uint32_t port, Color color, Cycle due) {
  const std::uint32_t link = blocks_.pes.ramp_link_of(place_of(port), color);
  if (link == kNoIndex) refuse_credit(port, color);
  const RampLink& way = blocks_.pes.ramp_link(link);
  const auto owned = way.credits + static_cast<unsigned>(__builtin_popcountll(way.returning));
  if (owned >= blocks_.outside.capacity(port, color)) refuse_credit(port, color);
  blocks_.pes.credit(link, due);
}

void Ports::refuse_credit(std::uint32_t port, Color color) const {
  refuse(port, "output: a credit of color " + std::to_string(color.value()) +
                   " came back for room that was never taken");
}

bool Ports::has_room(std::uint32_t queue) const {
  const InQueue& at = blocks_.pes.in_queue(queue);
  return at.held < at.room;
}

unsigned Ports::credits_of(std::uint32_t link) const {
  const auto announced =
      std::count_if(announced_.begin(), announced_.end(),
                    [link](const Announced& a) { return a.credit && a.index == link; });
  return blocks_.slots.links()[link].credits + static_cast<unsigned>(announced) +
         static_cast<unsigned>(__builtin_popcountll(blocks_.slots.returning(link)));
}

void Ports::take_announced(Cycle now) {
  const auto due = std::partition(announced_.begin(), announced_.end(),
                                  [now](const Announced& a) { return a.due > now; });
  for (auto a = due; a != announced_.end(); ++a) {
    if (a->credit) {
      blocks_.slots.credit_now(a->index, now);
    } else {
      blocks_.slots.land(a->index, now);
    }
  }
  announced_.erase(due, announced_.end());
}

Cycle Ports::next_due() const {
  Cycle next = kNever;
  for (const Announced& a : announced_) next = std::min(next, a.due);
  return next;
}

// The link of the slot of `color` that sends into a port; kNoIndex: none does.
std::uint32_t Ports::link_into(std::uint32_t port, Color color) const {
  const Ref buffer = connections_.buffer_of(place_of(port), color);
  if (buffer.kind() != Ref::Kind::kSlot) return kNoIndex;
  const Slot& slot = blocks_.slots.all()[buffer.index()];
  for (std::uint32_t link = slot.first_link; link < slot.first_link + slot.links; ++link) {
    const Ref target = blocks_.slots.links()[link].target;
    if (target.kind() == Ref::Kind::kPort && target.index() == port) return link;
  }
  return kNoIndex;
}

}  // namespace tessera::wafer
