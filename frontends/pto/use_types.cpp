#include "frontends/pto/use_types.h"

#include <algorithm>
#include <string>
#include <vector>

#include "frontends/pto/printer.h"

namespace tessera::pto {

namespace {

/// si8 is i8.
std::string element_name(const Type& type) {
  return type.element.rfind("si", 0) == 0 ? type.element.substr(1) : type.element;
}

bool agree(std::int64_t a, std::int64_t b) {
  return a == b || a == kDynamic || b == kDynamic;
}

bool same_shape(const Type& a, const Type& b) {
  return a.shape.size() == b.shape.size() &&
         std::equal(a.shape.begin(), a.shape.end(), b.shape.begin(), agree);
}

/// What a tile in UB has for an option that its type leaves out; tiles of other buffers have what their buffer asks for.
std::string option_of(const Type& tile, const char* key) {
  const Attribute* a = find(tile.options, key);
  if (a != nullptr) return a->value;
  if (tile.location != "vec") return "";
  const std::string name = key;
  return name == "blayout" ? "row_major" : name == "slayout" ? "none_box" : "512";
}

bool same_option(const Type& a, const Type& b, const char* key) {
  const std::string x = option_of(a, key), y = option_of(b, key);
  return x.empty() || y.empty() || x == y;
}

bool same_valid_part(const Type& a, const Type& b) {
  return agree(a.valid_rows, b.valid_rows) && agree(a.valid_columns, b.valid_columns);
}

bool contradict(const Type& defined, const Type& used) {
  using K = Type::Kind;
  if (defined.kind != used.kind) {
    // A tile is nothing else; views have several spellings.
    const bool tile = defined.kind == K::kTile || used.kind == K::kTile;
    return tile && used.kind != K::kOpaque && defined.kind != K::kOpaque &&
           used.kind != K::kMemref && defined.kind != K::kMemref;
  }
  if (defined.kind == K::kTile)
    return element_name(defined) != element_name(used) || defined.location != used.location ||
           !same_shape(defined, used) || !same_valid_part(defined, used) ||
           !same_option(defined, used, "blayout") || !same_option(defined, used, "slayout") ||
           !same_option(defined, used, "fractal");
  const bool is_view =
      defined.kind == K::kTensorView || defined.kind == K::kPartition || defined.kind == K::kMemref;
  if (is_view) return element_name(defined) != element_name(used) || !same_shape(defined, used);
  return defined.kind == K::kPointer && element_name(defined) != element_name(used);
}

bool has_types_of_operands(Form form) {
  constexpr Form kForms[] = {Form::kTile,      Form::kTileView, Form::kIndexed, Form::kStoreTo,
                             Form::kPartition, Form::kOperands, Form::kGroup,   Form::kLists,
                             Form::kCast,      Form::kCall,     Form::kYield};
  return std::find(std::begin(kForms), std::end(kForms), form) != std::end(kForms);
}

}  // namespace

void check_use_types(const Operation& op, const OperationInfo& info, const Scope& scope,
                     const Diagnostics& diagnostics) {
  if (!has_types_of_operands(info.form)) return;
  std::size_t n = 0;
  for (const Argument& a : op.arguments) {
    const bool is_typed = a.role == Role::kOperand || a.role == Role::kIn || a.role == Role::kOut;
    if (!is_typed || a.kind != Argument::Kind::kValue) continue;
    if (n >= op.types.size()) return;
    const Type& used = op.types[n++];
    const Value* v = scope.find(a.text);
    if (v == nullptr || v->kind == Value::Kind::kScalar || v->kind == Value::Kind::kFloat ||
        v->kind == Value::Kind::kUnknown)
      continue;
    if (contradict(v->type, used))
      diagnostics.fail(used.place, a.text, " is defined as ", to_string(v->type), ", and ", op.name,
                       " takes it as ", to_string(used), ": expected one type");
  }
}

}  // namespace tessera::pto
