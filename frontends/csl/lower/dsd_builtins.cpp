#include "frontends/csl/lower/dsd_builtins.h"

#include <algorithm>
#include <map>

#include "frontends/csl/builtins/dsd_values.h"
#include "frontends/csl/lower/memory.h"
#include "frontends/csl/lower/operands.h"

namespace tessera::csl {

namespace {

constexpr std::int64_t kLargestExtent = 0xffff;

void check_integer_field(const BuiltinCall& call, const Result& field, std::string_view name) {
  if (!field.type->is_any_integer())
    call.fail("the field .", std::string(name), " is of type ", in_quotes(field.type->name),
              " instead of an integer type");
}

/// An extent or a stride that is known.
std::int64_t known_field(const BuiltinCall& call, const Result& field, std::string_view name,
                         std::int64_t lowest, std::int64_t highest) {
  check_integer_field(call, field, name);
  const BigInt& number = field.value().integer();
  if (number < lowest || number > highest)
    call.fail("the field .", std::string(name), " is ", number.str(), ", which is not in ", lowest,
              "..", highest);
  return static_cast<std::int64_t>(number);
}

/// An index as a sum: factors of the variables of a tensor access, and the rest.
struct Sum {
  std::vector<std::int64_t> factors;
  std::int64_t known = 0;
  ir::Value rest;
};

class LiveAccess {
 public:
  LiveAccess(const BuiltinCall& call, const TensorAccess& access)
      : call_(call), evaluator_(call.evaluator), access_(access) {}

  /// One variable. `dsd` gets the stride and what else is known of it.
  LiveDsd read(Dsd& dsd) {
    FunctionCode& code = code_of(evaluator_);
    const Index* index = if_is<Index>(*access_.access);
    if (index == nullptr || access_.variables.size() != 1)
      call_.fail("a tensor access with operands of the running program has one variable");
    const auto [array, base] = base_of_object(*index->object);
    dsd.element = array->is(TypeKind::kArray) ? array->element : array;
    const std::int64_t bytes = size_of(*dsd.element);
    Sum all;
    all.factors = {0};
    const std::size_t dimensions = array->is(TypeKind::kArray) ? array->extents.size() : 1;
    if (index->indices.size() != dimensions)
      call_.fail("the access has another number of indices than the array has dimensions");
    for (std::size_t i = 0; i < index->indices.size(); ++i) {
      std::int64_t weight = 1;
      for (std::size_t k = i + 1; k < dimensions; ++k) weight *= array->extents[k];
      add(all, sum_of(*index->indices[i]), weight);
    }
    LiveDsd live;
    live.base = address_value(
        evaluator_, {base.address, static_cast<std::int32_t>(base.offset + all.known * bytes)});
    if (all.rest.kind != ir::Value::Kind::kNone)
      live.base = code.builder.element(live.base, all.rest, static_cast<unsigned>(bytes), 0);
    const Result extent = evaluator_.operand(*access_.extents[0]);
    dsd.strides = {all.factors[0]};
    dsd.extents = {1};
    if (extent.is_known()) {
      dsd.extents = {known_field(call_, extent, "extent", 0, kLargestExtent)};
    } else {
      live.extent = number_of(extent, *access_.extents[0]);
    }
    return live;
  }

  ir::Value number_of(const Result& value, const Node& at) {
    ir::Value number = scalar(evaluator_, value, at);
    ir::Builder& builder = code_of(evaluator_).builder;
    if (ir::is_wide(number.type)) number = builder.convert(ir::Type::kU16, number);
    return number.type == ir::Type::kU16 || number.is_constant()
               ? number
               : builder.copy(ir::Type::kU16, number);
  }

 private:
  std::pair<const Type*, Storage> base_of_object(const Expr& object) {
    if (std::optional<Location> location = evaluator_.locate(object)) {
      if (location->type->is(TypeKind::kArray))
        return {location->type, storage_of(evaluator_, *location, object)};
    }
    const Result pointer = evaluator_.operand(object);
    if (!pointer.type->is(TypeKind::kPointer))
      call_.engine().fail(object, "an array or a pointer is expected instead of a value of type ",
                          text::in_quotes(pointer.type->name));
    return {pointer.type->element, {scalar(evaluator_, pointer, object), 0}};
  }

  bool mentions(const Expr& e) const {
    if (const NameExpr* name = if_is<NameExpr>(e)) return name->name == access_.variables[0].text;
    if (const Binary* binary = if_is<Binary>(e))
      return mentions(*binary->left) || mentions(*binary->right);
    if (const Unary* unary = if_is<Unary>(e)) return mentions(*unary->operand);
    if (const Builtin* builtin = if_is<Builtin>(e)) {
      return std::any_of(builtin->arguments.begin(), builtin->arguments.end(),
                         [this](const Expr* a) { return mentions(*a); });
    }
    return false;
  }

  void add(Sum& to, const Sum& part, std::int64_t weight) {
    ir::Builder& builder = code_of(evaluator_).builder;
    to.factors[0] += weight * part.factors[0];
    to.known += weight * part.known;
    if (part.rest.kind == ir::Value::Kind::kNone) return;
    ir::Value rest = part.rest;
    if (weight != 1)
      rest = builder.binary(
          ir::Op::kMul, rest,
          ir::constant(ir::Type::kU16, static_cast<std::uint32_t>(weight) & 0xffffU));
    to.rest =
        to.rest.kind == ir::Value::Kind::kNone ? rest : builder.binary(ir::Op::kAdd, to.rest, rest);
  }

  Sum sum_of(const Expr& e) {
    Sum sum;
    sum.factors = {0};
    if (!mentions(e)) {
      const Result value = evaluator_.operand(e);
      if (value.is_known()) {
        sum.known = static_cast<std::int64_t>(value.value().integer());
      } else {
        sum.rest = number_of(value, e);
      }
      return sum;
    }
    if (if_is<NameExpr>(e) != nullptr) {
      sum.factors[0] = 1;
      return sum;
    }
    const Binary* binary = if_is<Binary>(e);
    if (const Builtin* cast = if_is<Builtin>(e); cast != nullptr && cast->name == "as")
      return sum_of(*cast->arguments[1]);
    if (binary != nullptr && (binary->op == BinaryOp::kAdd || binary->op == BinaryOp::kSubtract)) {
      add(sum, sum_of(*binary->left), 1);
      add(sum, sum_of(*binary->right), binary->op == BinaryOp::kAdd ? 1 : -1);
      return sum;
    }
    if (binary != nullptr && binary->op == BinaryOp::kMultiply) {
      const bool left_varies = mentions(*binary->left);
      const Expr& constant = left_varies ? *binary->right : *binary->left;
      if (!mentions(constant)) {
        add(sum, sum_of(left_varies ? *binary->left : *binary->right),
            evaluator_.integer(constant, -65536, 65535, "a factor of the variable"));
        return sum;
      }
    }
    call_.engine().fail(e, "the index is no sum of the variable with a constant factor and others");
  }

  const BuiltinCall& call_;
  Evaluator& evaluator_;
  const TensorAccess& access_;
};

ir::Value byte_distance(const BuiltinCall& call, const Result& steps, std::int64_t bytes) {
  FunctionCode& code = code_of(call.evaluator);
  if (steps.is_known())
    return ir::constant(
        ir::Type::kAddress,
        static_cast<std::uint32_t>(static_cast<std::int64_t>(steps.value().integer()) * bytes) &
            0xffffU);
  ir::Value n = scalar(call.evaluator, steps, call.node);
  if (ir::is_wide(n.type)) n = code.builder.convert(ir::Type::kU16, n);
  if (bytes == 1) return n;
  return code.builder.binary(ir::Op::kMul, n,
                             ir::constant(n.type, static_cast<std::uint32_t>(bytes) & 0xffffU));
}

/// What a pointer, an array or an address stands for.
ir::Value base_value(const BuiltinCall& call, const Expr& e, const Type** element) {
  Evaluator& evaluator = call.evaluator;
  if (const std::optional<Location> location = evaluator.locate(e)) {
    if (location->type->is(TypeKind::kArray)) {
      if (element != nullptr) *element = location->type->element;
      return address_value(evaluator, storage_of(evaluator, *location, e));
    }
  }
  const Result pointer = evaluator.operand(e);
  if (!pointer.type->is(TypeKind::kPointer))
    call.engine().fail(e, "a base address is an array or a pointer instead of a value of type ",
                       text::in_quotes(pointer.type->name));
  if (element != nullptr) {
    *element = pointer.type->element;
    if ((*element)->is(TypeKind::kArray)) *element = (*element)->element;
  }
  return scalar(evaluator, pointer, e);
}

/// A field that is a number, which is known or an operand of the running program.
void read_number(const BuiltinCall& call, const LiteralField& field, const Result& value,
                 std::pair<std::int64_t, std::int64_t> range, std::int64_t& known,
                 ir::Value& live) {
  if (value.is_known()) {
    known = known_field(call, value, field.name.text, range.first, range.second);
    return;
  }
  check_integer_field(call, value, field.name.text);
  const ir::Value number = scalar(call.evaluator, value, *field.value);
  live = ir::is_wide(number.type) ? code_of(call.evaluator).builder.convert(ir::Type::kU16, number)
                                  : number;
}

}  // namespace

std::optional<Result> live_get_dsd(const BuiltinCall& call) {
  const Type* kind = call.type(0);
  const Literal* literal = if_is<Literal>(call.expr(1));
  if (!kind->is(TypeKind::kDsd) || literal == nullptr) return std::nullopt;
  const bool is_mem1d = kind->name == "mem1d_dsd";
  const bool is_fabric = kind->name == "fabin_dsd" || kind->name == "fabout_dsd";
  if (!is_mem1d && !is_fabric) return std::nullopt;
  Evaluator& evaluator = call.evaluator;
  Dsd dsd;
  dsd.strides = {1};
  LiveDsd live;
  ir::Value offset;
  std::int64_t known_offset = 0;
  for (const LiteralField& field : literal->values) {
    const std::string name(field.name.text);
    if (name == "tensor_access") {
      const TensorAccess* access = if_is<TensorAccess>(*field.value);
      if (access == nullptr) return std::nullopt;
      live = LiveAccess(call, *access).read(dsd);
      continue;
    }
    if (name == "base_address") {
      live.base = base_value(call, *field.value, &dsd.element);
      continue;
    }
    const Result value = evaluator.operand(*field.value);
    if (name == "extent") {
      dsd.extents = {1};
      read_number(call, field, value, {0, kLargestExtent}, dsd.extents[0], live.extent);
    } else if (name == "stride") {
      read_number(call, field, value, {-128, 127}, dsd.strides[0], live.stride);
    } else if (name == "offset") {
      read_number(call, field, value, {-32768, kLargestExtent}, known_offset, offset);
    } else {
      call.engine().known(value, *field.value);
      check_dsd_field(call, *kind, name, value);
      dsd.options.emplace_back(name, value);
    }
  }
  if (dsd.extents.empty()) call.fail("the descriptor has no extent");
  if (is_mem1d && (offset.kind != ir::Value::Kind::kNone || known_offset != 0)) {
    ir::Builder& builder = code_of(evaluator).builder;
    const std::int64_t bytes = size_of(*dsd.element);
    live.base =
        address_value(evaluator, {live.base, static_cast<std::int32_t>(known_offset * bytes)});
    if (offset.kind != ir::Value::Kind::kNone)
      live.base = builder.element(live.base, offset, static_cast<unsigned>(bytes), 0);
  }
  live.descriptor = code_of(evaluator).tile.descriptor_of(*kind, dsd, call.node);
  return live_result(kind, live);
}

std::optional<Result> live_change_dsd(const BuiltinCall& call) {
  Evaluator& evaluator = call.evaluator;
  const Result from = evaluator.operand(call.expr(0));
  if (!from.type->is(TypeKind::kDsd)) return std::nullopt;
  LiveDsd dsd = live_dsd(evaluator, from, call.expr(0));
  ir::Builder& builder = code_of(evaluator).builder;
  const std::string_view name = call.node.name;
  const bool is_memory = from.type->name != "fabin_dsd" && from.type->name != "fabout_dsd";
  if (name != "set_dsd_length" && !is_memory)
    call.fail("only a descriptor of memory has an address and a stride");
  if (name == "set_dsd_length" && from.type->name == "mem4d_dsd")
    call.fail("a mem4d_dsd has no single length");
  if (name == "set_dsd_base_addr") {
    dsd.base = base_value(call, call.expr(1), nullptr);
  } else if (name == "increment_dsd_offset") {
    const Result steps = evaluator.operand(call.expr(1));
    if (!steps.type->is_any_integer())
      call.engine().fail(call.expr(1), call.what(1), " is of type ",
                         text::in_quotes(steps.type->name), " instead of an integer type");
    const ir::Value distance = byte_distance(call, steps, size_of(*call.type(2)));
    const ir::Value base = base_address(evaluator, dsd);
    dsd.base = builder.binary(
        ir::Op::kAdd,
        base.type == ir::Type::kAddress ? base : builder.copy(ir::Type::kAddress, base), distance);
  } else {
    const Result number = evaluator.operand(call.expr(1));
    if (!number.type->is_any_integer())
      call.engine().fail(call.expr(1), call.what(1), " is of type ",
                         text::in_quotes(number.type->name), " instead of an integer type");
    const Type* type = call.types().word(name == "set_dsd_length" ? "u16" : "i16");
    const Result typed = number.is_known()
                             ? call.engine().convert(number, type, call.node, call.what(1))
                             : cast_operand(evaluator, number, type, call.node);
    (name == "set_dsd_length" ? dsd.extent : dsd.stride) = scalar(evaluator, typed, call.node);
  }
  return live_result(from.type, dsd);
}

}  // namespace tessera::csl
