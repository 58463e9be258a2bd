#include "frontends/pto/operation_lowering.h"

#include <algorithm>

#include "frontends/pto/use_types.h"

namespace tessera::pto {

namespace {

/// Throws UserError for a negative offset or size that is written as a number. A computed one may
/// be in a branch that this launch does not take.
void refuse_negative(const Operation& op, const Diagnostics& diagnostics) {
  for (const Argument& a : op.arguments) {
    const bool counts = a.role == Role::kShape || a.role == Role::kOffset || a.role == Role::kSize;
    if (!counts || a.kind != Argument::Kind::kInteger || a.number >= 0) continue;
    diagnostics.fail(a.place, op.name, ": an offset or size of ", a.number, ", expected 0 or more");
  }
}

}  // namespace

void TileLowering::alloc(const Operation& op) {
  const std::string& name = op.results[0].name;
  const bool is_resized = scope_.is_resized(name);
  Value v = tile_of(op.types.empty() ? op.result_types.at(0) : op.types[0], name);
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
    for (Operand& s : v.sizes) s = emitter_.new_register(op.place);
    set_valid(v, sizes, op.place);
  }
  const Operand address = has(Role::kAddress)
                              ? scope_.scalar(argument(op, Role::kAddress))
                              : Operand(context_.memory.allot(op, room_of(v.place, v.type)));
  context_.memory.check_room(op, v.place, address.is_register ? 0 : address.value);
  if (op.name == "pto.alloc_tile") check_layout(op, v);
  check_address(op, v, address);
  v.place.address.add(address, 1);
  check_valid(op, v);
  scope_.define(op, std::move(v));
}

// A box of a fractal layout has 16 rows (columns, if boxes are column-major) of 32 bytes.
void TileLowering::check_layout(const Operation& op, const Value& tile) const {
  constexpr std::int64_t kBlock = 32, kBoxed = 16;
  const auto option = [&](const char* key) {
    const Attribute* a = pto::find(tile.type.options, key);
    return a == nullptr ? std::string() : a->value;
  };
  const std::int64_t rows = tile.type.shape[0], columns = tile.type.shape[1];
  const std::int64_t bits = bits_of(tile.type.element);
  const std::string fractal = option("fractal");
  if (!fractal.empty() && !is_one_of({"32", "512", "1024"}, fractal))
    fail(op, "a fractal of ", fractal, " bytes, expected 32, 512 or 1024");
  const std::string boxes = option("slayout");
  if (boxes.empty() || boxes == "none_box") {
    const bool by_column = option("blayout") == "col_major";
    const std::int64_t line = (by_column ? rows : columns) * bits / 8;
    const bool is_packed = tile.type.element.rfind("f4", 0) == 0;
    if (tile.place.location == Location::kUb && line % kBlock != 0 && !is_packed && !is_april())
      fail(op, by_column ? "a column" : "a row", " of the tile takes ", line,
           " bytes, expected a multiple of ", kBlock);
    return;
  }
  const std::int64_t boxed = boxes == "row_major" ? rows : columns;
  if (boxed % kBoxed != 0 && boxed != 1 && fractal != "32")
    fail(op, boxed, boxes == "row_major" ? " rows" : " columns", ", expected a multiple of ",
         kBoxed, " for boxes that are ", boxes);
}

void TileLowering::check_address(const Operation& op, const Value& tile, Operand address) const {
  const std::int64_t alignment = cluster::alignment_of(tile.place.location);
  if (address.is_register || address.value % alignment == 0) return;
  fail(op, "the address ", address.value, " in ", to_string(tile.place.location),
       ", expected a multiple of ", alignment);
}

Value TileLowering::of_parameter(const Parameter& p) {
  Operation op;
  op.place = p.place;
  Value v = tile_of(p.type, p.name);
  v.sizes = known_sizes(p.type);
  v.place.address.add(context_.memory.allot(op, room_of(v.place, v.type)), 1);
  return v;
}

std::int64_t TileLowering::room_for_pointer(const Parameter& p, const TileOperand& place) {
  constexpr std::int64_t kBytes = 8192, kSmall = 512;
  Operation op;
  op.place = p.place;
  TileOperand room = place;
  room.element = Element::kI8;
  room.full_rows = 1;
  const bool is_small = place.location >= Location::kBias;
  room.row_stride = is_small ? kSmall : kBytes;
  return context_.memory.allot(op, room);
}

void TileLowering::alloc_several(const Operation& op) {
  constexpr std::int64_t kMost = 1024;
  Value v = tile_of(op.types[0], op.results[0].name);
  const Attribute* count = pto::find(v.type.options, "count");
  const std::int64_t tiles = count == nullptr ? 0 : whole_number(count->value).value_or(0);
  if (pto::find(op.attributes, "pto.multi_buffer_addrs") != nullptr)
    fail(op, "takes one address, that of the first tile");
  if (const Attribute* compact = pto::find(v.type.options, "compact");
      compact != nullptr && compact->value == "2")
    fail(op, "tiles with a row beyond their own cannot lie one after the other");
  if (tiles < 2 || tiles > kMost) fail(op, "expected a type with count=N, N of 2..", kMost);
  v.sizes = known_sizes(v.type);
  const std::int64_t alignment = cluster::alignment_of(v.place.location);
  v.slot_bytes = (bytes_of(room_of(v.place, v.type)) + alignment - 1) / alignment * alignment;
  TileOperand all = v.place;
  all.full_rows = v.slot_bytes * tiles;
  all.row_stride = 1;
  all.element = Element::kI8;
  const auto given = std::find_if(op.arguments.begin(), op.arguments.end(),
                                  [](const Argument& a) { return a.role == Role::kAddress; });
  const Operand address =
      given != op.arguments.end() ? scope_.scalar(*given) : Operand(context_.memory.allot(op, all));
  context_.memory.check_room(op, all, address.is_register ? 0 : address.value);
  check_layout(op, v);
  check_address(op, v, address);
  v.place.address.add(address, 1);
  scope_.define(op, std::move(v));
}

void TileLowering::one_of_several(const Operation& op) {
  Value v = scope_.tile(argument(op, Role::kOperand));
  if (v.slot_bytes == 0) fail(op, "expected tiles of pto.alloc_multi_tile");
  const Argument& at = argument(op, Role::kIndex);
  const Operand index = scope_.scalar_or_number(at);
  const std::int64_t count = *whole_number(pto::find(v.type.options, "count")->value);
  if (!index.is_register && (index.value < 0 || index.value >= count))
    fail(at.place, "tile ", index.value, " of ", count);
  v.place.name = op.results[0].name;
  v.place.address.add(index, v.slot_bytes);
  v.slot_bytes = 0;
  scope_.define(op, std::move(v));
}

void TileLowering::size_of(const Operation& op) {
  const Value& v = scope_.any_value(op.arguments[0]);
  const bool is_tile = v.kind == Value::Kind::kTile;
  if (op.arguments.size() == 1) {
    if (!is_tile) fail(op, "expected a tile");
    std::vector<Value> sizes = {Value::of_scalar(v.sizes[0]), Value::of_scalar(v.sizes[1])};
    if (op.name == "pto.tile_valid_cols") sizes.erase(sizes.begin());
    return scope_.define_all(op, sizes);
  }
  const Value& view = scope_.view(op.arguments[0]);
  const Operand d = scope_.scalar(op.arguments[1]);
  if (d.is_register || d.value < 0 || d.value >= static_cast<std::int64_t>(view.sizes.size()))
    fail(op, "expected a dimension of the view that is known");
  const auto n = static_cast<std::size_t>(d.value);
  const bool stride = op.name == "pto.get_tensor_view_stride";
  scope_.define_scalar(op, stride ? view.place.dimensions[n].stride : view.sizes[n]);
}

void TileLowering::set_valid_shape(const Operation& op) {
  const Value& v = scope_.tile(argument(op, Role::kOperand));
  if (!v.sizes[0].is_register || !v.sizes[1].is_register)
    fail(op, "expected a tile of pto.alloc_tile");
  Value wanted = v;
  wanted.sizes = {scope_.scalar_or_number(argument(op, Role::kOperand, 1)),
                  scope_.scalar_or_number(argument(op, Role::kOperand, 2))};
  check_valid(op, wanted);
  set_valid(v, wanted.sizes, op.place);
}

void TileLowering::subview(const Operation& op) {
  for (const Operand& stride : scope_.numbers(op, Role::kStride))
    if (stride.is_register || stride.value != 1) fail(op, "expected strides of 1");
  if (scope_.any_value(op.arguments[0]).kind != Value::Kind::kTile) return partition(op);
  Value v = scope_.tile(argument(op, Role::kOperand));
  const bool was_known = v.type.valid_rows != kDynamic && v.type.valid_columns != kDynamic;
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
  const bool inherits = valid.empty() && !v.sizes[0].is_register && !v.sizes[1].is_register;
  for (unsigned d = 0; d < 2 && !op.result_types.empty(); ++d) {
    const Type& type = op.result_types[0];
    const std::int64_t declared = d == 0 ? type.valid_rows : type.valid_columns;
    const bool conflicts = !inherits && declared != kDynamic && !v.sizes[d].is_register &&
                           v.sizes[d].value != declared;
    if (conflicts || (was_known && inherits && declared == kDynamic))
      fail(op, "the type of the result has other valid ", d == 0 ? "rows" : "columns",
           " than the part");
    if (inherits && declared == 0) v.sizes[d] = 0;
  }
  v.type.valid_rows = v.sizes[0].is_register ? kDynamic : v.sizes[0].value;
  v.type.valid_columns = v.sizes[1].is_register ? kDynamic : v.sizes[1].value;
  check_part_type(op, v.type);
  check_valid(op, v);
  scope_.define(op, std::move(v));
}

/// The type that the text states for a part of a tile: its valid sizes have been compared.
void TileLowering::check_part_type(const Operation& op, const Type& part) const {
  if (op.result_types.empty()) return;
  Type stated = op.result_types[0];
  stated.valid_rows = part.valid_rows;
  stated.valid_columns = part.valid_columns;
  if (contradict(part, stated))
    fail(op, "the type of the result has other rows, columns, elements or another layout than the ",
         part.shape[0], " x ", part.shape[1], " ", part.element, " in ", part.location,
         " that are taken");
}

void TileLowering::assign(const Operation& op) {
  Value v = scope_.tile(argument(op, Role::kOperand));
  if (pto::find(v.type.options, "memref") != nullptr) fail(op, "expected a tile, found a memref");
  const Operand address = scope_.scalar_or_number(argument(op, Role::kOperand, 1));
  v.place.name = op.results[0].name;
  v.place.address = {};
  v.place.address.add(address, 1);
  check_address(op, v, address);
  context_.memory.check_room(op, v.place, address.is_register ? 0 : address.value);
  scope_.define(op, std::move(v));
}

void TileLowering::reshape(const Operation& op) {
  Value v = scope_.tile(argument(op, Role::kOperand));
  if (op.result_types.empty() || op.result_types[0].kind != Type::Kind::kTile)
    fail(op, "expected -> and the type of the result");
  const std::int64_t bytes = bytes_of(v.place);
  const unsigned line = v.place.by_columns ? 0 : 1;
  const bool dense = v.place.row_stride == v.type.shape[line] || v.type.shape[1 - line] == 1;
  if (op.result_types[0].location != v.type.location)
    fail(op, "the result lies in ", op.result_types[0].location, ", the tile in ", v.type.location);
  v.type = op.result_types[0];
  v.place.name = op.results[0].name;
  v.place.element = element(v.type);
  set_layout(v.place, v.type);
  if (!dense) fail(op, "the rows of the tile do not lie one after the other");
  if (bytes_of(v.place) > bytes || (op.name == "pto.treshape" && bytes_of(v.place) != bytes))
    fail(op, "the result has ", bytes_of(v.place), " bytes, the tile ", bytes);
  v.sizes = known_sizes(v.type);
  scope_.define(op, std::move(v));
}

// --- tensors ---

void TileLowering::tensor_view(const Operation& op) {
  Value v;
  v.place = scope_.value(op.arguments[0], Value::Kind::kPointer, "a pointer").place;
  if (v.place.location != Location::kGm)
    fail(op.arguments[0].place, op.arguments[0].text, " points to ", to_string(v.place.location),
         ", expected a pointer to GM");
  v.kind = Value::Kind::kView;
  v.type = op.result_types.empty() ? op.types[0] : op.result_types[0];
  if (element(v.type) != v.place.element)
    fail(op.place, "a view with elements of ", v.type.element, " of a pointer to ",
         to_string(v.place.element), ", expected the same");
  v.sizes = scope_.numbers(op, Role::kShape);
  const std::vector<Operand> strides = scope_.numbers(op, Role::kStride);
  if (v.sizes.size() != strides.size() || v.sizes.size() > cluster::kMostDimensions)
    fail(op.place, "a shape of ", v.sizes.size(), " sizes and ", strides.size(),
         " strides, expected as many, 1 to 5");
  if (v.type.shape.size() != v.sizes.size())
    fail(op.place, "a shape of ", v.sizes.size(), " sizes for a type of ", v.type.shape.size(),
         " dimensions");
  v.place.view.clear();
  for (std::size_t d = 0; d < strides.size(); ++d) v.place.view.push_back({v.sizes[d], strides[d]});
  for (const Operand& offset : scope_.numbers(op, Role::kOffset)) v.place.address.add(offset, 1);
  check_view(op, v.place);
  v.place.view_address = v.place.address;
  v.place.dimensions = v.place.view;
  scope_.define(op, std::move(v));
}

void TileLowering::partition(const Operation& op) {
  Value v = scope_.view(op.arguments[0]);
  v.kind = Value::Kind::kView;
  const std::size_t dimensions = v.sizes.size();
  const std::vector<Operand> offsets = scope_.numbers(op, Role::kOffset);
  v.sizes = scope_.numbers(op, Role::kSize);
  const auto require_all = [&](std::size_t count, const char* what) {
    if (count != dimensions) fail(op.place, "expected ", dimensions, what, ", found ", count);
  };
  require_all(v.sizes.size(), " sizes");
  require_all(offsets.size(), " offsets");
  check_part(op, v.type, offsets, v.sizes);
  if (!op.result_types.empty() && element(op.result_types[0]) != v.place.element)
    fail(op, "a part with elements of ", op.result_types[0].element, " of a tensor of ",
         to_string(v.place.element), ", expected the same");
  for (std::size_t d = 0; d < dimensions && !op.result_types.empty(); ++d) {
    const std::vector<std::int64_t>& shape = op.result_types[0].shape;
    if (shape.size() != dimensions || shape[d] == kDynamic || v.sizes[d].is_register) continue;
    if (shape[d] != v.sizes[d].value)
      fail(op, "the size of dimension ", d, " is ", v.sizes[d].value, ", and ", shape[d],
           " in the type of the part");
  }
  for (std::size_t d = 0; d < dimensions; ++d) {
    v.place.address.add(offsets[d], v.place.dimensions[d].stride);
    v.place.dimensions[d].size = v.sizes[d];
  }
  if (!op.result_types.empty()) v.type = op.result_types[0];
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
    if (offsets.size() != tensor.shape.size() || tensor.shape[d] == kDynamic) continue;
    const std::int64_t room = tensor.shape[d];
    const std::int64_t first = offsets[d].is_register ? 0 : offsets[d].value;
    const std::int64_t count = sizes[d].is_register ? 0 : sizes[d].value;
    if (first <= room && count <= room - first) continue;
    fail(op, "the part takes ", count, " from ", first, " on of dimension ", d,
         ", in which the tensor has ", room);
  }
}

}  // namespace tessera::pto
