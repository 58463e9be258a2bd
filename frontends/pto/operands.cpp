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
  return (tile.full_rows * tile.row_stride * bits_of(tile.element) + 7) / 8;
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
  program_.operations.push_back({std::move(operands)});
  program_.code.back().operation = static_cast<std::uint32_t>(program_.operations.size());
  return program_.operations.back();
}

TileOperation& FunctionLowering::attach_all(const Operation& op) {
  std::vector<TileOperand> operands;
  for (const Argument& a : op.arguments) {
    const Value* v = find_value(a.text);
    if (v == nullptr || v->kind != Value::Kind::kTile) continue;
    operands.push_back(tile_operand(a, a.role == Role::kIn ? Access::kRead : Access::kWrite));
  }
  if (operands.size() > cluster::kMostOperands)
    diagnostics_.fail(op.place,
                      op.name + ": more than " + std::to_string(cluster::kMostOperands) + " tiles");
  return attach(std::move(operands));
}

}  // namespace tessera::pto
