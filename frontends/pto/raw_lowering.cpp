#include <algorithm>

#include "frontends/pto/register_lowering.h"

namespace tessera::pto {

namespace {

constexpr std::int64_t kBlock = 32;

}  // namespace

// A state of the core that no cost depends on: one instruction of the scalar unit. Values depend on some, in the order of
// the text.
void RawLowering::state(const Operation& op) {
  const std::string name = op.name.substr(4);
  if (name == "set_atomic_none") {
    atomic_ = Atomic::kNone;
    atomic_type_.clear();
  } else if (name == "set_atomic_add") {
    atomic_ = Atomic::kAdd;
  } else if (name == "set_atomic_max" || name == "set_atomic_min") {
    atomic_ = Atomic::kOther;
  } else if (name.rfind("set_atomic_", 0) == 0) {
    atomic_type_ = name.substr(11);
  } else if (name.rfind("set_loop_size_", 0) == 0) {
    bool once = true;
    for (const Argument& a : op.arguments) {
      const Operand n = a.kind == Argument::Kind::kInteger ? Operand(a.number) : scope_.scalar(a);
      once = once && !n.is_register && n.value == 1;
    }
    (has_part(name, "outtoub") ? loops_in_ : loops_out_) = !once;
  }
  const Operand unused = emitter_.new_register(op.place);
  emitter_.set(unused, 0, op.place);
  for (const Result& result : op.results)
    scope_.define(result.name, result.place, Value::of_scalar(unused));
}

// mte_gm_ub %from, %to, %l2, %bytes nburst(%rows, %from_stride, %to_stride); mte_ub_gm without %l2.
// copy_gm_to_ubuf %from, %to, %sid, %rows, %blocks, .. and its relatives count blocks of 32 bytes.
// The others name rows and columns of fractals: their first two numbers.
RawLowering::Shape RawLowering::shape_of(const Operation& op, const RawRow& row,
                                         std::int64_t width) const {
  std::vector<Operand> numbers, bursts;
  for (const Argument& a : op.arguments) {
    if (a.role != Role::kOperand) continue;
    const Value* v = a.kind == Argument::Kind::kInteger ? nullptr : &scope_.any_value(a);
    if (v != nullptr && v->kind != Value::Kind::kScalar) continue;
    const Operand n = v == nullptr ? Operand(a.number) : v->scalar;
    if (a.key.empty()) numbers.push_back(n);
    if (a.key == "nburst") bursts.push_back(n);
  }
  Shape shape;
  const auto number = [&](std::size_t i) { return i < numbers.size() ? numbers[i] : Operand(1); };
  if (bursts.size() == 3) {
    const bool in_blocks = !has_part(op.name, "gm");
    shape.rows = bursts[0];
    shape.bytes = numbers.empty() ? Operand(1) : numbers.back();
    if (in_blocks) shape.bytes = emitter_.size_product(shape.bytes, kBlock, op.place);
    shape.from_stride = in_blocks ? Operand(0) : bursts[1];
    shape.to_stride = in_blocks ? Operand(0) : bursts[2];
    return shape;
  }
  if (op.name.rfind("pto.copy_", 0) == 0) {
    shape.rows = number(1);
    const bool in_bytes = has_part(op.name, "gm");
    shape.bytes = in_bytes ? number(2) : emitter_.size_product(number(2), kBlock, op.place);
    return shape;
  }
  shape.rows = number(0);
  // FIX counts columns, the others bytes of them.
  const bool fix = row.opcode == Opcode::kFixOut || row.opcode == Opcode::kFixLocal;
  shape.bytes = emitter_.size_product(number(1), fix ? 1 : width, op.place);
  return shape;
}

TileOperand RawLowering::part(const Value& pointer, const Shape& shape, Operand stride,
                              Access access, Place place) {
  TileOperand o = pointer.place;
  o.access = access;
  const std::int64_t width = std::max(1U, cluster::bits_of(o.element) / 8);
  const Operand columns = emitter_.compute(Opcode::kDiv, shape.bytes, width, place);
  const bool dense = !stride.is_register && stride.value == 0;
  const Operand step = dense ? columns : emitter_.compute(Opcode::kDiv, stride, width, place);
  if (o.location == Location::kGm) {
    o.dimensions = o.view = {{shape.rows, step}, {columns, 1}};
    o.view_address = o.address;
    return o;
  }
  o.rows = shape.rows;
  o.columns = columns;
  o.row_stride = step.is_register ? 1 : std::max<std::int64_t>(step.value, 1);
  o.full_rows = 0;  // the text does not say how large the buffer behind the pointer is
  return o;
}

void RawLowering::move(const Operation& op) {
  const RawRow& row = raw_row(op.name);
  if (row.opcode == Opcode::kEnd) return state(op);
  std::vector<const Value*> pointers;
  for (const Argument& a : op.arguments) {
    if (a.role != Role::kOperand || a.kind != Argument::Kind::kValue) continue;
    const Value& v = scope_.any_value(a);
    if (v.kind == Value::Kind::kPointer || v.kind == Value::Kind::kTile) pointers.push_back(&v);
  }
  const bool fills = row.opcode == Opcode::kBusy;
  if (pointers.size() < (fills ? 1U : 2U))
    fail(op, "expected pointers to what it reads and writes");
  const Shape shape =
      shape_of(op, row, std::max(1U, cluster::bits_of(pointers[0]->place.element) / 8));
  const bool is_mad = row.opcode == Opcode::kMad;
  const bool fix = row.opcode == Opcode::kFixOut || row.opcode == Opcode::kFixLocal;
  const Value& from = *pointers[0];
  const Value& to = is_mad ? *pointers[2 < pointers.size() ? 2 : 1] : *pointers.back();
  std::vector<TileOperand> operands;
  const bool plain = row.opcode == Opcode::kCopyIn || row.opcode == Opcode::kCopyOut;
  const bool known = plain && has_part(op.name, "ub") && !shape.from_stride.is_register &&
                     !shape.to_stride.is_register && from.place.element == to.place.element;
  if (known) {
    operands = {part(from, shape, shape.from_stride, Access::kRead, op.place),
                part(to, shape, shape.to_stride, Access::kWrite, op.place)};
  } else if (!fills) {
    operands = {part(from, shape, 0, Access::kRead, op.place),
                part(to, shape, 0, Access::kWrite, op.place)};
  }
  Operand third;
  if (is_mad) {
    std::vector<Operand> sizes;
    for (const Argument& a : op.arguments)
      if (a.role == Role::kOperand && a.key.empty() && a.kind == Argument::Kind::kValue &&
          scope_.any_value(a).kind == Value::Kind::kScalar)
        sizes.push_back(scope_.scalar(a));
    if (sizes.size() < 3) fail(op, "expected the sizes m, n and k");
    Instruction& mad = emitter_.emit_tile(row.opcode, op.place, row.pipe);
    mad.size = {sizes[0], sizes[1], sizes[2]};
    mad.type = data_type(from);
    emitter_.attach({}, TileFunction::kNoValues);
    return;
  }
  Instruction& i = emitter_.emit_tile(row.opcode, op.place, row.pipe);
  i.size = {shape.rows, shape.bytes, Operand()};
  i.type = data_type(to);
  if (fix || row.opcode == Opcode::kVector) i.type = DataType::kF32;
  if (row.opcode == Opcode::kVector) {
    i.vector_class = VectorClass::kCopy;
    i.size = {shape.rows, Operand(), Operand()};
  }
  const bool out = row.opcode == Opcode::kCopyOut;
  const std::string type = std::string(cluster::is_float(to.place.element) ? "f" : "s") +
                           std::to_string(cluster::bits_of(to.place.element));
  const bool brain = to.place.element == Element::kBf16;
  const bool in_type = atomic_type_.empty() || atomic_type_ == (brain ? "bf16" : type);
  const bool has_values =
      known && !(out ? loops_out_ : loops_in_) &&
      (!out || atomic_ == Atomic::kNone || (atomic_ == Atomic::kAdd && in_type));
  TileOperation& operation = emitter_.attach(
      std::move(operands), has_values ? TileFunction::kCopy : TileFunction::kNoValues);
  operation.adds = has_values && out && atomic_ == Atomic::kAdd;
  if (operation.adds) operation.operands.back().access = Access::kAdd;
}

}  // namespace tessera::pto
