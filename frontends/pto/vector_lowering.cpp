// What tile operations compute: functions, scalars and attributes.
#include <algorithm>

#include "frontends/pto/function_lowering.h"
#include "models/cluster/operand_rules.h"
#include "models/cluster/ub_banks.h"

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
std::string last_word_of(const Attribute& a) {
  std::string text = a.value;
  while (!text.empty() && (text.back() == '>' || text.back() == ' ')) text.pop_back();
  const std::size_t begin = text.find_last_of("< _");
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

Rounding rounding_named(const Attribute& a, const Diagnostics& diagnostics) {
  const std::string word = last_word_of(a);
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

/// Which of two words an attribute has; `on` as well if it has no value.
bool is_on(const Attribute& a, const char* on, const char* off, const Diagnostics& diagnostics) {
  const std::string word = last_word_of(a);
  if (word == on || a.value.empty()) return true;
  if (word == off) return false;
  diagnostics.fail(a.place,
                   a.key + ": expected " + on + " or " + off + ", found " + tasm::quoted(a.value));
}

Predicate predicate_of(const Attribute& a, const Diagnostics& diagnostics) {
  std::string value = a.value;  // also #pto<cmp lt>
  for (const char* word : {" ne>", " le>", " ge>", " lt>", " gt>", " eq>", "<ne>", "<le>", "<ge>",
                           "<lt>", "<gt>", "<eq>"})
    if (const std::size_t at = value.find(word); at != std::string::npos)
      for (const std::size_t k : {at + 1, at + 2})
        value[k] = static_cast<char>(value[k] - 'a' + 'A');
  const auto has = [&value](const char* word) { return value.find(word) != std::string::npos; };
  if (has("not_equal") || has("NE>") || has(" NE")) return Predicate::kNotEqual;
  if (has("less_equal") || has("LE>") || has(" LE")) return Predicate::kLessEqual;
  if (has("greater_equal") || has("GE>") || has(" GE")) return Predicate::kGreaterEqual;
  if (has("less_than") || has("LT>") || has(" LT")) return Predicate::kLess;
  if (has("greater_than") || has("GT>") || has(" GT")) return Predicate::kGreater;
  if (has("equal") || has("EQ>") || has(" EQ")) return Predicate::kEqual;
  diagnostics.fail(a.place, "expected a comparison such as #pto<cmp less_than>, found " +
                                tasm::quoted(a.value));
}

/// P0101 of #pto.mask_pattern<P0101>: every second one, the first of them; the lowest bit is the last.
cluster::GatherPattern pattern_named(const Attribute& a, const Diagnostics& diagnostics) {
  const std::string word = last_word_of(a);
  const std::string bits = word.empty() ? "" : word.substr(1);
  if (word == "P1111") return {1, 0};
  if (word == "P0101" || word == "P1010") return {2, word == "P1010"};
  const std::size_t one = bits.find('1');
  const bool single = bits.size() == 4 && one != std::string::npos &&
                      bits.find_first_not_of('0') == one &&
                      bits.find('1', one + 1) == std::string::npos;
  if (word[0] == 'P' && single) return {4, static_cast<std::uint8_t>(3 - one)};
  diagnostics.fail(a.place, "expected a pattern P0101, P1010, P0001, P0010, P0100, P1000 or P1111, "
                            "found " +
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
    operation.saturates = is_on(*a, "ON", "OFF", diagnostics_);
  if (const Attribute* a = find(op.attributes, "cmpMode"))
    operation.predicate = static_cast<std::uint8_t>(predicate_of(*a, diagnostics_));
  if (const Attribute* a = find(op.attributes, "reluPreMode"))
    operation.relu = a->value.find("no_relu") == std::string::npos;
  if (const Attribute* a = find(op.attributes, "atomicType"))
    operation.adds = a->value.find("atomic_add") != std::string::npos;
  if (const Attribute* a = find(op.attributes, "descending"))
    operation.descends = is_on(*a, "true", "false", diagnostics_);
  if (const Attribute* a = find(op.attributes, "exhausted"))
    operation.exhausts = is_on(*a, "true", "false", diagnostics_);
  if (const Attribute* a = find(op.attributes, "maskPattern"))
    operation.mask = pattern_named(*a, diagnostics_);
  if (const Attribute* a = find(op.attributes, "axis"))
    operation.mask.by_rows = is_on(*a, "\"col\"", "\"row\"", diagnostics_);
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
  choose_function(op, operation);
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
  check_operands(op, operation);
  TileOperation& attached = attach({});
  attached = std::move(operation);
  return attached;
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
    const Operand row = scalar(argument(op, Role::kIn, 1));
    const Operand column = scalar(argument(op, Role::kIn, 2));
    const Value &source = tile(argument(op, Role::kIn)), &target = tile(argument(op, Role::kOut));
    check_inside(op, extracts ? source : target, extracts ? target : source, row, column);
    move_inside(part, row, column);
  }
  TileOperation& operation = attach({std::move(from), std::move(to)});
  operation.function = TileFunction::kCopy;
  set_options(op, operation);
}

void FunctionLowering::lower_vector(const Operation& op, const OperationInfo& info) {
  using cluster::VectorClass;
  const Value& to = tile(argument(op, Role::kOut));
  const Value* widest = &to;
  for (const Argument& a : op.arguments) {
    const Value* v = find_value(a.text);
    const bool number =
        v != nullptr && (v->kind == Value::Kind::kFloat || v->kind == Value::Kind::kScalar);
    // Behind the result of pto.tmrgsort stands a vector of counts, which nothing reads.
    if (number && &a != &argument(op, Role::kOut)) continue;
    const Value& operand = tile(a);
    if (operand.type.location != "vec")
      diagnostics_.fail(a.place, "the vector unit works on tiles in vec, found a tile in " +
                                     operand.type.location);
    if (bits_of(operand.type.element) > bits_of(widest->type.element)) widest = &operand;
  }
  const bool by_pattern = find(op.attributes, "maskPattern") != nullptr;
  const bool by_input = info.meaning == Meaning::kVectorIn || by_pattern;
  const Value& sized = by_input ? tile(argument(op, Role::kIn)) : to;
  Operand elements = size_product(sized.sizes[0], sized.sizes[1], op.place);
  if (info.function == TileFunction::kMergeBlocks)
    elements =
        compute(Opcode::kDiv, elements, cluster::pair_columns(sized.place.element), op.place);
  // A pattern costs what a conversion does: 2 cycles a repeat (4.3). Gather and sort count elements.
  const VectorClass cost = by_pattern ? VectorClass::kConvert : info.vector_class;
  const bool counts = cost == VectorClass::kGather || cost == VectorClass::kSort;
  const cluster::DataType type = counts ? cluster::DataType::kF32 : data_type(widest->type);
  Instruction& i = emit_tile(Opcode::kVector, op, Pipe::kV);
  i.type = type;
  i.vector_class = cost;
  // A5 divides; A2/A3 have an instruction as fast as that of rsqrt (ascend.md 4.3).
  if (info.arithmetic == cluster::Arithmetic::kRecip && options_.profile == cluster::Profile::kA2A3)
    i.vector_class = VectorClass::kRsqrt;
  i.size[0] = elements;
  i.bank_conflict = conflict_of(op, info);
  attach_all(op, info);
}

// Only tiles whose addresses the program gives, and knows, conflict: where the model puts the others
// says nothing about where an assembler would. Of A5 only ratios of unclear measures are published.
cluster::BankConflict FunctionLowering::conflict_of(const Operation& op,
                                                    const OperationInfo& info) const {
  constexpr auto kNone = cluster::BankConflict::kNone;
  const Value& to = tile(argument(op, Role::kOut));
  if (options_.profile != cluster::Profile::kA2A3 || info.function != TileFunction::kMap)
    return kNone;
  std::vector<std::int64_t> sources;
  for (const Argument& a : op.arguments) {
    const Value* v = find_value(a.text);
    if (v == nullptr || v->kind != Value::Kind::kTile) continue;
    if (!v->is_placed || !v->place.address.is_known() || v->type.shape != to.type.shape)
      return kNone;
    if (a.role == Role::kIn) sources.push_back(v->place.address.base);
  }
  return cluster::bank_conflict(sources, to.place.address.base);
}

}  // namespace tessera::pto
