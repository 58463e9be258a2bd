// The cycle of a wafer: which units are due, and what becomes of failures.
#include "models/wafer/wafer_core.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/wafer/pe.h"
#include "models/wafer/whole_router.h"

namespace tessera::wafer {

WaferCore::~WaferCore() = default;

template <class Step>
void WaferCore::guard(std::uint32_t place, Block block, Step&& step) {
  try {
    step();
  } catch (...) {
    const std::uint64_t order = std::uint64_t{place} * 4 + static_cast<unsigned>(block);
    if (failure_ && failed_ <= order) return;
    failure_ = std::current_exception();
    failed_ = order;
  }
}

Cycle WaferCore::step(Cycle now) {
  now_ = now;
  pull_far_wakes(now);
  if (!later_.empty()) take_later(now);
  // 1. Routers.
  step_pipes(now);
  step_slots(now);
  step_due(due_routers_, now, [&](std::uint32_t router) {
    guard(routers_[router].place, Block::kRouter, [&] { step_router(router, now); });
  });
  // 2. Compute engines.
  step_due(due_pes_, now, [&](std::uint32_t pe) {
    guard((*pes_)[pe].place, Block::kEngine, [&] { step_pe(pe, now); });
  });
  // 3. On-ramps.
  step_due(due_ramps_, now, [&](std::uint32_t pe) { step_ramp(pe, now); });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  return next_due(now);
}

Cycle WaferCore::next_due(Cycle now) const {
  Cycle later = last_credit_ > now ? last_credit_ : kNever;
  for (const Later& l : later_) later = std::min(later, l.due);
  return std::min({later, due_pipes_.next_due(now), due_slots_.next_due(now),
                   due_routers_.next_due(now), due_pes_.next_due(now), due_ramps_.next_due(now),
                   far_pes_.next_due(), far_routers_.next_due()});
}

void WaferCore::pull_far_wakes(Cycle now) {
  const auto pull = [&](timing::Calendar& far, ActiveSet& due) {
    if (far.next_due() > now) return;
    far.take(now, far_due_);
    for (const timing::BlockId unit : far_due_) due.insert(unit, now);
  };
  pull(far_pes_, due_pes_);
  pull(far_routers_, due_routers_);
}

void WaferCore::wake_slot(std::uint32_t slot, Cycle at) {
  const Slot& s = slots_[slot];
  due_slots_.insert(s.unit, at);
  if (s.group != kNoIndex) groups_[s.group].busy |= 1U << (slot - s.unit);
}

void WaferCore::wake(ActiveSet& due, timing::Calendar& far, std::uint32_t unit, Cycle at) {
  if (at - now_ < ActiveSet::kHorizon) {
    due.insert(unit, at);
  } else {
    far.insert(unit, at);
  }
}

unsigned WaferCore::port_capacity(std::uint32_t port, Color color) const {
  const std::uint32_t place = port_places_[port];
  const Direction side = plan_.ports[port].side;
  if (router_of_tile_[place] != kNoIndex)
    return routers_[router_of_tile_[place]].core.input_capacity(side, color);
  const Ref buffer = buffer_of(place, color);
  return input_of(buffer) == side ? plan_.fabric.input_room(side) : 0;
}

void WaferCore::port_put(std::uint32_t port, const link::Wavelet& w, Cycle due) {
  const std::uint32_t place = port_places_[port];
  const Direction side = plan_.ports[port].side;
  if (router_of_tile_[place] != kNoIndex) {
    deliver(Ref::router(router_of_tile_[place], side), w, due);
    return;
  }
  const Ref buffer = buffer_of(place, w.color);
  if (input_of(buffer) != side || held_in(buffer) >= plan_.fabric.input_room(side)) {
    throw std::logic_error("tile " + to_string(plan_.ports[port].tile) + ", " + to_string(side) +
                           " input: a wavelet of color " + std::to_string(w.color.value()) +
                           " was handed over without a credit");
  }
  Slot& slot = slots_[buffer.index()];
  if (fits(slot.arriving, due)) return deliver(buffer, w, due);
  entry(buffer.index(), slot.head + slot.held) = w;
  ++slot.held;
  if (w.control && slot.group != kNoIndex) ++groups_[slot.group].controls;
  later_.push_back({due, buffer.index(), false});
}

void WaferCore::port_credit(std::uint32_t port, Color color, Cycle due) {
  const std::uint32_t place = port_places_[port];
  const Direction side = plan_.ports[port].side;
  if (router_of_tile_[place] != kNoIndex) {
    give_credit(Ref::router(router_of_tile_[place], side), color, due);
    return;
  }
  const Ref sender = sender_into(buffer_of(place, color), port);
  if (sender.kind() == Ref::Kind::kNone ||
      credits_of(sender.index()) >= outside_.capacity(port, color)) {
    throw std::logic_error("tile " + to_string(plan_.ports[port].tile) + ", " + to_string(side) +
                           " output: a credit of color " + std::to_string(color.value()) +
                           " came back for room that was never taken");
  }
  if (fits(links_[sender.index()].returning, due)) return give_credit(sender, color, due);
  later_.push_back({due, sender.index(), true});
}

// Credits of a link, those on their way back too.
unsigned WaferCore::credits_of(std::uint32_t link) const {
  const auto later = std::count_if(later_.begin(), later_.end(),
                                   [link](const Later& l) { return l.credit && l.index == link; });
  return links_[link].credits + static_cast<unsigned>(later) +
         static_cast<unsigned>(__builtin_popcountll(links_[link].returning));
}

void WaferCore::take_later(Cycle now) {
  for (std::size_t i = 0; i < later_.size();) {
    const Later due = later_[i];
    if (due.due > now) {
      ++i;
      continue;
    }
    if (due.credit) {
      ++links_[due.index].credits;
    } else {
      ++slots_[due.index].landed;
    }
    wake_slot(due.credit ? links_[due.index].slot : due.index, now);
    later_[i] = later_.back();
    later_.pop_back();
  }
}

// The link that sends into a port.
Ref WaferCore::sender_into(Ref buffer, std::uint32_t port) const {
  const auto is_port = [port](Ref target) {
    return target.kind() == Ref::Kind::kPort && target.index() == port;
  };
  if (buffer.kind() != Ref::Kind::kSlot) return {};
  const Slot& slot = slots_[buffer.index()];
  for (std::uint32_t link = slot.first_link; link < slot.first_link + slot.links; ++link) {
    if (is_port(links_[link].target)) return {Ref::Kind::kSlot, link};
  }
  return {};
}

pe::ComputeEngineCore* WaferCore::engine(TileCoord tile) {
  const std::uint32_t pe = pe_of_tile_[plan_.place_of(tile)];
  return pe == kNoIndex ? nullptr : &(*pes_)[pe].engine;
}

void WaferCore::launch(TileCoord tile, const pe::Function& function,
                       const std::vector<std::uint32_t>& arguments, Cycle at) {
  const std::uint32_t pe = pe_of_tile_[plan_.place_of(tile)];
  (*pes_)[pe].engine.launch(function, arguments, at);
  wake_pe(pe, at);
}

void WaferCore::set_diagnoses(observe::Diagnoses* diagnoses) {
  for (std::size_t i = 0; i < pes_->size(); ++i) (*pes_)[i].engine.set_diagnoses(diagnoses);
}

std::size_t WaferCore::wavelets_held() const {
  std::size_t held = 0;
  for (const Pipe& pipe : pipes_) held += pipe.held;
  for (const Slot& slot : slots_) held += slot.held;
  for (const WholeRouter& router : routers_) held += router.core.held();
  for (const InQueue& queue : in_queues_) held += queue.held;
  for (const OutQueue& queue : out_queues_) held += queue.held;
  return held;
}

}  // namespace tessera::wafer
