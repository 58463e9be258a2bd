#include "frontends/pto/use_types.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "frontends/pto/words.h"

namespace tessera::pto {

namespace {

/// si8 is i8.
std::string element_name(const Type& type) {
  return type.element.rfind("si", 0) == 0 ? type.element.substr(1) : type.element;
}

/// What a tile in UB has for an option that its type leaves out; tiles of other buffers have what their buffer asks for.
std::string option_of(const Type& tile, const char* key) {
  const Attribute* a = find(tile.options, key);
  if (a != nullptr) return a->value;
  if (tile.location != "vec") return "";
  const std::string name = key;
  if (name == "pad" || name == "compact") return "0";
  return name == "blayout" ? "row_major" : name == "slayout" ? "none_box" : "512";
}

bool same_option(const Type& a, const Type& b, const char* key) {
  const std::string x = option_of(a, key), y = option_of(b, key);
  return x.empty() || y.empty() || x == y;
}

bool same_tile(const Type& a, const Type& b) {
  const auto same = [&](const char* key) { return same_option(a, b, key); };
  constexpr const char* kKeys[] = {"blayout", "slayout", "fractal", "pad", "compact"};
  return a.location == b.location && a.shape == b.shape && a.valid_rows == b.valid_rows &&
         a.valid_columns == b.valid_columns &&
         std::all_of(std::begin(kKeys), std::end(kKeys), same);
}

/// Operations whose operands all have the one type that is stated.
bool states_one_type(const OperationInfo& info) {
  return info.meaning == Meaning::kArithmetic || info.form == Form::kCompare;
}

bool is_typed(const Argument& a) {
  return a.role == Role::kOperand || a.role == Role::kIn || a.role == Role::kOut;
}

/// Types in the order of the operands. Operands of the register level may be numbers, and an index has a type there too.
std::vector<const Type*> in_order(const Operation& op, const OperationInfo& info) {
  const bool registers = info.form == Form::kRegister;
  const auto counts = [&](const Argument& a, bool with_index) {
    const bool typed = is_typed(a) || (with_index && a.role == Role::kIndex);
    return typed &&
           (a.kind == Argument::Kind::kValue || (registers && a.kind == Argument::Kind::kInteger));
  };
  const auto count = [&](bool with_index) {
    return std::count_if(op.arguments.begin(), op.arguments.end(),
                         [&](const Argument& a) { return counts(a, with_index); });
  };
  std::vector<const Type*> stated(op.arguments.size());
  const auto types = static_cast<std::ptrdiff_t>(op.types.size());
  const bool with_index = registers && types != count(false);
  if (registers && types != count(with_index)) return stated;
  std::size_t n = 0;
  for (std::size_t i = 0; i < op.arguments.size() && n < op.types.size(); ++i)
    if (counts(op.arguments[i], with_index)) stated[i] = &op.types[n++];
  return stated;
}

}  // namespace

std::vector<const Type*> stated_types(const Operation& op, const OperationInfo& info) {
  std::vector<const Type*> stated(op.arguments.size());
  if (op.types.empty()) return stated;
  const Type& first = op.types[0];
  switch (info.form) {
  case Form::kConstant:
  case Form::kAllocTile:
  case Form::kTensorView:  // the types are those of results
  case Form::kFor:
  case Form::kWhile:  // and of the values of a loop
    return stated;
  case Form::kStoreTo:  // the pointer's type comes first
    for (std::size_t i = 0; i < stated.size(); ++i) {
      const bool is_pointer = i > 0 && op.arguments[i].role == Role::kOperand;
      if (is_pointer) stated[i] = &first;
    }
    if (op.types.size() > 1) stated[0] = &op.types[1];
    return stated;
  default:
    break;
  }
  if (info.meaning == Meaning::kSelect && op.types.size() == 1) {
    stated[1] = stated[2] = &first;
    return stated;
  }
  if (!states_one_type(info)) return in_order(op, info);
  for (std::size_t i = 0; i < stated.size(); ++i)
    if (op.arguments[i].role == Role::kOperand) stated[i] = &first;
  return stated;
}

bool contradict(const Type& defined, const Type& used) {
  using K = Type::Kind;
  if (defined.element.empty() || used.element.empty()) return false;
  if (defined.kind != used.kind || element_name(defined) != element_name(used)) return true;
  switch (defined.kind) {
  case K::kScalar:
  case K::kOpaque:
    return false;
  case K::kPointer:
    return space_of(defined) != space_of(used);
  case K::kRegister:
    return defined.location != used.location || defined.shape != used.shape;
  case K::kTile:
    return !same_tile(defined, used);
  default:
    return defined.shape != used.shape;
  }
}

}  // namespace tessera::pto
