// What tile operations compute: functions, scalars and attributes.
#include <algorithm>

#include "frontends/pto/function_lowering.h"

namespace tessera::pto {

namespace {

using cluster::Holder;
using cluster::Instruction;
using cluster::Opcode;
using cluster::Pad;
using cluster::Pipe;
using cluster::Predicate;
using cluster::Rounding;
using cluster::TileFunction;
using cluster::TileOperand;
using cluster::TileOperation;

// #pto<acc_to_vec_mode dual_mode_split_m> or #pto.acc_to_vec_mode<dual_mode_split_m>.
Holder holder_named(const Attribute& mode, const Diagnostics& diagnostics) {
  const auto has = [&mode](const char* word) { return mode.value.find(word) != std::string::npos; };
  if (has("single_mode_vec0")) return Holder::kAiv0;
  if (has("single_mode_vec1")) return Holder::kAiv1;
  if (has("dual_mode_split_m")) return Holder::kSplitRows;
  if (has("dual_mode_split_n")) return Holder::kSplitColumns;
  diagnostics.fail(mode.place, "expected single_mode_vec0, single_mode_vec1, dual_mode_split_m or "
                               "dual_mode_split_n, found " +
                                   tasm::quoted(mode.value));
}

/// "RINT" of #pto<round_mode RINT>, #pto<round_mode CAST_RINT>, #pto.round_mode<CAST_RINT>.
std::string word_of(const Attribute& a) {
  std::string text = a.value;
  while (!text.empty() && (text.back() == '>' || text.back() == ' ')) text.pop_back();
  const std::size_t begin = text.find_last_of("< _");
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

Rounding rounding_named(const Attribute& a, const Diagnostics& diagnostics) {
  const std::string word = word_of(a);
  if (word == "NONE") return Rounding::kDefault;
  if (word == "RINT") return Rounding::kNearestEven;
  if (word == "ROUND") return Rounding::kNearestAway;
  if (word == "FLOOR") return Rounding::kFloor;
  if (word == "CEIL") return Rounding::kCeil;
  if (word == "TRUNC") return Rounding::kTruncate;
  if (word == "ODD") return Rounding::kOdd;
  diagnostics.fail(a.place,
                   "expected a rounding mode NONE, RINT, ROUND, FLOOR, CEIL, TRUNC or ODD, "
                   "found " +
                       tasm::quoted(a.value));
}

Predicate predicate_of(const Attribute& a, const Diagnostics& diagnostics) {
  const auto has = [&a](const char* word) { return a.value.find(word) != std::string::npos; };
  if (has("not_equal") || has("NE>") || has(" NE")) return Predicate::kNotEqual;
  if (has("less_equal") || has("LE>") || has(" LE")) return Predicate::kLessEqual;
  if (has("greater_equal") || has("GE>") || has(" GE")) return Predicate::kGreaterEqual;
  if (has("less_than") || has("LT>") || has(" LT")) return Predicate::kLess;
  if (has("greater_than") || has("GT>") || has(" GT")) return Predicate::kGreater;
  if (has("equal") || has("EQ>") || has(" EQ")) return Predicate::kEqual;
  diagnostics.fail(a.place, "expected a comparison such as #pto<cmp less_than>, found " +
                                tasm::quoted(a.value));
}

/// pad = 1, 2 or 3, or zero, max or min, of a tile type.
Pad pad_of(const Type& type, const Diagnostics& diagnostics) {
  const Attribute* pad = find(type.options, "pad");
  std::string word = pad == nullptr ? "0" : pad->value;
  for (const Attribute& a : type.options)
    if (a.key.rfind("pad=", 0) == 0) word = a.key.substr(4);
  word = word.substr(0, word.find(':'));
  if (word == "0") return Pad::kNone;
  if (word == "1") return Pad::kZero;
  if (word == "2") return Pad::kLargest;
  if (word == "3") return Pad::kLeast;
  diagnostics.fail(type.place, "expected pad 0 to 3, found " + tasm::quoted(word));
}

}  // namespace

void FunctionLowering::set_options(const Operation& op, TileOperation& operation) const {
  if (const Attribute* a = find(op.attributes, "rmode"))
    operation.rounding = rounding_named(*a, diagnostics_);
  if (const Attribute* a = find(op.attributes, "satmode"))
    operation.saturates = word_of(*a) != "OFF";
  if (const Attribute* a = find(op.attributes, "cmpMode"))
    operation.predicate = static_cast<std::uint8_t>(predicate_of(*a, diagnostics_));
  if (const Attribute* a = find(op.attributes, "reluPreMode"))
    operation.relu = a->value.find("no_relu") == std::string::npos;
  if (const Attribute* a = find(op.attributes, "atomicType"))
    operation.adds = a->value.find("atomic_add") != std::string::npos;
  if (const Attribute* a = find(op.attributes, "descending"))
    operation.descends = a->value.rfind("false", 0) != 0;
}

TileOperation& FunctionLowering::attach_all(const Operation& op, const OperationInfo& info) {
  TileOperation operation;
  operation.function = info.function;
  operation.arithmetic = info.arithmetic;
  set_options(op, operation);
  for (const Argument& a : op.arguments) {
    const Value* v = find_value(a.text);
    if (v == nullptr || v->kind == Value::Kind::kTile) {
      operation.operands.push_back(
          tile_operand(a, a.role == Role::kIn ? Access::kRead : Access::kWrite));
      continue;
    }
    if (operation.operands.empty()) operation.scalar_first = true;
    const bool real = v->kind == Value::Kind::kFloat;
    operation.scalars.push_back({real && !v->scalar.is_register, v->number, v->scalar, real});
  }
  const unsigned inputs = cluster::input_count(operation);
  const std::size_t tiles = operation.operands.size();
  if (tiles < inputs + 1U || tiles > cluster::kMostOperands ||
      operation.scalars.size() > cluster::kMostScalars)
    diagnostics_.fail(op.place, op.name + ": expected " + std::to_string(inputs) +
                                    " tiles and a result, found " + std::to_string(tiles) +
                                    " tiles");
  for (std::size_t i = inputs; i + 1 < tiles; ++i) operation.operands[i].access = Access::kWrite;
  if (operation.function == TileFunction::kFillPad)
    operation.pad = pad_of(tile(argument(op, Role::kOut)).type, diagnostics_);
  check_types(op, operation);
  TileOperation& attached = attach({});
  attached = std::move(operation);
  return attached;
}

// What has no meaning for the types of its tiles.
void FunctionLowering::check_types(const Operation& op, const TileOperation& operation) const {
  using cluster::Arithmetic;
  const cluster::Element result = operation.operands.back().element;
  const Arithmetic a = operation.arithmetic;
  const bool bitwise = (a >= Arithmetic::kAnd && a <= Arithmetic::kShr) || a == Arithmetic::kNot;
  if (operation.function == TileFunction::kMap && bitwise && is_float(result))
    diagnostics_.fail(op.place, op.name + " works on integers, found tiles of " +
                                    std::string(to_string(result)));
  const std::size_t inputs = cluster::input_count(operation);
  const bool masks = operation.function == TileFunction::kSelect;
  const bool multiplies = operation.function == TileFunction::kMatmul ||
                          operation.function == TileFunction::kMatmulAdd ||
                          operation.function == TileFunction::kMatmulBias;
  for (std::size_t i = 0; i < inputs; ++i) {
    const cluster::Element e = operation.operands[i].element;
    const bool mask = masks && i == 0;
    if (mask         ? cluster::bits_of(e) != 8
        : multiplies ? is_float(e) != is_float(operation.operands[0].element)
                     : e != operation.operands[masks ? 1 : 0].element)
      diagnostics_.fail(op.place, op.name + ": a tile of " + std::string(to_string(e)) +
                                      " among its operands, expected " +
                                      (mask ? "i8 for a mask" : "one type"));
  }
  const bool converts = multiplies || operation.function == TileFunction::kConvert ||
                        operation.function == TileFunction::kCompare;
  if (inputs > 0 && !converts && result != operation.operands[masks ? 1 : 0].element)
    diagnostics_.fail(op.place, op.name + ": a result of " + std::string(to_string(result)) +
                                    " of tiles of " +
                                    to_string(operation.operands[masks ? 1 : 0].element) +
                                    ", expected the same; pto.tcvt converts");
  if (operation.function == TileFunction::kCompare && cluster::bits_of(result) != 8)
    diagnostics_.fail(op.place, op.name + ": the mask is a tile of " +
                                    std::string(to_string(result)) + ", expected i8 or ui8");
}

// FIX may write into the UB of AIV0 or of AIV1, or divide the tile among both.
void FunctionLowering::attach_move(const Operation& op, const OperationInfo& info) {
  TileOperand from = tile_operand(argument(op, Role::kIn), Access::kRead);
  TileOperand to = tile_operand(argument(op, Role::kOut), Access::kWrite);
  if (const Attribute* mode = find(op.attributes, "accToVecMode"))
    to.holder = holder_named(*mode, diagnostics_);
  if (info.meaning == Meaning::kExtract || info.meaning == Meaning::kInsert) {
    const bool extracts = info.meaning == Meaning::kExtract;
    TileOperand &whole = extracts ? to : from, &part = extracts ? from : to;
    part.rows = whole.rows;
    part.columns = whole.columns;
    move_inside(part, scalar(argument(op, Role::kIn, 1)), scalar(argument(op, Role::kIn, 2)));
  }
  TileOperation& operation = attach({std::move(from), std::move(to)});
  operation.function = TileFunction::kCopy;
  set_options(op, operation);
}

void FunctionLowering::lower_vector(const Operation& op, const OperationInfo& info) {
  const Value& to = tile(argument(op, Role::kOut));
  const Value* widest = &to;
  for (const Argument& a : op.arguments) {
    const Value* v = find_value(a.text);
    const bool number =
        v != nullptr && (v->kind == Value::Kind::kFloat || v->kind == Value::Kind::kScalar);
    if (number && a.role == Role::kIn) continue;
    const Value& operand = tile(a);
    if (operand.type.location != "vec")
      diagnostics_.fail(a.place, "the vector unit works on tiles in vec, found a tile in " +
                                     operand.type.location);
    if (bits_of(operand.type.element) > bits_of(widest->type.element)) widest = &operand;
  }
  const Value& sized = info.meaning == Meaning::kVectorIn ? tile(argument(op, Role::kIn)) : to;
  const Operand elements = compute(Opcode::kMul, sized.sizes[0], sized.sizes[1], op.place);
  Instruction& i = emit_tile(Opcode::kVector, op, Pipe::kV);
  i.type = data_type(widest->type);
  i.vector_class = info.vector_class;
  i.size[0] = elements;
  attach_all(op, info);
}

}  // namespace tessera::pto
