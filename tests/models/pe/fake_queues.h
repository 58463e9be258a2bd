// The queues of a PE, written by hand: eight input queues without bound and eight output queues with
// a sink behind each. They keep the contract of PeQueues: what the other side does in cycle t is
// seen from t + 1 on. Misuse by the engine throws std::logic_error.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <set>
#include <stdexcept>
#include <vector>

#include "models/pe/pe_ports.h"
#include "models/pe/program.h"

namespace tessera::pe::test {

inline link::Wavelet data_wavelet(std::uint32_t payload) {
  link::Wavelet w;
  w.payload = payload;
  return w;
}
inline link::Wavelet control_wavelet(std::uint32_t payload) {
  link::Wavelet w = data_wavelet(payload);
  w.control = true;
  return w;
}
inline link::Wavelet half_wavelet(std::uint32_t payload) {
  link::Wavelet w = data_wavelet(payload);
  w.half = true;
  return w;
}
/// Payload of a control wavelet for control task `id` with a 16-bit argument (wse.md 1.5).
inline std::uint32_t entry_payload(unsigned id, unsigned argument = 0) {
  return id << 16 | argument;
}

class FakeQueues : public PeQueues {
 public:
  struct Sent {
    Cycle cycle = 0;
    unsigned queue = 0;
    link::Wavelet wavelet;
  };
  struct Taken {
    Cycle cycle = 0;
    unsigned queue = 0;
    std::uint32_t payload = 0;
  };

  /// `wakes`: where the queues note the cycles in which the engine must look again.
  explicit FakeQueues(std::set<Cycle>& wakes) : wakes_(wakes) {}

  void arrive(unsigned queue, const link::Wavelet& w, Cycle due) {
    in_.at(queue).push_back({due, w});
    wakes_.insert(due);
  }
  void arrive(unsigned queue, std::uint32_t payload, Cycle due) {
    arrive(queue, data_wavelet(payload), due);
  }
  /// Wavelets 100 * queue + 0, 1, ... `count` - 1, all at once.
  void fill(unsigned queue, unsigned count, Cycle due = 0) {
    for (unsigned i = 0; i < count; ++i) arrive(queue, 100 * queue + i, due);
  }
  /// Output queue `queue` holds `capacity` wavelets; its sink takes one every `interval` cycles
  /// from `open_at` on.
  void sink(unsigned queue, unsigned capacity, Cycle open_at = 0, unsigned interval = 1) {
    out_.at(queue) = {capacity, open_at, interval};
  }

  std::vector<Sent> sent;
  std::vector<Taken> taken;
  std::vector<std::uint32_t> payloads_sent() const {
    std::vector<std::uint32_t> all;
    for (const Sent& s : sent) all.push_back(s.wavelet.payload);
    return all;
  }
  std::vector<Cycle> cycles_sent() const {
    std::vector<Cycle> all;
    for (const Sent& s : sent) all.push_back(s.cycle);
    return all;
  }
  /// Wavelets that nobody has taken.
  std::size_t waiting(unsigned queue) const { return in_.at(queue).size(); }

  Cycle ready_at(QueueId q) const override {
    const auto& queue = in_.at(q.value());
    return queue.empty() ? kNever : queue.front().due;
  }
  unsigned available(QueueId q, Cycle now) const override {
    const auto& queue = in_.at(q.value());
    const auto later = std::find_if(queue.begin(), queue.end(),
                                    [now](const Arrival& arrival) { return arrival.due > now; });
    return static_cast<unsigned>(later - queue.begin());
  }
  link::Wavelet front(QueueId q) const override {
    if (in_.at(q.value()).empty()) throw std::logic_error("front of an empty queue");
    return in_.at(q.value()).front().wavelet;
  }
  link::Wavelet take(QueueId q, Cycle now) override {
    if (ready_at(q) > now) throw std::logic_error("take of a wavelet that is not there yet");
    const link::Wavelet w = front(q);
    taken.push_back({now, q.value(), w.payload});
    in_.at(q.value()).pop_front();
    return w;
  }
  unsigned room(QueueId q, Cycle now) const override {
    const Output& out = out_.at(q.value());
    unsigned held = 0;
    for (Cycle leaves : out.leaves) held += leaves >= now ? 1 : 0;
    return out.capacity - held;
  }
  void push(QueueId q, const link::Wavelet& w, Cycle now) override {
    if (room(q, now) == 0) throw std::logic_error("push without room");
    sent.push_back({now, q.value(), w});
    Output& out = out_.at(q.value());
    while (!out.leaves.empty() && out.leaves.front() < now) out.leaves.pop_front();
    out.last = next_departure(out, now);
    out.leaves.push_back(out.last);
    if (out.last != kNever) wakes_.insert(out.last + 1);
  }

 private:
  struct Arrival {
    Cycle due = 0;
    link::Wavelet wavelet;
  };
  struct Output {
    unsigned capacity = 8;
    Cycle open_at = 0;
    unsigned interval = 1;
    std::deque<Cycle> leaves{};  // cycle in which each wavelet that is still there leaves
    Cycle last = 0;              // cycle in which the newest wavelet leaves
  };
  /// The first cycle after the push in `now`, and after the wavelet before, in which the sink takes
  /// one.
  static Cycle next_departure(const Output& out, Cycle now) {
    if (out.open_at == kNever) return kNever;
    const Cycle earliest = std::max(now, out.last) + 1;
    if (earliest <= out.open_at) return out.open_at;
    return out.open_at + (earliest - out.open_at + out.interval - 1) / out.interval * out.interval;
  }
  std::set<Cycle>& wakes_;
  std::array<std::deque<Arrival>, kMaxReceivers> in_;
  std::array<Output, kMaxQueues> out_;
};

}  // namespace tessera::pe::test
