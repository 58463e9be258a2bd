// What TPUSH and TPOP move; fifo_lowering.cpp has the protocol.
#include <algorithm>

#include "frontends/pto/fifo.h"

namespace tessera::pto {

namespace {

using cluster::CoreKind;
using cluster::Instruction;
using cluster::Location;
using cluster::Opcode;
using cluster::Operand;
using cluster::Pipe;
using cluster::TileOperand;

constexpr std::uint16_t kRingHits = 1000;  // the ring in GM stays in L2

}  // namespace

// What a core writes to or reads of a slot in GM: its tile, or its half of what the slot holds.
TileOperand FunctionLowering::slot_in_gm(const Fifo& fifo, const FifoEnd& end, const Value& tile,
                                         Operand slot, Place place) {
  TileOperand gm = fifo.gm;
  gm.element = tile.place.element;
  const std::int64_t bits = cluster::bits_of(gm.element);
  const std::int64_t of_pointer = cluster::bits_of(fifo.gm.element);
  const auto elements = [bits](std::int64_t bytes) { return bytes * 8 / bits; };
  if (bits != of_pointer) {
    if (of_pointer % bits != 0 && !(gm.address.is_known() && gm.address.base == 0))
      diagnostics_.fail(place, "the elements of the pipe's buffer in GM are narrower than those of "
                               "the tile; expected one with elements of the tile's size");
    gm.address.base = gm.address.base * of_pointer / bits;
    for (auto& p : gm.address.products)
      p.b = compute(Opcode::kMul, p.b, std::max<std::int64_t>(1, of_pointer / bits), place);
  }
  gm.view_address = gm.address;
  const std::int64_t rings = fifo.directions == 3 ? 2 : 1;
  gm.view = {{elements(rings * fifo.slots * fifo.slot_bytes), 1}};
  gm.address.base += elements(end.first_byte);
  gm.address.add(slot, elements(fifo.slot_bytes));
  const std::int64_t columns = tile.type.shape[1];
  const bool left_right = kind_ == CoreKind::kAiv && fifo.split == 2;
  const bool up_down = kind_ == CoreKind::kAiv && fifo.split == 1;
  const std::int64_t rows =
      tile.type.valid_rows != kDynamic ? tile.type.valid_rows : tile.type.shape[0];
  if (up_down) gm.address.add(subblock(place), rows * columns);
  if (left_right) gm.address.add(subblock(place), columns);
  gm.dimensions = {{tile.sizes[0], left_right ? 2 * columns : columns}, {tile.sizes[1], 1}};
  return gm;
}

namespace {

TileOperand operand_of(const TileOperand& place, const std::vector<Operand>& sizes,
                       cluster::Access access) {
  TileOperand o = place;
  o.access = access;
  o.rows = sizes[0];
  o.columns = sizes[1];
  return o;
}

}  // namespace

void FunctionLowering::copy_to_slot(Fifo& fifo, FifoEnd& end, const Operation& op,
                                    const Value& source, Operand slot) {
  const bool cube = kind_ == CoreKind::kAic;
  TileOperand from = operand_of(source.place, source.sizes, Access::kRead);
  if (fifo.through_gm) {
    // A tile that is not divided is the same on both AIVs; one of them writes it.
    const auto copy = [&] {
      TileOperand to = slot_in_gm(fifo, end, source, slot, op.place);
      const Operand bytes =
          cube
              ? source.sizes[1]
              : size_product(source.sizes[1],
                             std::max<std::int64_t>(1, bits_of(source.type.element) / 8), op.place);
      Instruction& i = emit_tile(cube ? Opcode::kFixOut : Opcode::kCopyOut, op, end.writer);
      i.size = {source.sizes[0], bytes, Operand()};
      i.type = data_type(source.type);
      i.l2_hit = kRingHits;
      to.access = Access::kWrite;
      attach({from, to}).function = cluster::TileFunction::kCopy;
    };
    if (cube || fifo.split != 0) return copy();
    return unless(subblock(op.place), op.place, copy);
  }
  TileOperand to = from;
  to.access = Access::kWrite;
  to.name = "the slot of " + from.name;
  to.address = {};
  to.address.add(end.buffer, 1);
  to.address.add(slot, fifo.slot_bytes);
  to.location = cube ? Location::kUb : Location::kL1;
  const std::int64_t columns = source.type.shape[1];
  const std::int64_t bits = bits_of(source.type.element);
  Operand width = source.sizes[1];
  if (cube) {
    to.holder = fifo.split == 0   ? cluster::Holder::kAiv0
                : fifo.split == 1 ? cluster::Holder::kSplitRows
                                  : cluster::Holder::kSplitColumns;
    if (fifo.split == 2) to.row_stride = columns / 2;
  } else {
    to.holder = cluster::Holder::kAic;
    const std::int64_t whole = source.type.shape[0] * columns * bits / 8;
    if (fifo.split != 0)
      to.address.add(subblock(op.place), fifo.split == 1 ? whole : columns * bits / 8);
    if (fifo.split == 2) to.row_stride = 2 * columns;
    width = size_product(width, bits, op.place);
    width = compute(Opcode::kDiv, width, 8, op.place);
  }
  Instruction& i = emit_tile(cube ? Opcode::kFixLocal : Opcode::kUbToL1, op, end.writer);
  i.type = data_type(source.type);
  i.size = {source.sizes[0], width, Operand()};
  attach({from, to}).function = cluster::TileFunction::kCopy;
}

void FunctionLowering::copy_from_slot(Fifo& fifo, FifoEnd& end, const Operation& op,
                                      const Value& tile) {
  const Operand slot = within(cluster::reg(end.count), fifo.slots, op.place);
  TileOperand from = slot_in_gm(fifo, end, tile, slot, op.place);
  from.access = Access::kRead;
  const Operand row_bits = size_product(tile.sizes[1], bits_of(tile.type.element), op.place);
  const Operand bytes = compute(Opcode::kDiv, row_bits, 8, op.place);
  Instruction& i = emit_tile(Opcode::kCopyIn, op, Pipe::kMte2);
  i.size = {tile.sizes[0], bytes, Operand()};
  i.l2_hit = kRingHits;
  attach({from, operand_of(tile.place, tile.sizes, Access::kWrite)}).function =
      cluster::TileFunction::kCopy;
}

// A cycle of the pipe that hands a slot over: whoever reads the slot comes behind the wait, and the
// slot is free behind whoever has read it.
void FunctionLowering::touch_slot(Pipe pipe, const Operation& op, const Value& tile) {
  emit_tile(Opcode::kBusy, op, pipe).size[0] = 1;
  attach({operand_of(tile.place, tile.sizes, Access::kReadWrite)});
}

}  // namespace tessera::pto
