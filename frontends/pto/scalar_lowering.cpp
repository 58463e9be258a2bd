#include "frontends/pto/operation_lowering.h"

#include <algorithm>
#include <cstdlib>

#include "tlm_ifaces/vocabulary/bits.h"
#include "tlm_ifaces/vocabulary/float16.h"

namespace tessera::pto {

namespace {

/// The value of a decimal number, or of the bits of the type in hexadecimal.
double float_of(const Argument& a, const std::string& type) {
  if (a.kind == Argument::Kind::kFloat) return std::strtod(a.text.c_str(), nullptr);
  if (a.text.empty()) return static_cast<double>(a.number);
  if (type == "f16")
    return float16::value_of(static_cast<std::uint16_t>(a.number), float16::kBinary16);
  if (type == "bf16")
    return float16::value_of(static_cast<std::uint16_t>(a.number), float16::kBfloat16);
  return bit_cast<float>(static_cast<std::uint32_t>(a.number));
}

// Whether the operands are unsigned is a matter of the word: is_unsigned().
constexpr Word<Predicate> kPredicates[] = {
    {"eq", Predicate::kEqual},         {"ne", Predicate::kNotEqual},
    {"slt", Predicate::kLess},         {"ult", Predicate::kLess},
    {"sle", Predicate::kLessEqual},    {"ule", Predicate::kLessEqual},
    {"sgt", Predicate::kGreater},      {"ugt", Predicate::kGreater},
    {"sge", Predicate::kGreaterEqual}, {"uge", Predicate::kGreaterEqual}};

/// Operations whose names say that they read their operands as unsigned numbers.
bool is_unsigned(const std::string& name) {
  constexpr const char* kUnsigned[] = {"divui",     "remui", "minui",  "maxui",       "shrui",
                                       "ceildivui", "extui", "uitofp", "index_castui"};
  return std::any_of(std::begin(kUnsigned), std::end(kUnsigned),
                     [&](const char* end) { return name == std::string("arith.") + end; });
}

/// How the operation reads operands of its first type.
IntegerType operand_type(const Operation& op, bool reads_unsigned) {
  if (op.types.empty()) return {};
  const IntegerType type = integer_type_of(op.types[0].element);
  return {type.bits, reads_unsigned || (type.is_unsigned && type.bits > 1)};
}

IntegerType result_type(const Operation& op) {
  if (!op.result_types.empty()) return integer_type_of(op.result_types[0].element);
  return op.types.empty() ? IntegerType{} : integer_type_of(op.types[0].element);
}

}  // namespace

void ScalarLowering::constant(const Operation& op) {
  const Argument& a = op.arguments[0];
  const std::string& type = op.types[0].element;
  const bool is_float =
      op.types[0].kind == Type::Kind::kOpaque || type.find('f') != std::string::npos;
  if (!is_float && a.kind == Argument::Kind::kFloat)
    fail(a.place, "expected a whole number for ", type, ", found ", a.text);
  const IntegerType integers = is_float ? IntegerType{} : integer_type_of(type);
  if (!fits(a.number, integers)) fail(a.place, a.number, " is no number of type ", type);
  Value v = Value::of_scalar(integers.of(a.number));
  v.type = op.types[0];
  if (is_float) {
    v.kind = Value::Kind::kFloat;
    v.number = float_of(a, type);
    if (!fits_float(v.number, type)) fail(a.place, a.text, " is no number of type ", type);
    v.number = float_of_type(v.number, type);
  }
  scope_.define(op, std::move(v));
}

void ScalarLowering::arithmetic(const Operation& op, const OperationInfo& info) {
  const Operand a = scope_.scalar(op.arguments[0]), b = scope_.scalar(op.arguments[1]);
  const IntegerType operands = operand_type(op, is_unsigned(op.name));
  scope_.define_scalar(op,
                       emitter_.compute(info.opcode, a, b, op.place, operands, result_type(op)));
}

void ScalarLowering::compare(const Operation& op) {
  const Argument& word = op.arguments[0];
  const Predicate predicate =
      require_word(kPredicates, word.text, word.place, "a predicate such as slt", diagnostics_);
  const Operand a = scope_.scalar(op.arguments[1]), b = scope_.scalar(op.arguments[2]);
  const IntegerType operands = operand_type(op, word.text[0] == 'u');
  scope_.define_scalar(op, emitter_.compare(predicate, a, b, op.place, operands));
}

// A register has the number of its type, so a cast to a wider type has nothing to do unless it reads other bits than the
// type. A cast from index moves no bits either: operations of the narrower type read no others.
void ScalarLowering::cast(const Operation& op) {
  const Value& v = scope_.any_value(op.arguments[0]);
  if (v.kind == Value::Kind::kPointer || v.kind == Value::Kind::kTile) return cast_pointer(op);
  const Operand from = scope_.scalar(op.arguments[0]);
  const IntegerType operand = operand_type(op, is_unsigned(op.name));
  const bool reads_other_bits =
      !op.types.empty() && operand.is_unsigned != integer_type_of(op.types[0].element).is_unsigned;
  if (from.is_register && op.name != "arith.trunci" && !reads_other_bits)
    return scope_.define_scalar(op, from);
  scope_.define_scalar(op,
                       emitter_.compute(Opcode::kSet, from, 0, op.place, operand, result_type(op)));
}

void ScalarLowering::convert(const Operation& op, const OperationInfo& info) {
  const bool to_real = info.opcode == Opcode::kToReal;
  const Value& from =
      scope_.value(op.arguments[0], to_real ? Value::Kind::kScalar : Value::Kind::kFloat,
                   to_real ? "a whole number" : "a floating-point number");
  const bool known = !to_real && !from.scalar.is_register;
  const Operand bits = known ? Operand(cluster::bits_of_real(from.number)) : from.scalar;
  Value v{to_real ? Value::Kind::kFloat : Value::Kind::kScalar};
  const IntegerType operand = to_real ? operand_type(op, is_unsigned(op.name)) : IntegerType{};
  const IntegerType result =
      !to_real ? result_type(op)
               : float_bits_of(op.result_types.empty() ? "" : op.result_types[0].element);
  v.scalar = emitter_.compute(info.opcode, bits, 0, op.place, operand, result);
  if (to_real && !v.scalar.is_register) v.number = cluster::real_of(v.scalar.value);
  scope_.define(op, std::move(v));
}

// --- arrays in registers ---

namespace {

/// The fields of a struct and of the structs inside it, in order: where each is, as "0,1", and its type.
void collect_fields(const std::vector<Attribute>& types, const std::string& place,
                    std::vector<Attribute>& fields, Place at, const Diagnostics& diagnostics) {
  constexpr std::string_view kStruct = "!pto.struct<";
  constexpr std::size_t kDeepest = 64;
  if (place.size() > kDeepest) diagnostics.fail(at, "too many structs inside each other");
  for (std::size_t n = 0; n < types.size(); ++n) {
    const std::string& type = types[n].key;
    const std::string here = joined(place, place.empty() ? "" : ",", n);
    if (type.compare(0, kStruct.size(), kStruct) != 0) {
      if (type[0] == '!' || type == "i1" || type == "index")
        diagnostics.fail(at, "a field of ", type, ", expected a number or a struct");
      fields.push_back({{}, here, type});
      continue;
    }
    std::vector<Attribute> inner;
    unsigned depth = 0;
    for (std::size_t i = kStruct.size(), from = i; i < type.size(); ++i) {
      if (type[i] == '<') ++depth;
      const bool ends = depth == 0 && (type[i] == ',' || type[i] == '>');
      if (type[i] == '>' && depth > 0) --depth;
      if (!ends) continue;
      inner.push_back({{}, type.substr(from, i - from), ""});
      from = i + 1;
    }
    collect_fields(inner, here, fields, at, diagnostics);
  }
}

}  // namespace

// The sizes of an array stand in its type: 8x8xf32. A struct has a field for each of its types.
void ScalarLowering::array(const Operation& op) {
  constexpr std::int64_t kMost = 4096;
  const Type* type = op.result_types.empty() ? nullptr : &op.result_types[0];
  const bool known = type != nullptr && !type->options.empty();
  Value array{Value::Kind::kArray};
  std::int64_t count = 1;
  if (known && op.name == "pto.declare_struct") {
    collect_fields(type->options, "", array.type.options, op.place, diagnostics_);
    count = static_cast<std::int64_t>(array.type.options.size());
  } else {
    std::string text = known ? type->options[0].key : "";
    while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
      const std::size_t x = std::min(text.find('x'), text.size());
      array.type.shape.push_back(whole_number(text.substr(0, x)).value_or(0));
      count = std::min(count, kMost + 1) * std::min(array.type.shape.back(), kMost + 1);
      text = x < text.size() ? text.substr(x + 1) : "i64";
    }
    array.type.element = text;
    if (array.type.shape.empty()) count = 0;
  }
  if (count < 1 || count > kMost)
    fail(op, "expected a type such as !pto.local_array<64xi32> with 1..", kMost, " elements");
  for (std::int64_t i = 0; i < count; ++i) array.sizes.push_back(emitter_.new_register(op.place));
  scope_.define(op, std::move(array));
}

std::pair<Operand, std::string> ScalarLowering::element_index(const Operation& op,
                                                              const Value& array) {
  std::string place;
  Operand index = 0;
  std::size_t d = 0;
  for (const Argument& a : op.arguments) {
    if (a.role != Role::kIndex) continue;
    place += joined(place.empty() ? "" : ",", a.number);
    if (!array.type.options.empty()) continue;
    if (d == array.type.shape.size()) fail(a.place, "expected ", d, " indices");
    const Operand i = scope_.scalar_or_number(a);
    const std::int64_t size = array.type.shape[d++];
    if (!i.is_register && (i.value < 0 || i.value >= size))
      fail(a.place, "element ", i.value, " of an array of ", size);
    if (d == 1) {
      index = i;
      continue;
    }
    index = emitter_.compute(Opcode::kMul, index, size, op.place);
    index = emitter_.compute(Opcode::kAdd, index, i, op.place);
  }
  if (array.type.options.empty()) {
    if (d < array.type.shape.size()) fail(op, "expected ", array.type.shape.size(), " indices");
    return {index, array.type.element};
  }
  for (std::size_t n = 0; n < array.type.options.size(); ++n)
    if (array.type.options[n].key == place)
      return {static_cast<std::int64_t>(n), array.type.options[n].value};
  fail(op, "the struct has no field [", place, "]");
}

bool ScalarLowering::access(Opcode opcode, const Operation& op, Operand reg) {
  const Value& array = scope_.value(op.arguments[0], Value::Kind::kArray, "an array");
  const auto [index, element] = element_index(op, array);
  const Type* stated = opcode == Opcode::kGetElement
                           ? (op.result_types.empty() ? nullptr : &op.result_types[0])
                           : (op.types.size() < 2 ? nullptr : &op.types[1]);
  if (stated != nullptr && stated->element != element)
    fail(stated->place, op.name, " of ", stated->element, ", and the element is ", element);
  Instruction& i = emitter_.emit(opcode, op.place);
  i.a = array.sizes[0].value;
  i.b = index;
  i.c = static_cast<std::int64_t>(array.sizes.size());
  i.rd = static_cast<std::uint16_t>(reg.value);
  return element.find('f') != std::string::npos;
}

void ScalarLowering::set_element(const Operation& op) {
  const Argument& what = op.arguments.back();
  const Value v = what.kind == Argument::Kind::kInteger ? Value::of_scalar(what.number)
                                                        : scope_.any_value(what);
  Operand from = v.scalar;
  if (!from.is_register) {
    from = emitter_.new_register(op.place);
    const bool is_real = v.kind == Value::Kind::kFloat;
    emitter_.set(from, is_real ? cluster::bits_of_real(v.number) : v.scalar, op.place);
  }
  access(Opcode::kSetElement, op, from);
}

void ScalarLowering::get_element(const Operation& op) {
  const Operand result = emitter_.new_register(op.place);
  Value v = Value::of_scalar(result);
  if (access(Opcode::kGetElement, op, result)) v.kind = Value::Kind::kFloat;
  scope_.define(op, std::move(v));
}

// --- elements of tiles ---

TileOperand ScalarLowering::element_of_tile(const Argument& tile, Operand index,
                                            Access access) const {
  TileOperand operand = tile_operand(tile, access);
  if (operand.location != Location::kUb || operand.holder != Holder::kSelf)
    fail(tile.place, tile.text,
         " does not lie in UB of this core, which is all that its scalar unit reaches");
  // Where the tile begins, and how many elements it has: the scalar unit checks what it reaches.
  if (const std::int64_t count = operand.full_rows * operand.row_stride; count > 0) {
    if (!index.is_register && (index.value < 0 || index.value >= count))
      fail(tile.place, "element ", index.value, " of a tile of ", count, " elements");
    operand.view_address = operand.address;
    operand.view = {{count, 1}};
  }
  operand.address.add(index, cluster::bits_of(operand.element) / 8);
  operand.rows = operand.columns = 1;
  return operand;
}

void ScalarLowering::get_value(const Operation& op) {
  const Operand index = scope_.scalar(argument(op, Role::kIn, 1));
  scope_.define(op,
                loaded(element_of_tile(argument(op, Role::kIn), index, Access::kRead), op.place));
}

void ScalarLowering::set_value(const Operation& op) {
  const Operand index = scope_.scalar(argument(op, Role::kIn));
  store_to(element_of_tile(argument(op, Role::kOut), index, Access::kWrite),
           argument(op, Role::kIn, 1), op.place);
}

void ScalarLowering::print(const Operation& op) {
  const bool has_text = op.arguments[0].role == Role::kPredicate;
  const Argument& what = op.arguments[has_text ? 1 : 0];
  const Value& v = scope_.any_value(what);
  auto& texts = emitter_.program().texts;
  texts.push_back(has_text ? op.arguments[0].text : what.text);
  const auto text = static_cast<std::int64_t>(texts.size() - 1);
  Instruction& i = emitter_.emit(Opcode::kPrint, op.place);
  i.b = text;
  if (v.kind == Value::Kind::kTile)
    emitter_.attach({tile_operand(v, Access::kRead)});
  else if (v.kind == Value::Kind::kView)
    emitter_.attach({view_operand(what, Access::kRead)});
  else if (v.kind == Value::Kind::kFloat && !v.scalar.is_register)
    i.a = cluster::bits_of_real(v.number);
  else
    i.a = v.scalar;
  i.mode = v.kind == Value::Kind::kFloat ? 1 : 0;
}

// --- pointers and memory ---

const Value& ScalarLowering::pointer(const Argument& a) const {
  const Value& v = scope_.any_value(a);
  return v.kind == Value::Kind::kAddress ? v : scope_.value(a, Value::Kind::kPointer, "a pointer");
}

void ScalarLowering::add_to_pointer(const Operation& op) {
  Value moved = pointer(op.arguments[0]);
  const bool in_gm = moved.place.location == Location::kGm;
  moved.place.address.add(scope_.scalar(op.arguments[1]),
                          in_gm ? 1 : cluster::bits_of(moved.place.element) / 8);
  scope_.define(op, std::move(moved));
}

void ScalarLowering::cast_pointer(const Operation& op) {
  if (op.result_types.empty()) fail(op, "expected -> and a type");
  const Type& type = op.result_types[0];
  const Value& from = scope_.any_value(op.arguments[0]);
  if (from.kind == Value::Kind::kPointer || from.kind == Value::Kind::kTile) {
    if (type.kind == Type::Kind::kScalar) return scope_.define(op, number_of_pointer(op, from));
    Value v{Value::Kind::kPointer, type};
    v.place = from.place;
    if (type.element.empty() || element(type) == v.place.element) return scope_.define(op, v);
    if (v.place.location == Location::kGm &&
        !(v.place.address.is_known() && v.place.address.base == 0))
      fail(op, "a pointer into an array keeps its elements; cast the argument itself");
    v.place.element = element(type);
    return scope_.define(op, std::move(v));
  }
  if (type.kind != Type::Kind::kPointer) fail(op, "expected -> and a type !pto.ptr");
  Value v{Value::Kind::kAddress, type};
  v.place.name = op.results[0].name;
  v.place.location = space_of(type);
  v.place.element = element(type);
  const Operand number = scope_.scalar(op.arguments[0]);
  if (op.name == "pto.inttoptr" && !op.types.empty() && op.types[0].element != "i64")
    fail(op, "expected an address of i64, found one of ", op.types[0].element);
  if (v.place.location != Location::kGm) {
    v.kind = Value::Kind::kPointer;
    v.place.address.add(number, 1);
    return scope_.define(op, std::move(v));
  }
  if (from.is_pointer) {  // back to the array that it came from
    v.kind = Value::Kind::kPointer;
    const unsigned before = cluster::bits_of(from.place.element);
    v.place = from.place;
    v.place.element = element(type);
    for (auto& product : v.place.address.products)
      product.b = emitter_.compute(Opcode::kMul, product.b, before, op.place);
    v.place.address.base *= before;
    const std::int64_t bits = cluster::bits_of(v.place.element);
    const Operand offset =
        emitter_.compute(Opcode::kDiv, sum_of(v.place.address, op.place), bits, op.place);
    v.place.address = {};
    v.place.address.add(offset, 1);
    return scope_.define(op, std::move(v));
  }
  v.place.array = cluster::kNoArray;
  v.place.number = number;
  scope_.define(op, std::move(v));
}

// Arrays lie as far apart as no program reaches; on chip a pointer is a number of bytes.
Value ScalarLowering::number_of_pointer(const Operation& op, const Value& from) {
  const bool in_gm = from.place.location == Location::kGm;
  Operand number = sum_of(from.place.address, op.place);
  if (in_gm) {
    number = emitter_.compute(Opcode::kMul, number, cluster::bits_of(from.place.element), op.place);
    number = emitter_.compute(Opcode::kDiv, number, 8, op.place);
    number = emitter_.compute(Opcode::kAdd, number,
                              2 * cluster::kMostArrayBytes * (from.place.array + 1), op.place);
  }
  Value v = Value::of_scalar(number);
  v.place = from.place;
  v.is_pointer = in_gm;
  return v;
}

TileOperand ScalarLowering::element_at(const Argument& a, Operand index, Access access) const {
  const Value& v = pointer(a);
  TileOperand operand = v.place;
  operand.access = access;
  const bool in_gm = operand.location == Location::kGm;
  if (!in_gm && operand.location != Location::kUb)
    fail(a.place, a.text, " points to ", to_string(operand.location),
         ", expected a pointer to GM or UB: the scalar unit reaches no other buffer");
  operand.address.add(index, in_gm ? 1 : cluster::bits_of(operand.element) / 8);
  if (in_gm) {
    operand.dimensions = operand.view = {{1, 1}};
    operand.view_address = operand.address;
  } else {
    operand.rows = operand.columns = 1;
    operand.row_stride = operand.full_rows = 1;
  }
  if (!cluster::has_values(operand.element))
    fail(a.place, a.text, " points to ", to_string(operand.element),
         ", which has no values in this model");
  return operand;
}

void ScalarLowering::load(const Operation& op) {
  const Operand index = scope_.scalar_or_number(argument(op, Role::kIndex));
  TileOperand from = element_at(argument(op, Role::kOperand), index, Access::kRead);
  if (!op.result_types.empty()) {
    const Type& type = op.result_types[0];
    if (type.kind != Type::Kind::kScalar || element(type) != from.element)
      fail(type.place, op.name, ": a result of another type than ", from.name,
           " points to, expected ", to_string(from.element));
  }
  scope_.define(op, loaded(std::move(from), op.place));
}

Value ScalarLowering::loaded(TileOperand from, Place place) {
  Value v;
  v.kind = is_float(from.element) ? Value::Kind::kFloat : Value::Kind::kScalar;
  v.scalar = emitter_.new_register(place);
  emitter_.emit(Opcode::kLoadScalar, place).rd = static_cast<std::uint16_t>(v.scalar.value);
  emitter_.attach({std::move(from)});
  return v;
}

void ScalarLowering::store(const Operation& op) {
  const Argument& what = argument(op, Role::kOperand);
  const Operand index = scope_.scalar_or_number(argument(op, Role::kIndex));
  TileOperand to = element_at(argument(op, Role::kOperand, 1), index, Access::kWrite);
  store_to(std::move(to), what, op.place);
}

void ScalarLowering::store_to(TileOperand to, const Argument& what, Place place) {
  const bool real = is_float(to.element);
  const Value& v = scope_.value(what, real ? Value::Kind::kFloat : Value::Kind::kScalar,
                                real ? "a floating-point number" : "a whole number");
  const bool known = real && !v.scalar.is_register;
  emitter_.emit(Opcode::kStoreScalar, place).a =
      known ? Operand(cluster::bits_of_real(v.number)) : v.scalar;
  emitter_.attach({std::move(to)});
}

void ScalarLowering::clean_cache(const Operation& op) {
  const Argument& what = argument(op, Role::kPredicate);
  const bool all = what.text == "ENTIRE_DATA_CACHE" || what.text == "all";
  if (!all && what.text != "SINGLE_CACHE_LINE" && what.text != "single_cache_line")
    fail_expected(what.place, "SINGLE_CACHE_LINE or ENTIRE_DATA_CACHE", what.text);
  for (const Argument& a : op.arguments) {
    if (a.role != Role::kPredicate || a.text == what.text) continue;
    if (a.text != "CACHELINE_OUT" && a.text != "CACHELINE_ALL")
      fail_expected(a.place, "CACHELINE_OUT, the way to GM", a.text);
  }
  if (all) {
    emitter_.emit(Opcode::kCleanCache, op.place).mode = 1;
    return;
  }
  const Argument& where = argument(op, Role::kOperand);
  TileOperand line;
  if (scope_.any_value(where).kind == Value::Kind::kView) {  // the line of its first element
    line = view_operand(where, Access::kRead);
    line.dimensions = {{1, 1}};
  } else {
    line = element_at(where, 0, Access::kRead);
  }
  emitter_.emit(Opcode::kCleanCache, op.place);
  emitter_.attach({std::move(line)});
}

void ScalarLowering::data_barrier(const Operation& op) {
  const Argument& scope = argument(op, Role::kPipe);
  if (!is_one_of({"ALL", "DDR", "DSB_ALL", "DSB_DDR", "gm"}, scope.text))
    fail_expected(scope.place, "\"ALL\", \"DDR\" or the scope <gm>", scope.text);
  emitter_.emit(Opcode::kDataBarrier, op.place);
}

}  // namespace tessera::pto
