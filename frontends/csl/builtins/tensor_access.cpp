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
  AccessReader(Evaluator& evaluator, const TensorAccess& access)
      : evaluator_(evaluator), engine_(evaluator.engine()),
        variables_(evaluator, access.variables) {}

  void read(const Index& index, TensorAccessParts& parts) {
    const Type& array = *parts.base.array;
    const bool is_array = array.is(TypeKind::kArray);
    const std::size_t dimensions = is_array ? array.extents.size() : 1;
    if (index.indices.size() != dimensions)
      engine_.fail(Id::kIndexCount, index,
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
    for (std::size_t i = 0; i < to.factors.size(); ++i) to.factors[i] += weight * part.factors[i];
    to.known += weight * part.known;
    if (!part.rest) return;
    Result rest = times(*part.rest, weight, at);
    to.rest = to.rest ? evaluator_.binary(BinaryOp::kAdd, *to.rest, std::move(rest), at)
                      : std::move(rest);
  }

  std::int64_t known_integer(const Result& value, const Expr& at) {
    const Value& known = engine_.known(value, at);
    if (!value.type->is_any_integer() || known.is_undefined())
      engine_.fail(Id::kNotInteger, at, "an index is of type ", text::in_quotes(value.type->name),
                   " instead of an integer type");
    const BigInt& number = known.integer();
    if (number < -kMostIndex || number > kMostIndex)
      engine_.fail(Id::kTensorAccess, at, "an index is ", number.str(), ", which no array has");
    return static_cast<std::int64_t>(number);
  }

  Sum sum_of(const Expr& e) {
    Sum sum(variables_.size());
    if (!mentions(e, variables_.names())) {
      const Result value = evaluator_.operand(e);
      const bool runs =
          !value.is_known() && evaluator_.frame().code != nullptr && value.type->is_any_integer();
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
      engine_.fail(Id::kTensorAccess, e,
                   "the index is no sum of the variables with constant factors");
    return sum;
  }

  Evaluator& evaluator_;
  Engine& engine_;
  Variables variables_;
};

}  // namespace

DsdBase base_of(Evaluator& evaluator, const Expr& e) {
  Engine& engine = evaluator.engine();
  DsdBase base;
  if (std::optional<Location> location = evaluator.locate(e)) {
    if (location->type->is(TypeKind::kArray)) {
      base.array = location->type;
      base.location = std::move(location);
      return base;
    }
  }
  Result pointer = evaluator.operand(e);
  if (evaluator.frame().code == nullptr) engine.known(pointer, e);
  if (!pointer.type->is(TypeKind::kPointer))
    engine.fail(Id::kDescriptorBase, e,
                "an array or a pointer is expected instead of a value of type ",
                text::in_quotes(pointer.type->name));
  if (pointer.is_known() && pointer.value().is_undefined())
    engine.fail(Id::kUndefined, e, "the base address is undefined");
  base.array = pointer.type->element;
  base.pointer = std::move(pointer);
  return base;
}

TensorAccessParts read_tensor_access(Evaluator& evaluator, const TensorAccess& access) {
  Engine& engine = evaluator.engine();
  TensorAccessParts parts;
  if (access.variables.size() != access.extents.size() || access.variables.size() > kMostVariables)
    engine.fail(Id::kTensorAccess, access,
                "a tensor access has as many extents as variables, at most ", kMostVariables);
  for (const Expr* extent : access.extents) {
    const Result value = evaluator.operand(*extent);
    if (!value.is_known() && evaluator.frame().code != nullptr)
      engine.fail(Id::kTensorAccess, *extent,
                  "the extent of a tensor access is known at compile time; the fields "
                  ".base_address, .stride and .extent take values of the running program");
    parts.extents.push_back(evaluator.integer(*extent, 0, kMostLength, "the extent"));
  }
  const Index* index = if_is<Index>(*access.access);
  if (index == nullptr)
    engine.fail(Id::kTensorAccess, *access.access, "an element A[..] is expected");
  parts.base = base_of(evaluator, *index->object);
  AccessReader(evaluator, access).read(*index, parts);
  return parts;
}

namespace {

Result tuple_of(Types& types, const std::vector<std::int64_t>& numbers) {
  std::vector<const Type*> of(numbers.size(), types.comptime_int);
  std::vector<Value> values;
  for (const std::int64_t number : numbers) values.push_back(Value{BigInt(number)});
  return {types.tuple(of), make_aggregate(std::move(values))};
}

Result address_of(Evaluator& evaluator, const DsdBase& base, const Node& at) {
  if (base.pointer) return *base.pointer;
  const Location& location = *base.location;
  const Type* type = evaluator.engine().types.pointer(location.type, false, location.is_const);
  if (location.storage || !location.cell || location.cell->operand)
    evaluator.engine().fail(Id::kTensorAccess, at,
                            "the array of a tensor access outside of @get_dsd is a variable");
  return {type, Value{location.pointer()}};
}

}  // namespace

Result tensor_access_value(Evaluator& evaluator, const TensorAccess& access) {
  TensorAccessParts parts = read_tensor_access(evaluator, access);
  if (parts.rest) evaluator.engine().known(*parts.rest, access);
  // What the address moves by when a variable steps and those inside of it start again; inner first.
  std::vector<std::int64_t> steps;
  std::int64_t inner = 0;
  for (std::size_t i = parts.strides.size(); i-- > 0;) {
    steps.push_back(parts.strides[i] - inner);
    inner += parts.strides[i] * (std::max<std::int64_t>(parts.extents[i], 1) - 1);
  }
  Types& types = evaluator.engine().types;
  const std::vector<std::pair<const char*, Result>> fields = {
      {"base_address", address_of(evaluator, parts.base, access)},
      {"offset", {types.comptime_int, Value{BigInt(parts.offset)}}},
      {"stride", tuple_of(types, steps)},
      {"extent", tuple_of(types, parts.extents)}};
  std::vector<Field> made;
  std::vector<Value> values;
  for (const auto& [name, value] : fields) {
    made.push_back({name, value.type});
    values.push_back(evaluator.engine().known(value, access));
  }
  return {types.structure(std::move(made), false), make_aggregate(std::move(values))};
}

}  // namespace tessera::csl
