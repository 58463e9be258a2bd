// What tile operations read and write: arrays in GM and tiles on chip.
#include <algorithm>

#include "frontends/pto/function_lowering.h"

namespace tessera::pto {

using cluster::Element;
using cluster::Location;
using cluster::TileOperand;
using cluster::TileOperation;

namespace {

/// i8 of si8.
Type signless(Type type) {
  type.element.erase(0, 1);
  return type;
}

}  // namespace

Element FunctionLowering::element_of(const Type& type) const {
  const std::string& e = type.element;
  if (e == "i1") return Element::kU8;
  if (e == "index" || e == "ui64" || e == "si64") return Element::kI64;
  if (e.rfind("si", 0) == 0) return element_of(signless(type));
  if (e.rfind("f8", 0) == 0) return Element::kFp8;
  for (unsigned i = 0; i < cluster::kElementCount; ++i)
    if (e == to_string(static_cast<Element>(i))) return static_cast<Element>(i);
  diagnostics_.fail(type.place, "elements of " + e + " are not modelled");
}

std::uint16_t FunctionLowering::array_of(const Parameter& p) {
  const std::string name = p.name.substr(1);
  const auto same = [&name](const cluster::GmArray& a) { return a.name == name; };
  const auto found = std::find_if(arrays_.begin(), arrays_.end(), same);
  if (found != arrays_.end()) return static_cast<std::uint16_t>(found - arrays_.begin());
  arrays_.push_back({name, element_of(p.type)});
  return static_cast<std::uint16_t>(arrays_.size() - 1);
}

namespace {

std::int64_t bytes_of(const TileOperand& tile) {
  return (tile.full_rows * tile.row_stride * cluster::bits_of(tile.element) + 7) / 8;
}

}  // namespace

std::int64_t FunctionLowering::allot(const Operation& op, const TileOperand& tile) {
  std::int64_t& next = allotted_[static_cast<unsigned>(tile.location)];
  const std::int64_t alignment = cluster::alignment_of(tile.location);
  const std::int64_t address = (next + alignment - 1) / alignment * alignment;
  check_room(op, tile, address);
  next = address + bytes_of(tile);
  return address;
}

void FunctionLowering::check_room(const Operation& op, const TileOperand& tile,
                                  std::int64_t address) const {
  const std::int64_t room = capacities_[static_cast<unsigned>(tile.location)];
  if (address >= 0 && bytes_of(tile) <= room && address <= room - bytes_of(tile)) return;
  diagnostics_.fail(op.place, "the tile " + tile.name + " needs " + std::to_string(bytes_of(tile)) +
                                  " bytes from byte " + std::to_string(address) + " on; " +
                                  to_string(tile.location) + " of " +
                                  cluster::to_string(options_.profile) + " has " +
                                  std::to_string(room));
}

TileOperand FunctionLowering::tile_operand(const Argument& a, Access access) const {
  const Value& v = tile(a);
  TileOperand operand = v.place;
  operand.access = access;
  operand.rows = v.sizes[0];
  operand.columns = v.sizes[1];
  return operand;
}

TileOperand FunctionLowering::view_operand(const Argument& a, Access access) const {
  TileOperand operand = value(a, Value::Kind::kView, "a view of a tensor").place;
  operand.access = access;
  return operand;
}

TileOperation& FunctionLowering::attach(std::vector<TileOperand> operands) {
  program_.operations.emplace_back();
  program_.operations.back().operands = std::move(operands);
  program_.code.back().operation = static_cast<std::uint32_t>(program_.operations.size());
  return program_.operations.back();
}

// --- parts of tiles ---

void FunctionLowering::move_inside(TileOperand& tile, Operand row, Operand column) {
  const std::int64_t bytes = cluster::bits_of(tile.element) / 8;
  tile.address.add(row, tile.row_stride * bytes);
  tile.address.add(column, bytes);
}

void FunctionLowering::lower_subview(const Operation& op) {
  Value v = tile(argument(op, Role::kOperand));
  std::vector<Operand> offsets, sizes, valid;
  for (const Argument& a : op.arguments) {
    if (a.role == Role::kOffset) offsets.push_back(scalar_or_number(a));
    if (a.role == Role::kSize) sizes.push_back(scalar_or_number(a));
    if (a.role == Role::kValid) valid.push_back(scalar_or_number(a));
  }
  if (offsets.size() != 2 || sizes.size() != 2 || (!valid.empty() && valid.size() != 2))
    diagnostics_.fail(op.place, op.name + ": expected two offsets and two sizes");
  if (sizes[0].is_register || sizes[1].is_register)
    diagnostics_.fail(op.place, op.name + ": expected sizes that are known");
  for (unsigned d = 0; d < 2; ++d) {
    const std::int64_t first = offsets[d].is_register ? 0 : offsets[d].value;
    const std::int64_t room = v.type.shape[d];
    if (first < 0 || sizes[d].value < 0 || first > room || sizes[d].value > room - first)
      diagnostics_.fail(op.place, op.name + ": " + (d == 0 ? "rows " : "columns ") +
                                      std::to_string(first) + ".. (" +
                                      std::to_string(sizes[d].value) + " of them) of a tile of " +
                                      std::to_string(room));
  }
  move_inside(v.place, offsets[0], offsets[1]);
  v.place.name = op.results[0].name;
  v.type.shape = {sizes[0].value, sizes[1].value};
  v.sizes = valid.empty() ? sizes : valid;
  check_valid(op, v);
  define(op, std::move(v));
}

// The tile at another address; the one that it is made of stays where it is.
void FunctionLowering::lower_assign(const Operation& op) {
  Value v = tile(argument(op, Role::kOperand));
  const Operand address = scalar_or_number(argument(op, Role::kOperand, 1));
  v.place.name = op.results[0].name;
  v.place.address = {};
  v.place.address.add(address, 1);
  check_room(op, v.place, address.is_register ? 0 : address.value);
  define(op, std::move(v));
}

// The same bytes as a tile of another shape or type.
void FunctionLowering::lower_reshape(const Operation& op) {
  Value v = tile(argument(op, Role::kOperand));
  if (op.result_types.empty() || op.result_types[0].kind != Type::Kind::kTile)
    diagnostics_.fail(op.place, op.name + ": expected -> and the type of the result");
  const std::int64_t bytes = bytes_of(v.place);
  const bool dense = v.place.row_stride == v.type.shape[1] || v.type.shape[0] == 1;
  v.type = op.result_types[0];
  v.place.name = op.results[0].name;
  v.place.element = element_of(v.type);
  v.place.full_rows = v.type.shape[0];
  v.place.row_stride = v.type.shape[1];
  if (!dense)
    diagnostics_.fail(op.place, op.name + ": the rows of the tile do not lie one behind the other");
  if (bytes_of(v.place) > bytes)
    diagnostics_.fail(op.place, op.name + ": the result has " + std::to_string(bytes_of(v.place)) +
                                    " bytes, the tile " + std::to_string(bytes));
  const auto or_full = [](std::int64_t valid, std::int64_t full) {
    return Operand(valid == kDynamic ? full : valid);
  };
  v.sizes = {or_full(v.type.valid_rows, v.type.shape[0]),
             or_full(v.type.valid_columns, v.type.shape[1])};
  define(op, std::move(v));
}

void FunctionLowering::set_valid(Value& v, Operand rows, Operand columns, Place place) {
  set(static_cast<unsigned>(v.sizes[0].value), rows, place);
  set(static_cast<unsigned>(v.sizes[1].value), columns, place);
}

void FunctionLowering::lower_valid_shape(const Operation& op) {
  Value v = tile(argument(op, Role::kOperand));
  if (!v.sizes[0].is_register || !v.sizes[1].is_register)
    diagnostics_.fail(op.place, op.name + ": expected a tile of pto.alloc_tile");
  set_valid(v, scalar_or_number(argument(op, Role::kOperand, 1)),
            scalar_or_number(argument(op, Role::kOperand, 2)), op.place);
}

}  // namespace tessera::pto
