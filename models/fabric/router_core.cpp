#include "models/fabric/router_core.h"

#include <algorithm>
#include <stdexcept>

#include "models/observe/event_fields.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::fabric {

namespace {

static_assert(kColorCount * kDirectionCount <= CandidateSet::kSize);

std::string color_text(Color color) {
  return "color " + std::to_string(color.value());
}

std::string count_text(std::size_t wavelets) {
  return wavelets == 1 ? "1 wavelet waits" : std::to_string(wavelets) + " wavelets wait";
}

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
}

std::string RouterCore::name() const {
  return "router of tile " + to_string(at_);
}

void RouterCore::set_route(Color color, const ColorRoute& route) {
  if (configured(color)) {
    throw std::logic_error(name() + ": " + color_text(color) + " is configured twice");
  }
  DirectionSet rx;
  for (const RoutePosition& position : route.positions) {
    if (!position.valid) continue;
    merges_ |= position.rx.size() > 1;
    rx = DirectionSet::from_bits(rx.bits() | position.rx.bits());
  }
  channel_of_[color.value()] = static_cast<std::uint8_t>(channels_.size());
  Channel& channel = channels_.emplace_back();
  channel.route = route;
  channel.buffer.fill(kNone);
  for (Direction in : kAllDirections) {
    if (!rx.contains(in)) continue;
    channel.buffer[index(in)] = static_cast<std::uint8_t>(buffers_.size());
    buffers_.push_back({in, color, Ring<Entry>(timing_.input_room(in)), DirectionSet()});
  }
  credits_.resize(channels_.size() * kDirectionCount);
}

void RouterCore::set_downstream_capacity(Direction out, Color color, unsigned credits) {
  if (!configured(color)) return;
  credits_.set_capacity(credit_channel(out, color), credits);
}

unsigned RouterCore::input_capacity(Direction in, Color color) const {
  if (!configured(color)) return 0;
  const Channel& channel = channels_[channel_of_[color.value()]];
  return channel.buffer[index(in)] == kNone ? 0 : timing_.input_room(in);
}

unsigned RouterCore::credits(Direction out, Color color) const {
  if (!configured(color)) return 0;
  return credits_.owned(credit_channel(out, color));
}

const RouterCore::Buffer& RouterCore::buffer_of(unsigned pair) const {
  const Channel& channel = channels_[channel_of_[pair / kDirectionCount]];
  return buffers_[channel.buffer[pair % kDirectionCount]];
}

RouterCore::Buffer& RouterCore::buffer_of(unsigned pair) {
  return const_cast<Buffer&>(static_cast<const RouterCore&>(*this).buffer_of(pair));
}

RouterCore::Buffer* RouterCore::find_buffer(Direction in, Color color) {
  if (input_capacity(in, color) == 0) return nullptr;
  return &buffer_of(pair_of(in, color));
}

const RoutePosition& RouterCore::position_of(Color color) const {
  const ColorRoute& route = channels_[channel_of_[color.value()]].route;
  return route.positions[route.current];
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
}

void RouterCore::credit(Direction out, Color color, Cycle due) {
  if (configured(color) && credits_.give_back(credit_channel(out, color), due)) return;
  throw std::logic_error(name() + ": a credit of " + color_text(color) + " came back at " +
                         to_string(out) + " for room that was never taken");
}

RouterCore::Step RouterCore::step(Cycle now) {
  Step step;
  // 1. Credits due by now become usable.
  credits_.settle(now);
  if (held_ == 0) return step;
  if (merges_ && timing_.coincidence == Coincidence::kIllegal) {
    for (const Channel& channel : channels_) check_coincidence(channel, now);
  }
  // 2. Landed heads ask for outputs.
  const Requests requests = collect_requests(now);
  // 3. Each output port grants one of them.
  CandidateSet granted;
  for (Direction out : kAllDirections) {
    const std::optional<unsigned> pair = arbiters_[index(out)].grant(requests[index(out)]);
    if (!pair) continue;
    send(*pair, out, now, step);
    granted.insert(*pair);
  }
  // 4. Heads that have left through all their outputs go; their room goes upstream.
  granted.for_each([&](unsigned pair) {
    if (buffer_of(pair).branches.empty()) remove_head(pair, now, step);
  });
  step.next = next_wake(now, !step.sends.empty());
  return step;
}

DirectionSet RouterCore::branches_of(const Buffer& buffer) const {
  if (!buffer.branches.empty()) return buffer.branches;
  const RoutePosition& position = position_of(buffer.color);
  return position.valid && position.rx.contains(buffer.in) ? position.tx : DirectionSet();
}

void RouterCore::check_coincidence(const Channel& channel, Cycle now) const {
  const Buffer* first = nullptr;
  const DirectionSet rx = channel.route.positions[channel.route.current].rx;
  for (Direction in : kAllDirections) {
    if (!rx.contains(in)) continue;
    const Buffer& buffer = buffers_[channel.buffer[index(in)]];
    bool lands = false;
    for (std::size_t i = 0; i < buffer.entries.size(); ++i) lands |= buffer.entries[i].due == now;
    if (!lands) continue;
    if (first == nullptr) {
      first = &buffer;
      continue;
    }
    throw IllegalBehaviour(name() + ": wavelets of " + color_text(buffer.color) + " land from " +
                               to_string(first->in) + " and from " + to_string(in) +
                               " in one cycle; what follows is undefined",
                           kCoincidenceId);
  }
}

RouterCore::Requests RouterCore::collect_requests(Cycle now) const {
  Requests requests;
  occupied_.for_each([&](unsigned pair) {
    const Buffer& buffer = buffer_of(pair);
    if (buffer.entries.front().due > now) return;
    const DirectionSet branches = branches_of(buffer);
    for (Direction out : kAllDirections) {
      if (!branches.contains(out)) continue;
      if (credits_.usable(credit_channel(out, buffer.color)) > 0) requests[index(out)].insert(pair);
    }
  });
  return requests;
}

void RouterCore::send(unsigned pair, Direction out, Cycle now, Step& step) {
  Buffer& buffer = buffer_of(pair);
  const link::Wavelet& w = buffer.entries.front().wavelet;
  const unsigned latency = out == Direction::kRamp ? timing_.off_ramp_latency : timing_.hop_latency;
  credits_.take(credit_channel(out, buffer.color));
  buffer.branches = branches_of(buffer);
  buffer.branches.erase(out);
  step.sends.push_back(Send{out, w, now + latency});
  step.sends.back().wavelet.local_flip = false;  // meant for this router only
  probe_.emit(now, observe::EventKind::kHop, observe::hop_word(w, out), w.payload, w.ident);
}

void RouterCore::remove_head(unsigned pair, Cycle now, Step& step) {
  Buffer& buffer = buffer_of(pair);
  const bool flip = buffer.in == Direction::kRamp && buffer.entries.front().wavelet.local_flip;
  if (flip) channels_[channel_of_[buffer.color.value()]].route.advance();
  buffer.entries.pop_front();
  --held_;
  if (buffer.entries.empty()) occupied_.erase(pair);
  step.credits.push_back(CreditReturn{buffer.in, buffer.color, now + timing_.credit_latency});
}

Cycle RouterCore::next_wake(Cycle now, bool sent) const {
  if (held_ == 0) return kNever;
  if (sent) return now + 1;  // other heads may have lost an output, or moved up
  // Nobody could be served: heads that have not landed, and heads that wait for credits on their
  // way.
  Cycle next = credits_.next_due();
  occupied_.for_each([&](unsigned pair) {
    const Cycle due = buffer_of(pair).entries.front().due;
    if (due > now) next = std::min(next, due);
  });
  return next;
}

std::string RouterCore::why_no_credit(const Buffer& buffer, Direction out) const {
  if (credits_.capacity(credit_channel(out, buffer.color)) > 0) {
    return "no credit: " + count_text(buffer.entries.size());
  }
  if (out == Direction::kRamp)
    return "no input queue of this PE is bound to " + color_text(buffer.color);
  return "neighbour does not receive " + color_text(buffer.color) + " there";
}

std::string RouterCore::what_head_waits_for(const Buffer& buffer) const {
  const RoutePosition& position = position_of(buffer.color);
  const DirectionSet branches = branches_of(buffer);
  if (branches.empty()) {
    const unsigned current = channels_[channel_of_[buffer.color.value()]].route.current;
    const std::string in_position = " (switch position " + std::to_string(current);
    if (!position.valid) return "a valid switch position" + in_position + " is invalid)";
    if (!position.rx.contains(buffer.in)) {
      return std::string("a switch position that receives from ") + to_string(buffer.in) +
             in_position + " receives from " + to_string(position.rx) +
             "): " + count_text(buffer.entries.size());
    }
    return "a switch position that transmits somewhere" + in_position + " transmits to none)";
  }
  std::string what;
  for (Direction out : kAllDirections) {
    if (!branches.contains(out)) continue;
    if (credits_.owned(credit_channel(out, buffer.color)) > 0) continue;  // it can go
    what += (what.empty() ? "room at its " : " and room at its ") + std::string(to_string(out)) +
            " output (" + why_no_credit(buffer, out) + ")";
  }
  return what;
}

void RouterCore::describe_waits(observe::Waits& waits, Cycle now) const {
  occupied_.for_each([&](unsigned pair) {
    const Buffer& buffer = buffer_of(pair);
    if (buffer.entries.front().due > now) return;
    const std::string what = what_head_waits_for(buffer);
    if (what.empty()) return;
    waits.push_back({probe_.place(),
                     "router, " + color_text(buffer.color) + " from " + to_string(buffer.in), what,
                     true});
  });
}

}  // namespace tessera::fabric
