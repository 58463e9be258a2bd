// PEs of a wafer: what their engines see of the queues, and their on-ramps. Rules as in
// models/queue/*_core.h and models/fabric/on_ramp_core.h.
#include <utility>

#include "models/wafer/pe.h"
#include "models/wafer/wafer_core.h"
#include "models/wafer/whole_router.h"

namespace tessera::wafer {

WaferCore::Pe::Pe(WaferCore& wafer, std::uint32_t at_place, TileCoord at,
                  std::shared_ptr<const pe::DecodedImage> program, const QueueMap& map,
                  observe::EventStream* events)
    : wafer_(wafer), map_(map), place(at_place),
      engine(at, std::move(program), *this, observe::Probe(events, at_place)) {}

// What has landed may be read at once, what has not is not there yet: the engine is stepped in the
// cycle in which it lands.
Cycle WaferCore::Pe::ready_at(QueueId q) const {
  return input(q).landed > 0 ? 0 : kNever;
}

unsigned WaferCore::Pe::available(QueueId q, Cycle) const {
  return input(q).landed;
}

const link::Wavelet& WaferCore::Pe::front(QueueId q) const {
  const InQueue& queue = input(q);
  return wafer_.in_entries_[queue.first_entry + queue.head];
}

void WaferCore::Pe::pop(QueueId q, Cycle now) {
  InQueue& queue = input(q);
  queue.head = static_cast<std::uint16_t>(queue.head + 1U < queue.room ? queue.head + 1 : 0);
  --queue.held;
  if (--queue.landed == 0) with_wavelets &= static_cast<std::uint8_t>(~(1U << q.value()));
  wafer_.free_place(queue, now);
}

unsigned WaferCore::Pe::room(QueueId q, Cycle now) const {
  const OutQueue& queue = output(q);
  return queue.length - queue.held - (queue.last_pop == now ? queue.popped : 0U);
}

void WaferCore::Pe::push(QueueId q, const link::Wavelet& w, Cycle now) {
  OutQueue& queue = output(q);
  const unsigned at = queue.head + queue.held;
  const Cycle visible_from = now + wafer_.plan_.queue_write_latency;
  wafer_.out_entries_[queue.first_entry + (at < queue.length ? at : at - queue.length)] = {
      w, visible_from};
  if (++queue.held == queue.length) with_room &= static_cast<std::uint8_t>(~(1U << q.value()));
  if (wafer_.events_ != nullptr) {
    wafer_.events_->record({now, place, observe::EventKind::kQueueOut,
                            q.value() | w.color.value() << 8, w.payload, w.ident});
  }
  const auto pe = wafer_.pe_of_tile_[place];
  wafer_.due_ramps_.insert(pe, visible_from);
}

std::uint16_t WaferCore::Pe::read_config(config_space::Address address, Cycle now) const {
  return wafer_.routers_[wafer_.router_of_tile_[place]].core.read_register(address, now);
}

std::string WaferCore::Pe::why_illegal(config_space::Address address, std::uint16_t value) const {
  return wafer_.routers_[wafer_.router_of_tile_[place]].core.why_illegal(address, value);
}

void WaferCore::Pe::write_config(config_space::Address address, std::uint16_t value, Cycle due) {
  const std::uint32_t router = wafer_.router_of_tile_[place];
  if (wafer_.routers_[router].core.write_register(address, value, due))
    wafer_.wake_router(router, due);
}

// The router has been stepped in this cycle: it sees the credit in the next one.
void WaferCore::free_place(InQueue& queue, Cycle now) {
  const Ref sender = queue.upstream;
  note_credit(now + 1);
  if (sender.kind() == Ref::Kind::kSlot) {
    Link& link = links_[sender.index()];
    ++link.credits;
    if (slots_[link.slot].held > 0) wake_slot(link.slot, now + 1);
  } else if (sender.kind() == Ref::Kind::kPipe) {
    Pipe& pipe = pipes_[sender.index()];
    ++pipe.credits;
    if (pipe.held > 0) due_pipes_.insert(sender.index(), now + 1);
  } else if (sender.kind() == Ref::Kind::kRouter) {
    give_credit(sender, queue.color, now + 1);
  }
}

inline void WaferCore::land(Pe& pe, std::uint64_t cycle) {
  pe.arriving &= ~cycle;
  for (unsigned i = 0; i < pe.inputs; ++i) {
    InQueue& queue = in_queues_[pe.first_input + i];
    if ((queue.arriving & cycle) == 0) continue;
    queue.arriving &= ~cycle;
    ++queue.landed;
    pe.with_wavelets |= static_cast<std::uint8_t>(1U << queue.id.value());
  }
}

// On its way into the cache while the PEs before it are stepped: where all are busy, those that
// follow are due next, and are found in memory otherwise.
inline void WaferCore::prefetch_behind(std::uint32_t pe) const {
  constexpr unsigned kCacheLine = 64;
  if (pe + 4 >= pes_->size()) return;
  const char* const far = reinterpret_cast<const char*>(&(*pes_)[pe + 4]);
  for (unsigned i = 0; i < sizeof(Pe); i += kCacheLine) __builtin_prefetch(far + i, 1);
  (*pes_)[pe + 2].engine.prefetch();
}

void WaferCore::step_pe(std::uint32_t index, Cycle now) {
  prefetch_behind(index);
  Pe& pe = (*pes_)[index];
  if ((pe.arriving & cycle_bit(now)) != 0) land(pe, cycle_bit(now));
  const Cycle next = pe.engine.step(now);
  if (next != kNever) wake_pe(index, next);
}

void WaferCore::step_ramp(std::uint32_t index, Cycle now) {
  Pe& pe = (*pes_)[index];
  // 1. Credits due by now become usable.
  RampLink* const links = ramp_links_.data() + pe.first_ramp;
  for (unsigned i = 0; i < pe.ramps; ++i) {
    if ((links[i].returning & cycle_bit(now)) == 0) continue;
    links[i].returning &= ~cycle_bit(now);
    ++links[i].credits;
  }
  // 2. Queues with a readable wavelet and room for it at the router ask; 3. one is served.
  const bool rotates = plan_.fabric.arbitration == fabric::Arbitration::kRoundRobin;
  OutQueue* winner = nullptr;
  RampLink* way = nullptr;
  unsigned best = kMaxQueues;
  for (unsigned i = 0; i < pe.outputs; ++i) {
    OutQueue& queue = out_queues_[pe.first_output + i];
    if (queue.held == 0) continue;
    const OutEntry& head = out_entries_[queue.first_entry + queue.head];
    if (head.visible_from > now) continue;
    for (unsigned l = 0; l < pe.ramps; ++l) {
      if (links[l].color != head.wavelet.color || links[l].credits == 0) continue;
      const unsigned key = (queue.id.value() - (rotates ? pe.ramp_turn : 0U)) % kMaxQueues;
      if (key >= best) continue;
      best = key;
      winner = &queue;
      way = &links[l];
    }
  }
  if (winner == nullptr) return;
  pe.ramp_turn = static_cast<std::uint8_t>(winner->id.value() + 1);
  const link::Wavelet w = out_entries_[winner->first_entry + winner->head].wavelet;
  winner->head =
      static_cast<std::uint16_t>(winner->head + 1U < winner->length ? winner->head + 1 : 0);
  --winner->held;
  pe.with_room |= static_cast<std::uint8_t>(1U << winner->id.value());
  if (winner->last_pop != now) winner->popped = 0;
  winner->last_pop = now;
  ++winner->popped;
  --way->credits;
  deliver(way->target, w, now + plan_.fabric.on_ramp_latency);
  wake_pe(index, now + 1);
  due_ramps_.insert(index, now + 1);
}

}  // namespace tessera::wafer
