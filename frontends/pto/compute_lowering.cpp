#include "frontends/pto/operation_lowering.h"

#include <algorithm>

#include "models/cluster/program/operand_rules.h"
#include "models/cluster/program/program.h"

namespace tessera::pto {

using cluster::OperandShape;

namespace {

OperandShape shape_of(const TileOperand& operand) {
  const auto known = [](const Operand& size) {
    return size.is_register ? std::nullopt : std::optional<std::int64_t>(size.value);
  };
  return {known(operand.rows), known(operand.columns)};
}

bool is_asymmetric(const Attribute& kind, const Diagnostics& diagnostics) {
  const auto has = [&kind](const char* word) { return kind.value.find(word) != std::string::npos; };
  if (has("INT8_ASYM") || has("int8_asym")) return true;
  if (has("INT8_SYM") || has("int8_sym")) return false;
  fail_expected(diagnostics, kind.place, "a kind of quantisation INT8_SYM or INT8_ASYM",
                kind.value);
}

/// A tile that an operation writes somewhere, whatever is valid of it.
void become_scratch(TileOperand& tile) {
  tile.access = Access::kWrite;
  const std::array<Operand*, 2> valid = {&tile.rows, &tile.columns};
  for (std::size_t d = 0; d < 2; ++d) {
    const std::int64_t size = (d == 0) == tile.by_columns ? tile.row_stride : tile.full_rows;
    if (!valid[d]->is_register && size > 0) valid[d]->value = std::min(valid[d]->value, size);
  }
}

/// Whether signed and unsigned integers give different results.
bool depends_on_sign(const TileOperation& operation) {
  using A = Arithmetic;
  using F = TileFunction;
  const A a = operation.arithmetic;
  const F f = operation.function;
  const bool computes = f == F::kMap || f == F::kPart || f == F::kRowMap || f == F::kColumnMap ||
                        f == F::kRowReduce || f == F::kColumnReduce;
  const bool by_sign = a == A::kMax || a == A::kMin || a == A::kDiv || a == A::kRem ||
                       a == A::kFmod || a == A::kShr || a == A::kLeakyRelu || a == A::kPow ||
                       a == A::kReverseDiv || a == A::kExpDif || a == A::kAbs || a == A::kRelu ||
                       a >= A::kExp;
  return f == F::kCompare || f == F::kConvert || f == F::kRowArg || f == F::kColumnArg ||
         f == F::kPartArg || (computes && by_sign);
}

/// Whether what depends on the sign has values for unsigned integers of 64 bits too.
bool has_unsigned_form(const TileOperation& operation) {
  using A = Arithmetic;
  using F = TileFunction;
  const F f = operation.function;
  const bool maps = f == F::kMap || f == F::kPart || f == F::kRowMap || f == F::kColumnMap;
  const bool reduces = f == F::kRowReduce || f == F::kColumnReduce;
  const A a = operation.arithmetic;
  const bool by_order = a == A::kMax || a == A::kMin;
  const bool divides = a == A::kDiv || a == A::kRem || a == A::kFmod || a == A::kShr;
  return f == F::kCompare || (by_order && (maps || reduces)) || (divides && maps);
}

/// What high precision computes: remainders of f32 without rounding in between.
Arithmetic exact(Arithmetic a, Element element) {
  if (element != Element::kF32) return a;
  return a == Arithmetic::kRem    ? Arithmetic::kExactRem
         : a == Arithmetic::kFmod ? Arithmetic::kExactFmod
                                  : a;
}

/// A name without a value counts as a tile, so that the message asks for a tile.
bool is_tile(const Value* v) {
  return v == nullptr || v->kind == Value::Kind::kTile;
}

}  // namespace

void ComputeLowering::matmul(const Operation& op, const OperationInfo& info) {
  // Products with scales (.mx) name them after each factor.
  using F = TileFunction;
  const bool adds = info.function == F::kMatmulAdd || info.function == F::kMatmulMxAdd;
  const bool has_scales = info.function == F::kMatmulMx || info.function == F::kMatmulMxAdd ||
                          info.function == F::kMatmulMxBias;
  const std::size_t first = adds ? 1 : 0;
  const auto require = [&](const Argument& a, const char* location) -> const Value& {
    const Value& v = scope_.tile(a);
    if (v.type.location != location)
      fail(a.place, "expected a tile in ", location, ", found a tile in ", v.type.location);
    return v;
  };
  const Value& left = require(argument(op, Role::kIn, first), "left");
  const Value& right = require(argument(op, Role::kIn, first + (has_scales ? 2 : 1)), "right");
  require(argument(op, Role::kOut), "acc");
  if (first > 0) require(argument(op, Role::kIn), "acc");
  if (info.function == F::kMatmulBias) require(argument(op, Role::kIn, 2), "bias");
  if (info.function == F::kMatmulMxBias) require(argument(op, Role::kIn, 4), "bias");
  const Operand rows = left.sizes[0], columns = right.sizes[1];
  Instruction& mad = emitter_.emit_tile(Opcode::kMad, op.place, Pipe::kM);
  mad.type = data_type(left);
  mad.size = {rows, columns, left.sizes[1]};
  attach_all(op, info);
  if (first > 0) {  // the sum has the rows of A and the columns of B, whatever is valid of L0C
    for (TileOperand& o : emitter_.last_operation().operands) {
      if (o.location != Location::kL0c) continue;
      o.rows = rows;
      o.columns = columns;
    }
  }
  if (has_scales) require_scale_values();
  set_factor_rounding(op);
  if (!is_a5()) lay_out_product(op, rows, columns);
  set_unit_flag(op);
}

// Products of f32 may round their factors, which M then multiplies at the rate of HF32 (ascend_2.md 5.10).
void ComputeLowering::set_factor_rounding(const Operation& op) {
  constexpr std::uint8_t kHf32 = 11, kTf32 = 10;  // bits of mantissa of A2/A3 and of A5
  const Attribute* mode = find(op.attributes, "tf32Mode");
  if (mode == nullptr) return;
  const std::string word = word_of(*mode);
  if (word != "round_even" && word != "round_away")
    fail_expected(mode->place, "round_even or round_away", word);
  Instruction& mad = emitter_.last();
  if (mad.type != DataType::kF32)
    fail(mode->place, "factors are rounded to TF32 only in products of f32");
  mad.type = DataType::kHf32;
  TileOperation& product = emitter_.last_operation();
  product.mantissa = is_a5() ? kTf32 : kHf32;
  product.rounding =
      word == "round_away" ? cluster::Rounding::kNearestAway : cluster::Rounding::kNearestEven;
}

// The public assembler takes any type for a tile of scales; the values of f8E8M0FNU are known.
void ComputeLowering::require_scale_values() {
  TileOperation& product = emitter_.last_operation();
  const auto has_no_value = [](const TileOperand& o) {
    return (o.location == Location::kScaleA || o.location == Location::kScaleB) &&
           o.element != Element::kE8m0;
  };
  if (std::any_of(product.operands.begin(), product.operands.end(), has_no_value))
    product.function = TileFunction::kNoValues;
}

// --- vector operations ---

// The cube's own buffer has no vector unit: MTE2 fills a tile in L1, and the columns beyond the valid
// ones, as fast as it writes L1 (1.4).
void ComputeLowering::fill_in_l1(const Operation& op, const OperationInfo& info) {
  constexpr std::int64_t kBytesPerCycle = 256;
  const Value& to = output(op);
  const std::int64_t bytes = bytes_of(to.place);
  emitter_.emit_tile(Opcode::kBusy, op.place, Pipe::kMte2).size[0] =
      std::max<std::int64_t>((bytes + kBytesPerCycle - 1) / kBytesPerCycle, 1);
  attach_all(op, info);
}

const Value& ComputeLowering::widest_tile(const Operation& op) const {
  const Argument& out = argument(op, Role::kOut);
  const Value* widest = &scope_.tile(out);
  for (const Argument& a : op.arguments) {
    const Value* v = scope_.find(a.text);
    const bool number =
        v != nullptr && (v->kind == Value::Kind::kFloat || v->kind == Value::Kind::kScalar);
    // The second result of pto.tmrgsort is a vector of counts, which no operation reads.
    if (number && &a != &out) continue;
    const Value& operand = scope_.tile(a);
    if (operand.type.location != "vec")
      fail(a.place, "the vector unit works on tiles in vec, found a tile in ",
           operand.type.location);
    if (bits_of(operand.type.element) > bits_of(widest->type.element)) widest = &operand;
  }
  return *widest;
}

void ComputeLowering::vector(const Operation& op, const OperationInfo& info) {
  const bool fills =
      info.function == TileFunction::kFill || info.function == TileFunction::kFillPad;
  if (fills && output(op).type.location == "mat") return fill_in_l1(op, info);
  if (info.function == TileFunction::kSequence && counts_by_scalars(op))
    return count_by_scalars(op);
  const Value& widest = widest_tile(op);
  const bool by_pattern = find(op.attributes, "maskPattern") != nullptr;
  const bool by_input = info.meaning == Meaning::kVectorIn || by_pattern || compares(op);
  const Value& sized = by_input ? input(op) : output(op);
  Operand elements = emitter_.size_product(sized.sizes[0], sized.sizes[1], op.place);
  if (info.function == TileFunction::kMergeBlocks)
    elements = emitter_.compute(Opcode::kDiv, elements, cluster::pair_columns(sized.place.element),
                                op.place);
  // A gather by pattern costs as much as a conversion: 2 cycles per repeat (4.3). The cost of a
  // gather by index and of a sort depends on the number of elements only.
  const VectorClass cost = by_pattern ? VectorClass::kConvert : info.vector_class;
  const bool counts = cost == VectorClass::kGather || cost == VectorClass::kSort;
  Instruction& i = emitter_.emit_tile(Opcode::kVector, op.place, Pipe::kV);
  i.type = counts ? DataType::kF32 : data_type(widest);
  i.vector_class = class_of(op, info, cost);
  i.size[0] = elements;
  const bool gathers_rows = info.function == TileFunction::kGather && !by_pattern && !is_a5();
  if ((!counts && !by_pattern) || gathers_rows)
    i.size = {elements, sized.sizes[0], sized.place.row_stride};
  i.bank_conflict = conflict_of(op, info);
  attach_all(op, info);
  TileOperation& operation = emitter_.last_operation();
  emitter_.last().form = operation.form = form_of(op, operation);
  if (!is_a5()) count_merges(operation, sized.sizes[1]);
  emitter_.last().fused = is_a5() && continues_function();
}

// The public assembler fuses adjacent operations that work element by element, on the same valid rows and columns
// and on one type (ascend.md 4.3). Whether they are, the profile says.
bool ComputeLowering::continues_function() {
  using F = TileFunction;
  const auto fuses = [](const TileOperation& o) {
    return o.function == F::kMap || o.function == F::kMapAdd || o.function == F::kMultiplyAdd ||
           o.function == F::kRowMap || o.function == F::kColumnMap;
  };
  const Instruction* front = emitter_.vector_before_last();
  if (front == nullptr || front->operation == 0 || !fuses(emitter_.last_operation())) return false;
  const TileOperation& before = emitter_.program().operations[front->operation - 1];
  const TileOperand &a = before.operands.back(), &b = emitter_.last_operation().operands.back();
  const auto same = [](const Operand& x, const Operand& y) {
    return x.is_register == y.is_register && x.value == y.value;
  };
  return fuses(before) && a.element == b.element && same(a.rows, b.rows) &&
         same(a.columns, b.columns);
}

// Tiles whose addresses are known have conflicts, those that the model has placed too: the public assembler
// places tiles one after the other as the model does. No clear costs are published for A5.
cluster::BankConflict ComputeLowering::conflict_of(const Operation& op,
                                                   const OperationInfo& info) const {
  constexpr auto kNone = cluster::BankConflict::kNone;
  const Value& to = output(op);
  if (is_a5() || info.function != TileFunction::kMap) return kNone;
  std::vector<std::int64_t> sources;
  for (const Argument& a : op.arguments) {
    const Value* v = scope_.find(a.text);
    if (v == nullptr || v->kind != Value::Kind::kTile) continue;
    if (!v->place.address.is_known() || v->type.shape != to.type.shape) return kNone;
    if (a.role == Role::kIn) sources.push_back(v->place.address.base);
  }
  return cluster::bank_conflict(sources, to.place.address.base);
}

// --- operands ---

void ComputeLowering::attach_all(const Operation& op, const OperationInfo& info) {
  TileOperation operation;
  operation.function = info.function;
  operation.arithmetic = info.arithmetic;
  const Attribute* precision = find(op.attributes, "precisionType");
  if (is_a5() && precision != nullptr && has_part(precision->value, "high_precision"))
    operation.arithmetic = exact(info.arithmetic, widest_tile(op).place.element);
  set_options(op, operation, diagnostics_);
  operation.relu = operation.relu || info.relu;
  const bool typed = op.types.size() == op.arguments.size();
  for (const Argument& a : op.arguments) {
    const Value* v = scope_.find(a.text);
    const auto n = static_cast<std::size_t>(&a - op.arguments.data());
    if (typed && op.types[n].kind == Type::Kind::kTile) scope_.tile(a);  // a number is none
    if (is_tile(v)) {
      if (v != nullptr && v->type.element == "ui64" && depends_on_sign(operation)) {
        if (!has_unsigned_form(operation))
          fail(a.place, op.name, " of unsigned integers of 64 bits is not modelled");
        operation.is_unsigned = true;
      }
      const Access access = a.role == Role::kIn ? Access::kRead : Access::kWrite;
      operation.operands.push_back(tile_operand(a, access));
      continue;
    }
    if (const std::string with_number = op.name + "s"; find_operation(with_number) != nullptr)
      fail(a.place, op.name, " takes tiles; a tile and a number are ", with_number);
    if (operation.function == TileFunction::kNoValues) continue;
    if (operation.operands.empty()) operation.scalar_first = true;
    const bool real = v->kind == Value::Kind::kFloat;
    operation.scalars.push_back({real && !v->scalar.is_register, v->number, v->scalar, real});
  }
  choose_function(op, operation);
  if (is_a5() && context_.options.sizes_of_results) masks_as_bytes(operation);
  bits_as_integers(operation);
  const auto outs = std::count_if(op.arguments.begin(), op.arguments.end(),
                                  [](const Argument& a) { return a.role == Role::kOut; });
  using F = TileFunction;
  const F function = operation.function;
  // Scratch may stand after the result.
  if (function == F::kQuantize && outs > 1) operation.operands.pop_back();
  if (function == F::kRowArg || function == F::kColumnArg || function == F::kPartArg ||
      function == F::kQuantizeMx || function == F::kGatherCompare)
    operation.results = static_cast<std::uint8_t>(outs);
  if (function == F::kMultiplyAdd || function == F::kScatter) {  // the result is an input too
    operation.operands.push_back(operation.operands.back());
    operation.operands[operation.operands.size() - 2].access = Access::kRead;
  }
  const unsigned inputs = cluster::input_count(operation);
  const std::size_t tiles = operation.operands.size();
  if (tiles < inputs + operation.results || tiles > cluster::kMostOperands ||
      operation.scalars.size() > (function == F::kRandom ? cluster::kMostScalars : 2U))
    fail(op, "expected ", inputs, " tiles and a result, found ", tiles, " tiles");
  if (function == F::kPartArg && outs != 2) fail(op, "expected outs(value, index)");
  // The tiles between inputs and result are scratch, which the operation writes.
  for (std::size_t i = inputs; i + operation.results < tiles; ++i)
    become_scratch(operation.operands[i]);
  // A2/A3 have an instruction for it, which a form with scratch does not use (pto-isa, TUnaryOp and TRsqrt).
  operation.by_root =
      operation.arithmetic == Arithmetic::kRsqrt && (is_a5() || tiles > inputs + operation.results);
  follow_result(op, operation);
  if (operation.function == TileFunction::kFillPad)
    operation.pad = pad_of(output(op).type, diagnostics_);
  check_operands(op, operation);
  emitter_.attach({}) = std::move(operation);
}

// The valid part of the result says what an elementwise operation computes. A source whose type leaves
// its valid sizes open is read as far.
void ComputeLowering::follow_result(const Operation& op, TileOperation& operation) const {
  using F = TileFunction;
  const F function = operation.function;
  const bool all = function == F::kMap || function == F::kSelectTile || function == F::kSelect;
  const bool one = function == F::kConvert || function == F::kRowMap || function == F::kColumnMap ||
                   function == F::kColumnExpand;
  const unsigned end = all ? cluster::input_count(operation) : one ? 1 : 0;
  TileOperand& written = operation.operands.back();
  // April's assembler takes a result with room for more than the mask selects: the rest stays as it is.
  if (function == F::kGatherMask && is_april() && !written.columns.is_register &&
      !operation.operands[0].columns.is_register && !operation.mask.by_rows)
    written.columns =
        std::min(written.columns.value, operation.mask.count(operation.operands[0].columns.value));
  if (function == F::kGatherMask && context_.options.sizes_of_results) pack_selected(operation);
  // The library writes a number for each row, whatever columns are valid.
  if (function == F::kRowReduce && context_.options.sizes_of_results && !written.by_columns &&
      !written.columns.is_register && written.columns.value > 1 && !written.rows.is_register &&
      !operation.operands[0].rows.is_register &&
      written.rows.value == operation.operands[0].rows.value)
    written.columns = 1;
  const TileOperand result = written;
  // With a number the library computes nothing where sizes differ; a value for each row makes it look at the other source.
  const bool is_library = context_.options.sizes_of_results && operation.scalars.empty();
  const bool by_result = is_library && function != F::kRowMap && function != F::kSelectTile;
  const auto follows = [](std::int64_t valid, const Operand& size, std::int64_t room, bool always) {
    return valid == kDynamic || (always && !size.is_register && size.value <= room);
  };
  unsigned n = 0;
  for (const Argument& a : op.arguments) {
    const Value* v = scope_.find(a.text);
    if (n >= end || v == nullptr || v->kind != Value::Kind::kTile) continue;
    TileOperand& source = operation.operands[n++];
    if (function == F::kSelect && n == 1) continue;  // the mask
    const Type& type = v->type;
    if (follows(type.valid_columns, result.columns, type.shape[1], by_result))
      source.columns = result.columns;
    if (function != F::kColumnExpand &&
        follows(type.valid_rows, result.rows, type.shape[0], by_result))
      source.rows = result.rows;
  }
  if (function != F::kRowMap && function != F::kColumnMap) return;
  // A column has a value for each row, a row one for each column.
  const Value* once = scope_.find(argument(op, Role::kIn, 1).text);
  if (once == nullptr || once->kind != Value::Kind::kTile) return;
  TileOperand& values = operation.operands[1];
  const bool by_row = function == F::kRowMap;
  const Type& type = once->type;
  if (by_row && type.shape[0] > 1 &&
      follows(type.valid_rows, result.rows, type.shape[0], is_library))
    values.rows = result.rows;
  if (!by_row && type.shape[1] > 1 &&
      follows(type.valid_columns, result.columns, type.shape[1], is_library))
    values.columns = result.columns;
}

// Pairs of types that the library of both generations cuts off where a kernel does not say whether to saturate.
bool wraps_by_default(Element from, Element to) {
  switch (to) {
  case Element::kI8:
  case Element::kU8:
    return from == Element::kF16;
  case Element::kI16:
    return from == Element::kF32 || from == Element::kF16 || from == Element::kI32;
  case Element::kI32:
    return from == Element::kI64;
  default:
    return false;
  }
}

void ComputeLowering::choose_function(const Operation& op, TileOperation& operation) const {
  const auto tiles = static_cast<unsigned>(
      std::count_if(op.arguments.begin(), op.arguments.end(), [&](const Argument& a) {
        return a.role == Role::kIn && is_tile(scope_.find(a.text));
      }));
  if (operation.function == TileFunction::kGather) {
    if (find(op.attributes, "maskPattern") != nullptr)
      operation.function = TileFunction::kGatherMask;
    else if (compares(op))
      gather_compare(op, operation);
    else if (!operation.scalars.empty())
      operation.function = TileFunction::kNoValues;
  } else if (operation.function == TileFunction::kMergeBlocks && tiles >= 2) {
    operation.function = TileFunction::kMergeLists;
    const bool own_scratch = find(op.attributes, "no_tmp") != nullptr;
    if (tiles < 3 && !own_scratch) fail(op, "two lists need a third tile, as scratch");
    operation.inputs = static_cast<std::uint8_t>(own_scratch ? tiles : tiles - 1);
  } else if (operation.function == TileFunction::kQuantize) {
    choose_quantization(op, operation, tiles);
  } else if (operation.function == TileFunction::kScatter &&
             find(op.attributes, "maskPattern") != nullptr) {
    operation.function = TileFunction::kScatterMask;
  } else if (operation.function == TileFunction::kSelectTile && tiles > 1 &&
             operation.scalars.size() == 1 && op.arguments.size() > 3 &&
             (tiles > 2 || input(op).type.element != output(op).type.element)) {
    // A mask, a tile, scratch and a number. The older form is two tiles and a mode.
    operation.function = TileFunction::kSelectScalar;
  } else if (operation.function == TileFunction::kConvert) {
    if (find(op.attributes, "satmode") == nullptr)
      operation.saturates =
          !wraps_by_default(operation.operands.front().element, operation.operands.back().element);
    convert_small_floats(operation);
  } else if (operation.function == TileFunction::kCompare && !is_a5() &&
             operation.operands.front().element == Element::kI32 &&
             operation.predicate != static_cast<std::uint8_t>(Predicate::kNotEqual)) {
    // Its vector unit compares numbers of 32 bits for equality only, and the library does not say so.
    operation.predicate = static_cast<std::uint8_t>(Predicate::kEqual);
  } else if (operation.function == TileFunction::kDequantize) {
    operation.inputs = static_cast<std::uint8_t>(tiles);
  } else {
    choose_special(op, operation);
  }
}

// A column of a tile of 4 bits may hold two of them. Nobody has published how numbers become scales.
void ComputeLowering::convert_small_floats(TileOperation& operation) {
  TileOperand &from = operation.operands.front(), &to = operation.operands.back();
  const auto is_packed = [](const TileOperand& o) { return cluster::bits_of(o.element) == 4; };
  const auto known = [](const TileOperand& o) { return !o.columns.is_register; };
  if (from.element == Element::kE8m0 || to.element == Element::kE8m0)
    operation.function = TileFunction::kNoValues;
  if (is_packed(from) == is_packed(to)) return;
  TileOperand &packed = is_packed(from) ? from : to, &other = is_packed(from) ? to : from;
  if (!known(from) || !known(to)) {
    operation.function = TileFunction::kNoValues;
  } else if (2 * packed.columns.value == other.columns.value) {
    packed.columns.value *= 2;
    packed.row_stride *= 2;
  }
}

void ComputeLowering::choose_quantization(const Operation& op, TileOperation& operation,
                                          unsigned tiles) const {
  const Attribute* kind = find(op.attributes, "quant_type");
  const Element result = element(output(op).type);
  const bool is_signed = result == Element::kI8;
  const bool has_offset = kind == nullptr ? !is_signed : is_asymmetric(*kind, diagnostics_);
  if (!has_offset && tiles > 2)
    fail(op, "symmetric quantisation has no offset, expected ins(source, scale)");
  if (has_offset && tiles < 3)
    fail(op, "asymmetric quantisation needs an offset, expected ins(source, scale, offset)");
  if (has_offset == is_signed)
    fail(op, has_offset ? "INT8_ASYM gives ui8" : "INT8_SYM gives i8", ", the result is a tile of ",
         to_string(result));
  operation.inputs = has_offset ? 3 : 2;
}

void ComputeLowering::check_operands(const Operation& op, const TileOperation& operation) const {
  const Element result = operation.operands.back().element;
  const Arithmetic a = operation.arithmetic;
  const bool bitwise = (a >= Arithmetic::kAnd && a <= Arithmetic::kShr) || a == Arithmetic::kNot;
  const bool of_floats =
      (a >= Arithmetic::kExp && a <= Arithmetic::kRecip) || a == Arithmetic::kExpDif;
  const auto refuse = [&](const char* expected) {
    fail(op.place, op.name, " works on ", expected, ", found tiles of ", to_string(result));
  };
  if (operation.function == TileFunction::kMap && bitwise && is_float(result)) refuse("integers");
  if (of_floats && !is_float(result) && cluster::has_values(result)) refuse("floats");
  check_machine_types(op, operation);
  cluster::OperandShapes shapes;
  std::transform(operation.operands.begin(), operation.operands.end(), shapes.begin(), shape_of);
  const std::string fault = cluster::find_operand_fault(operation, shapes);
  if (!fault.empty()) fail(op.place, "operands of ", op.name, " ", fault);
  if (operation.function == TileFunction::kMergeBlocks) check_blocks(op, operation);
}

void ComputeLowering::check_blocks(const Operation& op, const TileOperation& operation) const {
  const auto& scalars = operation.scalars;
  if (scalars.size() != 1 || scalars[0].is_number || scalars[0].is_real)
    fail(op, "expected the length of a block, a whole number, after the tile");
  if (scalars[0].integer.is_register) return;
  const std::string fault =
      cluster::find_block_fault(scalars[0].integer.value, shape_of(operation.operands[0]).columns);
  if (!fault.empty()) fail(op, fault);
}

}  // namespace tessera::pto
