// What changes in a wafer, for checkpoints: see visit.h.
#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "models/state/archive.h"
#include "models/wafer/plan/slot_graph.h"
#include "models/wafer/sharing/strips.h"
#include "models/wafer/units/blocks.h"
#include "models/wafer/wafer_core.h"

namespace tessera::wafer {

namespace {

/// A wavelet of a buffer, with its serial number if both have it.
void visit_stored(const Visit& visit, Stored& stored, std::uint64_t& ident) {
  link::Wavelet w = stored.wavelet(0);
  visit.archive(w.payload, w.color, w.control, w.half, w.local_flip);
  stored = Stored(w);
  if (visit.has_idents) visit.archive(ident);
}

/// Credits, and the cycles in which others come back: those of the next cycle may be used in it.
template <class Count, class Mask>
void visit_credits(const Visit& visit, Count& credits, Mask& returning, Mask next) {
  auto usable = static_cast<std::uint16_t>(credits + ((returning & next) != 0 ? 1 : 0));
  auto later = static_cast<Mask>(returning & ~next);
  visit.archive(usable, later);
  if (visit.archive.saving()) return;
  credits = static_cast<Count>(usable);
  returning = later;
}

// None of a receiver (pe::kMaxReceivers).
constexpr std::uint8_t queue_bit(QueueId q) {
  return static_cast<std::uint8_t>(1U << q.value());
}

/// Since when a head could have left, where the accounts are asked for.
void visit_since(const Visit& visit, Cycle* since) {
  if (!visit.has_waits) return;
  Cycle saved = since == nullptr ? kNever : *since;
  visit.archive(saved);
  if (since != nullptr) *since = saved;
}

/// Which units are due in which cycles, unit by unit.
class DueCycles {
 public:
  DueCycles(const FarActiveSet& set, const Visit& visit) : is_saving_(visit.archive.saving()) {
    if (!is_saving_) return;
    set.for_each(visit.next, [this](std::uint32_t unit, Cycle at) { due_.emplace_back(unit, at); });
    std::sort(due_.begin(), due_.end());
    due_.erase(std::unique(due_.begin(), due_.end()), due_.end());
  }
  /// Those of the next unit.
  void visit(std::uint32_t unit, FarActiveSet& set, const Visit& visit) {
    std::vector<Cycle> cycles;
    for (; at_ < due_.size() && due_[at_].first == unit; ++at_) cycles.push_back(due_[at_].second);
    visit.archive(cycles);
    if (is_saving_) return;
    for (const Cycle at : cycles) set.insert(unit, at, visit.next - 1);
  }

 private:
  const bool is_saving_;
  std::vector<std::pair<std::uint32_t, Cycle>> due_;
  std::size_t at_ = 0;
};

}  // namespace

// --- pipes and slots

void Pipes::visit(std::uint32_t index, const Visit& visit) {
  Pipe& pipe = pipes_[index];
  state::Archive& archive = visit.archive;
  archive(pipe.held, pipe.landed, pipe.flags, pipe.arriving);
  if (pipe.held > kPipeRoom) state::Archive::fail("a buffer holds too much");
  for (unsigned i = 0; i < pipe.held; ++i) {
    archive(pipe.payloads[i]);
    if (!visit.has_idents) continue;
    std::uint64_t none = 0;
    archive(idents_.empty() ? none : idents_[std::size_t{index} * kPipeRoom + i]);
  }
  visit_credits(visit, pipe.credits, pipe.returning, pipe_bit(visit.next));
  visit_since(visit, blocks_.waits ? &blocks_.waits->since_of_pipe(index) : nullptr);
  if (archive.saving()) return;
  if (visit.is_due && pipe.held > 0) due_.insert(index, visit.next);
  for (Cycle at = visit.next; at <= visit.next + kPipeLatency; ++at) {
    if (((pipe.arriving | pipe.returning) & pipe_bit(at)) != 0) due_.insert(index, at);
  }
}

void Slots::visit_links(const Slot& slot, const Visit& visit) {
  const std::uint32_t end = slot.first_link + own_links(index_of(slot));
  for (std::uint32_t l = slot.first_link; l < end; ++l)
    visit_credits(visit, links_[l].credits, returning_[l], cycle_bit(visit.next));
}

// With the first slot of its color.
void Slots::visit_switch(std::uint32_t slot, const Visit& visit) {
  const Switch* const found = switch_of(slots_[slot]);
  if (found == nullptr || found->first_slot != slot) return;
  Switch& at = switches_[static_cast<std::size_t>(found - switches_.data())];
  visit.archive(at.route.current);
  if (at.route.current >= fabric::kSwitchPositions)
    state::Archive::fail("a switch has no such position");
  note_position(at);
}

void Slots::visit(std::uint32_t index, const Visit& visit) {
  Slot& slot = slots_[index];
  Group* const group = slot.group == kNoIndex ? nullptr : &groups_[slot.group];
  const bool merges = group != nullptr && group->merges();
  const unsigned number = index - slot.unit;
  std::uint64_t arriving = times_[index].arriving;
  for (Cycle at = visit.next; merges && at <= visit.next + Group::kMaxMergedLatency; ++at) {
    if ((group->arriving & Group::bit_of(number, at)) != 0) arriving |= cycle_bit(at);
  }
  std::uint8_t may_go_on = static_cast<std::uint8_t>(landed(slot));
  visit.archive(slot.held, may_go_on, slot.to_go, slot.suspended, arriving);
  if (slot.held > ring_mask_ + 1) state::Archive::fail("a buffer holds too much");
  if (visit.archive.loading()) slot.head = 0;
  for (unsigned i = 0; i < slot.held; ++i) {
    const std::size_t entry = entry_index(slot, slot.head + i);
    Stored stored = entries_[entry];
    std::uint64_t ident = entries_.ident(entry);
    visit_stored(visit, stored, ident);
    entries_.put(entry, stored, ident);
  }
  visit_links(slot, visit);
  visit_switch(index, visit);
  visit_since(visit, blocks_.waits ? &blocks_.waits->since_of_slot(index) : nullptr);
  if (group != nullptr && number == 0) visit.archive(group->turn, turns_of(*group));
  if (visit.archive.saving()) return;
  slot.landed = may_go_on;
  follow(index, arriving, visit);
}

// What follows from the state of a slot that has been restored.
void Slots::follow(std::uint32_t index, std::uint64_t arriving, const Visit& visit) {
  const Slot& slot = slots_[index];
  std::uint64_t returning = 0;
  for (std::uint32_t l = slot.first_link; l < slot.first_link + own_links(index); ++l)
    returning |= returning_[l];
  if (visit.is_due && slot.held > 0) due_.insert(slot.unit, visit.next);
  for (Cycle at = visit.next; at < visit.next + ActiveSet::kHorizon; ++at) {
    if (((arriving | returning) & cycle_bit(at)) != 0) due_.insert(slot.unit, at);
  }
  const bool is_grouped = slot.group != kNoIndex;
  const bool merges = is_grouped && groups_[slot.group].merges();
  times_[index].arriving = merges ? 0 : arriving;
  times_[index].returning = merges ? 0 : returning;
  if (!is_grouped) return;
  Group& group = groups_[slot.group];
  const unsigned number = index - slot.unit;
  const auto bit = static_cast<std::uint8_t>(1U << number);
  if (number == 0) {
    group.controls = 0;
    group.arriving = group.returning = 0;
    group.landed = group.credited = 0;
    group.open = 0xFF;
    if (!merges) group.busy = 0;
  }
  for (unsigned i = 0; i < slot.held; ++i) {
    if (entries_[entry_index(slot, i)].control()) ++group.controls;
  }
  if (!merges) {
    if (!idle(index)) group.busy |= 1U << number;
    return;
  }
  for (Cycle at = visit.next; at <= visit.next + Group::kMaxMergedLatency; ++at) {
    if ((arriving & cycle_bit(at)) != 0) group.arriving |= Group::bit_of(number, at);
    if ((returning & cycle_bit(at)) != 0) group.returning |= Group::bit_of(number, at);
  }
  if (slot.suspended)
    group.open = static_cast<std::uint8_t>(group.open & ~bit);
  else if (slot.landed > 0)
    group.landed = static_cast<std::uint8_t>(group.landed | bit);
  if (links_[slot.first_link].credits > 0)
    group.credited = static_cast<std::uint8_t>(group.credited | bit);
}

// Each pipe and slot has a route of its own, but those of a color with a switch.
void WaferCore::visit_buffers(const Visit& visit) {
  if (visit.archive.loading()) {
    blocks_.pipes.forget_all();
    blocks_.slots.forget_all();
  }
  std::vector<Ports::Announced> in_masks;
  if (visit.archive.saving()) in_masks = ports_.announced(visit.next - 1, true);
  for (const auto& a : in_masks) blocks_.slots.toggle(a.index, a.due, a.credit);
  for (std::uint32_t r = blocks_.strip.first_route; r < blocks_.strip.end_route; ++r) {
    const Ref buffer = connections_.buffer_of_route(r);
    if (buffer.kind() == Ref::Kind::kPipe) blocks_.pipes.visit(buffer.index(), visit);
    for (std::uint32_t i = 0; i < slots_of(buffer); ++i)
      blocks_.slots.visit(buffer.index() + i, visit);
  }
  for (const auto& a : in_masks) blocks_.slots.toggle(a.index, a.due, a.credit);
}

// --- what ports have announced: cycle, route, and the number of the slot where a wavelet lands, or, after the slots of the
// route, that of the link that gets a credit

std::uint32_t WaferCore::slots_of(Ref buffer) const {
  return buffer.kind() == Ref::Kind::kSlot ? blocks_.slots.slots_of_color(buffer.index()) : 0;
}

std::uint32_t WaferCore::first_link_of(Ref buffer) const {
  return blocks_.slots.all()[buffer.index()].first_link;
}

void WaferCore::add_announcements(Announcements& all, Cycle next) const {
  std::vector<std::uint32_t> route_of(blocks_.slots.all().size());
  for (std::uint32_t r = blocks_.strip.first_route; r < blocks_.strip.end_route; ++r) {
    const Ref buffer = connections_.buffer_of_route(r);
    for (std::uint32_t i = 0; i < slots_of(buffer); ++i) route_of[buffer.index() + i] = r;
  }
  for (const auto& a : ports_.announced(next - 1, false)) {
    const std::uint32_t slot = a.credit ? blocks_.slots.links()[a.index].slot : a.index;
    const std::uint32_t route = route_of[slot];
    const Ref buffer = connections_.buffer_of_route(route);
    const std::uint64_t number =
        a.credit ? slots_of(buffer) + a.index - first_link_of(buffer) : slot - buffer.index();
    all.push_back({a.due, route, number});
  }
}

void WaferCore::take_announcements(const Announcements& all) {
  ports_.forget_all();
  for (const auto& [due, route, number] : all) {
    if (route < blocks_.strip.first_route || route >= blocks_.strip.end_route) continue;
    const Ref buffer = connections_.buffer_of_route(static_cast<std::uint32_t>(route));
    if (buffer.kind() != Ref::Kind::kSlot) state::Archive::fail("a port leads elsewhere");
    const auto what = static_cast<std::uint32_t>(number);
    const bool is_credit = what >= slots_of(buffer);
    ports_.announce(
        due, is_credit ? first_link_of(buffer) + what - slots_of(buffer) : buffer.index() + what,
        is_credit);
  }
}

// --- PEs and routers

void Pes::visit_input(InQueue& queue, const Visit& visit) {
  visit.archive(queue.held, queue.landed);
  if (queue.held > queue.room) state::Archive::fail("a queue holds too much");
  if (visit.archive.loading()) queue.head = 0;
  const Visit without_idents{visit.archive};
  for (unsigned i = 0; i < queue.held; ++i) {
    const unsigned at = queue.head + i;
    std::uint64_t none = 0;
    visit_stored(without_idents,
                 in_entries_[queue.first_entry + (at < queue.room ? at : at - queue.room)], none);
  }
}

void Pes::visit_output(OutQueue& queue, std::uint32_t pe, const Visit& visit) {
  visit.archive(queue.held);
  if (queue.held > queue.length) state::Archive::fail("a queue holds too much");
  if (visit.archive.loading()) {
    queue.head = 0;
    queue.last_pop = kNever;
  }
  for (unsigned i = 0; i < queue.held; ++i) {
    const unsigned at = queue.head + i;
    const std::size_t entry = queue.first_entry + (at < queue.length ? at : at - queue.length);
    std::uint64_t ident = out_numbers_.empty() ? 0 : out_numbers_[entry];
    visit_stored(visit, out_entries_[entry], ident);
    if (!out_numbers_.empty()) out_numbers_[entry] = static_cast<std::uint32_t>(ident);
    // When others could have seen it does not matter any more.
    Cycle visible = std::max(visible_from_[entry], visit.next);
    visit.archive(visible);
    if (visit.archive.saving()) continue;
    visible_from_[entry] = visible;
    if (visible > visit.next || visit.is_due) due_ramps_.insert(pe, visible);
  }
}

void Pes::visit_ramps(std::uint32_t index, const Visit& visit) {
  Pe& pe = pes_[index];
  visit.archive(pe.ramp_turn);
  if (visit.archive.loading()) pe.returning = 0;
  for (std::uint32_t l = pe.first_ramp; l < pe.first_ramp + pe.ramps; ++l) {
    RampLink& link = ramp_links_[l];
    visit_credits(visit, link.credits, link.returning, cycle_bit(visit.next));
    if (visit.archive.loading()) pe.returning |= link.returning;
  }
  for (Cycle at = visit.next; visit.archive.loading() && at < visit.next + ActiveSet::kHorizon;
       ++at) {
    if ((pe.returning & cycle_bit(at)) != 0) due_ramps_.insert(index, at);
  }
}

// Of two queues in a cycle, the one with the lower number first.
void Pes::visit_landings(std::uint32_t pe, const Visit& visit) {
  for (unsigned i = 0; i < landings_.cycles(); ++i) {
    std::uint8_t& queues = landings_.at(pe, visit.next + i);
    const unsigned first = queues & Landings::kOne;
    const unsigned second = queues >> Landings::kBits;
    auto sorted = static_cast<std::uint8_t>(
        second == 0 ? first : std::min(first, second) | std::max(first, second) << Landings::kBits);
    visit.archive(sorted);
    queues = sorted;
  }
}

void Pes::visit(const Visit& visit) {
  DueCycles due(due_engines_, visit);
  if (visit.archive.loading()) {
    due_engines_.resize(pes_.size());
    due_ramps_.resize(pes_.size());
    has_made_room_ = false;
  }
  for (std::uint32_t i = 0; i < pes_.size(); ++i) {
    Pe& pe = pes_[i];
    visit.archive(pe.engine);
    due.visit(i, due_engines_, visit);
    if (visit.archive.loading()) pe.with_wavelets_ = pe.with_room_ = 0;
    for (unsigned q = 0; q < pe.inputs; ++q) {
      InQueue& queue = in_queues_[pe.first_input + q];
      visit_input(queue, visit);
      if (queue.landed > 0) pe.with_wavelets_ |= queue_bit(queue.id);
    }
    for (unsigned q = 0; q < pe.outputs; ++q) {
      OutQueue& queue = out_queues_[pe.first_output + q];
      visit_output(queue, i, visit);
      if (queue.held < queue.length) pe.with_room_ |= queue_bit(queue.id);
    }
    visit_ramps(i, visit);
    visit_landings(i, visit);
  }
}

void Routers::visit(const Visit& visit) {
  DueCycles due(due_, visit);
  if (visit.archive.loading()) due_.resize(routers_.size());
  for (std::uint32_t i = 0; i < routers_.size(); ++i) {
    visit.archive(routers_[i].core);
    due.visit(i, due_, visit);
  }
}

// --- all strips

void Strips::visit_announcements(const Visit& visit) {
  WaferCore::Announcements all = announcements(visit.next);
  for (const auto& part : remotes_) {
    if (visit.archive.loading()) break;
    const WaferCore::Announcements others = part->announcements(visit.next);
    all.insert(all.end(), others.begin(), others.end());
  }
  std::sort(all.begin(), all.end());
  visit.archive(all);
  if (visit.archive.saving()) return;
  take_announcements(all);
  for (const auto& part : remotes_) part->take_announcements(all);
}

WaferCore::Announcements Strips::announcements(Cycle next) const {
  WaferCore::Announcements all;
  for (const auto& part : locals_) part->core()->add_announcements(all, next);
  return all;
}

void Strips::visit_locals(StateOf what, const Visit& visit) {
  for (const auto& part : locals_) part->core()->visit(what, visit);
}

void Strips::take_announcements(const WaferCore::Announcements& all) {
  for (const auto& part : locals_) part->core()->take_announcements(all);
}

Cycle Strips::go_on_at(Cycle next, bool is_due) {
  computed_to_ = 0;
  for (const auto& part : locals_) part->go_on_behind(next - 1, is_due && part == locals_.front());
  for (const auto& part : remotes_) part->go_on_at(next);
  return next_due_of_parts();
}

void Strips::visit(state::Archive& archive, Cycle next) {
  if (failed_) state::Archive::fail("the machine has failed");
  const auto has_orders = [](const auto& part) { return part->has_orders(); };
  if (accesses_ > 0 || std::any_of(remotes_.begin(), remotes_.end(), has_orders))
    state::Archive::fail("a command of the host waits for a PE");
  join();
  Cycle due = next_due_of_parts();
  WaferCore& first = *locals_.front()->core();
  bool has_idents = first.has_idents();
  bool has_waits = first.has_link_waits();
  archive(due, has_idents, has_waits);
  const Visit visit{archive, next, due == next, has_idents, has_waits};
  for (const StateOf what : kStates) {
    visit_locals(what, visit);
    for (const auto& part : remotes_) part->visit(what, visit);
  }
  visit_announcements(visit);
  if (archive.saving()) return;
  go_on_at(next, visit.is_due);
  if (due != kNever)
    locals_.front()->wake(due);  // a wake-up that finds nothing to do is one all the same
}

}  // namespace tessera::wafer
