#include "models/fabric/on_ramp_core.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tessera::fabric {

OnRampCore::OnRampCore(TileCoord at, const FabricTiming& timing, std::uint32_t place)
    : at_(at), timing_(timing), place_(place), arbiter_(timing.arbitration) {
  if (timing.on_ramp_latency > 0) return;
  throw std::invalid_argument("on-ramp of tile " + to_string(at) +
                              ": on_ramp_latency must be at least 1");
}

void OnRampCore::credit(Color color, Cycle due) {
  if (color.value() < kColorCount && credits_.give_back(color.value(), due)) return;
  throw std::logic_error("on-ramp of tile " + to_string(at_) + ": a credit of color " +
                         std::to_string(color.value()) +
                         " came back for room that was never taken");
}

OnRampCore::Step OnRampCore::step(Cycle now, const Heads& heads) {
  Step step;
  // 1. Credits due by now become usable.
  credits_.settle(now);
  // 2. Queues with a readable wavelet and room for it at the router ask.
  CandidateSet requests;
  for (unsigned q = 0; q < kMaxQueues; ++q) {
    if (heads[q].ready_at > now) continue;
    if (credits_.usable(heads[q].wavelet->color.value()) > 0) requests.insert(q);
  }
  if (timing_.ramp_pauses(now) && !requests.empty()) {
    step.next = now + 1;
    return step;
  }
  // 3. One is served.
  if (const std::optional<unsigned> q = arbiter_.grant(requests)) {
    const link::Wavelet& w = *heads[*q].wavelet;
    credits_.take(w.color.value());
    step.grant = Grant{QueueId(*q), w, now + timing_.on_ramp_latency};
    step.next = now + 1;  // the queue behind may hold more, and others may have lost
    return step;
  }
  step.next = credits_.next_due();
  for (const Head& head : heads) {
    if (head.ready_at > now) step.next = std::min(step.next, head.ready_at);
  }
  return step;
}

void OnRampCore::describe_waits(observe::Waits& waits, Cycle now, const Heads& heads) const {
  for (unsigned q = 0; q < kMaxQueues; ++q) {
    if (heads[q].ready_at > now) continue;
    const Color color = heads[q].wavelet->color;
    if (credits_.owned(color.value()) > 0) continue;
    waits.push_back(wait_for_router(place_, QueueId(q), color, credits_.capacity(color.value())));
  }
}

observe::Wait OnRampCore::wait_for_router(std::uint32_t place, QueueId queue, Color color,
                                          unsigned capacity) {
  const std::string c = "color " + std::to_string(color.value());
  const std::string why =
      capacity == 0 ? "the router does not receive " + c + " from RAMP" : "no credit";
  using Resource = observe::Resource;
  observe::Wait wait{place, "on-ramp, output queue " + std::to_string(queue.value()) + ", " + c,
                     "room at the RAMP input of the router (" + why + ")", true};
  Resource need{capacity == 0 ? Resource::Kind::kNever : Resource::Kind::kBuffer, 0,
                static_cast<std::uint8_t>(color.value()),
                static_cast<std::uint8_t>(Direction::kRamp), place};
  wait.needs = {need};
  wait.gives = {Resource::Kind::kQueue, static_cast<std::uint8_t>(queue.value()),
                static_cast<std::uint8_t>(color.value()), Resource::kAny, place};
  return wait;
}

}  // namespace tessera::fabric
