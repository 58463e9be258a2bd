// What operands of tile operations have to be before they run: shapes, types and places
// (models/cluster/program/operand_rules.h has the table).
#include <algorithm>

#include "frontends/pto/function_lowering.h"
#include "models/cluster/program/operand_rules.h"

namespace tessera::pto {

namespace {

using cluster::Arithmetic;
using cluster::Element;
using cluster::OperandShape;
using cluster::TileFunction;
using cluster::TileOperand;
using cluster::TileOperation;

OperandShape shape_of(const TileOperand& operand) {
  const auto known = [](const cluster::Operand& size) {
    return size.is_register ? std::nullopt : std::optional<std::int64_t>(size.value);
  };
  return {known(operand.rows), known(operand.columns)};
}

bool is_asymmetric(const Attribute& kind, const Diagnostics& diagnostics) {
  const auto has = [&kind](const char* word) { return kind.value.find(word) != std::string::npos; };
  if (has("INT8_ASYM") || has("int8_asym")) return true;
  if (has("INT8_SYM") || has("int8_sym")) return false;
  diagnostics.fail(kind.place, "expected a kind of quantisation INT8_SYM or INT8_ASYM, found " +
                                   text::quoted(kind.value));
}

}  // namespace

void FunctionLowering::choose_function(const Operation& op, TileOperation& operation) const {
  const auto tiles =
      std::count_if(op.arguments.begin(), op.arguments.end(), [&](const Argument& a) {
        const Value* v = find_value(a.text);
        return a.role == Role::kIn && (v == nullptr || v->kind == Value::Kind::kTile);
      });
  switch (operation.function) {
  case TileFunction::kGather:
    if (find(op.attributes, "maskPattern") != nullptr)
      operation.function = TileFunction::kGatherMask;
    return;
  case TileFunction::kMergeBlocks:
    if (tiles < 2) return;
    if (tiles < 3)
      diagnostics_.fail(op.place, op.name + ": two lists need a third tile, as scratch");
    operation.function = TileFunction::kMergeLists;
    operation.inputs = static_cast<std::uint8_t>(tiles - 1);
    return;
  case TileFunction::kQuantize: {
    const Attribute* kind = find(op.attributes, "quant_type");
    const bool is_signed = operation.operands.back().element == Element::kI8;
    const bool has_offset = kind == nullptr ? !is_signed : is_asymmetric(*kind, diagnostics_);
    if (!has_offset && tiles > 2)
      diagnostics_.fail(op.place, op.name + ": symmetric quantisation has no offset, expected "
                                            "ins(source, scale)");
    if (has_offset && tiles < 3)
      diagnostics_.fail(op.place, op.name + ": asymmetric quantisation needs an offset, expected "
                                            "ins(source, scale, offset)");
    if (has_offset == is_signed)
      diagnostics_.fail(op.place,
                        op.name + (has_offset ? ": INT8_ASYM gives ui8" : ": INT8_SYM gives i8") +
                            ", the result is a tile of " +
                            to_string(operation.operands.back().element));
    operation.inputs = has_offset ? 3 : 2;
    return;
  }
  case TileFunction::kDequantize:
    operation.inputs = static_cast<std::uint8_t>(tiles);
    return;
  default:
    return;
  }
}

void FunctionLowering::check_operands(const Operation& op, const TileOperation& operation) const {
  const Element result = operation.operands.back().element;
  const Arithmetic a = operation.arithmetic;
  const bool bitwise = (a >= Arithmetic::kAnd && a <= Arithmetic::kShr) || a == Arithmetic::kNot;
  if (operation.function == TileFunction::kMap && bitwise && is_float(result))
    diagnostics_.fail(op.place, op.name + " works on integers, found tiles of " +
                                    std::string(to_string(result)));
  const bool of_floats =
      (a >= Arithmetic::kExp && a <= Arithmetic::kRecip) || a == Arithmetic::kExpDif;
  if (of_floats && !is_float(result) && cluster::has_values(result))
    diagnostics_.fail(op.place, op.name + " works on floats, found tiles of " +
                                    std::string(to_string(result)));
  std::vector<OperandShape> shapes;
  for (const TileOperand& operand : operation.operands) shapes.push_back(shape_of(operand));
  const std::string fault = cluster::find_operand_fault(operation, shapes);
  if (!fault.empty()) diagnostics_.fail(op.place, "operands of " + op.name + " " + fault);
  if (operation.function == TileFunction::kMergeBlocks) check_blocks(op, operation);
}

void FunctionLowering::check_blocks(const Operation& op, const TileOperation& operation) const {
  const auto& scalars = operation.scalars;
  if (scalars.size() != 1 || scalars[0].is_number || scalars[0].is_real)
    diagnostics_.fail(op.place, op.name +
                                    ": expected the length of a block, a whole number, behind "
                                    "the tile");
  if (scalars[0].integer.is_register) return;
  const std::string fault =
      cluster::find_block_fault(scalars[0].integer.value, shape_of(operation.operands[0]).columns);
  if (!fault.empty()) diagnostics_.fail(op.place, op.name + ": " + fault);
}

void FunctionLowering::refuse_negative(const Operation& op) const {
  for (const Argument& a : op.arguments) {
    const bool counts = a.role == Role::kShape || a.role == Role::kOffset || a.role == Role::kSize;
    if (!counts || a.kind != Argument::Kind::kInteger || a.number >= 0) continue;
    diagnostics_.fail(a.place, op.name + ": an offset or size of " + std::to_string(a.number) +
                                   ", expected 0 or more");
  }
}

void FunctionLowering::check_view(const Operation& op, const TileOperand& view) const {
  refuse_negative(op);
  std::int64_t last = 0;
  for (const cluster::Dimension& d : view.view) {
    if (d.size.is_register || d.stride.is_register || d.size.value <= 0) continue;
    std::int64_t reach = 0;
    const std::int64_t bits = cluster::bits_of(view.element);
    if (!__builtin_mul_overflow(d.size.value - 1, d.stride.value, &reach) &&
        !__builtin_add_overflow(last, reach, &last) && !__builtin_mul_overflow(last, bits, &reach))
      continue;
    diagnostics_.fail(op.place, op.name + ": " + std::to_string(d.size.value) + " elements " +
                                    std::to_string(d.stride.value) +
                                    " apart reach farther than addresses of 64 bits");
  }
}

void FunctionLowering::check_part(const Operation& op, const Type& tensor,
                                  const std::vector<Operand>& offsets,
                                  const std::vector<Operand>& sizes) const {
  refuse_negative(op);
  for (std::size_t d = 0; d < offsets.size(); ++d) {
    if (d >= tensor.shape.size() || tensor.shape[d] == kDynamic) continue;
    const std::int64_t room = tensor.shape[d];
    const std::int64_t first = offsets[d].is_register ? 0 : offsets[d].value;
    const std::int64_t count = sizes[d].is_register ? 0 : sizes[d].value;
    if (first <= room && count <= room - first) continue;
    diagnostics_.fail(op.place, op.name + ": the part takes " + std::to_string(count) + " from " +
                                    std::to_string(first) + " on of dimension " +
                                    std::to_string(d) + ", in which the tensor has " +
                                    std::to_string(room));
  }
}

// FIX converts, and so does the way into the bias table.
void FunctionLowering::check_move(const Operation& op, const Value& from, const Value& to) const {
  const std::string& where = to.type.location;
  const bool converts = from.type.location == "acc" || where == "bias" || where == "scaling";
  if (!converts && from.type.element != to.type.element)
    diagnostics_.fail(op.place, "operands of " + op.name + " are " + from.type.element + " (" +
                                    from.place.name + ") and " + to.type.element + " (" +
                                    to.place.name + "): expected one type; pto.tcvt converts");
}

void FunctionLowering::check_inside(const Operation& op, const Value& whole, const Value& part,
                                    Operand row, Operand column) const {
  for (unsigned d = 0; d < 2; ++d) {
    const Operand first = d == 0 ? row : column, size = part.sizes[d];
    const std::int64_t room = whole.type.shape[d];
    const std::int64_t count = size.is_register ? 0 : size.value;
    if (first.is_register ||
        (first.value >= 0 && first.value <= room && count <= room - first.value))
      continue;
    diagnostics_.fail(op.place, op.name + ": " + (d == 0 ? "rows " : "columns ") +
                                    std::to_string(first.value) + ".. (" + std::to_string(count) +
                                    " of them) of a tile of " + std::to_string(room));
  }
}

cluster::Operand FunctionLowering::size_product(Operand a, Operand b, Place place) {
  return compute(Opcode::kMulSize, a, b, place);
}

}  // namespace tessera::pto
