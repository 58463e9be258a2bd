#include "models/fabric/router_core.h"

#include <algorithm>
#include <stdexcept>

#include "models/fabric/router_waits.h"
#include "models/observe/event_fields.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::fabric {

namespace {

static_assert(kColorCount * kDirectionCount <= CandidateSet::kSize);

}  // namespace

RouterCore::RouterCore(TileCoord at, const FabricTiming& timing, observe::Probe probe)
    : at_(at), timing_(timing), probe_(probe) {
  if (timing.hop_latency == 0 || timing.off_ramp_latency == 0 || timing.credit_latency == 0 ||
      timing.buffer_depth == 0) {
    throw std::invalid_argument(name() + ": hop_latency, off_ramp_latency, credit_latency and "
                                         "buffer_depth must be at least 1");
  }
  arbiters_.fill(Arbiter(timing.arbitration));
  channel_of_.fill(kNone);
  buffer_of_.fill(kNone);
}

std::string RouterCore::name() const {
  return "router of tile " + to_string(at_);
}

RouterCore::Channel& RouterCore::add_channel(Color color) {
  if (known(color)) return channel(color);
  channel_of_[color.value()] = static_cast<std::uint8_t>(channels_.size());
  Channel& added = channels_.emplace_back();
  added.color = color;
  pasts_.emplace_back();
  credits_.resize(channels_.size() * kDirectionCount);
  return added;
}

void RouterCore::add_buffer(Direction in, Color color) {
  add_channel(color);
  std::uint8_t& buffer = buffer_of_[pair_of(in, color)];
  if (buffer != kNone) return;
  buffer = static_cast<std::uint8_t>(buffers_.size());
  buffers_.push_back({in, color, Ring<Entry>(timing_.input_room(in)), {}});
}

void RouterCore::set_route(Color color, const ColorRoute& route) {
  if (configured(color)) {
    throw std::logic_error(name() + ": " + color_text(color) + " is configured twice");
  }
  Channel& added = add_channel(color);
  added.configured = true;
  added.route = route;
  if (route.filter) added.filter.emplace(*route.filter);
  added.route.filter.reset();
  note_features(route);
  const Color partner(color.value() ^ 1U);
  const bool may_swap = reconfigurable_ && generation_ == Generation::kWse2;
  for (Direction in : kAllDirections) {
    const bool received =
        std::any_of(route.positions.begin(), route.positions.end(),
                    [in](const RoutePosition& p) { return p.valid && p.rx.contains(in); });
    if (!received && !reconfigurable_) continue;
    add_buffer(in, color);
    if (swaps(color, in) || may_swap) add_buffer(in, partner);
  }
}

// What some color has, so that the others need not be asked in every cycle.
void RouterCore::note_features(const ColorRoute& route) {
  filters_ |= route.filter.has_value();
  swaps_ |= route.swap_x || route.swap_y;
  for (const RoutePosition& position : route.positions)
    merges_ |= position.valid && position.rx.size() > 1;
}

void RouterCore::set_downstream_capacity(Direction out, Color color, unsigned credits) {
  if (!configured(color)) return;
  credits_.set_capacity(credit_channel(out, color), credits);
}

unsigned RouterCore::input_capacity(Direction in, Color color) const {
  if (!known(color)) return 0;
  return buffer_of_[pair_of(in, color)] == kNone ? 0 : timing_.input_room(in);
}

unsigned RouterCore::credits(Direction out, Color color) const {
  if (!configured(color)) return 0;
  return credits_.owned(credit_channel(out, color));
}

const RouterCore::Buffer& RouterCore::buffer_of(unsigned pair) const {
  return buffers_[buffer_of_[pair]];
}

RouterCore::Buffer& RouterCore::buffer_of(unsigned pair) {
  return const_cast<Buffer&>(static_cast<const RouterCore&>(*this).buffer_of(pair));
}

RouterCore::Buffer* RouterCore::find_buffer(Direction in, Color color) {
  if (!known(color)) return nullptr;
  const std::uint8_t buffer = buffer_of_[pair_of(in, color)];
  return buffer == kNone ? nullptr : &buffers_[buffer];
}

void RouterCore::put(Direction in, const link::Wavelet& w, Cycle due) {
  Buffer* buffer = find_buffer(in, w.color);
  if (buffer == nullptr || buffer->entries.full()) {
    throw std::logic_error(name() + ": a wavelet of " + color_text(w.color) +
                           " was handed over at " + to_string(in) + " without a credit");
  }
  buffer->entries.push_back({w, due});
  occupied_.insert(pair_of(in, w.color));
  ++held_;
  if (w.control) ++controls_held_;
}

void RouterCore::credit(Direction out, Color color, Cycle due) {
  if (configured(color) && credits_.give_back(credit_channel(out, color), due)) return;
  throw std::logic_error(name() + ": a credit of " + color_text(color) + " came back at " +
                         to_string(out) + " for room that was never taken");
}

inline void RouterCore::drop_head(Buffer& buffer, Cycle now, Step& step) {
  buffer.entries.pop_front();
  --held_;
  if (buffer.entries.empty()) occupied_.erase(pair_of(buffer.in, buffer.color));
  step.credits.push_back(CreditReturn{buffer.in, buffer.color, now + timing_.credit_latency});
}

// send() and remove_head() in one for a data wavelet with one way to go, which needs no departure to
// be kept: the hop that streams are made of.
inline bool RouterCore::pass_on(Buffer& buffer, Direction out, Cycle now, Step& step) {
  const unsigned credit = credit_channel(out, buffer.color);
  if (credits_.usable(credit) == 0) return false;
  credits_.take(credit);
  arbiters_[index(out)].grant_alone(pair_of(buffer.in, buffer.color));
  const link::Wavelet& w = buffer.entries.front().wavelet;
  probe_.emit(now, observe::EventKind::kHop, observe::hop_word(w, out), w.payload, w.ident);
  const unsigned latency = out == Direction::kRamp ? timing_.off_ramp_latency : timing_.hop_latency;
  step.sends.push_back(Send{out, w, now + latency});
  drop_head(buffer, now, step);
  return true;
}

// Steps 2 to 4 for that buffer; whether a copy left.
inline bool RouterCore::serve_alone(unsigned pair, Cycle now, Step& step) {
  Buffer& buffer = buffer_of(pair);
  const Entry& head = buffer.entries.front();
  if (head.due > now) return false;
  const DirectionSet outputs = plain_outputs(buffer);
  if (outputs.size() == 1 && !buffer.departures[kOwn].started && !head.wavelet.local_flip)
    return pass_on(buffer, static_cast<Direction>(__builtin_ctz(outputs.bits())), now, step);
  bool moved = false;
  for (unsigned bits = outputs.bits(); bits != 0; bits &= bits - 1) {
    const auto out = static_cast<Direction>(__builtin_ctz(bits));
    if (credits_.usable(credit_channel(out, buffer.color)) == 0) continue;
    arbiters_[index(out)].grant_alone(pair);
    send(buffer, out, now, step);
    moved = true;
  }
  if (moved && buffer.departures[kOwn].branches.empty()) remove_head(buffer, now, step);
  return moved;
}

// The buffer that holds something, if it is the only one and nothing has to be asked but outputs
// and credits: how most routers are met in most cycles.
inline std::optional<unsigned> RouterCore::only_plain_head() const {
  if (merges_ || swaps_ || filters_ || controls_held_ > 0 || epochs_ != nullptr)
    return std::nullopt;
  return occupied_.only();
}

RouterCore::Step RouterCore::step(Cycle now) {
  Step step;
  now_ = now;
  // 1. Credits due by now become usable.
  credits_.settle(now);
  if (!writes_.empty()) apply_writes(now);
  if (held_ == 0) {
    step.next = next_wake(now, false);
    return step;
  }
  if (const std::optional<unsigned> pair = only_plain_head()) {
    step.next = next_wake(now, serve_alone(*pair, now, step));
    return step;
  }
  if (epochs_ != nullptr) tell_who_stays();
  look_at_heads(now);
  // 2. Landed heads ask for outputs.
  const Requests requests = collect_requests(now);
  // 3. Each output port grants one of them.
  CandidateSet moved = dropped_;
  for (Direction out : kAllDirections) {
    const std::optional<unsigned> pair = arbiters_[index(out)].grant(requests[index(out)]);
    if (!pair) continue;
    send(buffer_of(*pair), out, now, step);
    moved.insert(*pair);
  }
  // 4. Heads that have left through all their outputs go; their room goes upstream.
  bool any = false;
  moved.for_each([&](unsigned pair) {
    any = true;
    Buffer& buffer = buffer_of(pair);
    if (is_done(buffer)) remove_head(buffer, now, step);
  });
  step.next = next_wake(now, any);
  return step;
}

// What does not need an output: two directions at once, filters, heads that go nowhere.
void RouterCore::look_at_heads(Cycle now) {
  dropped_ = CandidateSet();
  if (merges_ && timing_.coincidence == Coincidence::kIllegal) {
    for (const Channel& channel : channels_) check_coincidence(channel, now);
  }
  if (!filters_ && controls_held_ == 0) return;
  occupied_.for_each([&](unsigned pair) {
    Buffer& buffer = buffer_of(pair);
    const Entry& head = buffer.entries.front();
    if (head.due > now || (!filters_ && !head.wavelet.control)) return;
    if (is_suspended(buffer)) return;
    ask_filters(buffer, now);
    if (is_rejected(buffer) && is_done(buffer)) dropped_.insert(pair);
  });
}

RouterCore::Requests RouterCore::collect_requests(Cycle now) const {
  Requests requests;
  occupied_.for_each([&](unsigned pair) {
    const Buffer& buffer = buffer_of(pair);
    if (buffer.entries.front().due > now) return;
    const auto ask = [&](DirectionSet outputs, Color color) {
      for (Direction out : kAllDirections) {
        if (outputs.contains(out) && credits_.usable(credit_channel(out, color)) > 0)
          requests[index(out)].insert(pair);
      }
    };
    if (!swaps_) {
      ask(plain_outputs(buffer), buffer.color);
    } else if (!is_suspended(buffer)) {
      for (unsigned variant = 0; variant < kVariants; ++variant)
        ask(outputs_of(buffer, variant), color_of(buffer, variant));
    }
  });
  return requests;
}

void RouterCore::send(Buffer& buffer, Direction out, Cycle now, Step& step) {
  unsigned variant = kOwn;
  if (swaps_) {
    const unsigned credit = credit_channel(out, buffer.color);
    if (!outputs_of(buffer, kOwn).contains(out) || credits_.usable(credit) == 0) variant = kPartner;
  }
  if (!buffer.departures[kOwn].started) start(buffer);
  Departure& departure = buffer.departures[variant];
  departure.branches.erase(out);
  link::Wavelet w = buffer.entries.front().wavelet;
  w.color = color_of(buffer, variant);
  const std::uint32_t word = observe::hop_word(w, out);
  w.local_flip = false;  // meant for this router only
  // The CE gets the list as it came, with the argument of its task; links as pop mode leaves it.
  if (out != Direction::kRamp) w.payload = departure.payload;
  probe_.emit(now, observe::EventKind::kHop, word, w.payload, w.ident);
  credits_.take(credit_channel(out, w.color));
  const unsigned latency = out == Direction::kRamp ? timing_.off_ramp_latency : timing_.hop_latency;
  step.sends.push_back(Send{out, w, now + latency});
}

void RouterCore::remove_head(Buffer& buffer, Cycle now, Step& step) {
  if (!buffer.departures[kOwn].started) start(buffer);
  const link::Wavelet& head = buffer.entries.front().wavelet;
  if (head.control || head.local_flip) {
    const link::Wavelet w = head;
    for (unsigned variant = 0; variant < kVariants; ++variant) {
      if (buffer.departures[variant].routed)
        obey(channel(color_of(buffer, variant)), w, buffer.in, now, step);
    }
    if (w.control) --controls_held_;
  }
  buffer.departures = {};
  drop_head(buffer, now, step);
}

Cycle RouterCore::next_wake(Cycle now, bool moved) const {
  const Cycle next_write = writes_.empty() ? kNever : writes_.front().due;
  if (held_ == 0) return next_write;
  if (moved) return now + 1;  // other heads may have lost an output, or moved up
  // Nobody could be served: heads that have not landed, and heads that wait for credits on their
  // way.
  Cycle next = std::min(credits_.next_due(), next_write);
  occupied_.for_each([&](unsigned pair) {
    const Cycle due = buffer_of(pair).entries.front().due;
    if (due > now) next = std::min(next, due);
  });
  return next;
}

}  // namespace tessera::fabric
