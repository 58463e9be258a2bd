#include "models/host/edge_core.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/observe/event_fields.h"

namespace tessera::host {

namespace {

constexpr std::size_t kMostReserved = 1 << 16;

std::string color_text(Color color) {
  return "color " + std::to_string(color.value());
}

std::string progress(std::size_t done, std::size_t total, const char* what) {
  return std::to_string(done) + " of " + std::to_string(total) + " wavelets " + what;
}

// The cache line after an entry of a stream is on its way: many streams take turns.
void fetch_behind(const void* entry) {
  __builtin_prefetch(static_cast<const char*>(entry) + 64, 1);
}

}  // namespace

EdgeCore::EdgeCore(Direction side, const fabric::FabricTiming& timing, IdentRange idents,
                   observe::Probe probe)
    : side_(side), latency_(at_ramp() ? timing.off_ramp_latency : timing.hop_latency),
      // At a rim a wavelet leaves the tile in cycle t, is here at t + hop_latency, and its credit
      // is usable a cycle later.
      room_(at_ramp() ? timing.input_room(side) : timing.hop_latency + 1), idents_(idents),
      probe_(probe), arrivals_(std::size_t{kColorCount} * room_), arbiter_(timing.arbitration) {
  if (latency_ > 0) return;
  throw std::invalid_argument(std::string("host edge at ") + to_string(side) + ": " +
                              (at_ramp() ? "off_ramp_latency" : "hop_latency") +
                              " must be at least 1");
}

void EdgeCore::credit(Color color, Cycle due) {
  if (color.value() < kColorCount && credits_.give_back(color.value(), due)) return;
  throw std::logic_error(std::string("host edge at ") + to_string(side_) + ": a credit of " +
                         color_text(color) + " came back for room that was never taken");
}

void EdgeCore::send(Color color, std::vector<Word> words, Cycle from) {
  if (words.empty()) return;
  streams_[color.value()].outgoing.push_back({std::move(words), 0, from});
  sending_.insert(color.value());
}

void EdgeCore::put(const link::Wavelet& w, Cycle due) {
  if (w.color.value() >= kColorCount || arrivals_.full()) {
    throw std::logic_error(std::string("host edge at ") + to_string(side_) + ": a wavelet of " +
                           color_text(w.color) + " was handed over without a credit");
  }
  arrivals_.push_back({w, due});
}

void EdgeCore::expect(Color color, std::size_t count, Cycle from) {
  Stream& stream = streams_[color.value()];
  stream.expected += count;
  stream.open_from = from;
  // A host may expect more than will ever come.
  stream.received.reserve(std::min(stream.expected, stream.received.size() + kMostReserved));
}

void EdgeCore::cancel(Color color) {
  Stream& stream = streams_[color.value()];
  stream.expected = std::min(stream.expected, taken(color));
}

EdgeCore::Step EdgeCore::step(Cycle now) {
  Step step;
  credits_.settle(now);
  const bool arrived_all = take_arrival(now, step);
  const bool received_all = at_ramp() ? take_expected(now, step) : arrived_all;
  const bool sent_all = send_one(now, step);
  step.completed = received_all || sent_all;
  step.next = next_wake(now, step.put.has_value());
  return step;
}

bool EdgeCore::take_arrival(Cycle now, Step& step) {
  if (arrivals_.empty() || arrivals_.front().due > now) return false;
  const link::Wavelet w = arrivals_.front().wavelet;
  arrivals_.pop_front();
  Stream& stream = streams_[w.color.value()];
  if (!at_ramp()) step.credit = CreditReturn{w.color, now + 1};
  probe_.emit(now, observe::EventKind::kEdgeOut, observe::hop_word(w, side_), w.payload, w.ident);
  if ((dropped_ >> w.color.value() & 1U) != 0) {
    Dropped& dropped = drops_[w.color.value()];
    if (dropped.count++ == 0) dropped.first = now;
    return false;
  }
  if (w.control && drops_control_) return false;
  stream.received.push_back({now, w});
  fetch_behind(&stream.received.back());
  return stream.received.size() == stream.expected;
}

// One wavelet a cycle, of the lowest color.
bool EdgeCore::take_expected(Cycle now, Step& step) {
  for (unsigned c = 0; c < kColorCount; ++c) {
    Stream& stream = streams_[c];
    if (!stream.can_take() || stream.open_from > now) continue;
    step.credit = CreditReturn{Color(c), now + 1};
    return ++stream.taken == stream.expected;
  }
  return false;
}

bool EdgeCore::send_one(Cycle now, Step& step) {
  fabric::CandidateSet requests;
  sending_.for_each([&](unsigned c) {
    if (streams_[c].outgoing.front().from <= now && credits_.usable(c) > 0) requests.insert(c);
  });
  const std::optional<unsigned> winner = arbiter_.grant(requests);
  if (!winner) return false;
  std::vector<Batch>& outgoing = streams_[*winner].outgoing;
  Batch& batch = outgoing.front();
  const Word& word = batch.words[batch.sent++];
  fetch_behind(&word);
  link::Wavelet w;
  w.payload = word.payload;
  w.color = Color(*winner);
  w.control = word.control;
  w.ident = idents_.first + std::uint32_t{sent_++} * idents_.stride;
  credits_.take(*winner);
  ++streams_[*winner].sent;
  step.put = Put{w, now + latency_};
  probe_.emit(now, observe::EventKind::kEdgeIn, observe::hop_word(w, side_), w.payload, w.ident);
  if (batch.sent < batch.words.size()) return false;
  outgoing.erase(outgoing.begin());
  if (outgoing.empty()) sending_.erase(*winner);
  return true;
}

Cycle EdgeCore::next_wake(Cycle now, bool sent) const {
  Cycle next = kNever;
  if (!arrivals_.empty()) next = std::max(now + 1, arrivals_.front().due);
  for (const Stream& stream : streams_) {
    if (at_ramp() && stream.can_take()) next = std::min(next, std::max(now + 1, stream.open_from));
  }
  sending_.for_each([&](unsigned c) {
    const Cycle from = streams_[c].outgoing.front().from;
    next = std::min(next, from > now ? from : sent ? now + 1 : credits_.next_due());
  });
  return next;
}

void EdgeCore::describe_outgoing(observe::Waits& waits, Cycle now, Color color) const {
  const Stream& stream = streams_[color.value()];
  if (stream.outgoing.empty() || stream.outgoing.front().from > now) return;
  if (credits_.owned(color.value()) > 0) return;
  const Batch& batch = stream.outgoing.front();
  const std::string side = to_string(side_);
  const std::string why = credits_.capacity(color.value()) == 0
                              ? ", the tile does not receive " + color_text(color) + " from " + side
                              : ", no credit";
  using Resource = observe::Resource;
  Resource need{
      credits_.capacity(color.value()) == 0 ? Resource::Kind::kNever : Resource::Kind::kBuffer, 0,
      static_cast<std::uint8_t>(color.value()), static_cast<std::uint8_t>(side_), probe_.place()};
  Resource gives = need;
  gives.kind = Resource::Kind::kStream;
  waits.push_back({probe_.place(),
                   "host stream into the " + side + " edge, " + color_text(color),
                   "room at the tile: " + progress(batch.sent, batch.words.size(), "sent") + why,
                   true,
                   false,
                   std::string("room at the tile").size(),
                   0,
                   {need},
                   gives});
}

void EdgeCore::describe_waits(observe::Waits& waits, Cycle now) const {
  for (unsigned c = 0; c < kColorCount; ++c) {
    describe_outgoing(waits, now, Color(c));
    const Stream& stream = streams_[c];
    if (taken(Color(c)) >= stream.expected) continue;
    waits.push_back({probe_.place(),
                     std::string("host stream out of the ") + to_string(side_) + " edge, " +
                         color_text(Color(c)),
                     "a wavelet: " + progress(taken(Color(c)), stream.expected, "received"),
                     true,
                     false,
                     std::string("a wavelet").size(),
                     0,
                     {{observe::Resource::Kind::kWavelet, 0, static_cast<std::uint8_t>(c),
                       static_cast<std::uint8_t>(side_), probe_.place()}},
                     {}});
  }
}

}  // namespace tessera::host
