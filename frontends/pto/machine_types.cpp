#include "frontends/pto/machine_types.h"

#include <array>
#include <unordered_map>
#include <vector>

#include "frontends/text/diagnostics.h"

namespace tessera::pto {

namespace machine_types {

using E = cluster::Element;
using Set = ElementSet;

// Names say the bits of integers; "Floats" are f16 and f32.
constexpr Set kFloats{E::kF16, E::kF32};
constexpr Set kSingle{E::kF32};
constexpr Set kSigned16{E::kI16, E::kI32};
constexpr Set kUnsigned16{E::kU16, E::kU32};
constexpr Set kInts16 = kSigned16 | kUnsigned16;  // 16 and 32 bits
constexpr Set kInts8 = kInts16 | Set{E::kI8, E::kU8};
constexpr Set kInts64 = kInts8 | Set{E::kI64};
constexpr Set kBasic = kFloats | kSigned16;  // what A2/A3 calculates with
constexpr Set kBf16{E::kBf16};
constexpr Set kUpTo32 = kInts8 | kFloats | kBf16;
constexpr Set kAll = kUpTo32 | Set{E::kI64};
constexpr Set kSmall{E::kE4m3, E::kE5m2, E::kHif8, E::kE8m0};
constexpr Set kWide = kInts16 | Set{E::kI64};  // 16 bits and more
constexpr Set kBits16 = kInts16 | kFloats | kBf16;
constexpr Set kBits8 = kUpTo32 | kSmall;
constexpr Set kBits64 = kAll | kSmall;

struct Row {
  std::vector<const char*> names;
  OperationTypes types;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      {{"pto.tadd", "pto.tsub", "pto.tadds", "pto.tsubs", "pto.tmax", "pto.tmin", "pto.tmaxs",
        "pto.tmins", "pto.tpartadd", "pto.tpartmax", "pto.tpartmin", "pto.tcolsum", "pto.tcolmax",
        "pto.tcolmin"},
       {kBasic, kAll}},
      {{"pto.tmul", "pto.tmuls", "pto.tneg"}, {kBasic, kWide | kFloats | kBf16}},
      {{"pto.tpartmul"}, {kBasic, kUpTo32}},
      {{"pto.tcolprod"}, {kBasic, kBits16}},
      {{"pto.tdiv"}, {kFloats, kWide | kFloats}},
      {{"pto.tdivs"}, {kBasic, kWide | kFloats}},
      {{"pto.trem"}, {Set{E::kF32, E::kI32}, kWide | kFloats}},
      {{"pto.trems"}, {Set{E::kF32, E::kI32}, kWide | kFloats | kBf16}},
      {{"pto.tfmod"}, {kSingle, kInts16 | kFloats}},
      {{"pto.tfmods"}, {kSingle, kBits16}},
      {{"pto.tpow", "pto.tpows"}, {kInts8 | kSingle, kInts8 | kFloats}},
      {{"pto.tpow high_precision", "pto.tpows high_precision"},
       {kInts8 | kSingle, kFloats | kBf16}},
      {{"pto.tshl", "pto.tshr"}, {kInts8, kInts64}},
      {{"pto.tands", "pto.tors", "pto.txors"}, {kUpTo32, kBits8}},
      {{"pto.tshls", "pto.tshrs"}, {kInts16, kInts64}},
      {{"pto.tand", "pto.tor", "pto.txor", "pto.tnot"}, {kInts64, kInts8}},
      {{"pto.texp", "pto.tlog", "pto.tsqrt", "pto.trsqrt", "pto.trecip", "pto.tlrelu", "pto.tprelu",
        "pto.tsubrelu", "pto.tfusedmuladd", "pto.tfusedmuladdrelu", "pto.tmuladddst",
        "pto.tpairreducesum", "pto.trowexpandexpdif", "pto.tcolexpandexpdif"},
       {kFloats, kFloats}},
      {{"pto.tabs"}, {kFloats, kFloats | kSigned16 | Set{E::kI8}}},
      {{"pto.trelu"}, {kFloats | Set{E::kI32}, kFloats | Set{E::kI32}}},
      {{"pto.tcmp"}, {kFloats | Set{E::kI32}, kAll}},
      {{"pto.tcmps"}, {kBasic | Set{E::kU16}, kAll}},
      {{"pto.trowprod"}, {kBasic, kBasic}},
      {{"pto.trowsum"}, {kBasic, kBasic | Set{E::kI64}}},
      {{"pto.trowmax", "pto.trowmin"}, {kBasic, kBasic | Set{E::kI8, E::kU8, E::kI64}}},
      {{"pto.taxpy"}, {kFloats, kFloats}},
      {{"pto.trowexpandadd", "pto.trowexpandsub", "pto.trowexpandmul", "pto.trowexpandmax",
        "pto.trowexpandmin", "pto.tcolexpandadd", "pto.tcolexpandsub", "pto.tcolexpandmul",
        "pto.tcolexpandmax", "pto.tcolexpandmin"},
       {kBasic, kUpTo32}},
      {{"pto.trowexpanddiv", "pto.tcolexpanddiv"}, {kFloats, kUpTo32}},
      {{"pto.tcolargmax", "pto.tcolargmin"}, {kFloats | kUnsigned16, kUpTo32}},
      {{"pto.texpands"}, {kUpTo32, kBits64, true}},
      {{"pto.tconcat"}, {kUpTo32, kUpTo32}},
      {{"pto.tinterleave", "pto.tdeinterleave"}, {kUpTo32, kUpTo32}},
      {{"pto.ttri"}, {kInts16 | kFloats, kAll, true}},
      {{"pto.tci"}, {kInts16 | kFloats, kInts16, true}},
      {{"pto.tsel"}, {kBits16, kBits64, true}},
      {{"pto.tsels"}, {kBits16, kInts64 | kFloats, true}},
      {{"pto.tcvt"},
       {kBasic | kBf16 | Set{E::kI8, E::kU8, E::kI64},
        kBasic | kBf16 | Set{E::kI8, E::kU8, E::kU32, E::kI64, E::kE4m3, E::kE5m2, E::kHif8}}},
      {{"pto.tscatter"}, {kUpTo32, kBits64}},
      {{"pto.tgather"}, {kBits16, kBits64}},
      {{"pto.trowargmax", "pto.trowargmin"}, {kBasic, kUpTo32}},
      {{"pto.tpartargmax", "pto.tpartargmin"}, {kFloats, kFloats}},
      {{"pto.taddreluconv", "pto.tsubreluconv"}, {kFloats | Set{E::kI16}, kFloats | Set{E::kI16}}},
      {{"pto.tadddeqrelu"}, {Set{E::kI32}, Set{E::kI32}}},
      {{"pto.ttrans", "pto.tfillpad", "pto.tgatherb"}, {kBits8, kBits8}},
      {{"pto.trowexpand", "pto.tcolexpand"}, {kBits8, kBits64}},
  };
  return kRows;
}

struct OperandRow {
  std::vector<const char*> names;
  OperandTypes types;
};

constexpr Set kOf8{E::kI8, E::kU8, E::kE4m3, E::kE5m2, E::kHif8, E::kE8m0};
constexpr Set kOf16{E::kI16, E::kU16, E::kF16, E::kBf16};
constexpr Set kOf32{E::kI32, E::kU32, E::kF32};
constexpr Set kShort{E::kI16, E::kU16}, kLong{E::kI32, E::kU32};

const std::vector<OperandRow>& operand_rows() {
  using F = cluster::TileFunction;
  const std::vector<PairedTypes> positions = {{Set{E::kF16}, kInts16}, {kSingle, kLong}};
  const std::vector<PairedTypes> narrowed = {{kSingle, Set{E::kF16}},
                                             {Set{E::kF16, E::kI16}, Set{E::kI8}}};
  const std::vector<PairedTypes> halves = {{Set{E::kI32}, Set{E::kF16}}};
  const std::vector<PairedTypes> offsets = {{kOf8 | kOf16, kShort}, {kOf32 | Set{E::kI64}, kLong}};
  const std::vector<PairedTypes> indices = {{kOf8 | kOf16 | kOf32, kInts16}, {Set{E::kI64}, kLong}};
  // What the library has a conversion for; for other pairs A2/A3 do nothing, without a word.
  const std::vector<PairedTypes> a2a3_conversions = {
      {kSingle, kBasic | Set{E::kI64, E::kBf16}},
      {Set{E::kF16}, Set{E::kF32, E::kI32, E::kI16, E::kI8, E::kU8, E::kI4}},
      {kBf16, Set{E::kF32, E::kI32}},
      {Set{E::kI16}, kFloats},
      {Set{E::kI32}, Set{E::kF32, E::kF16, E::kI16, E::kI64}},
      {Set{E::kI64}, Set{E::kF32, E::kI32}},
      {Set{E::kI8, E::kU8, E::kI4}, Set{E::kF16}}};
  constexpr Set kOf4{E::kE2m1, E::kE1m2};
  const std::vector<PairedTypes> a5_conversions = {
      {kSingle, kBasic | kBf16 | Set{E::kI64, E::kE4m3, E::kE5m2, E::kHif8}},
      {Set{E::kF16}, Set{E::kF32, E::kI32, E::kI16, E::kI8, E::kU8, E::kHif8}},
      {kBf16, Set{E::kF32, E::kF16, E::kI32} | kOf4},
      {kOf4, kBf16},
      {Set{E::kE4m3, E::kE5m2, E::kHif8}, kSingle},
      {Set{E::kI16}, kFloats | Set{E::kI32, E::kU32, E::kU8}},
      {Set{E::kI32}, Set{E::kF32, E::kI16, E::kU16, E::kU8, E::kI64}},
      {Set{E::kU32}, Set{E::kI16, E::kU16, E::kU8}},
      {Set{E::kI64}, Set{E::kF32, E::kI32}},
      {Set{E::kI8}, Set{E::kF16, E::kI16, E::kI32}},
      {Set{E::kU8}, Set{E::kF16, E::kU16}}};
  static const std::vector<OperandRow> kRows = {
      {{"pto.tcvt"}, {F::kConvert, -1, "a result", a2a3_conversions, a5_conversions}},
      {{"pto.tscatter"}, {F::kScatter, 1, "an index", offsets, offsets}},
      {{"pto.tgather"}, {F::kGather, 1, "an index", {{kOf16 | kOf32, kLong}}, indices}},
      {{"pto.tpartargmax", "pto.tpartargmin"}, {F::kPartArg, 2, "positions", positions, positions}},
      {{"pto.taddreluconv", "pto.tsubreluconv"},
       {F::kMapConvert, -1, "a result", narrowed, narrowed}},
      {{"pto.tadddeqrelu"}, {F::kMapConvert, -1, "a result", halves, halves}},
  };
  return kRows;
}

/// The rows of a table by the names that they are for.
template <class R>
std::unordered_map<std::string_view, const decltype(R::types)*>
by_name(const std::vector<R>& rows) {
  std::unordered_map<std::string_view, const decltype(R::types)*> table;
  for (const R& row : rows)
    for (const char* n : row.names) table.emplace(n, &row.types);
  return table;
}

}  // namespace machine_types

std::string to_string(ElementSet set) {
  using E = cluster::Element;
  constexpr std::array kOrder = {E::kI8,   E::kU8,   E::kI16, E::kU16,  E::kI32,  E::kU32,
                                 E::kI64,  E::kF16,  E::kF32, E::kBf16, E::kE4m3, E::kE5m2,
                                 E::kHif8, E::kE8m0, E::kI4,  E::kE2m1, E::kE1m2};
  std::vector<std::string> names;
  for (const E e : kOrder)
    if (set.has(e)) names.emplace_back(cluster::to_string(e));
  return text::alternatives(names);
}

const OperationTypes* types_of_operation(std::string_view name, bool is_high_precision) {
  static const auto kByName = machine_types::by_name(machine_types::rows());
  if (is_high_precision) {
    const auto precise = kByName.find(std::string(name) + " high_precision");
    if (precise != kByName.end()) return precise->second;
  }
  const auto entry = kByName.find(name);
  return entry == kByName.end() ? nullptr : entry->second;
}

const OperandTypes* types_of_operand(std::string_view name) {
  static const auto kByName = machine_types::by_name(machine_types::operand_rows());
  const auto entry = kByName.find(name);
  return entry == kByName.end() ? nullptr : entry->second;
}

}  // namespace tessera::pto
