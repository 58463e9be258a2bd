#include "frontends/csl/builtins/tensor_access.h"

#include <algorithm>

#include "frontends/csl/lower/operands.h"
#include "frontends/csl/syntax/mentions.h"

namespace tessera::csl {
namespace {

constexpr std::size_t kMostVariables = 4;
constexpr std::int64_t kMostLength = 0xffff;
constexpr std::int64_t kMostIndex = std::int64_t{1} << 31;

/// An index as a sum: factors of the variables, and the rest.
struct Sum {
  explicit Sum(std::size_t variables) : factors(variables, 0) {}
  std::vector<std::int64_t> factors;
  std::int64_t known = 0;
  std::optional<Result> rest;
};

/// The variables of an access as names in scope, as long as it lives.
class Variables {
 public:
  Variables(Evaluator& evaluator, const List<Name>& names)
      : evaluator_(evaluator), before_(evaluator.frame().locals.size()) {
    for (const Name& name : names) {
      auto cell = std::make_shared<Cell>();
      cell->type = evaluator.engine().types.comptime_int;
      cell->value = Value{BigInt(0)};
      cell->name = name.text;
      evaluator.frame().locals.push_back({name.text, cell});
      cells_.push_back(std::move(cell));
      names_.push_back(name.text);
    }
  }
  ~Variables() { evaluator_.frame().locals.resize(before_); }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

  std::size_t size() const { return cells_.size(); }
  const std::vector<std::string_view>& names() const { return names_; }
  void set(std::size_t i, int value) { cells_[i]->value = Value{BigInt(value)}; }

 private:
  Evaluator& evaluator_;
  const std::size_t before_;
  std::vector<std::shared_ptr<Cell>> cells_;
  std::vector<std::string_view> names_;
};

class AccessReader {
 public:
  AccessReader(const BuiltinCall& call, const TensorAccess& access)
      : call_(call), evaluator_(call.evaluator), engine_(call.engine()), access_(access),
        variables_(call.evaluator, access.variables) {}

  void read(const Index& index, TensorAccessParts& parts) {
    const Type& array = *parts.base.array;
    const bool is_array = array.is(TypeKind::kArray);
    const std::size_t dimensions = is_array ? array.extents.size() : 1;
    if (index.indices.size() != dimensions)
      engine_.fail(index,
                   is_array ? "an array of " + text::plural(dimensions, "dimension") : "a pointer",
                   " takes as many indices instead of ", index.indices.size());
    Sum all(variables_.size());
    for (std::size_t i = 0; i < dimensions; ++i) {
      std::int64_t weight = 1;
      for (std::size_t k = i + 1; k < dimensions; ++k) weight *= array.extents[k];
      add(all, sum_of(*index.indices[i]), weight, *index.indices[i]);
    }
    parts.offset = all.known;
    parts.rest = all.rest;
    parts.strides = all.factors;
  }

 private:
  Result times(Result value, std::int64_t weight, const Node& at) {
    if (weight == 1) return value;
    return evaluator_.binary(BinaryOp::kMultiply, std::move(value),
                             {engine_.types.comptime_int, Value{BigInt(weight & 0xffff)}}, at);
  }

  void add(Sum& to, const Sum& part, std::int64_t weight, const Node& at) {
    for (std::size_t i = 0; i < to.factors.size(); ++i)
      to.factors[i] += weight * part.factors[i];
    to.known += weight * part.known;
    if (!part.rest) return;
    Result rest = times(*part.rest, weight, at);
    to.rest = to.rest ? evaluator_.binary(BinaryOp::kAdd, *to.rest, std::move(rest), at)
                      : std::move(rest);
  }

  std::int64_t known_integer(const Result& value, const Expr& at) {
    const Value& known = engine_.known(value, at);
    if (!value.type->is_any_integer() || known.is_undefined())
      engine_.fail(at, "an index is of type ", text::in_quotes(value.type->name),
                   " instead of an integer type");
    const BigInt& number = known.integer();
    if (number < -kMostIndex || number > kMostIndex)
      engine_.fail(at, "an index is ", number.str(), ", which no array has");
    return static_cast<std::int64_t>(number);
  }

  Sum sum_of(const Expr& e) {
    Sum sum(variables_.size());
    if (!mentions(e, variables_.names())) {
      const Result value = evaluator_.operand(e);
      const bool runs = !value.is_known() && call_.makes_code() && value.type->is_any_integer();
      if (runs) {
        sum.rest = cast_operand(evaluator_, value, engine_.types.word("u16"), e);
      } else {
        sum.known = known_integer(value, e);
      }
      return sum;
    }
    if (const NameExpr* name = if_is<NameExpr>(e)) {
      for (std::size_t i = 0; i < variables_.size(); ++i)
        if (variables_.names()[i] == name->name) sum.factors[i] = 1;
      return sum;
    }
    if (const Builtin* cast = if_is<Builtin>(e);
        cast != nullptr && cast->name == "as" && cast->arguments.size() == 2)
      return sum_of(*cast->arguments[1]);
    if (const Binary* binary = if_is<Binary>(e)) {
      const bool adds = binary->op == BinaryOp::kAdd || binary->op == BinaryOp::kSubtract;
      if (adds) {
        add(sum, sum_of(*binary->left), 1, e);
        add(sum, sum_of(*binary->right), binary->op == BinaryOp::kAdd ? 1 : -1, e);
        return sum;
      }
      const bool left_varies = mentions(*binary->left, variables_.names());
      const bool right_varies = mentions(*binary->right, variables_.names());
      if (binary->op == BinaryOp::kMultiply && left_varies != right_varies) {
        const Expr& factor = left_varies ? *binary->right : *binary->left;
        add(sum, sum_of(left_varies ? *binary->left : *binary->right),
            known_integer(evaluator_.operand(factor), factor), e);
        return sum;
      }
    }
    return probed(e);
  }

  /// Any other expression: its values show whether it is affine.
  Sum probed(const Expr& e) {
    Sum sum(variables_.size());
    const auto value = [&] { return known_integer(evaluator_.operand(e), e); };
    sum.known = value();
    std::int64_t all = sum.known;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      variables_.set(i, 1);
      sum.factors[i] = value() - sum.known;
      all += 2 * sum.factors[i];
      variables_.set(i, 0);
    }
    for (std::size_t i = 0; i < variables_.size(); ++i) variables_.set(i, 2);
    const bool is_affine = value() == all;
    for (std::size_t i = 0; i < variables_.size(); ++i) variables_.set(i, 0);
    if (!is_affine)
      engine_.fail(e, "the index is no sum of the variables with constant factors");
    return sum;
  }

  const BuiltinCall& call_;
  Evaluator& evaluator_;
  Engine& engine_;
  const TensorAccess& access_;
  Variables variables_;
};

}  // namespace

DsdBase base_of(const BuiltinCall& call, const Expr& e) {
  DsdBase base;
  if (std::optional<Location> location = call.evaluator.locate(e)) {
    if (location->type->is(TypeKind::kArray)) {
      base.array = location->type;
      base.location = std::move(location);
      return base;
    }
  }
  Result pointer = call.evaluator.operand(e);
  if (!call.makes_code()) call.engine().known(pointer, e);
  if (!pointer.type->is(TypeKind::kPointer))
    call.engine().fail(e, "an array or a pointer is expected instead of a value of type ",
                       text::in_quotes(pointer.type->name));
  if (pointer.is_known() && pointer.value().is_undefined())
    call.engine().fail(e, "the base address is undefined");
  base.array = pointer.type->element;
  base.pointer = std::move(pointer);
  return base;
}

TensorAccessParts read_tensor_access(const BuiltinCall& call, const TensorAccess& access) {
  Engine& engine = call.engine();
  TensorAccessParts parts;
  if (access.variables.size() != access.extents.size() || access.variables.size() > kMostVariables)
    engine.fail(access, "a tensor access has as many extents as variables, at most ",
                kMostVariables);
  for (const Expr* extent : access.extents) {
    const Result value = call.evaluator.operand(*extent);
    if (!value.is_known() && call.makes_code())
      engine.fail(*extent, "the extent of a tensor access is known at compile time; the fields "
                           ".base_address, .stride and .extent take values of the running program");
    parts.extents.push_back(call.evaluator.integer(*extent, 0, kMostLength, "the extent"));
  }
  const Index* index = if_is<Index>(*access.access);
  if (index == nullptr) engine.fail(*access.access, "an element A[..] is expected");
  parts.base = base_of(call, *index->object);
  AccessReader(call, access).read(*index, parts);
  return parts;
}

}  // namespace tessera::csl
