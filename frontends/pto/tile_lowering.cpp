#include "frontends/pto/operation_lowering.h"

#include <algorithm>

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
    for (Operand& s : v.sizes) s = emitter_.new_register(op.place);
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
  v.type.valid_rows = v.sizes[0].is_register ? kDynamic : v.sizes[0].value;
  v.type.valid_columns = v.sizes[1].is_register ? kDynamic : v.sizes[1].value;
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

// --- moves ---

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
  emitter_.attach({view_operand(from, Access::kRead), tile_operand(tile, Access::kWrite)},
                  TileFunction::kCopy);
}

void MoveLowering::store(const Operation& op) {
  const Argument &from = argument(op, Role::kIn), &to = argument(op, Role::kOut);
  const Value& tile = scope_.tile(from);
  const Value& view = scope_.view(to);
  const bool from_ub = tile.type.location == "vec";
  if (!from_ub && tile.type.location != "acc")
    fail(from.place, "a store comes from a tile in vec or acc, found a tile in ",
         tile.type.location);
  check_copy(op, view, tile);
  const Opcode opcode = from_ub ? Opcode::kCopyOut : Opcode::kFixOut;
  const auto size = copy_sizes(opcode, view, tile, {op.place.line, 1});
  Instruction& copy = emitter_.emit_tile(opcode, op.place, from_ub ? Pipe::kMte3 : Pipe::kFix);
  copy.size = size;
  copy.type = data_type(view);  // FIX converts to the type of the tensor
  TileOperation& operation = emitter_.attach(
      {tile_operand(tile, Access::kRead), view_operand(to, Access::kWrite)}, TileFunction::kCopy);
  set_options(op, operation, diagnostics_);
  if (operation.adds) operation.operands.back().access = Access::kReadWrite;
  set_unit_flag(op);
}

Opcode MoveLowering::path_between(const Operation& op, const Value& from, const Value& to) const {
  const std::string &a = from.type.location, &b = to.type.location;
  if (a == "mat" && b == "left") return Opcode::kLoadA;
  if (a == "mat" && b == "right") return Opcode::kLoadB;
  if (a == "mat" && (b == "bias" || b == "scaling")) return Opcode::kLoadTable;
  if (a == "acc" && (b == "mat" || (b == "vec" && is_a5()))) return Opcode::kFixLocal;
  if (a == "vec" && b == "vec") return Opcode::kVector;
  if (a == "vec" && b == "mat" && is_a5()) return Opcode::kUbToL1;
  if (a == "mat" && b == "vec" && is_a5()) return Opcode::kL1ToUb;
  fail(op, "no path from ", a, " to ", b, " on ", cluster::to_string(context_.options.profile));
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
    copy.vector_class = VectorClass::kCopy;
    copy.size[0] = elements;
  } else if (by_fix) {
    Instruction& move = emitter_.emit_tile(opcode, op.place, Pipe::kFix);
    move.size = {sized.sizes[0], sized.sizes[1], Operand()};
    const Attribute* mode = find(op.attributes, "accToVecMode");
    move.both = mode != nullptr && mode->value.find("dual_mode_split") != std::string::npos;
  } else {
    const Operand row_bytes = emitter_.bytes_of(sized.sizes[1], bits_of(to.type.element), op.place);
    const Pipe pipe = opcode == Opcode::kUbToL1 ? Pipe::kMte3 : Pipe::kMte1;
    emitter_.emit_tile(opcode, op.place, pipe).size = {sized.sizes[0], row_bytes, Operand()};
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
    const std::array<Operand, 2> first = {scope_.scalar(argument(op, Role::kIn, 1)),
                                          scope_.scalar(argument(op, Role::kIn, 2))};
    for (unsigned d = 0; d < 2; ++d) {
      const Operand& size = inner.sizes[d];
      if (!first[d].is_register)
        check_span(op, d, first[d].value, size.is_register ? 0 : size.value, outer.type.shape[d]);
    }
    move_inside(part, first[0], first[1]);
  }
  TileOperation& operation = emitter_.attach({std::move(from), std::move(to)}, TileFunction::kCopy);
  set_options(op, operation, diagnostics_);
}

}  // namespace tessera::pto
