// The colors of the queues of a PE at run time (reference wse.md 2.2 to 2.4): an output queue of WSE-2
// serves several colors, one after the other; on WSE-3 the program may bind one to another color. An
// input queue that the program binds to another color stands for the queue that receives this color.
#pragma once

#include <array>
#include <cstdint>

#include "models/pe/engine_state.h"

namespace tessera::pe {

class OutputBindings {
 public:
  /// Color of the wavelets that operations send through `fabout`.
  Color color_of(const Dsd& fabout) const {
    const Use& use = uses_[fabout.queue.value()];
    return use.is_bound() ? use.bound : fabout.color;
  }
  /// The operation at `pc` begins to send through `fabout`. Illegal while its queue still holds
  /// wavelets of another color, unless queues may mix them (PeTiming::queues_mix_colors).
  void claim(const EngineState& pe, std::uint32_t pc, const Dsd& fabout, Cycle now) {
    Use& use = uses_[fabout.queue.value()];
    if (use.capacity != 0 && use.last == fabout.color) return;
    const unsigned room = pe.queues.room(fabout.queue, now);
    if (use.capacity == 0) {  // empty before its first use
      use.capacity = room & kLongest;
      use.last = fabout.color;
    }
    const bool mixes = use.last != fabout.color && room < use.capacity;
    if (mixes && !pe.timing().queues_mix_colors) {
      pe.fail(Illegal::kQueueReuse, pc, "output queue ", fabout.queue,
              " still holds wavelets of color ", use.last, " and is used for color ", fabout.color);
    }
    use.last = fabout.color;
  }
  /// The instruction that issues now wants to bind `queue` to `color`. Illegal while the queue
  /// holds wavelets, which would go out on the new color.
  void require_empty(const EngineState& pe, QueueId queue, Color color, Cycle now) const {
    if ((empty(pe, now) >> queue.value() & 1U) != 0) return;
    const Use& use = uses_[queue.value()];
    pe.fail(Illegal::kQueueReuse, pe.main.issued_pc(), "output queue ", queue,
            " is bound to color ", color, " while it holds wavelets of color ",
            use.is_bound() ? use.bound : use.last, ", which would go out on color ", color);
  }
  /// Binds `queue` to `color` from now on.
  void bind(QueueId queue, Color color) { uses_[queue.value()].bound = color; }
  /// The queue from which operations on input queue `queue` read.
  QueueId receiver(QueueId queue) const {
    if (queue.value() >= kMaxQueues) return queue;
    return QueueId(queue.value() ^ uses_[queue.value()].receiver);
  }
  /// Operations on input queue `queue` read from `from` from now on.
  void bind_input(QueueId queue, QueueId from) {
    uses_[queue.value()].receiver = (queue.value() ^ from.value()) & kAnyReceiver;
  }
  /// Output queues that hold no wavelet in cycle `now`, one bit each. Queues that the program does
  /// not declare are among them.
  std::uint32_t empty(const EngineState& pe, Cycle now) const {
    std::uint32_t found = (1U << kMaxQueues) - 1;
    for (const QueueBinding& queue : pe.image().queues) {
      const unsigned capacity = uses_[queue.id.value()].capacity;
      if (queue.input || capacity == 0) continue;
      if (pe.queues.room(queue.id, now) < capacity) found &= ~(1U << queue.id.value());
    }
    return found;
  }
  /// Saves or restores what changes (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(uses_);
  }

 private:
  static constexpr unsigned kLongest = (1U << 12) - 1;
  static constexpr unsigned kAnyReceiver = 15;
  static_assert(kMaxReceivers <= kAnyReceiver);
  struct Use {
    Use() : capacity(0), receiver(0) {}
    std::uint16_t capacity : 12;       // capacity of the output queue, in wavelets; 0: not used yet
    std::uint16_t receiver : 4;        // for an input queue: its number xor that of receiver()
    Color last;                        // color of the last operation on it
    Color bound = Color(kColorCount);  // by the program at run time; kColorCount: not bound
    bool is_bound() const { return bound != Color(kColorCount); }
    template <class Archive>
    void visit(Archive& archive) {
      capacity = archive.value(static_cast<std::uint16_t>(capacity)) & kLongest;
      receiver = archive.value(static_cast<std::uint16_t>(receiver)) & kAnyReceiver;
      archive(last, bound);
    }
  };
  static_assert(sizeof(Use) == 4, "every engine has eight");

  std::array<Use, kMaxQueues> uses_{};
};

}  // namespace tessera::pe
