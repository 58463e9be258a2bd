// Tiles: what an operation costs, in sizes.
#include <algorithm>

#include "frontends/pto/function_lowering.h"

namespace tessera::pto {

namespace {

using cluster::DataType;
using cluster::Holder;
using cluster::Instruction;
using cluster::Location;
using cluster::Opcode;
using cluster::Operand;
using cluster::Pipe;
using cluster::Profile;

std::string name_of(const std::string& location) {
  return "a tile in " + location;
}

Location location_of(const Type& tile, const Diagnostics& diagnostics) {
  const std::string& l = tile.location;
  if (l == "vec") return Location::kUb;
  if (l == "mat") return Location::kL1;
  if (l == "left") return Location::kL0a;
  if (l == "right") return Location::kL0b;
  if (l == "acc") return Location::kL0c;
  if (l == "bias") return Location::kBias;
  if (l == "scaling") return Location::kFixBuffer;
  diagnostics.fail(tile.place, "expected a tile in vec, mat, left, right, acc, bias or scaling, "
                               "found " +
                                   text::quoted(l));
}

}  // namespace

unsigned FunctionLowering::bits_of(const std::string& element) {
  if (element == "i1" || element == "i4") return element == "i1" ? 8 : 4;
  if (element.rfind("f8", 0) == 0 || element == "i8" || element == "ui8") return 8;
  if (element == "f16" || element == "bf16" || element == "i16" || element == "ui16") return 16;
  return element == "i64" || element == "index" ? 64 : 32;
}

DataType FunctionLowering::data_type(const Type& type) const {
  const std::string& e = type.element;
  if (e == "f16" || e == "i16" || e == "ui16") return DataType::kF16;
  if (e == "bf16") return DataType::kBf16;
  if (e == "f32") return DataType::kF32;
  if (e == "i32" || e == "ui32") return DataType::kInt32;
  if (e == "i8" || e == "ui8") return DataType::kInt8;
  if (e == "i4") return DataType::kInt4;
  if (e == "f8E4M3FN" || e == "f8E5M2") return DataType::kFp8;
  diagnostics_.fail(type.place, "tiles of " + e + " have no cost");
}

const Argument& FunctionLowering::argument(const Operation& op, Role role, std::size_t n) const {
  for (const Argument& a : op.arguments)
    if (a.role == role && n-- == 0) return a;
  diagnostics_.fail(op.place, op.name + ": expected one more operand");
}

const FunctionLowering::Value& FunctionLowering::tile(const Argument& a) const {
  return value(a, Value::Kind::kTile, "a tile");
}

FunctionLowering::Value FunctionLowering::tile_of(const Type& type, const std::string& name) {
  Value v;
  v.kind = Value::Kind::kTile;
  v.type = type;
  if (type.kind != Type::Kind::kTile)
    diagnostics_.fail(type.place, "expected a type !pto.tile_buf");
  for (const std::int64_t size : {type.valid_rows, type.valid_columns})
    v.sizes.push_back(size != kDynamic ? Operand(size) : cluster::reg(0));
  v.place.name = name;
  v.place.location = location_of(type, diagnostics_);
  v.place.element = element_of(type);
  v.place.full_rows = type.shape[0];
  v.place.row_stride = type.shape[1];
  if (kind_ == cluster::CoreKind::kAic && v.place.location == Location::kUb)
    v.place.holder = cluster::Holder::kAiv0;
  if (kind_ == cluster::CoreKind::kAiv && v.place.location != Location::kUb)
    v.place.holder = cluster::Holder::kAic;
  return v;
}

void FunctionLowering::lower_alloc(const Operation& op) {
  Value v = tile_of(op.types[0], op.results[0].name);
  const auto has = [&op](Role role) {
    return std::any_of(op.arguments.begin(), op.arguments.end(),
                       [role](const Argument& a) { return a.role == role; });
  };
  const auto size = [&](std::int64_t known, std::int64_t full, Role role,
                        const char* key) -> Operand {
    if (has(role)) return scalar(argument(op, role));
    if (known != kDynamic) return known;
    if (resized_.count(op.results[0].name) > 0) return full;
    diagnostics_.fail(op.place, std::string("the valid size is ?, expected ") + key + " = %value");
  };
  v.sizes = {size(v.type.valid_rows, v.type.shape[0], Role::kValidRow, "valid_row"),
             size(v.type.valid_columns, v.type.shape[1], Role::kValidColumn, "valid_col")};
  if (resized_.count(op.results[0].name) > 0) {
    const Operand rows = v.sizes[0], columns = v.sizes[1];
    v.sizes = {cluster::reg(new_register(op.place)), cluster::reg(new_register(op.place))};
    set_valid(v, rows, columns, op.place);
  }
  const Operand address =
      has(Role::kAddress) ? scalar(argument(op, Role::kAddress)) : Operand(allot(op, v.place));
  check_room(op, v.place, address.is_register ? 0 : address.value);
  v.place.address.add(address, 1);
  v.is_placed = has(Role::kAddress);
  check_valid(op, v);
  define(op, std::move(v));
}

// Valid sizes that are known; the others are looked at when the tile is used.
void FunctionLowering::check_valid(const Operation& op, const Value& tile) const {
  for (unsigned d = 0; d < 2; ++d) {
    const Operand& valid = tile.sizes[d];
    if (valid.is_register || (valid.value >= 0 && valid.value <= tile.type.shape[d])) continue;
    diagnostics_.fail(op.place, "the tile " + tile.place.name + " has " +
                                    std::to_string(valid.value) + " valid " +
                                    (d == 0 ? "rows" : "columns") + ", expected 0.." +
                                    std::to_string(tile.type.shape[d]));
  }
}

void FunctionLowering::lower_view(const Operation& op) {
  Value v;
  v.place = value(op.arguments[0], Value::Kind::kPointer, "a pointer").place;
  v.kind = Value::Kind::kView;
  v.type = op.types[0];
  if (element_of(v.type) != v.place.element)
    diagnostics_.fail(op.place, "a view with elements of " + v.type.element + " of a pointer to " +
                                    to_string(v.place.element) + ", expected the same");
  std::vector<Operand> strides;
  for (const Argument& a : op.arguments) {
    if (a.role == Role::kShape) v.sizes.push_back(scalar_or_number(a));
    if (a.role == Role::kStride) strides.push_back(scalar_or_number(a));
  }
  if (v.sizes.size() != strides.size() || v.sizes.size() > cluster::kMostDimensions)
    diagnostics_.fail(op.place, "a shape of " + std::to_string(v.sizes.size()) + " sizes and " +
                                    std::to_string(strides.size()) +
                                    " strides, expected as many, 1 to 5");
  for (std::size_t d = 0; d < strides.size(); ++d) v.place.view.push_back({v.sizes[d], strides[d]});
  check_view(op, v.place);
  v.place.view_address = v.place.address;
  v.place.dimensions = v.place.view;
  define(op, std::move(v));
}

void FunctionLowering::lower_partition(const Operation& op) {
  Value v = value(op.arguments[0], Value::Kind::kView, "a tensor view");
  const std::size_t dimensions = v.sizes.size();
  v.sizes.clear();
  std::vector<Operand> offsets;
  for (const Argument& a : op.arguments) {
    if (a.role == Role::kSize) v.sizes.push_back(scalar_or_number(a));
    if (a.role == Role::kOffset) offsets.push_back(scalar_or_number(a));
  }
  if (v.sizes.size() != dimensions)
    diagnostics_.fail(op.place, "expected " + std::to_string(dimensions) + " sizes, found " +
                                    std::to_string(v.sizes.size()));
  if (offsets.size() != dimensions)
    diagnostics_.fail(op.place, "expected " + std::to_string(dimensions) + " offsets, found " +
                                    std::to_string(offsets.size()));
  check_part(op, v.type, offsets, v.sizes);
  for (std::size_t d = 0; d < dimensions; ++d) {
    v.place.address.add(offsets[d], v.place.dimensions[d].stride);
    v.place.dimensions[d].size = v.sizes[d];
  }
  define(op, std::move(v));
}

Instruction& FunctionLowering::emit_tile(Opcode opcode, const Operation& op, Pipe pipe) {
  tile_pipes_.insert(pipe);
  return emit(opcode, op.place, pipe);
}

// The part of a tensor must fit the tile, and have its elements unless FIX converts.
void FunctionLowering::check_copy(const Operation& op, const Value& view, const Value& tile) const {
  if (tile.type.location != "acc" && view.type.element != tile.type.element)
    diagnostics_.fail(op.place, "the tensor has elements of " + view.type.element +
                                    ", the tile of " + tile.type.element + "; expected the same");
  std::int64_t elements = 1;
  bool known = true;
  for (const Operand& size : view.sizes) {
    known &= !size.is_register;
    if (size.is_register) continue;
    if (size.value < 0 || size.value > (1 << 24))
      diagnostics_.fail(op.place, "a size of the tensor is " + std::to_string(size.value) +
                                      ", expected 0..16777216");
    elements = std::min<std::int64_t>(elements * size.value, std::int64_t{1} << 32);
  }
  const std::int64_t room = tile.type.shape[0] * tile.type.shape[1];
  if (known && elements > room)
    diagnostics_.fail(op.place, "the part of the tensor has " + std::to_string(elements) +
                                    " elements, the tile has room for " + std::to_string(room));
}

void FunctionLowering::set_copy_sizes(Instruction& i, const Value& view, const Value& tile) {
  // compute() adds instructions, so it must not be called with a reference into the program.
  const Place place{i.line, 1};
  Operand rows = 1;
  for (std::size_t d = 0; d + 1 < view.sizes.size(); ++d)
    rows = size_product(rows, view.sizes[d], place);
  i.size[0] = rows;
  i.size[1] = view.sizes.back();
  if (i.op == Opcode::kFixOut) return;  // counts elements
  const unsigned bits = bits_of(tile.type.element);
  i.size[1] = bits % 8 == 0 ? size_product(i.size[1], std::int64_t{bits / 8}, place)
                            : compute(Opcode::kDiv, i.size[1], std::int64_t{8 / bits}, place);
}

void FunctionLowering::lower_load(const Operation& op) {
  const Value& view = value(argument(op, Role::kIn), Value::Kind::kView, "a view of a tensor");
  const Value& to = tile(argument(op, Role::kOut));
  const bool to_ub = to.type.location == "vec";
  if (!to_ub && to.type.location != "mat")
    diagnostics_.fail(argument(op, Role::kOut).place,
                      "a load goes to a tile in vec or mat, found " + name_of(to.type.location));
  check_copy(op, view, to);
  Instruction i;
  i.op = Opcode::kCopyIn;
  i.line = op.place.line;
  set_copy_sizes(i, view, to);
  Instruction& copy = emit_tile(Opcode::kCopyIn, op, Pipe::kMte2);
  copy.size = i.size;
  attach({view_operand(argument(op, Role::kIn), Access::kRead),
          tile_operand(argument(op, Role::kOut), Access::kWrite)})
      .function = cluster::TileFunction::kCopy;
}

void FunctionLowering::lower_store(const Operation& op) {
  const Value& from = tile(argument(op, Role::kIn));
  const Value& view = value(argument(op, Role::kOut), Value::Kind::kView, "a view of a tensor");
  const bool from_ub = from.type.location == "vec";
  if (!from_ub && from.type.location != "acc")
    diagnostics_.fail(argument(op, Role::kIn).place,
                      "a store comes from a tile in vec or acc, found " +
                          name_of(from.type.location));
  check_copy(op, view, from);
  Instruction i;
  i.op = from_ub ? Opcode::kCopyOut : Opcode::kFixOut;
  i.line = op.place.line;
  set_copy_sizes(i, view, from);
  Instruction& copy = emit_tile(i.op, op, from_ub ? Pipe::kMte3 : Pipe::kFix);
  copy.size = i.size;
  copy.type = data_type(view.type);  // FIX converts on the way
  cluster::TileOperation& operation =
      attach({tile_operand(argument(op, Role::kIn), Access::kRead),
              view_operand(argument(op, Role::kOut), Access::kWrite)});
  operation.function = cluster::TileFunction::kCopy;
  set_options(op, operation);
  if (operation.adds) operation.operands.back().access = Access::kReadWrite;
}

Opcode FunctionLowering::move_between(const Operation& op, const Value& from,
                                      const Value& to) const {
  const std::string &a = from.type.location, &b = to.type.location;
  const bool a5 = options_.profile == Profile::kA5;
  if (a == "mat" && b == "left") return Opcode::kLoadA;
  if (a == "mat" && b == "right") return Opcode::kLoadB;
  if (a == "mat" && (b == "bias" || b == "scaling")) return Opcode::kLoadTable;
  if (a == "acc" && (b == "mat" || (b == "vec" && a5))) return Opcode::kFixLocal;
  if (a == "vec" && b == "vec") return Opcode::kVector;
  if (a == "vec" && b == "mat" && a5) return Opcode::kUbToL1;
  if (a == "mat" && b == "vec" && a5) return Opcode::kL1ToUb;
  diagnostics_.fail(op.place, op.name + ": no path from " + a + " to " + b + " on " +
                                  cluster::to_string(options_.profile));
}

void FunctionLowering::lower_move(const Operation& op, const OperationInfo& info) {
  const Value& from = tile(argument(op, Role::kIn));
  const Value& to = tile(argument(op, Role::kOut));
  const Opcode opcode = move_between(op, from, to);
  check_move(op, from, to);
  const bool by_source = opcode == Opcode::kFixLocal || opcode == Opcode::kVector;
  // The smaller of both tiles is moved whole.
  const bool from_whole = info.meaning == Meaning::kExtract  ? false
                          : info.meaning == Meaning::kInsert ? true
                                                             : by_source;
  const Value& sized = from_whole ? from : to;
  if (opcode == Opcode::kVector) {
    const Operand elements = size_product(sized.sizes[0], sized.sizes[1], op.place);
    Instruction& copy = emit_tile(opcode, op, Pipe::kV);
    copy.type = data_type(to.type);
    copy.vector_class = cluster::VectorClass::kCopy;
    copy.size[0] = elements;
    return attach_move(op, info);
  }
  if (opcode == Opcode::kFixLocal) {
    Instruction& move = emit_tile(opcode, op, Pipe::kFix);
    move.type = data_type(to.type);
    move.size = {sized.sizes[0], sized.sizes[1], Operand()};
    const Attribute* mode = find(op.attributes, "accToVecMode");
    move.both = mode != nullptr && mode->value.find("dual_mode_split") != std::string::npos;
    return attach_move(op, info);
  }
  const std::int64_t bits = bits_of(to.type.element);
  const Operand row_bits = size_product(sized.sizes[1], bits, op.place);
  const Operand row_bytes = compute(Opcode::kDiv, row_bits, 8, op.place);
  Instruction& move = emit_tile(opcode, op, opcode == Opcode::kUbToL1 ? Pipe::kMte3 : Pipe::kMte1);
  move.size = {sized.sizes[0], row_bytes, Operand()};
  move.type = data_type(to.type);
  attach_move(op, info);
}

void FunctionLowering::lower_matmul(const Operation& op, const OperationInfo& info) {
  const std::size_t first = info.function == cluster::TileFunction::kMatmulAdd ? 1 : 0;
  const Argument& left = argument(op, Role::kIn, first);
  const Argument& right = argument(op, Role::kIn, first + 1);
  const Argument& result = argument(op, Role::kOut);
  const auto require = [&](const Argument& a, const char* location) {
    if (tile(a).type.location == location) return;
    diagnostics_.fail(a.place, "expected " + name_of(location) + ", found " +
                                   name_of(tile(a).type.location));
  };
  require(left, "left");
  require(right, "right");
  require(result, "acc");
  if (first > 0) require(argument(op, Role::kIn), "acc");
  if (info.function == cluster::TileFunction::kMatmulBias)
    require(argument(op, Role::kIn, 2), "bias");
  const Value &a = tile(left), &b = tile(right);
  Instruction& mad = emit_tile(Opcode::kMad, op, Pipe::kM);
  mad.type = data_type(a.type);
  mad.size = {a.sizes[0], b.sizes[1], a.sizes[1]};
  attach_all(op, info);
}

}  // namespace tessera::pto
