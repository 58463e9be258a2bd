#include "frontends/csl/builtins/tensor_access.h"

namespace tessera::csl {
namespace {

constexpr std::size_t kMostVariables = 4;

class TensorReader {
 public:
  TensorReader(Evaluator& evaluator, const TensorAccess& access)
      : evaluator_(evaluator), engine_(evaluator.engine()), access_(access) {}

  void read(Dsd& dsd) {
    if (access_.variables.size() != access_.extents.size() ||
        access_.variables.size() > kMostVariables)
      engine_.fail(access_, "a tensor access has as many extents as variables, at most ",
                   kMostVariables);
    for (const Expr* extent : access_.extents)
      dsd.extents.push_back(evaluator_.integer(*extent, 0, 0xffff, "the extent"));
    const Index* index = if_is<Index>(*access_.access);
    if (index == nullptr) engine_.fail(*access_.access, "an element A[..] is expected");
    array_ = set_base(*index->object, dsd);
    for (const Name& variable : access_.variables) {
      auto cell = std::make_shared<Cell>();
      cell->type = engine_.types.comptime_int;
      cell->value = Value{BigInt(0)};
      cell->name = variable.text;
      evaluator_.frame().locals.push_back({variable.text, cell});
      variables_.push_back(std::move(cell));
    }
    dsd.has_steps = true;
    dsd.offset = element(*index);
    std::int64_t all = dsd.offset;
    for (const auto& variable : variables_) {
      variable->value = Value{BigInt(1)};
      dsd.strides.push_back(element(*index) - dsd.offset);
      all += 2 * dsd.strides.back();
      variable->value = Value{BigInt(0)};
    }
    for (const auto& variable : variables_) variable->value = Value{BigInt(2)};
    if (element(*index) != all)
      engine_.fail(*index, "the index is no sum of the variables with constant factors");
    evaluator_.frame().locals.resize(evaluator_.frame().locals.size() - variables_.size());
  }

 private:
  /// The array type; nullptr: a pointer to elements.
  const Type* set_base(const Expr& object, Dsd& dsd) {
    if (std::optional<Location> location = evaluator_.locate(object)) {
      if (location->type->is(TypeKind::kArray)) {
        const Type* type = location->type;
        location->path.push_back(0);
        dsd.base = location->pointer();
        dsd.element = type->element;
        return type;
      }
    }
    const Result pointer = evaluator_.value(object);
    if (!pointer.type->is(TypeKind::kPointer))
      engine_.fail(object, "an array or a pointer is expected instead of a value of type ",
                   text::in_quotes(pointer.type->name));
    const Type* to = pointer.type->element;
    const bool is_array = to->is(TypeKind::kArray);
    dsd.element = is_array ? to->element : to;
    if (!pointer.value().is_undefined()) {
      PointerValue base = pointer.value().pointer();
      if (is_array && base.cell) base.path.push_back(0);
      dsd.base = std::make_shared<const PointerValue>(std::move(base));
    }
    return is_array ? to : nullptr;
  }

  std::int64_t element(const Index& index) {
    if (array_ != nullptr) return evaluator_.element_number(*array_, index.indices, index);
    if (index.indices.size() != 1) engine_.fail(index, "a pointer takes one index");
    return evaluator_.integer(*index.indices[0], -65536, 65535, "an index");
  }

  Evaluator& evaluator_;
  Engine& engine_;
  const TensorAccess& access_;
  const Type* array_ = nullptr;
  std::vector<std::shared_ptr<Cell>> variables_;
};

}  // namespace

void read_tensor_access(Evaluator& evaluator, const TensorAccess& access, Dsd& dsd) {
  TensorReader(evaluator, access).read(dsd);
}

}  // namespace tessera::csl
