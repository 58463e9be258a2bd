// What can be seen wrong at one end of a pipe between cube and vector; fifo_ends.cpp compares both.
#include "frontends/pto/fifo.h"

namespace tessera::pto {

namespace {

using cluster::CoreKind;
using cluster::Location;

}  // namespace

void FunctionLowering::note_end(const Fifo& fifo, const Operation& op, const Value& c2v,
                                const Value& v2c) {
  PipeEnd end;
  end.place = op.place;
  end.is_handle = fifo.is_handle;
  end.id = fifo.id;
  end.directions = fifo.directions;
  end.slots = fifo.slots;
  end.slot_bytes = fifo.slot_bytes;
  end.flag = fifo.flag;
  end.through_gm = fifo.through_gm;
  if (fifo.split_is_known) end.nosplit = fifo.nosplit;
  end.buffers = {c2v.scalar, v2c.scalar};
  pipe_ends_.push_back(std::move(end));
  if (!fifo.has_buffer) return;
  const bool cube = kind_ == CoreKind::kAic;
  if ((fifo.directions & 1) != 0 && !cube) check_ring(fifo, op, c2v, true);
  if ((fifo.directions & 2) != 0 && cube) check_ring(fifo, op, v2c, false);
}

void FunctionLowering::check_ring(const Fifo& fifo, const Operation& op, const Value& buffer,
                                  bool to_aiv) const {
  const std::int64_t slots = fifo.through_gm ? fifo.local_slots : fifo.slots;
  const std::int64_t bytes = slots * fifo.slot_bytes;
  const std::string ring = op.name + ": " + std::to_string(slots) + " slots of " +
                           std::to_string(fifo.slot_bytes) + " bytes need " + std::to_string(bytes);
  const Location location = to_aiv ? Location::kUb : Location::kL1;
  if (const ReservedBuffers::Buffer* reserved = buffer.reserved) {
    const std::string name =
        "the buffer " + reserved->name + " of line " + std::to_string(reserved->place.line);
    if (reserved->location != location)
      diagnostics_.fail(op.place, op.name + ": " + name + " lies in " +
                                      to_string(reserved->location) + ", the consumer's ring in " +
                                      to_string(location) + "; reserve it with location " +
                                      (to_aiv ? "vec" : "mat"));
    if (reserved->bytes < bytes)
      diagnostics_.fail(op.place, ring + ", and " + name + " has " +
                                      std::to_string(reserved->bytes) + "; reserve as many");
    return;
  }
  if (buffer.scalar.is_register) return;
  const std::int64_t first = buffer.scalar.value;
  const std::int64_t room =
      cluster::capacities_of(options_.profile)[static_cast<unsigned>(location)];
  if (first >= 0 && bytes <= room && first <= room - bytes) return;
  diagnostics_.fail(
      op.place, ring + " from byte " + std::to_string(first) + " on; " + to_string(location) +
                    " of " + cluster::to_string(options_.profile) + " has " + std::to_string(room));
}

// A slot holds the tile of the AIC; an AIV pushes half of it, unless the pipe is not divided.
void FunctionLowering::note_tile(const Fifo& fifo, const Operation& op, const Type& type,
                                 bool pushes) {
  PipeEnd& end = pipe_ends_[static_cast<std::size_t>(&fifo - fifos_.data())];
  const bool cube = kind_ == CoreKind::kAic;
  const std::int64_t parts = !cube && fifo.split != 0 ? 2 : 1;
  const std::int64_t bytes = extent_of(type, bits_of(type.element)) * parts;
  if (bytes > fifo.slot_bytes)
    diagnostics_.fail(op.place, op.name + ": the tile takes " + std::to_string(bytes) +
                                    " bytes of a slot" +
                                    (parts > 1 ? " with that of the other AIV" : "") +
                                    ", which has " + std::to_string(fifo.slot_bytes) +
                                    " (slot_size of line " + std::to_string(end.place.line) + ")");
  note_entry(fifo, op, type, pushes);
}

void FunctionLowering::note_entry(const Fifo& fifo, const Operation& op, const Type& type,
                                  bool pushes) {
  PipeEnd& end = pipe_ends_[static_cast<std::size_t>(&fifo - fifos_.data())];
  const bool cube = kind_ == CoreKind::kAic;
  const auto direction = pushes == cube ? FifoDirection::kToAiv : FifoDirection::kToAic;
  (pushes ? end.pushed : end.popped).push_back({op.place, direction, type, fifo.split});
}

}  // namespace tessera::pto
