#include "frontends/pto/lowering_part.h"

#include <utility>

#include "models/cluster/program/fix_rules.h"

namespace tessera::pto {

const Argument& LoweringPart::argument(const Operation& op, Role role, std::size_t n) const {
  for (const Argument& a : op.arguments)
    if (a.role == role && n-- == 0) return a;
  fail(op, "expected one more operand");
}

TileOperand LoweringPart::tile_operand(const Value& tile, Access access) {
  TileOperand operand = tile.place;
  operand.access = access;
  operand.rows = tile.sizes[0];
  operand.columns = tile.sizes[1];
  return operand;
}

TileOperand LoweringPart::view_operand(const Argument& a, Access access) const {
  TileOperand operand = scope_.view(a).place;
  operand.access = access;
  return operand;
}

Value LoweringPart::tile_of(const Type& type, const std::string& name) const {
  if (type.kind != Type::Kind::kTile) fail(type.place, "expected a type !pto.tile_buf");
  Value v{Value::Kind::kTile, type};
  for (const std::int64_t size : {type.valid_rows, type.valid_columns})
    v.sizes.push_back(size != kDynamic ? Operand(size) : cluster::reg(0));
  v.place.name = name;
  v.place.location = location_of(type, diagnostics_);
  v.place.element = element(type);
  set_layout(v.place, type);
  if (is_cube() && v.place.location == Location::kUb) v.place.holder = Holder::kAiv0;
  if (!is_cube() && v.place.location != Location::kUb) v.place.holder = Holder::kAic;
  return v;
}

void LoweringPart::set_layout(TileOperand& place, const Type& type) {
  const Attribute* boxes = find(type.options, "slayout");
  place.by_columns =
      place.location == Location::kL1 && boxes != nullptr && boxes->value == "col_major";
  place.full_rows = type.shape[place.by_columns ? 1 : 0];
  place.row_stride = type.shape[place.by_columns ? 0 : 1];
}

void LoweringPart::check_valid(const Operation& op, const Value& tile) const {
  for (unsigned d = 0; d < 2; ++d) {
    const Operand& valid = tile.sizes[d];
    if (valid.is_register || (valid.value >= 0 && valid.value <= tile.type.shape[d])) continue;
    fail(op.place, "the tile ", tile.place.name, " has ", valid.value, " valid ",
         d == 0 ? "rows" : "columns", ", expected 0..", tile.type.shape[d]);
  }
}

std::vector<Operand> LoweringPart::known_sizes(const Type& tile) {
  return {tile.valid_rows == kDynamic ? tile.shape[0] : tile.valid_rows,
          tile.valid_columns == kDynamic ? tile.shape[1] : tile.valid_columns};
}

void LoweringPart::check_span(const Operation& op, unsigned d, std::int64_t first,
                              std::int64_t count, std::int64_t room) const {
  if (first >= 0 && count >= 0 && first <= room && count <= room - first) return;
  fail(op, d == 0 ? "rows " : "columns ", first, ".. (", count, " of them) of a tile of ", room);
}

void LoweringPart::move_inside(TileOperand& tile, Operand row, Operand column) {
  if (tile.boxes.rows > 0 && !row.is_register && !column.is_register) {
    tile.boxes.first_row += row.value;
    tile.boxes.first_column += column.value;
    return;
  }
  const std::int64_t bytes = cluster::bits_of(tile.element) / 8;
  tile.address.add(tile.by_columns ? column : row, tile.row_stride * bytes);
  tile.address.add(tile.by_columns ? row : column, bytes);
}

Operand LoweringPart::sum_of(const cluster::Offset& offset, Place place) {
  Operand sum = offset.base;
  for (const auto& product : offset.products) {
    const Operand more = emitter_.compute(Opcode::kMul, product.a, product.b, place);
    sum = emitter_.compute(Opcode::kAdd, sum, more, place);
  }
  return sum;
}

TileOperation& LoweringPart::attach_fix(const Operation& op, TileOperand from, TileOperand to,
                                        const Value* scale) {
  const Profile profile = context_.options.profile;
  const std::string fault =
      cluster::find_fix_fault(profile, from.element, to.element, to.location, scale != nullptr);
  if (!fault.empty()) fail(op, fault);
  if (scale == nullptr)
    return emitter_.attach({std::move(from), std::move(to)}, TileFunction::kCopy);
  TileOperation operation;
  operation.function = TileFunction::kFixScale;
  operation.shifts = profile == Profile::kA2A3;
  operation.operands.push_back(std::move(from));
  if (scale->kind == Value::Kind::kTile) {
    if (scale->type.location != "scaling")
      fail(op, "the scales lie in a tile in scaling, found a tile in ", scale->type.location);
    // The public assembler takes any type for a tile of scales; what such words scale is not known.
    if (scale->place.element != Element::kI64) operation.function = TileFunction::kNoValues;
    operation.operands.push_back(tile_operand(*scale, Access::kRead));
  } else {
    const bool real = scale->kind == Value::Kind::kFloat;
    operation.scalars.push_back(
        {real && !scale->scalar.is_register, scale->number, scale->scalar, real});
  }
  operation.operands.push_back(std::move(to));
  return emitter_.attach({}) = std::move(operation);
}

void LoweringPart::set_unit_flag(const Operation& op) {
  const Attribute* phase = find(op.attributes, "accPhase");
  if (phase == nullptr) phase = find(op.attributes, "stPhase");
  if (phase == nullptr) return;
  const std::string word = word_of(*phase);
  if (word == "unspecified") return;
  if (word != "partial" && word != "final")
    fail_expected(phase->place, "unspecified, partial or final", word);
  Instruction& i = emitter_.last();
  // On a store out of UB the attribute has no effect.
  if (i.pipe != Pipe::kM && i.pipe != Pipe::kFix) return;
  for (const TileOperand& o : emitter_.last_operation().operands) {
    if (o.location != Location::kL0c) continue;
    if (!o.address.is_known()) fail(op, "the unit flag needs a tile whose address is known");
    i.l0c_block = static_cast<std::uint32_t>(o.address.base / 512);
  }
  i.unit_flag = word == "final" ? 3 : 2;
}

}  // namespace tessera::pto
