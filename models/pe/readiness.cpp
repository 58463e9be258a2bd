#include "models/pe/readiness.h"

#include <algorithm>

namespace tessera::pe {

namespace {

/// `elements`, or fewer if FIFOs of the operation allow no more.
std::uint32_t limited_by_fifos(const EngineState& pe, const Operation& op, std::uint32_t elements) {
  for (unsigned i = 0; i <= op.sources; ++i) {
    const Cursor& cursor = op.cursors[i];
    if (cursor.kind != Cursor::Kind::kFifo) continue;
    std::uint32_t there = fifo_elements(pe, op, cursor);
    if (there < op.least_of(cursor)) return 0;
    const unsigned chunk = op.chunk_of(cursor);
    const bool all = there >= op.left(there + 1);
    if (!all && op.done % chunk + there > chunk) there -= (op.done + there) % chunk;
    elements = std::min(elements, there);
  }
  return elements == op.left(elements + 1) ? elements : elements - elements % op.least;
}

// Every queue must also have what its own SIMD mode asks for, even if the group takes less.
bool fabric_ready(const EngineState& pe, const Operation& op, std::uint32_t elements, Cycle now) {
  const Cursor& destination = op.cursors[0];
  if (destination.kind == Cursor::Kind::kFabric) {
    const std::uint32_t sent = std::max(elements, op.left(destination.least));
    if (pe.queues.room(destination.queue, now) < destination.wavelets_for(sent + destination.held))
      return false;
  }
  for (unsigned i = 1; i <= op.sources; ++i) {
    const Cursor& source = op.cursors[i];
    if (source.kind != Cursor::Kind::kFabric) continue;
    const std::uint32_t read = std::max(elements, op.left(source.least));
    if (read <= source.held) continue;
    if (pe.queues.available(source.queue, now) < source.wavelets_for(read - source.held))
      return false;
  }
  return true;
}

/// The source that an operation waits for; empty: none.
std::string missing_source(const EngineState& pe, const Operation& op, Cycle now) {
  if (pe.tasks.is_microthread_blocked(op.thread)) return "its microthread being unblocked";
  if (head_goes_to_task(pe, op, now)) return "a wavelet that the tasks of its channel leave to it";
  for (unsigned i = kMaxOperands; i-- > 1;) {
    const Cursor& source = op.cursors[i];
    if (source.kind == Cursor::Kind::kFifo && fifo_elements(pe, op, source) < op.least_of(source))
      return "data in FIFO " + pe.image().fifos[source.number].name;
    if (source.kind != Cursor::Kind::kFabric || source.held > 0) continue;
    const std::uint32_t wanted = source.wavelets_for(op.least_of(source));
    const unsigned here = pe.queues.available(source.queue, now);
    if (here >= wanted) continue;
    const QueueBinding* binding = pe.image().find_queue(true, source.queue);
    std::string what = here == 0 ? "a wavelet on input queue " : "one more wavelet on input queue ";
    what += std::to_string(source.queue.value());
    if (binding != nullptr && binding->color)
      what += " (color " + std::to_string(binding->color->value()) + ")";
    return what;
  }
  return "";
}

bool lacks_room(const EngineState& pe, const Operation& op, Cycle now) {
  const Cursor& destination = op.cursors[0];
  const std::uint32_t least = op.least_of(destination);
  if (destination.kind == Cursor::Kind::kFifo) return fifo_elements(pe, op, destination) < least;
  return destination.kind == Cursor::Kind::kFabric &&
         pe.queues.room(destination.queue, now) < destination.wavelets_for(least);
}

std::string missing_operand(const EngineState& pe, const Operation& op, Cycle now) {
  const std::string source = missing_source(pe, op, now);
  if (!source.empty()) return source;
  if (!lacks_room(pe, op, now)) return "its turn";
  const Cursor& destination = op.cursors[0];
  if (destination.kind == Cursor::Kind::kFifo)
    return "room in FIFO " + pe.image().fifos[destination.number].name;
  return "room in output queue " + std::to_string(destination.queue.value()) + " (color " +
         std::to_string(destination.dsd->color.value()) + ")";
}

void describe_tasks(const EngineState& pe, observe::Waits& waits) {
  for (const TaskBinding& task : pe.image().tasks) {
    if (task.kind == TaskKind::kControl) continue;  // waits for any channel
    const bool blocked = pe.tasks.is_blocked(task.id);
    const bool stuck = blocked && pe.tasks.is_active(task.id);
    if (!stuck && task.kind != TaskKind::kData) continue;
    if (!stuck && !waits.keeps_idle()) {
      waits.count_idle();
      continue;
    }
    const std::string who = "task " + task.name + " (id " + std::to_string(task.id.value()) + ")";
    const std::string queue = "input queue " + std::to_string(task.queue.value());
    if (stuck)
      waits.push_back({pe.probe.place(), who, "being unblocked: it is active but blocked", true});
    else if (blocked)
      waits.push_back({pe.probe.place(), "data " + who,
                       "being unblocked, with wavelets expected on " + queue, false, true});
    else
      waits.push_back({pe.probe.place(), "data " + who, "a wavelet on " + queue, false, true});
  }
}

}  // namespace

std::uint32_t group_size(const EngineState& pe, const Operation& op, Cycle now) {
  if (heads_matter(pe, op)) {
    if (source_at_control(pe, op, now) != nullptr) return 1;
    if (head_goes_to_task(pe, op, now)) return 0;
  }
  const bool fabric = (op.inputs | op.outputs) != 0;
  const std::uint32_t elements = fabric ? fabric_elements(pe, op, now) : op.left(op.width);
  return op.uses_fifo ? limited_by_fifos(pe, op, elements) : elements;
}

std::uint32_t fabric_elements(const EngineState& pe, const Operation& op, Cycle now) {
  const std::uint32_t most = op.left(op.width);
  if (fabric_ready(pe, op, most, now)) return most;
  const std::uint32_t least = op.left(op.least);
  return least < most && fabric_ready(pe, op, least, now) ? least : 0;
}

const Cursor* source_at_control(const EngineState& pe, const Operation& op, Cycle now) {
  if (op.completion.on_control == OnControl::kNone) return nullptr;
  for (unsigned i = 1; i <= op.sources; ++i) {
    const Cursor& source = op.cursors[i];
    if (source.kind != Cursor::Kind::kFabric || source.held > 0) continue;
    if (pe.queues.ready_at(source.queue) <= now && pe.queues.front(source.queue).control)
      return &source;
  }
  return nullptr;
}

bool head_goes_to_task(const EngineState& pe, const Operation& op, Cycle now) {
  for (unsigned i = 1; i <= op.sources; ++i) {
    const Cursor& source = op.cursors[i];
    if (source.kind != Cursor::Kind::kFabric || source.held > 0) continue;
    if (!source.channel || pe.tasks.is_blocked(*source.channel)) continue;
    if (pe.queues.ready_at(source.queue) > now) continue;
    const bool control = pe.queues.front(source.queue).control;
    if (control ? !op.is_filter() : pe.program->tasks().data_task(*source.channel) != nullptr)
      return true;
  }
  return false;
}

std::string describe(const Operation& op, const Image& image) {
  const std::string who =
      op.thread == kMainThread ? "main thread" : "microthread " + std::to_string(op.thread);
  return who + ", " + std::string(info(op.instruction().op).mnemonic) + " at " +
         image.place_of(op.pc());
}

void describe_waits(const EngineState& pe, const Operations& operations, observe::Waits& waits,
                    Cycle now) {
  for (const Operation& op : operations) {
    // An endless microthread is a service that waits for ever; on the main thread it is worth a
    // line. With something to move and no room for it, both are stuck.
    const bool serves =
        op.endless && (!missing_source(pe, op, now).empty() || !lacks_room(pe, op, now));
    if (serves && op.thread != kMainThread) continue;
    const std::string length = op.endless ? "" : " of " + std::to_string(op.length);
    waits.push_back(
        {pe.probe.place(), describe(op, pe.image()),
         missing_operand(pe, op, now) + "; " + std::to_string(op.done) + length + " elements done",
         !serves, serves});
  }
  if (pe.main.runs() && operations.of_main_thread() == nullptr) {
    waits.push_back({pe.probe.place(), "main thread at " + pe.image().place_of(pe.main.pc()),
                     "its next instruction", true});
  }
  describe_tasks(pe, waits);
}

}  // namespace tessera::pe
