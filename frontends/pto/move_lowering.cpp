#include <algorithm>

#include "frontends/pto/operation_lowering.h"
#include "models/cluster/program/fix_rules.h"

namespace tessera::pto {

namespace {

/// The word in #pto<acc_to_vec_mode dual_mode_split_m> or #pto.acc_to_vec_mode<dual_mode_split_m>.
Holder holder_named(const Attribute& mode, const Diagnostics& diagnostics) {
  constexpr Word<Holder> kHolders[] = {{"single_mode_vec0", Holder::kAiv0},
                                       {"single_mode_vec1", Holder::kAiv1},
                                       {"dual_mode_split_m", Holder::kSplitRows},
                                       {"dual_mode_split_n", Holder::kSplitColumns}};
  for (const auto& [word, holder] : kHolders)
    if (mode.value.find(word) != std::string::npos) return holder;
  fail_expected(diagnostics, mode.place,
                "single_mode_vec0, single_mode_vec1, dual_mode_split_m or dual_mode_split_n",
                mode.value);
}

}  // namespace

void MoveLowering::check_copy(const Operation& op, const Value& view, const Value& tile) const {
  if (tile.type.location != "acc" && view.type.element != tile.type.element)
    fail(op.place, "the tensor has elements of ", view.type.element, ", the tile of ",
         tile.type.element, "; expected the same");
  std::int64_t elements = 1;
  bool known = true;
  for (const Operand& size : view.sizes) {
    known &= !size.is_register;
    if (size.is_register) continue;
    if (size.value < 0 || size.value > (1 << 24))
      fail(op.place, "a size of the tensor is ", size.value, ", expected 0..16777216");
    elements = std::min<std::int64_t>(elements * size.value, std::int64_t{1} << 32);
  }
  const std::int64_t room = tile.type.shape[0] * tile.type.shape[1];
  if (known && elements > room)
    fail(op.place, "the part of the tensor has ", elements, " elements, the tile has room for ",
         room);
}

std::array<Operand, 3> MoveLowering::copy_sizes(Opcode opcode, const Value& view, const Value& tile,
                                                Place place) {
  Operand rows = 1;
  for (std::size_t d = 0; d + 1 < view.sizes.size(); ++d)
    rows = emitter_.size_product(rows, view.sizes[d], place);
  const Operand columns = view.sizes.back();
  if (opcode == Opcode::kFixOut) return {rows, columns, {}};
  const unsigned bits = bits_of(tile.type.element);
  return {rows,
          bits % 8 == 0 ? emitter_.size_product(columns, std::int64_t{bits / 8}, place)
                        : emitter_.compute(Opcode::kDiv, columns, std::int64_t{8 / bits}, place),
          {}};
}

void MoveLowering::load(const Operation& op) {
  const Argument &from = argument(op, Role::kIn), &to = argument(op, Role::kOut);
  const Value& view = scope_.view(from);
  const Value& tile = scope_.tile(to);
  if (tile.type.location != "vec" && tile.type.location != "mat")
    fail(to.place, "a load goes to a tile in vec or mat, found a tile in ", tile.type.location);
  check_copy(op, view, tile);
  const auto size = copy_sizes(Opcode::kCopyIn, view, tile, {op.place.line, 1});
  emitter_.emit_tile(Opcode::kCopyIn, op.place, Pipe::kMte2).size = size;
  TileOperation& operation = emitter_.attach(
      {view_operand(from, Access::kRead), tile_operand(tile, Access::kWrite)}, TileFunction::kCopy);
  // MTE2 ends each row of a tile without boxes in UB with a whole block (pto-isa, tload_common.hpp of both generations).
  const bool pads = tile.place.location == Location::kUb && tile.place.boxes.rows == 0;
  if (pads) operation.pad = pad_of(tile.type, diagnostics_);
}

void MoveLowering::store(const Operation& op, const OperationInfo& info) {
  const Argument &from = argument(op, Role::kIn), &to = argument(op, Role::kOut);
  const Value& tile = scope_.tile(from);
  const Value& view = scope_.view(to);
  const bool from_ub = tile.type.location == "vec";
  const bool from_l1 = tile.type.location == "mat" && !is_a5();
  if (!from_ub && !from_l1 && tile.type.location != "acc")
    fail(from.place, "a store comes from a tile in vec or acc, found a tile in ",
         tile.type.location);
  check_copy(op, view, tile);
  const bool copies = from_ub || from_l1;
  const Opcode opcode = copies ? Opcode::kCopyOut : Opcode::kFixOut;
  const auto size = copy_sizes(opcode, view, tile, {op.place.line, 1});
  Instruction& copy = emitter_.emit_tile(opcode, op.place, copies ? Pipe::kMte3 : Pipe::kFix);
  copy.size = size;
  copy.type = data_type(view);  // FIX converts to the type of the tensor
  TileOperand source = tile_operand(tile, Access::kRead), target = view_operand(to, Access::kWrite);
  const Value* const scale =
      copies ? nullptr : scale_of(op, info, tile, target.element, Location::kGm);
  TileOperation& operation =
      copies ? emitter_.attach({std::move(source), std::move(target)}, TileFunction::kCopy)
             : attach_fix(op, std::move(source), std::move(target), scale);
  set_options(op, operation, diagnostics_);
  if (operation.adds) operation.operands.back().access = Access::kAdd;
  set_unit_flag(op);
}

void MoveLowering::set_quantization(const Operation& op) {
  const Value& scale = scope_.any_value(op.arguments[0]);
  context_.scales.last = scale;
  context_.scales.by_id[number_of(op, "id", 0, diagnostics_)] = scale;
}

// The scale comes second, after the position of a part, or in front of it where the name ends in _fp.
const Value* MoveLowering::scale_of(const Operation& op, const OperationInfo& info,
                                    const Value& from, Element to, Location target) const {
  const bool has_position = info.meaning == Meaning::kExtract || info.meaning == Meaning::kInsert;
  const std::size_t at = has_position && info.least < 4 ? 3 : 1;
  std::size_t n = 0;
  for (const Argument& a : op.arguments) {
    const bool named = a.key == "fp" || a.key == "pre_quant";
    if (!named && (a.role != Role::kIn || n++ != at)) continue;
    const Value& scale = scope_.any_value(a);
    const bool is_scale = scale.kind == Value::Kind::kScalar || scale.kind == Value::Kind::kFloat ||
                          scale.kind == Value::Kind::kTile;
    if (!is_scale) fail(a.place, "expected a scale, a number or a tile in scaling");
    return &scale;
  }
  const Profile profile = context_.options.profile;
  const bool needs =
      !cluster::find_fix_fault(profile, from.place.element, to, target, false).empty();
  return needs && context_.scales.last ? &*context_.scales.last : nullptr;
}

Opcode MoveLowering::path_between(const Operation& op, const Value& from, const Value& to) const {
  const std::string &a = from.type.location, &b = to.type.location;
  if (a == "mat" && b == "left") return Opcode::kLoadA;
  if (a == "mat" && b == "right") return Opcode::kLoadB;
  if (a == "mat" && (b == "bias" || b == "scaling" || b == "left_scale" || b == "right_scale"))
    return Opcode::kLoadTable;
  if (a == "acc" && (b == "mat" || (b == "vec" && is_a5()))) return Opcode::kFixLocal;
  if (a == "vec" && b == "vec") return Opcode::kVector;
  if (a == "vec" && b == "mat" && is_a5()) return Opcode::kUbToL1;
  if (a == "mat" && b == "vec" && is_a5()) return Opcode::kL1ToUb;
  fail(op, "no path from ", a, " to ", b, " on ", cluster::to_string(context_.options.profile));
}

// FIX loads its own scales; those of L0A and L0B, bytes, come by MTE1 (ascend_2.md 1.1).
Pipe MoveLowering::pipe_of(Opcode opcode, const Value& to) {
  if (opcode == Opcode::kUbToL1) return Pipe::kMte3;
  const bool is_for_fix = to.type.location == "scaling" && bits_of(to.type.element) > 8;
  return opcode == Opcode::kLoadTable && is_for_fix ? Pipe::kFix : Pipe::kMte1;
}

void MoveLowering::check_types(const Operation& op, const Value& from, const Value& to) const {
  const std::string& where = to.type.location;
  const bool converts = from.type.location == "acc" || where == "bias" || where == "scaling";
  if (!converts && from.type.element != to.type.element)
    fail(op.place, "operands of ", op.name, " are ", from.type.element, " (", from.place.name,
         ") and ", to.type.element, " (", to.place.name, "): expected one type; pto.tcvt converts");
}

void MoveLowering::move(const Operation& op, const OperationInfo& info) {
  const Value &from = input(op), &to = output(op);
  const Opcode opcode = path_between(op, from, to);
  check_types(op, from, to);
  const bool by_fix = opcode == Opcode::kFixLocal, by_vector = opcode == Opcode::kVector;
  // The operation moves all of the smaller tile.
  const bool from_whole =
      info.meaning == Meaning::kInsert || (info.meaning == Meaning::kMove && (by_fix || by_vector));
  const Value& sized = from_whole ? from : to;
  if (by_vector) {
    const Operand elements = emitter_.size_product(sized.sizes[0], sized.sizes[1], op.place);
    Instruction& copy = emitter_.emit_tile(opcode, op.place, Pipe::kV);
    copy.vector_class = VectorClass::kMove;
    copy.size = {elements, sized.sizes[0], std::max(from.place.row_stride, to.place.row_stride)};
  } else if (by_fix) {
    Instruction& move = emitter_.emit_tile(opcode, op.place, Pipe::kFix);
    move.size = {sized.sizes[0], sized.sizes[1], Operand()};
    const Attribute* mode = find(op.attributes, "accToVecMode");
    move.both = mode != nullptr && mode->value.find("dual_mode_split") != std::string::npos;
  } else {
    const Operand row_bytes = emitter_.bytes_of(sized.sizes[1], bits_of(to.type.element), op.place);
    emitter_.emit_tile(opcode, op.place, pipe_of(opcode, to)).size = {sized.sizes[0], row_bytes,
                                                                      Operand()};
  }
  emitter_.last().type = data_type(to);
  attach_move(op, info);
  set_unit_flag(op);
}

// accToVecMode: FIX writes into the UB of AIV0 or AIV1, or divides the tile among both.
void MoveLowering::attach_move(const Operation& op, const OperationInfo& info) {
  const Value &source = input(op), &target = output(op);
  TileOperand from = tile_operand(source, Access::kRead), to = tile_operand(target, Access::kWrite);
  if (const Attribute* mode = find(op.attributes, "accToVecMode"))
    to.holder = holder_named(*mode, diagnostics_);
  if (info.meaning != Meaning::kMove) {
    const bool extracts = info.meaning == Meaning::kExtract;
    TileOperand &moved = extracts ? to : from, &part = extracts ? from : to;
    part.rows = moved.rows;
    part.columns = moved.columns;
    const Value &outer = extracts ? source : target, &inner = extracts ? target : source;
    const std::size_t at = info.least == 4 ? 2 : 1;  // after the scales
    const std::array<Operand, 2> first = {scope_.scalar(argument(op, Role::kIn, at)),
                                          scope_.scalar(argument(op, Role::kIn, at + 1))};
    for (unsigned d = 0; d < 2; ++d) {
      const Operand& size = inner.sizes[d];
      if (!first[d].is_register)
        check_span(op, d, first[d].value, size.is_register ? 0 : size.value, outer.type.shape[d]);
    }
    move_inside(part, first[0], first[1]);
  }
  const bool by_fix = from.location == Location::kL0c;
  const Value* const scale = by_fix ? scale_of(op, info, source, to.element, to.location) : nullptr;
  TileOperation& operation =
      by_fix ? attach_fix(op, std::move(from), std::move(to), scale)
             : emitter_.attach({std::move(from), std::move(to)}, TileFunction::kCopy);
  operation.is_anywhere =
      is_a5() && info.meaning != Meaning::kMove && operation.function == TileFunction::kCopy;
  set_options(op, operation, diagnostics_);
}

}  // namespace tessera::pto
