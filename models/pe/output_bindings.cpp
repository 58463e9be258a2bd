#include "models/pe/output_bindings.h"

namespace tessera::pe {

void OutputBindings::claim(const EngineState& pe, std::uint32_t pc, const Dsd& fabout, Cycle now) {
  Use& use = uses_[fabout.queue.value()];
  const unsigned room = pe.queues.room(fabout.queue, now);
  if (use.capacity == 0) {  // empty before its first use
    use.capacity = static_cast<std::uint16_t>(room);
    use.last = fabout.color;
  }
  if (use.last != fabout.color && room < use.capacity) {
    pe.fail(Illegal::kQueueReuse, pc, "output queue ", fabout.queue,
            " still holds wavelets of color ", use.last, " and is used for color ", fabout.color);
  }
  use.last = fabout.color;
}

void OutputBindings::require_empty(const EngineState& pe, QueueId queue, Color color,
                                   Cycle now) const {
  if ((empty(pe, now) >> queue.value() & 1U) != 0) return;
  const Use& use = uses_[queue.value()];
  pe.fail(Illegal::kQueueReuse, pe.main.issued_pc(), "output queue ", queue, " is bound to color ",
          color, " while it holds wavelets of color ", use.is_bound() ? use.bound : use.last,
          ", which would go out on color ", color);
}

void OutputBindings::bind(QueueId queue, Color color) {
  uses_[queue.value()].bound = color;
}

std::uint32_t OutputBindings::empty(const EngineState& pe, Cycle now) const {
  std::uint32_t found = (1U << kMaxQueues) - 1;
  for (const QueueBinding& queue : pe.image().queues) {
    const unsigned capacity = uses_[queue.id.value()].capacity;
    if (queue.input || capacity == 0) continue;
    if (pe.queues.room(queue.id, now) < capacity) found &= ~(1U << queue.id.value());
  }
  return found;
}

}  // namespace tessera::pe
