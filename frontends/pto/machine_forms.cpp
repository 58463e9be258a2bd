// How the library and the machine carry out operations of ComputeLowering: where M writes a product, which instructions an
// operation on the vector unit is made of, and what the scalar unit does for it.
#include <algorithm>
#include <utility>

#include "frontends/pto/machine_types.h"
#include "frontends/pto/operation_lowering.h"
#include "models/cluster/program/vector_sequence.h"

namespace tessera::pto {

namespace {

/// What A2/A3 calculates with.
constexpr ElementSet kArithmetic{Element::kI16, Element::kI32, Element::kF16, Element::kF32};

/// Whether the elements are operands of arithmetic, and not only bits that move.
bool computes(TileFunction function) {
  using F = TileFunction;
  constexpr F kFunctions[] = {F::kMap,          F::kMapAdd,    F::kMultiplyAdd, F::kRowReduce,
                              F::kColumnReduce, F::kRowMap,    F::kColumnMap,   F::kPart,
                              F::kRowArg,       F::kColumnArg, F::kCompare,     F::kPairSum};
  return std::find(std::begin(kFunctions), std::end(kFunctions), function) != std::end(kFunctions);
}

/// Whether the type leaves valid sizes open.
bool has_open_sizes(const Type& tile) {
  return tile.is_open || tile.valid_rows == kDynamic || tile.valid_columns == kDynamic;
}

/// Whether the elements of a tile without boxes lie column by column.
bool lies_by_columns(const Type& tile) {
  const Attribute* layout = find(tile.options, "blayout");
  if (layout == nullptr) layout = find(tile.options, "order");  // of kernels in C++
  return layout != nullptr && layout->value == "col_major";
}

/// The library's form of an elementwise operation of A2/A3 that is not one instruction on two tiles or with a number.
cluster::VectorForm form_of_elements(const TileOperation& operation) {
  using A = Arithmetic;
  using V = cluster::VectorForm;
  const bool one = !operation.scalars.empty();
  const bool whole = !is_float(operation.operands.front().element);
  const auto form = [one](V two_tiles, V tile_and_number) {
    return one ? tile_and_number : two_tiles;
  };
  switch (operation.arithmetic) {
  case A::kShl:
  case A::kShr:
    return form(V::kScalarLoop, V::kOne);
  case A::kAnd:
  case A::kOr:
    return form(V::kOne, V::kBitwiseOne);
  case A::kXor:
    return form(V::kXor, V::kXorOne);
  case A::kPow:
    return whole ? form(V::kScalarLoop, V::kScalarLoopOne) : form(V::kPower, V::kPowerOne);
  case A::kRem:
    return whole ? form(V::kRemainderWhole, V::kRemainderWholeOne)
                 : form(V::kRemainder, V::kRemainderOne);
  case A::kFmod:
    return form(V::kFmod, V::kFmodOne);
  case A::kDiv:
  case A::kReverseDiv:
    return one && whole ? V::kDivideWholeOne : V::kOne;
  case A::kExp:
  case A::kLog:
  case A::kSqrt:
  case A::kRsqrt:
  case A::kRecip:
  case A::kAbs:
  case A::kRelu:
  case A::kNot:
    return V::kUnary;
  default:
    return V::kOne;
  }
}

/// A conversion: A2/A3 go row by row, and A5 has loops for elements of 8 bits.
cluster::VectorForm form_of_conversion(const TileOperation& operation, bool a5) {
  using V = cluster::VectorForm;
  const Element from = operation.operands.front().element, to = operation.operands.back().element;
  if (a5) {
    const bool narrows = cluster::bits_of(from) == 32 && cluster::bits_of(to) == 16;
    return narrows ? V::kNarrowed : V::kOne;
  }
  return from == Element::kI32 && to == Element::kF16 ? V::kConvertScaled : V::kByRows;
}

/// Whether the value of each row has a block of 32 bytes to itself.
bool has_block_of_row(const Type& tile, Element element) {
  return !lies_by_columns(tile) && tile.shape[1] * cluster::bits_of(element) == 256;
}

/// Whether all columns of a tile are valid, and the compiler knows it.
bool has_known_columns(const Type& tile) {
  return tile.shape[0] == 1 || (!tile.is_open && tile.valid_columns == tile.shape[1]);
}

}  // namespace

// The library of A5 stores bytes of 32-bit floats one after the other, and the rate of a product of columns is that of
// extremes on A2/A3.
VectorClass ComputeLowering::class_of(const Operation& op, const OperationInfo& info,
                                      VectorClass usual) const {
  using F = TileFunction;
  if (!is_a5()) {
    if (info.arithmetic == Arithmetic::kRecip) return VectorClass::kRsqrt;
    const bool multiplies =
        info.function == F::kColumnReduce && info.arithmetic == Arithmetic::kMul;
    return multiplies ? VectorClass::kColumnExtreme : usual;
  }
  if (info.function != F::kConvert) return usual;
  const Element source = input(op).place.element, result = output(op).place.element;
  const auto from = cluster::bits_of(source), to = cluster::bits_of(result);
  const bool are_floats = is_float(source) && is_float(result);
  if (to == 4 || (from == 32 && to == 8 && are_floats)) return VectorClass::kToBytes;
  return from == 8 && to == 32 ? VectorClass::kFromBytes : usual;
}

// A merge of blocks goes through them four at a time, if their length is known. Sorts have no count.
void ComputeLowering::count_merges(const TileOperation& operation, Operand columns) {
  using F = TileFunction;
  if (operation.function != F::kMergeBlocks && operation.function != F::kMergeLists) return;
  Operand& merges = emitter_.last().size[1];
  merges = 1;
  if (operation.function != F::kMergeBlocks || columns.is_register ||
      operation.scalars.size() != 1 || operation.scalars[0].integer.is_register)
    return;
  const std::int64_t merged = 4 * operation.scalars[0].integer.value;
  if (merged > 0) merges = (columns.value + merged - 1) / merged;
}

// M does not know the rows of the tile (ascend_2.md 1.6). Tiles of kernels in C++ say where each element lies, so that
// readers find what the device has there; in text a product whose columns would end up elsewhere is refused.
void ComputeLowering::lay_out_product(const Operation& op, Operand rows, Operand columns) {
  constexpr std::int64_t kBox = 16;
  const auto rounded_up = [](std::int64_t n) { return (n + kBox - 1) / kBox * kBox; };
  TileOperation& product = emitter_.last_operation();
  for (TileOperand& o : product.operands)
    if (o.location == Location::kL0c && o.boxes.rows > 0 && !rows.is_register)
      o.boxes.column_step = rounded_up(rows.value) * o.boxes.columns;
  const Value& to = output(op);
  const Attribute* compact = find(to.type.options, "compact");
  const bool is_compact =
      compact != nullptr && word_of(*compact) != "0" && word_of(*compact) != "null";
  if (to.place.boxes.rows > 0 || is_compact) return;
  // A launch without values only takes its time.
  const std::int64_t pitch = rounded_up(to.type.shape[0]);
  const bool is_same = !rows.is_register && rounded_up(rows.value) == pitch;
  const bool is_one_column = !columns.is_register && columns.value <= kBox;
  if (!is_same && !is_one_column) product.read_pitch = pitch;
}

// Whether the compiler knows that all of the tile is valid, and that the result is a column.
bool ComputeLowering::is_whole_column(const Operation& op) const {
  const auto is = [](const Operand& size, std::int64_t n) {
    return !size.is_register && size.value == n;
  };
  const Value &from = input(op), &to = output(op);
  const Type &source = from.type, &result = to.type;
  return !has_open_sizes(source) && is(from.sizes[0], source.shape[0]) &&
         is(from.sizes[1], source.shape[1]) && lies_by_columns(result) && !result.is_open &&
         result.valid_columns != kDynamic && is(to.sizes[1], 1);
}

cluster::VectorForm ComputeLowering::form_of(const Operation& op,
                                             const TileOperation& operation) const {
  using F = TileFunction;
  using V = cluster::VectorForm;
  if (operation.operands.empty()) return V::kOne;
  const bool a5 = is_a5(), multiplies = operation.arithmetic == Arithmetic::kMul;
  const TileOperand &from = operation.operands[0], &to = operation.operands.back();
  switch (operation.function) {
  case F::kMap:
    return a5 ? V::kOne : form_of_elements(operation);
  case F::kRowReduce:
    if (a5) return multiplies ? V::kRowHalves : V::kRowOneByOne;
    if (multiplies || !is_float(from.element)) return V::kRowLanes;
    if (from.element == Element::kF32 && is_whole_column(op) &&
        cluster::is_reduced_by_blocks(from.rows.value, from.columns.value))
      return V::kRowBlocks;
    return V::kRowRepeats;
  case F::kColumnReduce: {
    if (a5) return V::kColumnPairs;
    const Attribute* binary = find(op.attributes, "isBinary");
    const bool halves = binary != nullptr && binary->value.rfind("true", 0) == 0;
    return halves && operation.arithmetic == Arithmetic::kAdd ? V::kColumnHalves : V::kColumnRows;
  }
  case F::kRowArg:
    return a5 ? V::kRowFind : V::kRowArgument;
  case F::kColumnArg:
    return a5 ? V::kColumnFind : V::kColumnArgument;
  case F::kRowMap:
    if (a5) return V::kRowMapLoads;
    return has_block_of_row(scope_.tile(argument(op, Role::kIn, 1)).type, to.element)
               ? V::kRowMapBlocks
               : V::kRowMapSpread;
  case F::kColumnMap:
    if (a5) return V::kColumnMapLoads;
    return has_known_columns(output(op).type) ? V::kColumnMapStrips : V::kColumnMapRows;
  case F::kConvert:
    return form_of_conversion(operation, a5);
  case F::kCompare:
    return a5 ? V::kOne : V::kByRows;
  case F::kQuantize:
    if (a5) return V::kOne;
    return operation.inputs > 2 ? V::kQuantizeOffset : V::kQuantize;
  case F::kDequantize:
    if (a5) return V::kOne;
    return cluster::bits_of(from.element) == 8 ? V::kDequantizeByte : V::kDequantize;
  case F::kGather:
    return a5 ? V::kOne : V::kGatherRows;
  case F::kScatter:
    return a5 ? V::kOne : V::kScalarLoop;
  case F::kGatherCompare:
    return a5 ? V::kOne : V::kGatherCompare;
  case F::kColumnExpand:
    return a5 ? V::kColumnCopies : V::kOne;
  case F::kRowExpand: {
    if (a5) return V::kRowCopies;
    // From a column, or a row, of which all is valid, to blocks of 32 bytes.
    const std::int64_t block = 256 / cluster::bits_of(to.element);
    const bool is_known = !has_open_sizes(input(op).type) && !has_open_sizes(output(op).type);
    const bool is_line = from.rows.value == 1 || from.columns.value == 1;
    return is_known && is_line && cluster::bits_of(to.element) >= 16 &&
                   output(op).type.shape[1] == block && !to.columns.is_register &&
                   to.columns.value == block
               ? V::kRowSpread
               : V::kOne;
  }
  default:
    return V::kOne;
  }
}

// The library of A5 packs bits into tiles of any integers, which the assembler refuses: as bytes they lie as everywhere else.
void ComputeLowering::masks_as_bytes(TileOperation& operation) const {
  using F = TileFunction;
  const F f = operation.function;
  if (f != F::kCompare && f != F::kSelect && f != F::kSelectScalar) return;
  TileOperand& mask = f == F::kCompare ? operation.operands.back() : operation.operands.front();
  const std::int64_t bytes = cluster::bits_of(mask.element) / 8;
  if (is_float(mask.element) || bytes < 2 || bytes > 4 || mask.columns.is_register ||
      mask.by_columns)
    return;
  mask.element = Element::kU8;
  mask.columns.value *= bytes;
  mask.row_stride *= bytes;
}

// The library moves bits of whatever elements: TAND and TOR of both machines, TXOR and TNOT of A2/A3, and on A5 TXOR with a
// number, which comes as bits then.
void ComputeLowering::bits_as_integers(TileOperation& operation) const {
  using A = Arithmetic;
  const A a = operation.arithmetic;
  const bool takes_all = a == A::kAnd || a == A::kOr ||
                         (a == A::kXor && (!is_a5() || !operation.scalars.empty())) ||
                         (a == A::kNot && !is_a5());
  const bool has_real = std::any_of(operation.scalars.begin(), operation.scalars.end(),
                                    [](const auto& s) { return s.is_number || s.is_real; });
  if (!context_.options.sizes_of_results || operation.function != TileFunction::kMap ||
      !takes_all || has_real)
    return;
  for (TileOperand& o : operation.operands) {
    if (!is_float(o.element) || cluster::bits_of(o.element) < 8) continue;
    o.element = cluster::bits_of(o.element) == 32   ? Element::kU32
                : cluster::bits_of(o.element) == 16 ? Element::kU16
                                                    : Element::kU8;
  }
}

// The library of A2/A3 has no operation on bf16 but conversions and copies, so what has no row is refused for it, too.
void ComputeLowering::check_machine_types(const Operation& op,
                                          const TileOperation& operation) const {
  const Attribute* precision = find(op.attributes, "precisionType");
  const bool precise = precision != nullptr && has_part(precision->value, "high_precision");
  const OperationTypes* types = types_of_operation(op.name, precise);
  const TileOperand& tile = types == nullptr || !types->of_result ? operation.operands.front()
                                                                  : operation.operands.back();
  if (types != nullptr || (!is_a5() && computes(operation.function)))
    check_machine_type(op, types, tile.element);
  const OperandTypes* others = types_of_operand(op.name);
  if (others == nullptr || others->function != operation.function) return;
  const TileOperand& other = others->operand < 0
                                 ? operation.operands.back()
                                 : operation.operands[static_cast<std::size_t>(others->operand)];
  for (const PairedTypes& pair : is_a5() ? others->a5 : others->a2a3)
    if (pair.of.has(tile.element) && !pair.with.has(other.element))
      fail(op.place, op.name, " of ", cluster::to_string(tile.element), " has ", others->what,
           " of ", to_string(pair.with), " on ", is_a5() ? "A5" : "A2/A3", ", found a tile of ",
           cluster::to_string(other.element));
}

void ComputeLowering::check_machine_type(const Operation& op, const OperationTypes* types,
                                         Element found) const {
  if (cluster::bits_of(found) < 8 || (types == nullptr && found != Element::kBf16)) return;
  const ElementSet taken = types != nullptr ? (is_a5() ? types->a5 : types->a2a3) : kArithmetic;
  if (!taken.has(found))
    fail(op.place, op.name, " works on ", to_string(taken), " on ", is_a5() ? "A5" : "A2/A3",
         ", found tiles of ", cluster::to_string(found));
}

// The vector unit counts with the help of scratch. A tile in UB has one row then, and whole numbers.
bool ComputeLowering::counts_by_scalars(const Operation& op) const {
  const auto inputs = std::count_if(op.arguments.begin(), op.arguments.end(),
                                    [](const Argument& a) { return a.role == Role::kIn; });
  const Value& to = output(op);
  const Value* start = scope_.find(argument(op, Role::kIn).text);
  return inputs == 1 && to.type.location == "vec" && to.place.holder == Holder::kSelf &&
         !to.sizes[0].is_register && to.sizes[0].value == 1 && !is_float(to.place.element) &&
         start != nullptr && start->kind == Value::Kind::kScalar;
}

void ComputeLowering::count_by_scalars(const Operation& op) {
  const Value& to = output(op);
  check_machine_type(op, types_of_operation(op.name), to.place.element);
  const bool descends = [&] {
    TileOperation options;
    set_options(op, options, diagnostics_);
    return options.descends;
  }();
  const Operand number = emitter_.new_register(op.place), index = emitter_.new_register(op.place);
  emitter_.set(number, scope_.scalar(argument(op, Role::kIn)), op.place);
  emitter_.set(index, 0, op.place);
  const std::uint32_t to_test = emitter_.jump(op.place);
  TileOperand element = tile_operand(to, Access::kWrite);
  element.address.add(index, cluster::bits_of(element.element) / 8);
  element.rows = element.columns = 1;
  emitter_.emit(Opcode::kStoreScalar, op.place).a = number;
  emitter_.attach({std::move(element)});
  emitter_.update(number, descends ? Opcode::kSub : Opcode::kAdd, 1, op.place);
  emitter_.update(index, Opcode::kAdd, 1, op.place);
  emitter_.land(to_test);
  const Operand goes_on = emitter_.compare(Predicate::kLess, index, to.sizes[1], op.place);
  emitter_.branch(goes_on, op.place, to_test + 1);
}

}  // namespace tessera::pto
