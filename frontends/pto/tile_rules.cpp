#include "frontends/pto/tile_rules.h"

#include <algorithm>

namespace tessera::pto {

namespace {

bool is_integer(const std::string& element) {
  return element.find('i') != std::string::npos;
}
bool is_less(std::int64_t known, std::int64_t least) {
  return known != kDynamic && least != kDynamic && known < least;
}
std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// Columns of scratch that the position of the largest of so many columns needs: values and positions of each
/// repeat of 256 bytes, in whole blocks of 32 bytes.
std::int64_t columns_of_positions(std::int64_t columns, const std::string& element) {
  const std::int64_t bytes = std::max(1U, bits_of(element) / 8);
  const std::int64_t block = 32 / bytes, repeats = divide_up(columns, 256 / bytes);
  return (divide_up(2 * repeats, block) + divide_up(repeats, block)) * block;
}

}  // namespace

bool TileRules::Tile::has(const char* key, const char* word) const {
  const Attribute* a = pto::find(value->type.options, key);
  return a != nullptr && a->value == word;
}

bool TileRules::is_high_precision(const Operation& op) const {
  const Attribute* a = pto::find(op.attributes, "precisionType");
  return a != nullptr && has_part(a->value, "high_precision");
}

TileRules::Operands TileRules::operands_of(const Operation& op) const {
  Operands o;
  for (const Argument& a : op.arguments) {
    const Value* v = scope_.find(a.text);
    const bool tile = v != nullptr && v->kind == Value::Kind::kTile;
    if (a.role == Role::kIn && tile)
      o.in.push_back({v});
    else if (a.role == Role::kIn)
      o.has_scalar = true;
    else if (a.role == Role::kOut && tile && !o.out)
      o.out = {v};
  }
  return o;
}

void TileRules::check(const Operation& op) const {
  if (op.name.rfind("pto.comm.", 0) == 0 || has_part(op.name, "_async"))
    return check_communication(op);
  const OperationInfo& info = operation_info(op.name);
  const bool allots = info.meaning == Meaning::kAllocTile ||
                      info.meaning == Meaning::kAllocMultiTile ||
                      info.meaning == Meaning::kReserveBuffer;
  if (info.form != Form::kTile && !allots) return;
  const Operands o = operands_of(op);
  check_level(op, o);
  if (allots) return;
  check_scratch(op, o);
  check_types(op, o);
  check_attributes(op, o);
  check_scales(op, o);
  check_sizes(op, o);
  check_moves(op, o);
}

// --- scratch ---

void TileRules::check_scratch(const Operation& op, const Operands& o) const {
  const auto is = [&op](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&op](const char* n) { return op.name == n; });
  };
  // How many tiles come before the scratch.
  const std::size_t inputs = is({"pto.tci"})                 ? 0
                             : is({"pto.tsel", "pto.tsels"}) ? (o.has_scalar ? 2 : 3)
                             : o.has_scalar || is({"pto.trsqrt", "pto.tcvt"})  ? 1
                             : has_part(op.name, "arg") || is({"pto.tcolsum"}) ? 1
                                                                               : 2;
  const Tile scratch = o.in.size() > inputs ? o.in.back() : Tile{};
  const bool power = is({"pto.tpow", "pto.tpows"});
  if (is_high_precision(op) && is({"pto.trsqrt", "pto.trowexpanddiv"}) && !scratch)
    fail(op, "high_precision needs a scratch tile");
  if (power && scratch && o.out && is_integer(o.out.element()))
    fail(op, "powers of integers take no scratch tile");
  if (power && is_high_precision(op) && (!is_a5() || (o.out && is_integer(o.out.element()))))
    fail(op, "high_precision is of floats on A5");
  if (!scratch || !o.out) return;
  if (power &&
      (is_less(scratch.rows(), o.out.rows()) || is_less(o.out.rows(), scratch.rows()) ||
       is_less(scratch.columns(), o.out.columns()) || is_less(o.out.columns(), scratch.columns())))
    fail(op, "the scratch tile has other valid sizes than the result");
  if (is({"pto.tcolsum"}) && pto::find(op.attributes, "isBinary") != nullptr &&
      has_part(pto::find(op.attributes, "isBinary")->value, "true") &&
      is_less(scratch.full(1), o.in[0].columns()))
    fail(op, "the scratch tile has ", scratch.full(1), " columns, expected ", o.in[0].columns(),
         " or more");
  if (is({"pto.tmrgsort"}) && o.in.size() > 2 && is_less(scratch.full(1), o.out.full(1)))
    fail(op, "the scratch tile has ", scratch.full(1), " columns, the result ", o.out.full(1));
  if (!is_a5()) check_scratch_of_a2a3(op, o, scratch);
}

void TileRules::check_scratch_of_a2a3(const Operation& op, const Operands& o,
                                      const Tile& scratch) const {
  const std::string& name = op.name;
  const auto require = [&](const char* what, std::int64_t found, std::int64_t least) {
    if (is_less(found, least))
      fail(op, "the scratch tile has ", found, what, ", expected ", least, " or more on A2/A3");
  };
  if (name == "pto.trem" && !is_april()) require(" valid rows", scratch.rows(), 2);
  if (name == "pto.trems") require(" valid rows", scratch.rows(), 1);
  if (name == "pto.trem" || name == "pto.trems")
    require(" valid columns", scratch.columns(), o.out.columns());
  if (name == "pto.tprelu") {
    require(" rows", scratch.full(0), o.out.rows() == kDynamic ? kDynamic : o.out.rows() + 1);
    require(" valid columns", scratch.columns(),
            o.out.columns() == kDynamic ? kDynamic : divide_up(o.out.columns(), 8));
  }
  if (has_part(name, "pto.tcolarg") || has_part(name, "pto.trowarg")) {
    const std::int64_t columns = o.in[0].columns();
    const std::int64_t in_repeat = 2048 / std::max(8U, bits_of(o.in[0].element()));
    const bool small = has_part(name, "row") && columns <= in_repeat;
    if (columns != kDynamic && !small)
      require(" valid columns", scratch.columns(),
              columns_of_positions(columns, o.in[0].element()));
  }
  if (has_part(name, "pto.trowexpand") && name != "pto.trowexpand") {
    require(" bytes", scratch.bytes(), o.out.rows() == kDynamic ? kDynamic : o.out.rows() * 32);
    if (o.in.size() > 1 && o.in[1].has("blayout", "row_major"))
      fail(op,
           "a scratch tile on A2/A3 needs a second source whose columns lie one after the other");
  }
  if (name == "pto.tci")
    require(" bytes", scratch.bytes(), bits_of(o.out.element()) == 32 ? 768 : 1792);
  if (name == "pto.tsel") require(" bytes", scratch.bytes(), 16);
  if (name == "pto.txors" || name == "pto.txor") {
    if (scratch.has("blayout", "col_major")) fail(op, "the scratch tile lies column by column");
    if (scratch.element() != o.out.element())
      fail(op, "the scratch tile has elements of ", scratch.element(), ", the result of ",
           o.out.element());
  }
}

// --- types ---

void TileRules::check_types(const Operation& op, const Operands& o) const {
  const auto refuse = [&](const Tile& tile, const char* expected) {
    fail(op, "elements of ", tile.element(), ", expected ", expected);
  };
  if (has_part(op.name, "pto.tcolarg") && !o.in.empty() && bits_of(o.in[0].element()) > 32)
    refuse(o.in[0], "8, 16 or 32 bits");
  const bool by_index = op.name == "pto.tgather" && !o.has_scalar &&
                        pto::find(op.attributes, "maskPattern") == nullptr;
  if (by_index && !is_a5() && !o.in.empty()) {
    if (!is_one_of({"i16", "i32", "ui16", "ui32", "f16", "f32"}, o.in[0].element()))
      refuse(o.in[0], "16 or 32 bits on A2/A3");
    if (o.in.size() > 1 && !is_one_of({"i32", "ui32"}, o.in[1].element()))
      refuse(o.in[1], "indices of i32");
    if (o.in.size() == 2 && !is_april()) fail(op, "indices need a scratch tile on A2/A3");
    if (o.in.size() > 2 &&
        (is_less(o.in[2].columns(), o.in[1].columns()) || is_less(o.in[2].rows(), o.in[1].rows())))
      fail(op, "the scratch tile is smaller than the indices");
  }
  if (op.name == "pto.tsel" && !is_a5() && o.out &&
      !is_one_of({"i16", "i32", "ui16", "ui32", "f16", "bf16", "f32"}, o.out.element()))
    refuse(o.out, "16 or 32 bits on A2/A3");
  if (is_one_of({"pto.tcolexpanddiv", "pto.trowexpanddiv"}, op.name) && !is_a5() && o.out &&
      is_integer(o.out.element()))
    refuse(o.out, "f16 or f32 on A2/A3");
  if (op.name == "pto.tquant" && !is_a5() && !is_april() && !o.in.empty()) {
    for (std::size_t i = 1; i < o.in.size(); ++i)
      if (o.in[i].full(1) > 1 || o.in[i].has("blayout", "row_major"))
        fail(op, "scale and offset lie in a column on A2/A3");
    for (const Argument& a : op.arguments) {
      const Value* v = a.role == Role::kOut ? scope_.find(a.text) : nullptr;
      if (v != nullptr && v->kind == Value::Kind::kTile &&
          v->type.shape != o.in[0].value->type.shape)
        fail(op, "result and scratch have the shape of the source on A2/A3");
    }
  }
}

// Forms that say too little, or too much.
void TileRules::check_attributes(const Operation& op, const Operands& o) const {
  const auto has = [&op](const char* key) { return pto::find(op.attributes, key) != nullptr; };
  const bool chooses = has("scatterAtomicOp") || has("scatterOob") || has("scatterConflict");
  if (!is_april() && !has("coalesce") &&
      (op.name == "pto.mgather" || (op.name == "pto.mscatter" && chooses)))
    fail(op, "expected {coalesce = #pto<coalesce row>} or elem");
  const bool compares = op.name == "pto.tgather" && o.has_scalar && !has("maskPattern");
  const Attribute* mode = pto::find(op.attributes, "cmpMode");
  const bool equal = mode == nullptr || has_part(mode->value, "eq");
  if (compares && !is_a5() && !o.in.empty() &&
      !is_one_of({"f16", "f32", equal ? "i32" : "f32"}, o.in[0].element()))
    fail(op, "elements of ", o.in[0].element(),
         ", expected f16, f32, or i32 for equality, on A2/A3");
  if (op.name != "pto.thistogram" || !has("byte") || !has("isMSB")) return;
  const bool is_low = has_part(pto::find(op.attributes, "isMSB")->value, "false");
  const std::int64_t byte = number_of(op, "byte", 0, diagnostics_);
  if (byte != (is_low ? 0 : 1)) fail(op, "byte ", byte, " and isMSB say different bytes");
}

// The scales of a factor A are [rows, columns / 32], and whole pairs of groups multiply (ascend_2.md 5.5).
void TileRules::check_scales(const Operation& op, const Operands& o) const {
  if (!has_part(op.name, ".mx") || o.in.size() < 4) {
    const bool multiplies = op.name.rfind("pto.tmatmul", 0) == 0 && o.in.size() > 1;
    const Tile left =
        multiplies ? o.in[o.in.size() > 2 && o.in[0].location() == "acc" ? 1 : 0] : Tile{};
    if (left && bits_of(left.element()) == 4 && !is_integer(left.element()))
      fail(op, "elements of ", left.element(), " multiply with scales only (pto.tmatmul.mx)");
    return;
  }
  constexpr std::int64_t kGroup = 32, kPairs = 64;
  const std::size_t first = o.in[0].location() == "acc" ? 1 : 0;
  const Tile &left = o.in[first], &scales = o.in[first + 1];
  if (scales.location() != "scaling" || left.location() != "left") return;
  if (left.full(1) % kPairs != 0)
    fail(op, left.full(1), " columns of the left factor, expected a multiple of ", kPairs);
  if (scales.full(1) != divide_up(left.full(1), kGroup))
    fail(op, scales.full(1), " columns of scales, expected ", divide_up(left.full(1), kGroup),
         ": one for each ", kGroup, " columns of the left factor");
}

// --- sizes ---

void TileRules::check_sizes(const Operation& op, const Operands& o) const {
  if (!o.out) return;
  const bool arg = has_part(op.name, "arg");
  if (has_part(op.name, "pto.tcolarg") && o.out.rows() == 0)
    fail(op, "the result has no valid row");
  if (has_part(op.name, "pto.trow") && arg && !o.in.empty() && o.in[0].rows() == 0)
    fail(op, "the source has no valid row");
  if (op.name == "pto.trowexpand" && o.out.columns() == 0)
    fail(op, "the result has no valid column");
}

// --- moves ---

void TileRules::check_moves(const Operation& op, const Operands& o) const {
  const bool fills = has_part(op.name, "pto.tfillpad");
  if (fills && pto::find(op.attributes, "mode") != nullptr)
    fail(op, "takes no mode: the tiles say what is to be filled");
  if (fills && o.out && !o.in.empty() && o.out.location() == "mat" &&
      (o.in[0].value->type.valid_rows != o.out.value->type.valid_rows ||
       o.in[0].value->type.valid_columns != o.out.value->type.valid_columns))
    fail(op, "source and result in mat are of different types");
  const bool part = op.name == "pto.textract" || op.name == "pto.tinsert";
  if (part && !o.in.empty()) {
    const auto scalars =
        std::count_if(op.arguments.begin(), op.arguments.end(), [](const Argument& a) {
          return a.role == Role::kIn || a.key == "pre_quant";
        });
    if (scalars > 3 && o.in[0].location() != "acc") fail(op, "only what comes from acc is scaled");
  }
  const bool in_vec =
      part && o.out && !o.in.empty() && o.in[0].location() == "vec" && o.out.location() == "vec";
  if (op.name == "pto.textract" && in_vec && is_a5() &&
      (o.in[0].has("slayout", "row_major") != o.out.has("slayout", "row_major") ||
       o.in[0].has("blayout", "col_major") || o.out.has("blayout", "col_major")))
    fail(op, "parts of tiles in vec lie row by row");
  if (op.name == "pto.tinsert" && !is_a5() && o.out && !o.in.empty() &&
      o.in[0].location() == "acc" && op.arguments.size() == 4 &&
      !(o.in[0].element() == "f32" && is_one_of({"f16", "bf16"}, o.out.element())))
    fail(op, "from ", o.in[0].element(), " to ", o.out.element(),
         ", expected f32 to f16 or bf16 on A2/A3");
  if (op.name == "pto.tload" && is_a5() && o.out && o.out.location() == "vec" &&
      o.out.has("blayout", "row_major") &&
      (o.out.has("slayout", "col_major") || o.out.has("slayout", "row_major")))
    fail(op, "a tile in vec with boxes lies column by column");
  const Value* printed = scope_.find(op.arguments[0].text);
  if (op.name == "pto.tprint" && op.arguments.size() > 1 && printed != nullptr &&
      printed->kind != Value::Kind::kTile)
    fail(op, "only a tile is printed through scratch");
  if (op.name == "pto.tget_scale_addr" && o.out && o.out.location() != "scaling")
    fail(op, "expected a tile in scaling, found one in ", o.out.location());
  if (!is_one_of({"pto.tstore", "pto.tstore_fp"}, op.name) || o.in.empty()) return;
  const Value* view = scope_.find(argument(op, Role::kOut).text);
  if (view == nullptr || view->type.kind != Type::Kind::kPartition || o.in[0].location() != "vec")
    return;
  std::int64_t elements = 1;
  for (const std::int64_t size : view->type.shape)
    elements = size == kDynamic || elements == kDynamic ? kDynamic : elements * size;
  const Type& tile = o.in[0].value->type;
  const bool known = tile.valid_rows != kDynamic && tile.valid_columns != kDynamic;
  const std::int64_t valid = known ? o.in[0].rows() * o.in[0].columns() : kDynamic;
  if (elements != kDynamic && valid > 0 && elements > valid)
    fail(op, "the part of the tensor has ", elements, " elements, the tile has ", valid,
         " valid ones");
}

// --- communication ---

void TileRules::check_communication(const Operation& op) const {
  const auto shape = [&](const Type& type) {
    return type.kind == Type::Kind::kPartition || type.kind == Type::Kind::kTensorView ||
                   type.kind == Type::Kind::kMemref
               ? type.shape
               : std::vector<std::int64_t>();
  };
  const bool one_to_one = has_part(op.name, "comm.tput") || has_part(op.name, "comm.tget");
  const bool pair = one_to_one && !has_part(op.name, "tgather");
  std::vector<const Type*> views;
  for (const Type& type : op.types)
    if (!shape(type).empty()) views.push_back(&type);
  for (const Type* type : views) {
    const bool dynamic = std::count(type->shape.begin(), type->shape.end(), kDynamic) > 0;
    for (const std::int64_t size : type->shape)
      if (size == 0) fail(op, "a size of 0, expected 1 or more");
    if (dynamic && (!pair || type->kind == Type::Kind::kTensorView))
      fail(op, "expected sizes that are known", pair ? ", or a part of a tensor" : "");
  }
  if (pair && views.size() == 2)
    for (std::size_t d = 0; d < std::min(views[0]->shape.size(), views[1]->shape.size()); ++d)
      if (views[0]->shape[d] != views[1]->shape[d])
        fail(op, "dimension ", d, " is not the same on both sides");
  if (!has_part(op.name, "_async")) return;
  for (const Type* type : views) {
    std::size_t longer = 0;
    for (const std::int64_t size : type->shape) longer += size != 1 ? 1 : 0;
    if (longer > 1) fail(op, "expected a part with one dimension");
  }
}

// --- levels ---

// Level 3 plans no memory: every address is in the text. Levels 1 and 2 plan all of it.
void TileRules::check_level(const Operation& op, const Operands& o) const {
  const int level = context_.options.level;
  if (level == 0) return;
  const Meaning meaning = operation_info(op.name).meaning;
  if (meaning == Meaning::kReserveBuffer) {
    const bool fixed = pto::find(op.attributes, "base") != nullptr;
    if (fixed != (level == 3))
      fail(op, "level ", level, fixed ? " takes no base" : " needs a base");
    return;
  }
  if (meaning == Meaning::kAllocTile || meaning == Meaning::kAllocMultiTile) {
    const bool given = std::any_of(op.arguments.begin(), op.arguments.end(),
                                   [](const Argument& a) { return a.role == Role::kAddress; });
    if (given != (level == 3) && op.name != "memref.alloc")
      fail(op, "level ", level, given ? " takes no addr" : " needs an addr");
    return;
  }
  if (level != 3 || is_a5() || !o.out) return;
  const bool of_floats =
      is_one_of({"pto.tpow", "pto.tpows"}, op.name) && !is_integer(o.out.element());
  const std::size_t tiles = op.name == "pto.tpow" ? 2 : 1;
  const bool lacks = (of_floats && o.in.size() <= tiles) ||
                     (op.name == "pto.tci" && o.in.empty()) ||
                     (op.name == "pto.tsort32" && o.in.size() < 3 && !o.in.empty() &&
                      o.in[0].value->type.valid_columns % 32 != 0) ||
                     (op.name == "pto.tprelu" && o.in.size() < 3);
  if (lacks) fail(op, "level 3 needs a scratch tile");
}

}  // namespace tessera::pto
