#include "frontends/pto/control_lowering.h"

namespace tessera::pto {

using cluster::Operand;

namespace {

unsigned register_of(const Operand& operand) {
  return static_cast<unsigned>(operand.value);
}

}  // namespace

const Value& CarriedValues::number_or_tile(const Argument& a) const {
  const Value& v = scope_.any_value(a);
  return v.kind == Value::Kind::kTile ? v : scope_.value(a, Value::Kind::kScalar, "a whole number");
}

std::vector<Value> CarriedValues::define_arguments(const Operation& op, std::size_t first) {
  std::vector<Value> carried;
  for (std::size_t i = first; i + 1 < op.arguments.size(); i += 2) {
    const Argument &name = op.arguments[i], &init = op.arguments[i + 1];
    const Value begin = number_or_tile(init);
    carried.push_back(like(begin, op.place));
    assign({carried.back()}, {begin}, init.place);
    scope_.define(name.text, name.place, carried.back());
  }
  return carried;
}

Value CarriedValues::like(const Value& like, Place place) {
  Value v = like;
  v.scalar = cluster::reg(emitter_.new_register(place));
  if (v.kind != Value::Kind::kTile) return v;
  v.place.address = {};
  v.place.address.add(v.scalar, 1);
  for (Operand& size : v.sizes)
    if (size.is_register) size = cluster::reg(emitter_.new_register(place));
  return v;
}

Operand CarriedValues::address_of(const Value& tile, Place place) {
  Operand sum = tile.place.address.base;
  for (const auto& product : tile.place.address.products) {
    const Operand more = emitter_.compute(Opcode::kMul, product.a, product.b, place);
    sum = emitter_.compute(Opcode::kAdd, sum, more, place);
  }
  return sum;
}

void CarriedValues::assign(const std::vector<Value>& targets, const std::vector<Value>& values,
                           Place place) {
  std::vector<std::pair<unsigned, Operand>> moves;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value &to = targets[i], &from = values[i];
    if (to.kind != from.kind) fail(place, "a tile and a number in one place");
    if (to.kind != Value::Kind::kTile) {
      moves.emplace_back(register_of(to.scalar), from.scalar);
      continue;
    }
    check_alike(to, from, place);
    moves.emplace_back(register_of(to.scalar), address_of(from, place));
    for (std::size_t k = 0; k < to.sizes.size(); ++k)
      if (to.sizes[k].is_register) moves.emplace_back(register_of(to.sizes[k]), from.sizes[k]);
  }
  if (moves.size() > 1) {
    for (auto& [target, value] : moves) {
      if (!value.is_register) continue;
      const unsigned copy = emitter_.new_register(place);
      emitter_.set(copy, value, place);
      value = cluster::reg(copy);
    }
  }
  for (const auto& [target, value] : moves) emitter_.set(target, value, place);
}

void CarriedValues::check_alike(const Value& to, const Value& from, Place place) const {
  const TileOperand &a = to.place, &b = from.place;
  bool alike = a.location == b.location && a.holder == b.holder && a.element == b.element &&
               a.full_rows == b.full_rows && a.row_stride == b.row_stride;
  for (std::size_t k = 0; k < to.sizes.size(); ++k) {
    const bool known = !to.sizes[k].is_register;
    alike &= !known || (!from.sizes[k].is_register && from.sizes[k].value == to.sizes[k].value);
  }
  if (!alike)
    fail(place, "the tile ", b.name, " has another type than ", a.name,
         ", in whose place it comes");
}

}  // namespace tessera::pto
