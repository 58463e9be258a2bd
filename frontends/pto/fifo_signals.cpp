#include "frontends/pto/fifo.h"

namespace tessera::pto {

using cluster::Operand;
using cluster::Predicate;

void FifoSignals::signal(const Fifo& fifo, bool sets, Pipe pipe, std::int64_t id, Place place) {
  if (!is_a5()) {
    cluster::Instruction& i =
        emitter_.emit(sets ? Opcode::kSetCrossCore : Opcode::kWaitFlagDev, place, pipe);
    i.mode = 2;
    i.id = id;
    return;
  }
  const Opcode opcode = sets ? Opcode::kSetIntraBlock : Opcode::kWaitIntraCore;
  emitter_.emit(opcode, place, pipe).id = id;
  if (is_cube() && !fifo.nosplit) emitter_.emit(opcode, place, pipe).id = id + kAiv1Flag;
}

void FifoSignals::open(Fifo& fifo, Place place) {
  for (FifoEnd* end : {&fifo.to_aiv, &fifo.to_aic}) {
    if (!end->open) continue;
    for (unsigned* counter : {&end->count, &end->freed}) {
      *counter = emitter_.new_register(place);
      emitter_.set(*counter, 0, place);
    }
  }
  if (!is_a5()) return;
  for (const FifoEnd* end : {&fifo.to_aiv, &fifo.to_aic}) {
    if (!end->open || end->produces) continue;
    take_part(fifo, place, [&] {  // as many signals as the ring has batches
      for (std::int64_t i = 0; i < fifo.slots / fifo.period; ++i)
        signal(fifo, true, end->reader, end->flag + 1, place);
    });
  }
}

void FifoSignals::ask_for_slot(const Fifo& fifo, const FifoEnd& end, Place place) {
  Operand no_question = slot(end, fifo.period, place);
  if (!is_a5()) {
    const Operand early =
        emitter_.compare(Predicate::kLess, cluster::reg(end.count), fifo.slots, place);
    no_question = emitter_.compute(Opcode::kOr, no_question, early, place);
  }
  emitter_.unless(no_question, place,
                  [&] { signal(fifo, false, end.writer, end.flag + 1, place); });
}

void FifoSignals::count_free(const Fifo& fifo, const FifoEnd& end, Place place) {
  emitter_.update(end.freed, Opcode::kAdd, 1, place);
  const Operand in_batch =
      emitter_.compute(Opcode::kRem, cluster::reg(end.freed), fifo.period, place);
  emitter_.unless(in_batch, place, [&] { signal(fifo, true, end.reader, end.flag + 1, place); });
}

void FifoSignals::close(const Fifo& fifo, const FifoEnd& end, Place place) {
  if (!end.open || !end.produces) return;
  const Operand count = cluster::reg(end.count);
  const Operand asked = emitter_.compute(Opcode::kCeilDiv, count, fifo.period, place);
  const Operand given = emitter_.compute(Opcode::kDiv, count, fifo.period, place);
  Operand left = emitter_.compute(Opcode::kSub, given, asked, place);
  left = emitter_.compute(Opcode::kAdd, left, fifo.slots / fifo.period, place);
  // On A2/A3 none was asked for before a reuse.
  if (!is_a5()) left = emitter_.compute(Opcode::kMin, left, given, place);
  take_part(fifo, place, [&] {
    const unsigned rest = emitter_.new_register(place);
    emitter_.set(rest, left, place);
    const std::uint32_t loop = emitter_.next();
    emitter_.unless(emitter_.compare(Predicate::kLess, cluster::reg(rest), 1, place), place, [&] {
      signal(fifo, false, end.writer, end.flag + 1, place);
      emitter_.update(rest, Opcode::kSub, 1, place);
      emitter_.jump(place, loop);
    });
  });
}

}  // namespace tessera::pto
