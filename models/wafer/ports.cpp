#include "models/wafer/ports.h"

#include <algorithm>
#include <stdexcept>

#include "models/wafer/blocks.h"

namespace tessera::wafer {

bool Ports::fits(std::uint64_t mask, Cycle due) const {
  return due - blocks_.now < ActiveSet::kHorizon && (mask & cycle_bit(due)) == 0;
}

std::uint32_t Ports::router_at(std::uint32_t port) const {
  return blocks_.routers.index_at(blocks_.plan.place_of(blocks_.plan.ports[port].tile));
}

// The slot of a color on the tile of a port. Pipes have no ports.
Ref Ports::buffer_at(std::uint32_t port, Color color) const {
  return connections_.buffer_of(blocks_.plan.place_of(blocks_.plan.ports[port].tile), color);
}

void Ports::refuse(std::uint32_t port, const std::string& what) const {
  const PortPlan& at = blocks_.plan.ports[port];
  throw std::logic_error("tile " + to_string(at.tile) + ", " + to_string(at.side) + " " + what);
}

unsigned Ports::capacity(std::uint32_t port, Color color) const {
  const Direction side = blocks_.plan.ports[port].side;
  const std::uint32_t router = router_at(port);
  if (router != kNoIndex) return connections_.capacity_of(Ref::router(router, side), color);
  const Ref buffer = buffer_at(port, color);
  return connections_.input_of(buffer) == side ? connections_.capacity_of(buffer, color) : 0;
}

void Ports::put(std::uint32_t port, const link::Wavelet& w, Cycle due) {
  const Direction side = blocks_.plan.ports[port].side;
  const std::uint32_t router = router_at(port);
  if (router != kNoIndex) return blocks_.deliver(Ref::router(router, side), w, due);
  const Ref buffer = buffer_at(port, w.color);
  if (connections_.input_of(buffer) != side ||
      blocks_.slots.all()[buffer.index()].held >= blocks_.plan.fabric.input_room(side)) {
    refuse(port, "input: a wavelet of color " + std::to_string(w.color.value()) +
                     " was handed over without a credit");
  }
  if (fits(blocks_.slots.all()[buffer.index()].arriving, due))
    return blocks_.deliver(buffer, w, due);
  blocks_.slots.append(buffer.index(), w);
  announced_.push_back({due, buffer.index(), false});
}

void Ports::credit(std::uint32_t port, Color color, Cycle due) {
  const std::uint32_t router = router_at(port);
  if (router != kNoIndex) {
    const Direction side = blocks_.plan.ports[port].side;
    return blocks_.give_credit(Ref::router(router, side), color, due);
  }
  const std::uint32_t link = link_into(port, color);
  if (link == kNoIndex || credits_of(link) >= blocks_.outside.capacity(port, color)) {
    refuse(port, "output: a credit of color " + std::to_string(color.value()) +
                     " came back for room that was never taken");
  }
  if (fits(blocks_.slots.links()[link].returning, due))
    return blocks_.give_credit(Ref(Ref::Kind::kSlot, link), color, due);
  announced_.push_back({due, link, true});
}

unsigned Ports::credits_of(std::uint32_t link) const {
  const auto announced =
      std::count_if(announced_.begin(), announced_.end(),
                    [link](const Announced& a) { return a.credit && a.index == link; });
  const Link& l = blocks_.slots.links()[link];
  return l.credits + static_cast<unsigned>(announced) +
         static_cast<unsigned>(__builtin_popcountll(l.returning));
}

void Ports::take_announced(Cycle now) {
  for (std::size_t i = 0; i < announced_.size();) {
    const Announced due = announced_[i];
    if (due.due > now) {
      ++i;
      continue;
    }
    if (due.credit) {
      blocks_.slots.credit_for_next(due.index, now);
    } else {
      blocks_.slots.land(due.index, now);
    }
    announced_[i] = announced_.back();
    announced_.pop_back();
  }
}

Cycle Ports::next_due() const {
  Cycle next = kNever;
  for (const Announced& a : announced_) next = std::min(next, a.due);
  return next;
}

// The link of the slot of `color` that sends into a port; kNoIndex: none does.
std::uint32_t Ports::link_into(std::uint32_t port, Color color) const {
  const Ref buffer = buffer_at(port, color);
  if (buffer.kind() != Ref::Kind::kSlot) return kNoIndex;
  const Slot& slot = blocks_.slots.all()[buffer.index()];
  for (std::uint32_t link = slot.first_link; link < slot.first_link + slot.links; ++link) {
    const Ref target = blocks_.slots.links()[link].target;
    if (target.kind() == Ref::Kind::kPort && target.index() == port) return link;
  }
  return kNoIndex;
}

}  // namespace tessera::wafer
