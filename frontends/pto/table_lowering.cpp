// Rows and elements of a tensor in GM by indices, and the attributes of histograms, random numbers and quantisation to MX
// formats (ascend_2.md 5.5, 5.7, 5.9).
#include <algorithm>
#include <utility>

#include "frontends/pto/operation_lowering.h"
#include "frontends/pto/words.h"

namespace tessera::pto {

using cluster::Beyond;
using cluster::TableAccess;

TableAccess ComputeLowering::table_access(const Operation& op, const Value& indices,
                                          const Value& values) const {
  TableAccess access;
  if (const Attribute* how = find(op.attributes, "coalesce")) {
    const std::string word = word_of(*how);
    if (word != "row" && word != "elem") fail_expected(how->place, "row or elem", word);
    access.by_row = word == "row";
  } else {  // an index for each row stands in one row or in one column
    const auto is_one = [](const Operand& size) { return !size.is_register && size.value == 1; };
    const auto& shape = indices.type.shape;
    const bool is_line = is_one(indices.sizes[0]) || is_one(indices.sizes[1]) ||
                         (shape.size() > 1 && (shape[0] == 1 || shape[1] == 1));
    access.by_row = is_line && !is_one(values.sizes[0]);
  }
  const bool gathers = op.name == "pto.mgather";
  const Attribute* beyond = find(op.attributes, gathers ? "gatherOob" : "scatterOob");
  if (beyond == nullptr) return access;
  constexpr Word<Beyond> kGather[] = {{"undefined", Beyond::kFault},
                                      {"clamp", Beyond::kClamp},
                                      {"wrap", Beyond::kWrap},
                                      {"zero", Beyond::kZero}};
  constexpr Word<Beyond> kScatter[] = {{"undefined", Beyond::kFault},
                                       {"clamp", Beyond::kClamp},
                                       {"wrap", Beyond::kWrap},
                                       {"skip", Beyond::kSkip}};
  access.beyond = require_word(
      gathers ? kGather : kScatter, word_of(*beyond), beyond->place,
      gathers ? "undefined, clamp, wrap or zero" : "undefined, clamp, wrap or skip", diagnostics_);
  return access;
}

// A5 has threads of V for it, as fast as a gather in UB: nobody has published another time. On A2/A3 MTE2 and MTE3 copy
// row by row, or element by element.
void ComputeLowering::gather_memory(const Operation& op) {
  const bool gathers = op.name == "pto.mgather";
  const Argument &from = argument(op, Role::kIn), &to = argument(op, Role::kOut);
  if (gathers && scope_.tile(to).type.location == "mat") return gather_to_l1(op);
  const Value& indices = scope_.tile(argument(op, Role::kIn, 1));
  const Value& values = scope_.tile(gathers ? to : from);
  const TableAccess access = table_access(op, indices, values);
  const Operand elements = emitter_.size_product(values.sizes[0], values.sizes[1], op.place);
  if (is_a5()) {
    Instruction& i = emitter_.emit_tile(Opcode::kVector, op.place, Pipe::kV);
    i.type = DataType::kF32;
    i.vector_class = VectorClass::kGather;
    i.size[0] = elements;
  } else {
    const Operand bytes = emitter_.bytes_of(access.by_row ? values.sizes[1] : Operand(1),
                                            cluster::bits_of(values.place.element), op.place);
    const Opcode copy = gathers ? Opcode::kCopyIn : Opcode::kCopyOut;
    emitter_.emit_tile(copy, op.place, gathers ? Pipe::kMte2 : Pipe::kMte3).size = {
        access.by_row ? values.sizes[0] : elements, bytes, Operand()};
  }
  TileOperation operation;
  operation.function = gathers ? TileFunction::kGatherTable : TileFunction::kScatterTable;
  operation.table = access;
  if (const Attribute* how = find(op.attributes, "scatterAtomicOp")) {
    const std::string word = word_of(*how);
    operation.adds = word == "add";
    if (word != "add" && word != "none") operation.function = TileFunction::kNoValues;
  }
  // Which elements of the tensor it touches is not known before it has the indices.
  operation.operands = {
      gathers ? view_operand(from, Access::kRead) : tile_operand(from, Access::kRead),
      tile_operand(indices, Access::kRead),
      gathers ? tile_operand(to, Access::kWrite)
              : view_operand(to, operation.adds ? Access::kAdd : Access::kReadWrite)};
  check_operands(op, operation);
  emitter_.attach({}) = std::move(operation);
}

// Into L1 (A5) indices lie in GM, and MTE2 copies row by row, or element by element through memory in GM, whose contents
// are not modelled.
void ComputeLowering::gather_to_l1(const Operation& op) {
  const Argument &from = argument(op, Role::kIn), &index = argument(op, Role::kIn, 1);
  const Value& to = output(op);
  TableAccess access = table_access(op, scope_.view(index), to);
  if (find(op.attributes, "coalesce") == nullptr) access.by_row = true;
  const Operand rows =
      access.by_row ? to.sizes[0] : emitter_.size_product(to.sizes[0], to.sizes[1], op.place);
  const Operand width = access.by_row ? to.sizes[1] : Operand(1);
  const Operand bytes = emitter_.bytes_of(width, cluster::bits_of(to.place.element), op.place);
  emitter_.emit_tile(Opcode::kCopyIn, op.place, Pipe::kMte2).size = {rows, bytes, Operand()};
  emitter_.attach({view_operand(from, Access::kRead), view_operand(index, Access::kRead),
                   tile_operand(to, Access::kWrite)},
                  access.by_row ? TileFunction::kGatherTable : TileFunction::kNoValues);
  emitter_.last_operation().table = access;
}

// The library writes what a pattern selects of all rows one after the other, whatever is valid of a result with room for more.
void ComputeLowering::pack_selected(TileOperation& operation) const {
  const TileOperand& from = operation.operands[0];
  TileOperand& to = operation.operands.back();
  // Of 64 bits A5 has code of its own, whose rows are as far apart as the part of a whole row that the pattern selects.
  constexpr std::int64_t kPattern = 4;  // columns
  if (is_a5() && to.element == Element::kI64 && !operation.mask.by_rows) {
    to.row_stride /= kPattern / std::max<std::int64_t>(operation.mask.count(kPattern), 1);
    return;
  }
  const auto known = [](const TileOperand& o) {
    return !o.rows.is_register && !o.columns.is_register;
  };
  if (operation.mask.by_rows || to.full_rows == 0 || !known(from) || !known(to) || to.by_columns ||
      to.columns.value != to.row_stride)
    return;
  const std::int64_t selected = operation.mask.count(from.columns.value) * from.rows.value;
  if (to.rows.value * to.columns.value <= selected) return;
  to.columns = selected;
  to.rows = 1;
  to.row_stride *= to.full_rows;
  to.full_rows = 1;
}

// The form of pto.tgather with two results: positions of elements that compare with a number, or with that of their row.
bool ComputeLowering::compares(const Operation& op) const {
  const auto outs = std::count_if(op.arguments.begin(), op.arguments.end(),
                                  [](const Argument& a) { return a.role == Role::kOut; });
  return op.name == "pto.tgather" && outs == 2;
}

void ComputeLowering::gather_compare(const Operation& op, TileOperation& operation) const {
  constexpr std::uint8_t kLanes = 64;
  const Attribute* mode = find(op.attributes, "cmpMode");
  if (mode != nullptr && operation.predicate != static_cast<std::uint8_t>(Predicate::kEqual) &&
      operation.predicate != static_cast<std::uint8_t>(Predicate::kGreater))
    fail_expected(mode->place, "eq or gt", word_of(*mode));
  auto& operands = operation.operands;  // source[, limits], scratch, positions, counts
  const bool has_limits = operands.size() == 5;
  if (operands.size() != (operation.scalars.empty() || has_limits ? 5U : 4U))
    fail(op, "expected ins(source, limit, scratch) outs(positions, counts)");
  const std::int64_t first = number_of(op, "offset", 0, diagnostics_);
  if (!has_limits || operation.scalars.empty())
    operation.scalars.push_back({false, 0, Operand(first), false});
  operation.function = TileFunction::kGatherCompare;
  operation.inputs = has_limits ? 3 : 2;
  operation.which = is_a5() ? kLanes : 0;
  TileOperand kept = operands[operands.size() - 2];
  kept.access = Access::kRead;
  operands.insert(operands.begin() + (has_limits ? 2 : 1), std::move(kept));
  TileOperand& counts = operands.back();
  if (counts.rows.is_register || counts.columns.is_register || counts.by_columns) return;
  counts.columns = counts.rows.value * counts.columns.value;
  counts.rows = 1;
  counts.row_stride *= counts.full_rows;
  counts.full_rows = 1;
}

void ComputeLowering::choose_special(const Operation& op, TileOperation& operation) const {
  using F = TileFunction;
  const F function = operation.function;
  if (function != F::kHistogram && function != F::kRandom && function != F::kQuantizeMx) return;
  if (!is_a5()) fail(op, "A2/A3 have no such operation");
  const auto choice = [&](const char* key, std::int64_t otherwise) {
    return number_of(op, key, otherwise, diagnostics_);
  };
  if (function == F::kHistogram) {
    const Attribute* top = find(op.attributes, "isMSB");
    const bool is_low = top != nullptr && top->value.find("false") != std::string::npos;
    const std::int64_t byte = choice("byte", is_low ? 0 : 1);
    const std::int64_t bytes = cluster::bits_of(input(op).place.element) / 8;
    if (byte < 0 || byte >= bytes)
      fail(op, "byte ", byte, " of elements of ", bytes, " bytes: expected 0 to ", bytes - 1);
    operation.which = static_cast<std::uint8_t>(byte);
  } else if (function == F::kRandom) {
    const std::int64_t rounds = choice("rounds", 10);
    if (rounds != 7 && rounds != 10) fail(op, rounds, " rounds: expected 7 or 10");
    operation.which = static_cast<std::uint8_t>(rounds);
  } else {
    choose_groups(op, operation);
  }
}

// The library writes extremes and factors one after the other, in whatever tile; bytes of MXFP4 hold two numbers.
void ComputeLowering::choose_groups(const Operation& op, TileOperation& operation) const {
  const auto word = [&](const char* key, const char* otherwise) {
    const Attribute* a = find(op.attributes, key);
    return a == nullptr ? std::string(otherwise) : word_of(*a);
  };
  const auto outs = std::count_if(op.arguments.begin(), op.arguments.end(),
                                  [](const Argument& a) { return a.role == Role::kOut; });
  const std::size_t tiles = operation.operands.size();
  const auto is_open = [](const TileOperand& o) {
    return o.rows.is_register || o.columns.is_register;
  };
  const bool open = std::any_of(operation.operands.begin(), operation.operands.end(), is_open);
  if (outs != 4 || open) {  // the older form with an order of its own
    operation.function = TileFunction::kNoValues;
    return;
  }
  operation.groups.by_rows = word("grpAxis", "axis1") == "axis0";
  operation.groups.rounds_up = word("quantScaleAlg", "ocp") == "nv";
  operation.groups.interleaves = word("interleave", "false") == "true";
  const TileOperand& from = operation.operands.front();
  TileOperand& to = operation.operands[tiles - 4];
  const bool packed = cluster::bits_of(to.element) == 4;
  const bool is_byte = to.element == Element::kI8 || to.element == Element::kU8;
  if (!is_float(from.element) || cluster::bits_of(from.element) < 16 ||
      (packed && from.element == Element::kF32) ||
      (!packed && !is_byte && to.element != Element::kE4m3))
    fail(op, "expected f32, f16 or bf16 to bytes, or f16 or bf16 to f4E2M1");
  if (packed && 2 * to.rows.value * to.columns.value <=
                    from.rows.value * ((from.columns.value + 31) / 32 * 32)) {
    to.columns.value *= 2;
    to.row_stride *= 2;
  }
  if (operation.groups.by_rows) return;
  for (std::size_t n = tiles - 2; n < tiles; ++n) {
    TileOperand& line = operation.operands[n];
    line.columns = line.rows.value * line.columns.value;
    line.rows = 1;
    line.row_stride *= line.full_rows;
    line.full_rows = 1;
  }
}

}  // namespace tessera::pto
