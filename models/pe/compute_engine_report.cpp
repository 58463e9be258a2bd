// Memory access of the compute engine with its checks (reference wse.md 6.2), and its words for
// people: who waits for what, what went wrong.
#include "models/pe/compute_engine_core.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pe {

// The image is shared by all tiles that run it, so code cannot be changed by a store.
void ComputeEngineCore::refuse_store(const Instruction& in, std::uint32_t address, unsigned bytes,
                                     Cycle now) const {
  if (!Sram::accepts(address, bytes)) {
    memory_error(in, address, bytes, "write", now);
    return;
  }
  fail(Illegal::kCodeStore, pc_of(in),
       "store to address " + std::to_string(address) +
           ", where task table and code are; data begin at " +
           std::to_string(program_->data_begin()));
}

void ComputeEngineCore::memory_error(const Instruction& in, std::uint32_t address, unsigned bytes,
                                     const char* what, Cycle now) const {
  const bool odd = address % 2 != 0 && address < kSramBytes;
  const std::string text =
      std::string(what) + " of " + std::to_string(bytes) + " bytes at address " +
      std::to_string(static_cast<std::int32_t>(address)) +
      (odd ? ", which is odd; memory has words of 2 bytes"
           : ", outside SRAM, which has bytes 0.." + std::to_string(kSramBytes - 1));
  if (timing().memory_errors == MemoryErrors::kStop) fail(Illegal::kMemoryAccess, pc_of(in), text);
  if (diagnoses_ == nullptr) return;
  diagnoses_->on_diagnosis({now, probe_.place(), std::string(info(Illegal::kMemoryAccess).id),
                            text_of(pc_of(in), text)});
}

void ComputeEngineCore::describe_waits(observe::Waits& waits, Cycle now) const {
  for (const Operation& op : operations_) {
    // An endless microthread is a service that waits for ever; on the main thread it is worth a
    // line. With something to move and no room for it, both are stuck.
    const bool serves = op.endless && (!missing_source(op, now).empty() || !lacks_room(op, now));
    if (serves && op.thread != kMainThread) continue;
    waits.push_back({probe_.place(), describe(op), progress_of(op, now), !serves, serves});
  }
  if (main_.runs() && operations_.of_main_thread() == nullptr) {
    waits.push_back({probe_.place(), "main thread at " + image().place_of(main_.pc),
                     "its next instruction", true});
  }
  describe_tasks(waits);
}

void ComputeEngineCore::describe_tasks(observe::Waits& waits) const {
  for (const TaskBinding& task : image().tasks) {
    if (task.kind == TaskKind::kControl) continue;  // waits for any channel
    const bool blocked = tasks_.is_blocked(task.id);
    const bool stuck = blocked && tasks_.is_active(task.id);
    if (!stuck && task.kind != TaskKind::kData) continue;
    if (!stuck && !waits.keeps_idle()) {
      waits.count_idle();
      continue;
    }
    const std::string who = "task " + task.name + " (id " + std::to_string(task.id.value()) + ")";
    if (stuck) {
      waits.push_back({probe_.place(), who, "being unblocked: it is active but blocked", true});
      continue;
    }
    waits.push_back({probe_.place(), "data " + who,
                     (blocked ? "being unblocked, with wavelets expected on input queue "
                              : "a wavelet on input queue ") +
                         std::to_string(task.queue.value()),
                     false, true});
  }
}

std::string ComputeEngineCore::describe(const Operation& op) const {
  const std::string who =
      op.thread == kMainThread ? "main thread" : "microthread " + std::to_string(op.thread);
  return who + ", " + std::string(info(op.instruction().op).mnemonic) + " at " +
         image().place_of(op.pc());
}

std::string ComputeEngineCore::progress_of(const Operation& op, Cycle now) const {
  const std::string what = missing_operand(op, now);
  const std::string length = op.endless ? "" : " of " + std::to_string(op.length);
  return what + "; " + std::to_string(op.done) + length + " elements done";
}

std::string ComputeEngineCore::missing_operand(const Operation& op, Cycle now) const {
  const std::string source = missing_source(op, now);
  if (!source.empty()) return source;
  if (!lacks_room(op, now)) return "its turn";
  const Cursor& destination = op.cursors[0];
  if (destination.kind == Cursor::Kind::kFifo)
    return "room in FIFO " + image().fifos[destination.number].name;
  return "room in output queue " + std::to_string(destination.queue.value()) + " (color " +
         std::to_string(destination.dsd->color.value()) + ")";
}

std::string ComputeEngineCore::missing_source(const Operation& op, Cycle now) const {
  if (is_blocked(op.thread)) return "its microthread being unblocked";
  if (head_goes_to_task(op, now)) return "a wavelet that the tasks of its channel leave to it";
  for (unsigned i = kMaxOperands; i-- > 1;) {
    const Cursor& source = op.cursors[i];
    if (source.kind == Cursor::Kind::kFifo && fifo_elements(op, source) < op.least_of(source))
      return "data in FIFO " + image().fifos[source.number].name;
    if (source.kind != Cursor::Kind::kFabric || source.held > 0) continue;
    const std::uint32_t wanted = source.wavelets_for(op.least_of(source));
    const unsigned here = queues_.available(source.queue, now);
    if (here >= wanted) continue;
    const QueueBinding* binding = image().find_queue(true, source.queue);
    std::string what = here == 0 ? "a wavelet on input queue " : "one more wavelet on input queue ";
    what += std::to_string(source.queue.value());
    if (binding != nullptr && binding->color)
      what += " (color " + std::to_string(binding->color->value()) + ")";
    return what;
  }
  return "";
}

bool ComputeEngineCore::lacks_room(const Operation& op, Cycle now) const {
  const Cursor& destination = op.cursors[0];
  const std::uint32_t least = op.least_of(destination);
  if (destination.kind == Cursor::Kind::kFifo) return fifo_elements(op, destination) < least;
  return destination.kind == Cursor::Kind::kFabric &&
         queues_.room(destination.queue, now) < destination.wavelets_for(least);
}

std::string ComputeEngineCore::text_of(std::uint32_t pc, const std::string& what) const {
  const std::string where = pc == kNowhere ? image().file : image().place_of(pc);
  return "PE " + to_string(at_) + ", " + where + ": " + what;
}

void ComputeEngineCore::fail(Illegal rule, std::uint32_t pc, const std::string& what) const {
  throw IllegalBehaviour(text_of(pc, what), std::string(info(rule).id));
}

}  // namespace tessera::pe
