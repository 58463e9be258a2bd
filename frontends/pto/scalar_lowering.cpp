#include "frontends/pto/operation_lowering.h"

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

// Registers hold signed numbers, so an unsigned predicate compares them as the signed one does.
constexpr Word<Predicate> kPredicates[] = {
    {"eq", Predicate::kEqual},         {"ne", Predicate::kNotEqual},
    {"slt", Predicate::kLess},         {"ult", Predicate::kLess},
    {"sle", Predicate::kLessEqual},    {"ule", Predicate::kLessEqual},
    {"sgt", Predicate::kGreater},      {"ugt", Predicate::kGreater},
    {"sge", Predicate::kGreaterEqual}, {"uge", Predicate::kGreaterEqual}};

/// Whether a pointer of this type points to GM, such as !pto.ptr<f32> and !pto.ptr<f32, gm>.
bool is_in_gm(const Type& type) {
  for (const char* other : {"ub", "vec", "l1", "mat", "left", "right", "acc", "bias"})
    for (const Attribute& a : type.options)
      if (a.key == other || a.key.find("<" + std::string(other) + ">") != std::string::npos)
        return false;
  return true;
}

}  // namespace

void ScalarLowering::constant(const Operation& op) {
  const Argument& a = op.arguments[0];
  const std::string& type = op.types[0].element;
  const bool is_float =
      op.types[0].kind == Type::Kind::kOpaque || type.find('f') != std::string::npos;
  if (!is_float && a.kind == Argument::Kind::kFloat)
    fail(a.place, "expected a whole number for ", type, ", found ", a.text);
  Value v = Value::of_scalar(a.number);
  v.type = op.types[0];
  if (is_float) {
    v.kind = Value::Kind::kFloat;
    v.number = float_of(a, type);
  }
  scope_.define(op, std::move(v));
}

void ScalarLowering::arithmetic(const Operation& op, const OperationInfo& info) {
  Operand a = scope_.scalar(op.arguments[0]);
  const Operand b = scope_.scalar(op.arguments[1]);
  // A logical shift of a narrow type shifts zeros in at the width of the type.
  const unsigned bits = op.types.empty() ? 64 : bits_of(op.types[0].element);
  if (op.name == "arith.shrui" && bits < 64)
    a = emitter_.compute(Opcode::kAnd, a, (std::int64_t{1} << bits) - 1, op.place);
  scope_.define_scalar(op, emitter_.compute(info.opcode, a, b, op.place));
}

void ScalarLowering::compare(const Operation& op) {
  const Argument& word = op.arguments[0];
  const Predicate predicate =
      require_word(kPredicates, word.text, word.place, "a predicate such as slt", diagnostics_);
  const Operand a = scope_.scalar(op.arguments[1]), b = scope_.scalar(op.arguments[2]);
  scope_.define_scalar(op, emitter_.compare(predicate, a, b, op.place));
}

void ScalarLowering::select(const Operation& op) {
  const Operand condition = scope_.scalar(op.arguments[0]);
  const Operand a = scope_.scalar(op.arguments[1]), b = scope_.scalar(op.arguments[2]);
  if (!condition.is_register) return scope_.define_scalar(op, condition.value != 0 ? a : b);
  const Operand target = emitter_.new_register(op.place);
  emitter_.select(target, condition, a, b, op.place);
  scope_.define_scalar(op, target);
}

void ScalarLowering::convert(const Operation& op, const OperationInfo& info) {
  const bool to_real = info.opcode == Opcode::kToReal;
  const Value& from =
      scope_.value(op.arguments[0], to_real ? Value::Kind::kScalar : Value::Kind::kFloat,
                   to_real ? "a whole number" : "a floating-point number");
  const bool known = !to_real && !from.scalar.is_register;
  const Operand bits = known ? Operand(cluster::bits_of_real(from.number)) : from.scalar;
  Value v{to_real ? Value::Kind::kFloat : Value::Kind::kScalar};
  v.scalar = emitter_.compute(info.opcode, bits, 0, op.place);
  if (to_real && !v.scalar.is_register) v.number = cluster::real_of(v.scalar.value);
  scope_.define(op, std::move(v));
}

// --- arrays in registers ---

void ScalarLowering::array(const Operation& op) {
  constexpr std::int64_t kMost = 4096;
  const Type* type = op.result_types.empty() ? nullptr : &op.result_types[0];
  const std::string text = type == nullptr || type->options.empty() ? "" : type->options[0].key;
  const std::size_t x = std::min(text.find('x'), text.size());  // 64xi32
  const auto count = whole_number(std::string_view(text).substr(0, x));
  if (!count || *count < 1 || *count > kMost)
    fail(op, "expected a type such as !pto.local_array<64xi32> with 1..", kMost, " elements");
  Value array{Value::Kind::kArray};
  array.type.element = x < text.size() ? text.substr(x + 1) : "i64";
  for (std::int64_t i = 0; i < *count; ++i) array.sizes.push_back(emitter_.new_register(op.place));
  scope_.define(op, std::move(array));
}

Instruction& ScalarLowering::access(Opcode opcode, const Operation& op) {
  const auto& elements = scope_.value(op.arguments[0], Value::Kind::kArray, "an array").sizes;
  const Argument& at = argument(op, Role::kIndex);
  const Operand index = scope_.scalar_or_number(at);
  const auto size = static_cast<std::int64_t>(elements.size());
  if (!index.is_register && (index.value < 0 || index.value >= size))
    fail(at.place, "element ", index.value, " of an array of ", size);
  Instruction& i = emitter_.emit(opcode, op.place);
  i.a = elements[0].value;
  i.b = index;
  i.c = size;
  return i;
}

void ScalarLowering::set_element(const Operation& op) {
  const Argument& what = op.arguments[2];
  const Value v = what.kind == Argument::Kind::kInteger ? Value::of_scalar(what.number)
                                                        : scope_.any_value(what);
  Operand from = v.scalar;
  if (!from.is_register) {
    from = emitter_.new_register(op.place);
    const bool is_real = v.kind == Value::Kind::kFloat;
    emitter_.set(from, is_real ? cluster::bits_of_real(v.number) : v.scalar, op.place);
  }
  access(Opcode::kSetElement, op).rd = static_cast<std::uint16_t>(from.value);
}

void ScalarLowering::get_element(const Operation& op) {
  const Operand result = emitter_.new_register(op.place);
  access(Opcode::kGetElement, op).rd = static_cast<std::uint16_t>(result.value);
  Value v = Value::of_scalar(result);
  if (scope_.any_value(op.arguments[0]).type.element.find('f') != std::string::npos)
    v.kind = Value::Kind::kFloat;
  scope_.define(op, std::move(v));
}

// --- elements of tiles ---

TileOperand ScalarLowering::element_of_tile(const Argument& tile, Operand index,
                                            Access access) const {
  TileOperand operand = tile_operand(tile, access);
  if (operand.location != Location::kUb || operand.holder != Holder::kSelf)
    fail(tile.place, tile.text,
         " does not lie in UB of this core, which is all that its scalar unit reaches");
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
  else
    i.a = v.scalar;
}

// --- pointers and memory ---

const Value& ScalarLowering::pointer(const Argument& a) const {
  const Value& v = scope_.any_value(a);
  return v.kind == Value::Kind::kAddress ? v : scope_.value(a, Value::Kind::kPointer, "a pointer");
}

void ScalarLowering::add_to_pointer(const Operation& op) {
  Value moved = pointer(op.arguments[0]);
  moved.place.address.add(scope_.scalar(op.arguments[1]), 1);
  scope_.define(op, std::move(moved));
}

void ScalarLowering::cast_pointer(const Operation& op) {
  if (op.result_types.empty() || op.result_types[0].kind != Type::Kind::kPointer)
    fail(op, "expected -> and a type !pto.ptr");
  Value v{Value::Kind::kAddress, op.result_types[0]};
  v.place.name = op.results[0].name;
  v.place.location = Location::kGm;
  v.place.element = element(v.type);
  v.place.array = cluster::kNoArray;
  v.place.number = scope_.scalar(op.arguments[0]);
  scope_.define(op, std::move(v));
}

TileOperand ScalarLowering::element_in_gm(const Argument& a, Operand index, Access access) const {
  const Value& v = pointer(a);
  if (!is_in_gm(v.type))
    fail(a.place, a.text,
         " does not point to GM, expected a pointer to GM: the "
         "scalar unit of this model reaches no buffer");
  TileOperand operand = v.place;
  operand.access = access;
  operand.address.add(index, 1);
  operand.dimensions = operand.view = {{1, 1}};
  operand.view_address = operand.address;
  if (!cluster::has_values(operand.element))
    fail(a.place, a.text, " points to ", to_string(operand.element),
         ", which has no values in this model");
  return operand;
}

void ScalarLowering::load(const Operation& op) {
  const Operand index = scope_.scalar_or_number(argument(op, Role::kIndex));
  TileOperand from = element_in_gm(argument(op, Role::kOperand), index, Access::kRead);
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
  TileOperand to = element_in_gm(argument(op, Role::kOperand, 1), index, Access::kWrite);
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
    line = element_in_gm(where, 0, Access::kRead);
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
