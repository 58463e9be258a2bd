#include "models/fabric/router_core.h"

#include <algorithm>
#include <stdexcept>

#include "models/fabric/epoch_checker.h"
#include "models/observe/event_fields.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::fabric {

RouterCore::RouterCore(TileCoord at, const FabricTiming& timing, observe::Probe probe)
    : at_(at), timing_(timing), probe_(probe), routes_(timing, probe) {
  if (timing.hop_latency == 0 || timing.off_ramp_latency == 0 || timing.credit_latency == 0 ||
      timing.buffer_depth == 0) {
    throw std::invalid_argument(name() + ": hop_latency, off_ramp_latency, credit_latency and "
                                         "buffer_depth must be at least 1");
  }
  arbiters_.fill(Arbiter(timing.arbitration));
}

void RouterCore::add_buffer(Direction in, Color color) {
  routes_.add(color);
  buffers_.add(in, color, timing_.input_room(in));
}

void RouterCore::set_route(Color color, const ColorRoute& route) {
  if (routes_.configured(color)) {
    throw std::logic_error(name() + ": " + color_text(color) + " is configured twice");
  }
  routes_.configure(color, route);
  const Color partner(color.value() ^ 1U);
  const bool reconfigurable = routes_.reconfigurable();
  const bool may_swap = reconfigurable && routes_.generation() == Generation::kWse2;
  for (Direction in : kAllDirections) {
    if (!route.receives(in) && !reconfigurable) continue;
    add_buffer(in, color);
    if (routes_.swaps(color, in) || may_swap) add_buffer(in, partner);
  }
  credits_.resize(routes_.channels().size() * kDirectionCount);
}

void RouterCore::put(Direction in, const link::Wavelet& w, Cycle due) {
  if (buffers_.put(in, w, due)) return;
  throw std::logic_error(name() + ": a wavelet of " + color_text(w.color) + " was handed over at " +
                         to_string(in) + " without a credit");
}

void RouterCore::credit(Direction out, Color color, Cycle due) {
  if (routes_.configured(color) && credits_.give_back(credit_channel(out, color), due)) return;
  throw std::logic_error(name() + ": a credit of " + color_text(color) + " came back at " +
                         to_string(out) + " for room that was never taken");
}

inline void RouterCore::remove_head(InputBuffer& buffer, Cycle now, Step& step) {
  buffers_.remove_head(buffer);
  if (waits_ != nullptr) waits_->remove(InputBuffers::pair_of(buffer.in, buffer.color));
  step.credits.push_back(CreditReturn{buffer.in, buffer.color, now + timing_.credit_latency});
}

// The copy `w` takes a credit and goes on its way.
inline void RouterCore::leave(Direction out, const link::Wavelet& w, Cycle now, Step& step) {
  credits_.take(credit_channel(out, w.color));
  const unsigned latency = out == Direction::kRamp ? timing_.off_ramp_latency : timing_.hop_latency;
  step.sends.push_back(Send{out, w, now + latency});
}

// send() and finish_head() in one for a data wavelet with one way to go, which needs no departure
// to be kept: the hop that streams are made of.
inline void RouterCore::pass_on(InputBuffer& buffer, Direction out, Cycle now, Step& step) {
  const unsigned pair = InputBuffers::pair_of(buffer.in, buffer.color);
  if (waits_ != nullptr) waits_->leave(pair, out, now);
  const link::Wavelet& w = buffer.head().wavelet;
  probe_.emit(now, observe::EventKind::kHop, observe::hop_word(w, out), w.payload, w.ident);
  leave(out, w, now, step);
  remove_head(buffer, now, step);
}

// Whether its head is one for pass_on(), if no other is of the same buffer.
inline bool RouterCore::goes_one_way(const InputBuffer& buffer) const {
  const link::Wavelet& w = buffer.head().wavelet;
  return !w.control && !w.local_flip && !buffer.started() && !routes_.swaps() &&
         !routes_.filters() && !routes_.carries_messages() && routes_.epochs() == nullptr &&
         heads_.plain_outputs(buffer).size() == 1;
}

// Steps 2 to 4 for that buffer; whether a copy left.
inline bool RouterCore::serve_alone(unsigned pair, Cycle now, Step& step) {
  InputBuffer& buffer = buffers_[pair];
  if (buffer.head().due > now) return false;
  const DirectionSet outputs = heads_.plain_outputs(buffer);
  if (outputs.size() == 1 && !buffer.started() && !buffer.head().wavelet.local_flip) {
    const auto out = static_cast<Direction>(__builtin_ctz(outputs.bits()));
    if (credits_.usable(credit_channel(out, buffer.color)) == 0) return false;
    arbiters_[index(out)].grant_alone(pair);
    pass_on(buffer, out, now, step);
    return true;
  }
  bool moved = false;
  for (unsigned bits = outputs.bits(); bits != 0; bits &= bits - 1) {
    const auto out = static_cast<Direction>(__builtin_ctz(bits));
    if (credits_.usable(credit_channel(out, buffer.color)) == 0) continue;
    arbiters_[index(out)].grant_alone(pair);
    send(buffer, out, now, step);
    moved = true;
  }
  if (moved && buffer.departures[kOwn].branches.empty()) finish_head(buffer, now, step);
  return moved;
}

// The buffer that holds something, if it is the only one and nothing has to be asked but outputs
// and credits: how most routers are met in most cycles.
inline std::optional<unsigned> RouterCore::only_plain_head() const {
  if (routes_.merges() || routes_.swaps() || routes_.filters() || routes_.carries_messages() ||
      routes_.sinks() || buffers_.controls_held() > 0 || routes_.epochs() != nullptr)
    return std::nullopt;
  return buffers_.occupied().only();
}

RouterCore::Step RouterCore::step(Cycle now) {
  Step step;
  heads_.begin_cycle(now);
  // 1. Credits due by now become usable.
  credits_.settle(now);
  registers_.apply_writes(now);
  if (held() == 0) {
    step.next = next_wake(now, false);
    return step;
  }
  if (const std::optional<unsigned> pair = only_plain_head()) {
    if (waits_ != nullptr) account_waits(now);
    step.next = next_wake(now, serve_alone(*pair, now, step));
    return step;
  }
  CandidateSet moved = look_at_heads(now);
  bool passed = false;
  if (waits_ != nullptr) account_waits(now);
  // 2. Landed heads ask for outputs.
  const Requests requests = collect_requests(now);
  // 3. Each output port grants one of them.
  for (Direction out : kAllDirections) {
    const std::optional<unsigned> pair = arbiters_[index(out)].grant(requests[index(out)]);
    if (!pair) continue;
    InputBuffer& buffer = buffers_[*pair];
    if (goes_one_way(buffer)) {
      pass_on(buffer, out, now, step);
      passed = true;
      continue;
    }
    send(buffer, out, now, step);
    moved.insert(*pair);
  }
  // 4. Heads that have left through all their outputs go; their room goes upstream.
  moved.for_each([&](unsigned pair) {
    InputBuffer& buffer = buffers_[pair];
    if (heads_.is_done(buffer)) finish_head(buffer, now, step);
  });
  step.next = next_wake(now, passed || !moved.empty());
  return step;
}

// Does what does not need an output: epochs, two directions at once, filters. Returns the heads that the
// filters leave nowhere to go.
CandidateSet RouterCore::look_at_heads(Cycle now) {
  CandidateSet dropped;
  if (routes_.epochs() != nullptr) tell_who_stays(now);
  const bool is_illegal = timing_.coincidence == Coincidence::kIllegal;
  if (routes_.merges() && (is_illegal || diagnoses_ != nullptr)) {
    for (const RouteTable::Channel& channel : routes_.channels()) check_coincidence(channel, now);
  }
  if (!routes_.filters() && !routes_.sinks() && buffers_.controls_held() == 0) return dropped;
  buffers_.occupied().for_each([&](unsigned pair) {
    InputBuffer& buffer = buffers_[pair];
    const InputBuffer::Entry& head = buffer.head();
    const bool is_asked = routes_.filters() || head.wavelet.control;
    const bool may_sink = routes_.at(buffer.color).has_sink;
    if (head.due > now || (!is_asked && !may_sink) || heads_.is_suspended(buffer)) return;
    const bool is_ignored = is_asked && heads_.ask_filters(buffer);
    if ((!is_ignored && !may_sink) || !heads_.is_done(buffer)) return;
    dropped.insert(pair);
    if (!is_ignored) tell_of_sink(buffer, now);
  });
  return dropped;
}

void RouterCore::tell_of_sink(const InputBuffer& buffer, Cycle now) const {
  if (diagnoses_ == nullptr) return;
  diagnoses_->on_diagnosis({now, probe_.place(), kSinkId,
                            name() + ": what comes of " + color_text(buffer.color) +
                                " where its route has no output vanishes",
                            true});
}

// Outputs of the landed heads, and which of them have room.
void RouterCore::account_waits(Cycle now) {
  buffers_.occupied().for_each([&](unsigned pair) {
    const InputBuffer& buffer = buffers_[pair];
    if (buffer.head().due > now) return;
    DirectionSet outputs, open;
    const unsigned variants = heads_.is_suspended(buffer) ? 0 : heads_.variants();
    for (unsigned variant = 0; variant < variants; ++variant) {
      const DirectionSet some = heads_.outputs(buffer, variant);
      for (Direction out : kAllDirections) {
        if (!some.contains(out)) continue;
        outputs.insert(out);
        if (credits_.usable(credit_channel(out, buffer.color_as(variant))) > 0) open.insert(out);
      }
    }
    waits_->look(pair, outputs, open, now);
  });
}

void RouterCore::tell_who_stays(Cycle now) const {
  EpochChecker& epochs = *routes_.epochs();
  if (!epochs.is_reconfigured(probe_.place())) return;
  buffers_.occupied().for_each([&](unsigned pair) {
    const InputBuffer& buffer = buffers_[pair];
    if (buffer.head().due > now || buffer.started() || heads_.is_suspended(buffer)) return;
    if (heads_.is_stranded(buffer))
      epochs.stay({probe_.place(), buffer.in, buffer.color, buffer.head().wavelet});
  });
}

void RouterCore::check_coincidence(const RouteTable::Channel& channel, Cycle now) const {
  const InputBuffer* first = nullptr;
  const DirectionSet rx = heads_.position_of(channel).rx;
  for (Direction in : kAllDirections) {
    const InputBuffer* buffer = rx.contains(in) ? buffers_.find(in, channel.color) : nullptr;
    if (buffer == nullptr) continue;
    bool lands = false;
    for (std::size_t i = 0; i < buffer->entries.size(); ++i) lands |= buffer->entries[i].due == now;
    if (!lands) continue;
    if (first == nullptr) {
      first = buffer;
      continue;
    }
    const std::string text = name() + ": wavelets of " + color_text(channel.color) + " land from " +
                             to_string(first->in) + " and from " + to_string(in) + " in one cycle";
    if (timing_.coincidence == Coincidence::kIllegal)
      throw IllegalBehaviour(text + "; what follows is undefined", kCoincidenceId);
    diagnoses_->on_diagnosis(
        {now, probe_.place(), kCoincidenceId, text + "; they go on one after the other", true});
    return;
  }
}

RouterCore::Requests RouterCore::collect_requests(Cycle now) const {
  Requests requests;
  buffers_.occupied().for_each([&](unsigned pair) {
    const InputBuffer& buffer = buffers_[pair];
    if (buffer.head().due > now) return;
    const auto ask = [&](DirectionSet outputs, Color color) {
      const unsigned first = credit_channel(Direction::kWest, color);
      for (unsigned bits = outputs.bits(); bits != 0; bits &= bits - 1) {
        const auto out = static_cast<unsigned>(__builtin_ctz(bits));
        if (credits_.usable(first + out) > 0) requests[out].insert(pair);
      }
    };
    if (!routes_.swaps()) {
      ask(heads_.plain_outputs(buffer), buffer.color);
    } else if (!heads_.is_suspended(buffer)) {
      for (unsigned variant = 0; variant < kVariants; ++variant)
        ask(heads_.outputs(buffer, variant), buffer.color_as(variant));
    }
  });
  return requests;
}

void RouterCore::send(InputBuffer& buffer, Direction out, Cycle now, Step& step) {
  unsigned variant = kOwn;
  if (routes_.swaps()) {
    const unsigned credit = credit_channel(out, buffer.color);
    if (!heads_.outputs(buffer, kOwn).contains(out) || credits_.usable(credit) == 0)
      variant = kPartner;
  }
  if (!buffer.started()) heads_.start(buffer);
  Departure& departure = buffer.departures[variant];
  departure.branches.erase(out);
  link::Wavelet w = buffer.head().wavelet;
  w.color = buffer.color_as(variant);
  const std::uint32_t word = observe::hop_word(w, out);
  w.local_flip = false;  // meant for this router only
  RouteTable::Channel& channel = routes_.at(w.color);
  if (channel.route.messages) {
    const bool is_last = channel.messages.leave(buffer.in, out, w.payload);
    if (is_last && out == Direction::kRamp) w.control = true;  // where a receiver sees the end
  }
  // The CE gets the list as it came, with the argument of its task; links as pop mode leaves it.
  if (out != Direction::kRamp) w.payload = departure.payload;
  probe_.emit(now, observe::EventKind::kHop, word, w.payload, w.ident);
  if (waits_ != nullptr) waits_->leave(InputBuffers::pair_of(buffer.in, buffer.color), out, now);
  leave(out, w, now, step);
}

// What a head does when it has left as all its colors.
void RouterCore::finish_head(InputBuffer& buffer, Cycle now, Step& step) {
  if (!buffer.started()) heads_.start(buffer);
  const link::Wavelet w = buffer.head().wavelet;
  for (unsigned variant = 0; (w.control || w.local_flip) && variant < kVariants; ++variant) {
    const Color color = buffer.color_as(variant);
    if (!buffer.departures[variant].routed) continue;
    if (routes_.obey(routes_.at(color), w, buffer.in, now))
      step.teardowns.push_back(Teardown{color, now + 1});
  }
  buffer.departures = {};
  remove_head(buffer, now, step);
}

Cycle RouterCore::next_wake(Cycle now, bool moved) const {
  if (held() == 0) return registers_.next_due();
  if (moved) return now + 1;  // other heads may have lost an output, or moved up
  // Nobody could be served: heads that have not landed, and heads that wait for credits on their
  // way.
  Cycle next = std::min(credits_.next_due(), registers_.next_due());
  buffers_.occupied().for_each([&](unsigned pair) {
    const Cycle due = buffers_[pair].head().due;
    if (due > now) next = std::min(next, due);
  });
  return next;
}

// --- waits

std::string RouterCore::why_not_routed(const InputBuffer& buffer) const {
  const RouteTable::Channel& own = routes_.at(buffer.color);
  if (!own.configured) return "a route: its color has none on this tile";
  if (own.route.messages)
    return std::string("its ") +
           to_string(way_to(link::message_header(buffer.head().wavelet.payload).to, at_)) +
           " output, which another message has";
  const RoutePosition& position = heads_.position_of(own);
  const unsigned number = heads_.position_index(own);
  const std::string in_position = " (switch position " + std::to_string(number);
  if (!position.valid) return "a valid switch position" + in_position + " is invalid)";
  if (!position.rx.contains(buffer.in))
    return position_that_receives(buffer.in, own.route, number, buffer.entries.size());
  return "a switch position that transmits somewhere" + in_position + " transmits to none)";
}

std::string RouterCore::what_head_waits_for(const InputBuffer& buffer,
                                            std::vector<observe::Resource>& needs) const {
  if (heads_.is_suspended(buffer)) {
    needs.push_back({observe::Resource::Kind::kSwitch});
    return end_of_teardown(buffer.entries.size());
  }
  std::string what;
  bool routed = false;
  for (unsigned variant = 0; variant < heads_.variants(); ++variant) {
    const DirectionSet outputs = heads_.outputs(buffer, variant);
    routed |= !outputs.empty();
    for (Direction out : kAllDirections) {
      const Color color = buffer.color_as(variant);
      if (!outputs.contains(out) || credits_.owned(credit_channel(out, color)) > 0) continue;
      const unsigned capacity = credits_.capacity(credit_channel(out, color));
      what += (what.empty() ? "room at " : " and room at ") +
              output_without_credit(out, color, capacity, buffer.entries.size());
      needs.push_back(need_of_output(probe_.place(), out, color, capacity));
    }
  }
  if (routed) return what;
  using Kind = observe::Resource::Kind;
  needs.push_back({routes_.at(buffer.color).configured ? Kind::kSwitch : Kind::kNever});
  return why_not_routed(buffer);
}

void RouterCore::describe_waits(observe::Waits& waits, Cycle now) const {
  buffers_.occupied().for_each([&](unsigned pair) {
    const InputBuffer& buffer = buffers_[pair];
    if (buffer.head().due > now) return;
    std::vector<observe::Resource> needs;
    std::string what = what_head_waits_for(buffer, needs);
    if (what.empty()) return;
    waits.push_back(
        wait_of_buffer(probe_.place(), buffer.color, buffer.in, std::move(what), std::move(needs)));
  });
}

}  // namespace tessera::fabric
