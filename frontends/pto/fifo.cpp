#include "frontends/pto/fifo.h"

#include <algorithm>

namespace tessera::pto {

// --- signals ---

void FifoSignals::signal(const Fifo& fifo, const FifoEnd& end, bool sets, Pipe pipe,
                         std::int64_t id, Place place) {
  if (end.external) return;
  if (!is_a5()) {
    Instruction& i =
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
  for (FifoEnd& end : fifo.ends) {
    if (!end.open) continue;
    for (Operand* counter : {&end.count, &end.freed}) {
      *counter = emitter_.new_register(place);
      emitter_.set(*counter, 0, place);
    }
  }
  if (!is_a5()) return;
  for (const FifoEnd& end : fifo.ends) {
    if (!end.open || end.produces || end.external) continue;
    take_part(fifo, place, [&] {  // one signal for every `period` slots
      for (std::int64_t i = 0; i < fifo.slots / fifo.period; ++i)
        signal(fifo, end, true, end.reader, end.flag + 1, place);
    });
  }
}

void FifoSignals::ask_for_slot(const Fifo& fifo, const FifoEnd& end, Place place) {
  if (end.external) return;
  Operand no_question = slot(end, fifo.period, place);
  if (!is_a5()) {
    const Operand early = emitter_.compare(Predicate::kLess, end.count, fifo.slots, place);
    no_question = emitter_.compute(Opcode::kOr, no_question, early, place);
  }
  emitter_.unless(no_question, place,
                  [&] { signal(fifo, end, false, end.writer, end.flag + 1, place); });
}

void FifoSignals::count_free(const Fifo& fifo, const FifoEnd& end, Place place) {
  if (end.external) return;
  emitter_.update(end.freed, Opcode::kAdd, 1, place);
  const Operand in_batch = emitter_.compute(Opcode::kRem, end.freed, fifo.period, place);
  emitter_.unless(in_batch, place,
                  [&] { signal(fifo, end, true, end.reader, end.flag + 1, place); });
}

void FifoSignals::close(const Fifo& fifo, const FifoEnd& end, Place place) {
  if (!end.open || !end.produces || end.external) return;
  const Operand asked = emitter_.compute(Opcode::kCeilDiv, end.count, fifo.period, place);
  const Operand given = emitter_.compute(Opcode::kDiv, end.count, fifo.period, place);
  Operand left = emitter_.compute(Opcode::kSub, given, asked, place);
  left = emitter_.compute(Opcode::kAdd, left, fifo.slots / fifo.period, place);
  // On A2/A3 the producer did not wait before it reused a slot.
  if (!is_a5()) left = emitter_.compute(Opcode::kMin, left, given, place);
  take_part(fifo, place, [&] {
    const Operand rest = emitter_.new_register(place);
    emitter_.set(rest, left, place);
    const std::uint32_t loop = emitter_.next();
    emitter_.unless(emitter_.compare(Predicate::kLess, rest, 1, place), place, [&] {
      signal(fifo, end, false, end.writer, end.flag + 1, place);
      emitter_.update(rest, Opcode::kSub, 1, place);
      emitter_.jump(place, loop);
    });
  });
}

// --- copies ---

constexpr std::uint16_t kRingHits = 1000;  // per mille: the ring in GM stays in L2

TileOperand FifoCopies::slot_in_gm(const Fifo& fifo, const FifoEnd& end, const Value& tile,
                                   Operand slot, Place place) {
  TileOperand gm = fifo.gm;
  gm.element = end.produces ? element(type_in_slot(fifo, tile)) : tile.place.element;
  const std::int64_t bits = cluster::bits_of(gm.element);
  const std::int64_t of_pointer = cluster::bits_of(fifo.gm.element);
  const auto elements = [bits](std::int64_t bytes) { return bytes * 8 / bits; };
  if (bits != of_pointer) {
    if (of_pointer % bits != 0 && !(gm.address.is_known() && gm.address.base == 0))
      fail(place, "the elements of the pipe's buffer in GM are narrower than those of "
                  "the tile; expected one with elements of the tile's size");
    gm.address.base = gm.address.base * of_pointer / bits;
    for (auto& p : gm.address.products)
      p.b =
          emitter_.compute(Opcode::kMul, p.b, std::max<std::int64_t>(1, of_pointer / bits), place);
  }
  gm.view_address = gm.address;
  gm.view = {{elements(fifo.gm_bytes()), 1}};
  gm.address.base += elements(end.first_byte);
  gm.address.add(slot, elements(fifo.slot_bytes));
  const std::int64_t columns = tile.type.shape[1];
  const bool left_right = !is_cube() && fifo.split == 2, up_down = !is_cube() && fifo.split == 1;
  const std::int64_t rows = known_sizes(tile.type)[0].value;
  if (up_down) gm.address.add(signals_.subblock(place), rows * columns);
  if (left_right) gm.address.add(signals_.subblock(place), columns);
  gm.dimensions = {{tile.sizes[0], left_right ? 2 * columns : columns}, {tile.sizes[1], 1}};
  return gm;
}

Type FifoCopies::type_in_slot(const Fifo& fifo, const Value& tile) const {
  Type type = tile.type;
  if (is_cube() && !fifo.converts_to.empty()) type.element = fifo.converts_to;
  return type;
}

void FifoCopies::attach_push(const Fifo& fifo, const Operation& op, TileOperand from,
                             TileOperand to) {
  if (!is_cube()) {
    emitter_.attach({std::move(from), std::move(to)}, TileFunction::kCopy);
    return;
  }
  const auto scale = context_.scales.by_id.find(fifo.id);
  if (fifo.scales && scale == context_.scales.by_id.end())
    fail(op,
         "the pipe scales what is pushed: expected pto.set_quant_scalar or pto.set_quant_vector "
         "with its id before the push");
  attach_fix(op, std::move(from), std::move(to), fifo.scales ? &scale->second : nullptr).relu =
      fifo.relu;
}

void FifoCopies::through_gm(const Fifo& fifo, const FifoEnd& end, const Operation& op,
                            const Value& source, Operand slot) {
  TileOperand to = slot_in_gm(fifo, end, source, slot, op.place);
  to.access = Access::kWrite;
  const std::int64_t bytes = std::max<std::int64_t>(1, bits_of(source.type.element) / 8);
  const Operand width =
      is_cube() ? source.sizes[1] : emitter_.size_product(source.sizes[1], bytes, op.place);
  Instruction& i =
      emitter_.emit_tile(is_cube() ? Opcode::kFixOut : Opcode::kCopyOut, op.place, end.writer);
  i.size = {source.sizes[0], width, Operand()};
  i.type = data_type_of(type_in_slot(fifo, source), diagnostics_);
  i.l2_hit = kRingHits;
  attach_push(fifo, op, tile_operand(source, Access::kRead), std::move(to));
}

void FifoCopies::to_slot(const Fifo& fifo, const FifoEnd& end, const Operation& op,
                         const Value& source, Operand slot) {
  if (fifo.through_gm) {
    // Both AIVs have the same tile if it is not divided: AIV0 writes it.
    const auto copy = [&] { through_gm(fifo, end, op, source, slot); };
    if (is_cube() || fifo.split != 0) return copy();
    return emitter_.unless(signals_.subblock(op.place), op.place, copy);
  }
  const TileOperand from = tile_operand(source, Access::kRead);
  TileOperand to = from;
  to.access = Access::kWrite;
  to.name = "the slot of " + from.name;
  to.address = {};
  to.address.add(end.buffer, 1);
  to.address.add(slot, fifo.slot_bytes);
  to.location = is_cube() ? Location::kUb : Location::kL1;
  to.element = element(type_in_slot(fifo, source));
  const std::int64_t columns = source.type.shape[1];
  const std::int64_t bits = bits_of(source.type.element);
  Operand width = source.sizes[1];
  if (is_cube()) {
    to.holder = fifo.split == 0   ? Holder::kAiv0
                : fifo.split == 1 ? Holder::kSplitRows
                                  : Holder::kSplitColumns;
    if (fifo.split == 2) to.row_stride = columns / 2;
  } else {
    to.holder = Holder::kAic;
    const std::int64_t whole = source.type.shape[0] * columns * bits / 8;
    if (fifo.split != 0)
      to.address.add(signals_.subblock(op.place), fifo.split == 1 ? whole : columns * bits / 8);
    if (fifo.split == 2) to.row_stride = 2 * columns;
    width = emitter_.bytes_of(width, bits, op.place);
  }
  Instruction& i =
      emitter_.emit_tile(is_cube() ? Opcode::kFixLocal : Opcode::kUbToL1, op.place, end.writer);
  i.type = data_type_of(type_in_slot(fifo, source), diagnostics_);
  i.size = {source.sizes[0], width, Operand()};
  attach_push(fifo, op, from, std::move(to));
}

void FifoCopies::from_slot(const Fifo& fifo, const FifoEnd& end, const Operation& op,
                           const Value& tile) {
  const Operand slot = signals_.slot(end, fifo.slots, op.place);
  TileOperand from = slot_in_gm(fifo, end, tile, slot, op.place);
  from.access = Access::kRead;
  const Operand bytes = emitter_.bytes_of(tile.sizes[1], bits_of(tile.type.element), op.place);
  Instruction& i = emitter_.emit_tile(Opcode::kCopyIn, op.place, Pipe::kMte2);
  i.size = {tile.sizes[0], bytes, Operand()};
  i.l2_hit = kRingHits;
  emitter_.attach({from, tile_operand(tile, Access::kWrite)}, TileFunction::kCopy);
}

void FifoCopies::touch(Pipe pipe, const Operation& op, const Value& tile) {
  emitter_.emit_tile(Opcode::kBusy, op.place, pipe).size[0] = 1;
  emitter_.attach({tile_operand(tile, Access::kReadWrite)});
}

}  // namespace tessera::pto
