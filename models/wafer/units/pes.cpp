#include "models/wafer/units/pes.h"

#include <algorithm>
#include <utility>

#include "models/fabric/on_ramp_core.h"
#include "models/queue/input_queue_core.h"
#include "models/wafer/plan/connections.h"
#include "models/wafer/units/blocks.h"
#include "tlm_ifaces/vocabulary/prefetch.h"

namespace tessera::wafer {

namespace {

std::size_t programs_in(const Strip& strip) {
  std::size_t found = 0;
  for (std::uint32_t place = strip.first_place; place < strip.end_place; ++place)
    found += strip.plan.image_of_tile[place] >= 0 ? 1 : 0;
  return found;
}

// None of a receiver (pe::kMaxReceivers).
constexpr std::uint8_t queue_bit(QueueId q) {
  return static_cast<std::uint8_t>(1U << q.value());
}

}  // namespace

// --- what an engine sees of its queues and its router

QueueMap::QueueMap(const pe::Image& image) {
  input.fill(kNoQueue);
  output.fill(kNoQueue);
  std::uint8_t inputs = 0;
  std::uint8_t outputs = 0;
  for (const pe::QueueBinding& queue : image.queues) {
    if (queue.input)
      input[queue.id.value()] = inputs++;
    else
      output[queue.id.value()] = outputs++;
  }
}

Pe::Pe(Pes& pes, std::uint32_t at_place, TileCoord at,
       std::shared_ptr<const pe::DecodedImage> program, const QueueMap& map,
       observe::EventStream* events)
    : pes_(pes), map_(map), place(at_place),
      engine(at, std::move(program), *this, observe::Probe(events, at_place)) {
  keeps_masks_ = true;
}

link::Wavelet Pe::front(QueueId q) const {
  const InQueue& queue = input(q);
  return pes_.in_entries_[queue.first_entry + queue.head].wavelet(0);
}

link::Wavelet Pe::take(QueueId q, Cycle now) {
  InQueue& queue = input(q);
  const link::Wavelet w = pes_.in_entries_[queue.first_entry + queue.head].wavelet(0);
  queue.head = static_cast<std::uint16_t>(queue.head + 1U < queue.room ? queue.head + 1 : 0);
  --queue.held;
  if (--queue.landed == 0) with_wavelets_ &= static_cast<std::uint8_t>(~queue_bit(q));
  pes_.has_made_room_ = true;
  pes_.blocks_.give_credit_of_queue(queue.upstream, queue.color, now);
  return w;
}

unsigned Pe::room(QueueId q, Cycle now) const {
  const OutQueue& queue = output(q);
  return queue.length - queue.held - (queue.last_pop == now ? queue.popped : 0U);
}

void Pe::push(QueueId q, const link::Wavelet& w, Cycle now) {
  OutQueue& queue = output(q);
  const Blocks& blocks = pes_.blocks_;
  const unsigned at = queue.head + queue.held;
  const Cycle visible_from = now + blocks.plan.queue_write_latency;
  const std::size_t entry = queue.first_entry + (at < queue.length ? at : at - queue.length);
  pes_.out_entries_[entry] = Stored(w);
  if (!pes_.out_numbers_.empty()) pes_.out_numbers_[entry] = static_cast<std::uint32_t>(w.ident);
  pes_.visible_from_[entry] = visible_from;
  if (++queue.held == queue.length) with_room_ &= static_cast<std::uint8_t>(~queue_bit(q));
  if (blocks.events != nullptr) {
    blocks.events->record({now, place, observe::EventKind::kQueueOut,
                           q.value() | w.color.value() << 8, w.payload, w.ident});
  }
  pes_.due_ramps_.insert(pes_.index_at(place), visible_from);
}

std::uint16_t Pe::read_config(config_space::Address address, Cycle now) const {
  return pes_.blocks_.routers.core_at(place).read_register(address, now);
}

std::string Pe::why_illegal(config_space::Address address, std::uint16_t value) const {
  return pes_.blocks_.routers.core_at(place).why_illegal(address, value);
}

void Pe::write_config(config_space::Address address, std::uint16_t value, Cycle due) {
  pes_.blocks_.routers.write_register(place, address, value, due);
}

// --- building

Pes::Pes(Blocks& blocks)
    : blocks_(blocks), pes_(programs_in(blocks.strip)), first_place_(blocks.strip.first_place),
      of_tile_(blocks.strip.tile_count(), kNoIndex) {
  const Plan& plan = blocks.plan;
  std::vector<std::shared_ptr<const pe::DecodedImage>>
      programs;  // programs of the strip; each shared by its tiles
  for (const auto& image : plan.images) {
    queue_maps_.emplace_back(*image);
    programs.push_back(nullptr);
  }
  reserve_queues();
  for (std::uint32_t place = first_place_; place < blocks.strip.end_place; ++place) {
    if (plan.image_of_tile[place] < 0) continue;
    const auto image = static_cast<std::size_t>(plan.image_of_tile[place]);
    if (!programs[image])
      programs[image] = std::make_shared<const pe::DecodedImage>(plan.images[image], plan.pe);
    of_tile_[place - first_place_] = static_cast<std::uint32_t>(pes_.size());
    Pe& pe = pes_.emplace_back(*this, place, plan.tile_of(place), programs[image],
                               queue_maps_[image], blocks.events);
    if (blocks.routers.index_at(place) != kNoIndex) pe.engine.set_config(&pe);
    pe.first_input = static_cast<std::uint32_t>(in_queues_.size());
    pe.first_output = static_cast<std::uint32_t>(out_queues_.size());
    pe.first_in_entry = static_cast<std::uint32_t>(in_entries_.size());
    for (const pe::QueueBinding& binding : plan.images[image]->queues) add_queue(pe, binding);
  }
  // The host may hand a wavelet over for any cycle that can be named.
  landings_.resize(pes_.size(), plan.ports.empty() ? plan.fabric.off_ramp_latency : kMaxLatency);
  due_engines_.resize(pes_.size());
  due_ramps_.resize(pes_.size());
  constexpr std::size_t kPesInCache = 512;  // a cache of 2 MB, if all are busy
  is_large_ = pes_.size() > kPesInCache;
}

// No more than needed: a wafer has millions of them.
void Pes::reserve_queues() {
  std::size_t inputs = 0, outputs = 0, in_entries = 0, out_entries = 0;
  for (std::uint32_t place = first_place_; place < blocks_.strip.end_place; ++place) {
    const std::int32_t image = blocks_.plan.image_of_tile[place];
    if (image < 0) continue;
    for (const pe::QueueBinding& queue :
         blocks_.plan.images[static_cast<std::size_t>(image)]->queues) {
      ++(queue.input ? inputs : outputs);
      (queue.input ? in_entries : out_entries) += length_of(queue);
    }
  }
  in_queues_.reserve(inputs);
  in_entries_.reserve(in_entries);
  out_queues_.reserve(outputs);
  out_entries_.reserve(out_entries);
  visible_from_.reserve(out_entries);
  if (blocks_.events != nullptr && blocks_.events->is_traced()) out_numbers_.resize(out_entries);
}

unsigned Pes::length_of(const pe::QueueBinding& queue) const {
  const Plan& plan = blocks_.plan;
  return queue.input
             ? plan.fabric.queue_room(plan.input_queue_lengths.at(queue.of_machine().value()))
             : plan.output_queue_lengths.at(queue.id.value());
}

void Pes::add_queue(Pe& pe, const pe::QueueBinding& binding) {
  const auto length = static_cast<std::uint16_t>(length_of(binding));
  if (binding.input) {
    InQueue& queue = in_queues_.emplace_back();
    queue.id = binding.id;
    queue.color = binding.color.value_or(Color(kColorCount));  // none: nothing arrives
    queue.pe = index_at(pe.place);
    queue.room = length;
    queue.first_entry = static_cast<std::uint32_t>(in_entries_.size());
    queue.number = ++pe.inputs;
    in_entries_.resize(in_entries_.size() + length);
  } else {
    OutQueue& queue = out_queues_.emplace_back();
    queue.id = binding.id;
    queue.length = length;
    queue.first_entry = static_cast<std::uint32_t>(out_entries_.size());
    out_entries_.resize(out_entries_.size() + length);
    visible_from_.resize(out_entries_.size());
    pe.with_room_ |= queue_bit(binding.id);
    ++pe.outputs;
  }
}

std::uint32_t Pes::add_ramp_link(std::uint32_t place, Color color, Ref target, unsigned credits) {
  const auto number = static_cast<std::uint32_t>(ramp_links_.size());
  Pe& pe = *at(place);
  if (pe.ramps == 0) pe.first_ramp = number;
  ++pe.ramps;
  ramp_links_.push_back({0, target, index_at(place), static_cast<std::uint16_t>(credits), color});
  return number;
}

std::uint32_t Pes::ramp_link_of(std::uint32_t place, Color color) const {
  if (index_at(place) == kNoIndex) return kNoIndex;
  const Pe& pe = pes_[index_at(place)];
  for (std::uint32_t l = pe.first_ramp; l < pe.first_ramp + pe.ramps; ++l) {
    if (ramp_links_[l].color == color) return l;
  }
  return kNoIndex;
}

// --- running

void Pes::credit(std::uint32_t ramp_link, Cycle due) {
  if (due == blocks_.now + 1 && credit_at_once(ramp_link)) return blocks_.step_in(due);
  RampLink& link = ramp_links_[ramp_link];
  link.returning |= cycle_bit(due);
  pes_[link.pe].returning |= cycle_bit(due);
  due_ramps_.insert(link.pe, due);
}

void Pes::tell_teardown(std::uint32_t place, Color color, Cycle due) {
  Pe* const pe = at(place);
  if (pe == nullptr) return;
  pe->engine.teardown(color, due);
  due_engines_.insert(index_at(place), due, blocks_.now);
}

void Pes::launch(std::uint32_t place, const pe::Function& function,
                 const std::vector<std::uint32_t>& arguments, Cycle at_cycle) {
  at(place)->engine.launch(function, arguments, at_cycle);
  due_engines_.insert(index_at(place), at_cycle, blocks_.now);
}

void Pes::access(std::uint32_t place, pe::HostAccess access, Cycle at_cycle) {
  at(place)->engine.access(std::move(access), at_cycle);
  due_engines_.insert(index_at(place), at_cycle, blocks_.now);
}

inline void Pes::land(std::uint32_t index, Landings::Row& row) {
  Pe& pe = pes_[index];
  for (unsigned numbers = row.take(index); numbers != 0; numbers >>= Landings::kBits) {
    InQueue& queue = in_queues_[pe.first_input + (numbers & Landings::kOne) - 1];
    ++queue.landed;
    pe.with_wavelets_ |= queue_bit(queue.id);
  }
}

// What the next PEs need and the host does not fetch by itself, because it does not lie in a row, is on its way into
// the cache while this one is stepped. By force, as all that only prefetches: the compiler takes it for a function
// without effect, and drops calls.
[[gnu::always_inline]] inline void Pes::prefetch_behind(std::uint32_t pe, Cycle now) const {
  constexpr unsigned kAhead = 3;
  constexpr unsigned kEntries = 24;  // as many as a few queues have
  if (pe + kAhead >= pes_.size()) return;
  const Pe& next = pes_[pe + kAhead];
  next.engine.prefetch(now);
  tessera::prefetch(in_entries_.data(), next.first_in_entry,
                    std::min<std::size_t>(next.first_in_entry + kEntries, in_entries_.size()));
}

// Objects of the PEs from a first one to a last one. One that has none does not say where they would be.
template <class T>
[[gnu::always_inline]] inline void prefetch_between(const std::vector<T>& objects,
                                                    std::uint32_t first, unsigned of_first,
                                                    std::uint32_t last, unsigned of_last) {
  if (of_first > 0 && of_last > 0) tessera::prefetch(objects.data(), first, last + of_last);
}

void Pes::prefetch(Span pes) const {
  if (pes.first != pes.end) tessera::prefetch(&pes_[0], pes.first, pes.end);
}

void Pes::prefetch_operations(Span pes) const {
  if (pes.first == pes.end) return;
  for (std::uint32_t pe = pes.first; pe < pes.end; ++pe) pes_[pe].engine.prefetch_all();
  const Pe& first = pes_[pes.first];
  const Pe& last = pes_[pes.end - 1];
  prefetch_between(ramp_links_, first.first_ramp, first.ramps, last.first_ramp, last.ramps);
  prefetch_between(in_queues_, first.first_input, first.inputs, last.first_input, last.inputs);
  prefetch_between(out_queues_, first.first_output, first.outputs, last.first_output, last.outputs);
}

void Pes::prefetch_operands(Span pes) const {
  if (pes.first == pes.end) return;
  for (std::uint32_t pe = pes.first; pe < pes.end; ++pe) pes_[pe].engine.prefetch_operands();
  const Pe& first = pes_[pes.first];
  const Pe& last = pes_[pes.end - 1];
  if (first.inputs > 0 && last.inputs > 0) {
    const InQueue& end = in_queues_[last.first_input + last.inputs - 1U];
    tessera::prefetch(in_entries_.data(), in_queues_[first.first_input].first_entry,
                      end.first_entry + end.room);
  }
  if (first.outputs == 0 || last.outputs == 0) return;
  const OutQueue& end = out_queues_[last.first_output + last.outputs - 1U];
  const std::uint32_t first_entry = out_queues_[first.first_output].first_entry;
  tessera::prefetch(out_entries_.data(), first_entry, end.first_entry + end.length);
  tessera::prefetch(visible_from_.data(), first_entry, end.first_entry + end.length);
}

// Returns whether it is due in the next cycle.
[[gnu::always_inline]] inline bool Pes::step_engine(std::uint32_t index, Landings::Row& row,
                                                    Cycle now) {
  if (is_large_ && blocks_.selection.is_all()) prefetch_behind(index, now);
  land(index, row);
  Pe& pe = pes_[index];
  const Cycle next = pe.engine.step(now);
  if (next == now + 1) return true;
  if (next != kNever) due_engines_.insert(index, next, now);
  return false;
}

void Pes::step_engines(Cycle now, FirstFailure& failure) {
  Landings::Row row = landings_.row(now);
  // Inlined by force: most engines of a busy wafer are stepped without a call.
  const auto step = [&](std::uint32_t pe) __attribute__((always_inline)) {
    ++engine_steps_;
    bool goes_on = false;
    failure.guard(
        pes_[pe].place, FirstFailure::Block::kEngine,
        now, [&]() __attribute__((always_inline)) { goes_on = step_engine(pe, row, now); });
    return goes_on;
  };
  blocks_.order.step_due(due_engines_.due_in(now), now, blocks_.selection.of(Selection::kPes),
                         step);
}

void Pes::settle_ramps(Pe& pe, Cycle now) {
  pe.returning &= ~cycle_bit(now);
  for (std::uint32_t i = pe.first_ramp; i < pe.first_ramp + pe.ramps; ++i) {
    if ((ramp_links_[i].returning & cycle_bit(now)) == 0) continue;
    ramp_links_[i].returning &= ~cycle_bit(now);
    ++ramp_links_[i].credits;
  }
}

[[gnu::always_inline]] inline void Pes::step_ramp(std::uint32_t index, Cycle now,
                                                  Slots::Arrivals& at_slots) {
  Pe& pe = pes_[index];
  // 1. Credits due by now become usable.
  RampLink* const links = ramp_links_.data() + pe.first_ramp;
  if ((pe.returning & cycle_bit(now)) != 0) settle_ramps(pe, now);
  // 2. Queues with a readable wavelet and room for it at the router ask; 3. one is served.
  OutQueue* winner = nullptr;
  RampLink* way = nullptr;
  unsigned best = fabric::CandidateSet::kSize;
  unsigned held = 0;
  for (unsigned i = 0; i < pe.outputs; ++i) {
    OutQueue& queue = out_queues_[pe.first_output + i];
    if (queue.held == 0) continue;
    held += queue.held;
    const std::size_t head = queue.first_entry + queue.head;
    if (visible_from_[head] > now) continue;
    const unsigned rank = pe.ramp_turn.rank(queue.id.value());
    if (rank >= best) continue;
    for (unsigned l = 0; l < pe.ramps; ++l) {
      if (links[l].color != out_entries_[head].color() || links[l].credits == 0) continue;
      best = rank;
      winner = &queue;
      way = &links[l];
    }
  }
  if (winner == nullptr) return;
  if (blocks_.plan.fabric.ramp_pauses(now)) return due_ramps_.insert_for_next(index);
  pe.ramp_turn.take(winner->id.value(), blocks_.plan.fabric.arbitration);
  const std::size_t head = winner->first_entry + winner->head;
  const Stored w = out_entries_[head];
  const std::uint64_t ident =
      out_numbers_.empty() ? 0 : (std::uint64_t{pe.place} + 1) << 32 | out_numbers_[head];
  winner->head =
      static_cast<std::uint16_t>(winner->head + 1U < winner->length ? winner->head + 1 : 0);
  --winner->held;
  pe.with_room_ |= queue_bit(winner->id);
  if (winner->last_pop != now) winner->popped = 0;
  winner->last_pop = now;
  ++winner->popped;
  --way->credits;
  if (way->target.kind() == Ref::Kind::kSlot)
    blocks_.slots.put(way->target.index(), w, ident, at_slots);
  else
    blocks_.deliver(way->target, w.wavelet(ident), now + blocks_.plan.fabric.on_ramp_latency);
  due_engines_.near().insert_for_next(index);
  if (held > 1) due_ramps_.insert_for_next(index);
}

void Pes::step_ramps(Cycle now) {
  // Routers see the room in the next cycle.
  if (std::exchange(has_made_room_, false)) blocks_.step_in(now + 1);
  Slots::Arrivals at_slots(blocks_.slots, now + blocks_.plan.fabric.on_ramp_latency);
  const auto step = [&](std::uint32_t pe) __attribute__((always_inline)) {
    step_ramp(pe, now, at_slots);
  };
  blocks_.order.step_due(due_ramps_, now, blocks_.selection.of(Selection::kPes), step);
}

// --- looking in

std::size_t Pes::wavelets_held() const {
  std::size_t held = 0;
  for (const InQueue& queue : in_queues_) held += queue.held;
  for (const OutQueue& queue : out_queues_) held += queue.held;
  return held;
}

void Pes::describe_waits(std::uint32_t place, const Connections& connections, observe::Waits& waits,
                         Cycle now) const {
  if (index_at(place) == kNoIndex) return;
  const Pe& pe = pes_[index_at(place)];
  pe.engine.describe_waits(waits, now);
  for (unsigned i = 0; i < pe.inputs; ++i) {
    const InQueue& queue = in_queues_[pe.first_input + i];
    if (queue.landed == 0) continue;
    waits.push_back(queue::InputQueueCore::wait_for_reader(place, queue.id, queue.color, queue.held,
                                                           queue.room));
  }
  for (unsigned q = 0; q < kMaxQueues; ++q) {
    if (pe.map_.output[q] != QueueMap::kNoQueue)
      describe_output(pe, pe.output(QueueId(q)), connections, waits, now);
  }
}

void Pes::describe_output(const Pe& pe, const OutQueue& queue, const Connections& connections,
                          observe::Waits& waits, Cycle now) const {
  if (queue.held == 0) return;
  const std::size_t head = queue.first_entry + queue.head;
  if (visible_from_[head] > now) return;
  const Color color = out_entries_[head].color();
  unsigned capacity = 0;
  for (unsigned l = 0; l < pe.ramps; ++l) {
    const RampLink& link = ramp_links_[pe.first_ramp + l];
    if (link.color != color) continue;
    if (link.credits > 0 || link.returning != 0) return;
    capacity = connections.capacity_of(link.target, link.color);
  }
  waits.push_back(fabric::OnRampCore::wait_for_router(pe.place, queue.id, color, capacity));
}

}  // namespace tessera::wafer
