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

}  // namespace tessera::pe
