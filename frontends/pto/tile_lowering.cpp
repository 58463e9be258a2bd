#include "frontends/pto/tile_lowering.h"

#include <algorithm>

namespace tessera::pto {

using cluster::Operand;

namespace {

/// Throws UserError for a negative offset or size that is written as a number. A computed one may be in
/// a branch that this launch does not take.
void refuse_negative(const Operation& op, const Diagnostics& diagnostics) {
  for (const Argument& a : op.arguments) {
    const bool counts = a.role == Argument::Role::kShape || a.role == Argument::Role::kOffset ||
                        a.role == Argument::Role::kSize;
    if (!counts || a.kind != Argument::Kind::kInteger || a.number >= 0) continue;
    diagnostics.fail(a.place,
                     joined(op.name, ": an offset or size of ", a.number, ", expected 0 or more"));
  }
}

}  // namespace

void TileLowering::alloc(const Operation& op) {
  const std::string& name = op.results[0].name;
  const bool is_resized = scope_.is_resized(name);
  Value v = tile_of(op.types[0], name);
  const auto has = [&op](Role role) {
    return std::any_of(op.arguments.begin(), op.arguments.end(),
                       [role](const Argument& a) { return a.role == role; });
  };
  const auto size = [&](std::int64_t known, std::int64_t full, Role role,
                        const char* key) -> Operand {
    if (has(role)) return scope_.scalar(argument(op, role));
    if (known != kDynamic) return known;
    if (is_resized) return full;
    fail(op.place, std::string("the valid size is ?, expected "), key, " = %value");
  };
  v.sizes = {size(v.type.valid_rows, v.type.shape[0], Role::kValidRow, "valid_row"),
             size(v.type.valid_columns, v.type.shape[1], Role::kValidColumn, "valid_col")};
  if (is_resized) {
    const std::vector<Operand> sizes = v.sizes;
    for (Operand& s : v.sizes) s = cluster::reg(emitter_.new_register(op.place));
    set_valid(v, sizes, op.place);
  }
  const Operand address = has(Role::kAddress) ? scope_.scalar(argument(op, Role::kAddress))
                                              : Operand(context_.memory.allot(op, v.place));
  context_.memory.check_room(op, v.place, address.is_register ? 0 : address.value);
  v.place.address.add(address, 1);
  v.is_placed = has(Role::kAddress);
  check_valid(op, v);
  scope_.define(op, std::move(v));
}

void TileLowering::set_valid(const Value& tile, const std::vector<Operand>& sizes, Place place) {
  for (unsigned d = 0; d < 2; ++d)
    emitter_.set(static_cast<unsigned>(tile.sizes[d].value), sizes[d], place);
}

void TileLowering::set_valid_shape(const Operation& op) {
  const Value& v = scope_.tile(argument(op, Role::kOperand));
  if (!v.sizes[0].is_register || !v.sizes[1].is_register)
    fail(op, "expected a tile of pto.alloc_tile");
  set_valid(v,
            {scope_.scalar_or_number(argument(op, Role::kOperand, 1)),
             scope_.scalar_or_number(argument(op, Role::kOperand, 2))},
            op.place);
}

void TileLowering::subview(const Operation& op) {
  Value v = scope_.tile(argument(op, Role::kOperand));
  const std::vector<Operand> offsets = scope_.numbers(op, Role::kOffset);
  const std::vector<Operand> sizes = scope_.numbers(op, Role::kSize);
  const std::vector<Operand> valid = scope_.numbers(op, Role::kValid);
  if (offsets.size() != 2 || sizes.size() != 2 || (!valid.empty() && valid.size() != 2))
    fail(op, "expected two offsets and two sizes");
  if (sizes[0].is_register || sizes[1].is_register) fail(op, "expected sizes that are known");
  for (unsigned d = 0; d < 2; ++d)
    check_span(op, d, offsets[d].is_register ? 0 : offsets[d].value, sizes[d].value,
               v.type.shape[d]);
  move_inside(v.place, offsets[0], offsets[1]);
  v.place.name = op.results[0].name;
  v.type.shape = {sizes[0].value, sizes[1].value};
  v.sizes = valid.empty() ? sizes : valid;
  check_valid(op, v);
  scope_.define(op, std::move(v));
}

void TileLowering::assign(const Operation& op) {
  Value v = scope_.tile(argument(op, Role::kOperand));
  const Operand address = scope_.scalar_or_number(argument(op, Role::kOperand, 1));
  v.place.name = op.results[0].name;
  v.place.address = {};
  v.place.address.add(address, 1);
  context_.memory.check_room(op, v.place, address.is_register ? 0 : address.value);
  scope_.define(op, std::move(v));
}

void TileLowering::reshape(const Operation& op) {
  Value v = scope_.tile(argument(op, Role::kOperand));
  if (op.result_types.empty() || op.result_types[0].kind != Type::Kind::kTile)
    fail(op, "expected -> and the type of the result");
  const std::int64_t bytes = bytes_of(v.place);
  const bool dense = v.place.row_stride == v.type.shape[1] || v.type.shape[0] == 1;
  v.type = op.result_types[0];
  v.place.name = op.results[0].name;
  v.place.element = element(v.type);
  v.place.full_rows = v.type.shape[0];
  v.place.row_stride = v.type.shape[1];
  if (!dense) fail(op, "the rows of the tile do not lie one behind the other");
  if (bytes_of(v.place) > bytes)
    fail(op, "the result has ", bytes_of(v.place), " bytes, the tile ", bytes);
  v.sizes = known_sizes(v.type);
  scope_.define(op, std::move(v));
}

// --- tensors ---

void TileLowering::tensor_view(const Operation& op) {
  Value v;
  v.place = scope_.value(op.arguments[0], Value::Kind::kPointer, "a pointer").place;
  v.kind = Value::Kind::kView;
  v.type = op.types[0];
  if (element(v.type) != v.place.element)
    fail(op.place, "a view with elements of ", v.type.element, " of a pointer to ",
         to_string(v.place.element), ", expected the same");
  v.sizes = scope_.numbers(op, Role::kShape);
  const std::vector<Operand> strides = scope_.numbers(op, Role::kStride);
  if (v.sizes.size() != strides.size() || v.sizes.size() > cluster::kMostDimensions)
    fail(op.place, "a shape of ", v.sizes.size(), " sizes and ", strides.size(),
         " strides, expected as many, 1 to 5");
  for (std::size_t d = 0; d < strides.size(); ++d) v.place.view.push_back({v.sizes[d], strides[d]});
  check_view(op, v.place);
  v.place.view_address = v.place.address;
  v.place.dimensions = v.place.view;
  scope_.define(op, std::move(v));
}

void TileLowering::partition(const Operation& op) {
  Value v = scope_.value(op.arguments[0], Value::Kind::kView, "a tensor view");
  const std::size_t dimensions = v.sizes.size();
  const std::vector<Operand> offsets = scope_.numbers(op, Role::kOffset);
  v.sizes = scope_.numbers(op, Role::kSize);
  const auto require_all = [&](std::size_t count, const char* what) {
    if (count != dimensions) fail(op.place, "expected ", dimensions, what, ", found ", count);
  };
  require_all(v.sizes.size(), " sizes");
  require_all(offsets.size(), " offsets");
  check_part(op, v.type, offsets, v.sizes);
  for (std::size_t d = 0; d < dimensions; ++d) {
    v.place.address.add(offsets[d], v.place.dimensions[d].stride);
    v.place.dimensions[d].size = v.sizes[d];
  }
  scope_.define(op, std::move(v));
}

void TileLowering::check_view(const Operation& op, const TileOperand& view) const {
  refuse_negative(op, diagnostics_);
  std::int64_t last = 0;
  for (const cluster::Dimension& d : view.view) {
    if (d.size.is_register || d.stride.is_register || d.size.value <= 0) continue;
    std::int64_t reach = 0;
    const std::int64_t bits = cluster::bits_of(view.element);
    if (!__builtin_mul_overflow(d.size.value - 1, d.stride.value, &reach) &&
        !__builtin_add_overflow(last, reach, &last) && !__builtin_mul_overflow(last, bits, &reach))
      continue;
    fail(op, d.size.value, " elements ", d.stride.value,
         " apart reach farther than addresses of 64 bits");
  }
}

void TileLowering::check_part(const Operation& op, const Type& tensor,
                              const std::vector<Operand>& offsets,
                              const std::vector<Operand>& sizes) const {
  refuse_negative(op, diagnostics_);
  for (std::size_t d = 0; d < offsets.size(); ++d) {
    if (d >= tensor.shape.size() || tensor.shape[d] == kDynamic) continue;
    const std::int64_t room = tensor.shape[d];
    const std::int64_t first = offsets[d].is_register ? 0 : offsets[d].value;
    const std::int64_t count = sizes[d].is_register ? 0 : sizes[d].value;
    if (first <= room && count <= room - first) continue;
    fail(op, "the part takes ", count, " from ", first, " on of dimension ", d,
         ", in which the tensor has ", room);
  }
}

}  // namespace tessera::pto
