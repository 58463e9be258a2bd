// Entries of pipes that are views of GM (pto_text.md; ascend.md 3.5): a producer gets the next slot as a
// tensor (talloc), stores to it and pushes it; a consumer pops a tensor, loads it and frees it. Nothing is
// copied, and there is no ring on chip. A2/A3 have them.
#include "frontends/pto/fifo.h"

namespace tessera::pto {

namespace {

using cluster::Operand;
using cluster::Profile;

}  // namespace

FunctionLowering::Value FunctionLowering::entry_of(const Operation& op, Fifo& fifo,
                                                   const FifoEnd& end, const Type& type) {
  const std::string pipe = "pipe " + std::to_string(fifo.id);
  if (options_.profile == Profile::kA5)
    diagnostics_.fail(op.place, op.name + ": entries that are tensors are of A2/A3; push a tile");
  if (!fifo.has_entries)
    diagnostics_.fail(op.place,
                      op.name + ": " + pipe + " has no gm_slot_tensor, expected one of its slots");
  if (type.kind != Type::Kind::kTensorView)
    diagnostics_.fail(op.place, op.name + ": expected -> !pto.tensor_view<..>");
  Value v;
  v.kind = Value::Kind::kView;
  v.type = type;
  v.place = fifo.gm;
  v.place.name = op.results[0].name;
  if (element_of(type) != fifo.gm.element)
    diagnostics_.fail(op.place, op.name + ": elements of " + type.element + " in slots of " +
                                    to_string(fifo.gm.element) + ", expected the same");
  const std::int64_t bits = cluster::bits_of(fifo.gm.element);
  const auto elements = [bits](std::int64_t bytes) { return bytes * 8 / bits; };
  std::int64_t stride = 1;
  v.place.dimensions.assign(type.shape.size(), {});
  v.sizes.assign(type.shape.size(), Operand());
  for (std::size_t d = type.shape.size(); d-- > 0;) {
    if (type.shape[d] == kDynamic || type.shape[d] > fifo.slot_bytes || stride > fifo.slot_bytes)
      diagnostics_.fail(op.place, op.name + ": expected sizes that are known and fit a slot of " +
                                      std::to_string(fifo.slot_bytes) + " bytes");
    v.sizes[d] = type.shape[d];
    v.place.dimensions[d] = {type.shape[d], stride};
    stride *= type.shape[d];
  }
  if (stride > elements(fifo.slot_bytes))
    diagnostics_.fail(op.place, op.name + ": the entry takes " + std::to_string(stride * bits / 8) +
                                    " bytes of a slot, which has " +
                                    std::to_string(fifo.slot_bytes));
  const std::int64_t rings = fifo.directions == 3 ? 2 : 1;
  v.place.view_address = fifo.gm.address;
  v.place.view = {{elements(rings * fifo.slots * fifo.slot_bytes), 1}};
  v.place.address.add(elements(end.first_byte), 1);
  v.place.address.add(within(cluster::reg(end.count), fifo.slots, op.place),
                      elements(fifo.slot_bytes));
  return v;
}

// Waits for room in the pipe's own order: what the producer stores next is behind the wait.
void FunctionLowering::alloc_entry(const Operation& op) {
  Fifo& fifo = fifo_of(op);
  FifoEnd& end = end_of(fifo, op, true);
  if (op.result_types.empty())
    diagnostics_.fail(op.place, op.name + ": expected -> !pto.tensor_view<..>");
  ask_for_slot(fifo, end, op);
  define(op, entry_of(op, fifo, end, op.result_types[0]));
}

void FunctionLowering::push_entry(const Operation& op, Fifo& fifo, FifoEnd& end) {
  const Value& entry = value(op.arguments[0], Value::Kind::kView, "a tile or an entry");
  note_entry(fifo, op, entry.type, true);
  fifo_signal(fifo, true, end.writer, end.flag, op.place);
  add_one(end.count, op.place);
}

void FunctionLowering::pop_entry(const Operation& op, Fifo& fifo, FifoEnd& end) {
  Value entry = entry_of(op, fifo, end, op.result_types[0]);
  note_entry(fifo, op, entry.type, false);
  fifo_signal(fifo, false, end.reader, end.flag, op.place);
  add_one(end.count, op.place);
  define(op, std::move(entry));
}

}  // namespace tessera::pto
