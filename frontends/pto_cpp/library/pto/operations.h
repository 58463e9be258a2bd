// The operations of PTO in C++ (pto_cpp.md 4). Each is one row at the end of this file: its name in C++ and in PTO
// assembly. The operands of a call become those of the operation: the first one is the result, the others are inputs;
// numbers are scalars, enumerations are attributes. The simulator checks, costs and computes it.
#pragma once

#include "pto/intrinsics.h"
#include "pto/types.h"

#include <tuple>
#include <utility>

namespace pto {

template <class T>
TSR_INLINE void TASSIGN_to(T& tile, std::uint64_t address) {
  tile.address = address & 0xFFFFFFFFULL;
}
template <class T, class A>
TSR_INLINE void TASSIGN(T& what, A address) {
  if constexpr (is_global_data_v<T>) {
    what.SetAddr(address);
  } else if constexpr (std::is_pointer_v<A>) {
    TASSIGN_to(what, reinterpret_cast<std::uint64_t>(address));
  } else {
    TASSIGN_to(what, static_cast<std::uint64_t>(address));
  }
}
template <std::uint64_t Address, class T>
TSR_INLINE void TASSIGN(T& tile) {
  TASSIGN_to(tile, Address);
}

namespace tsr_detail {

/// The word that stands for a value of an enumeration in PTO assembly, with its key; nullptr: none.
struct Attribute {
  const char *key, *value;
};
template <class E, std::size_t N>
constexpr const char* word(E value, const char* const (&words)[N]) {
  return static_cast<std::size_t>(value) < N ? words[static_cast<std::size_t>(value)] : "";
}
template <class E>
TSR_INLINE constexpr Attribute attribute_of(E e) {
  constexpr const char* kRoundings[] = {"<NONE>", "<RINT>", "<ROUND>", "<FLOOR>", "<CEIL>", "<TRUNC>", "<ODD>"};
  constexpr const char* kSaturations[] = {"<ON>", "<OFF>"};
  constexpr const char* kAtomics[] = {"<none>", "<atomic_add>", "<atomic_max>", "<atomic_min>"};
  constexpr const char* kRelus[] = {"<no_relu>", "<normal_relu>"};
  constexpr const char* kModes[] = {"<single_mode_vec0>", "<single_mode_vec1>", "<dual_mode_split_m>", "<dual_mode_split_n>"};
  constexpr const char* kPhases[] = {"<unspecified>", "", "<partial>", "<final>"};
  constexpr const char* kComparisons[] = {"<eq>", "<ne>", "<lt>", "<le>", "<gt>", "<ge>"};
  constexpr const char* kPatterns[] = {"", "<P0101>", "<P1010>", "<P0001>", "<P0010>", "<P0100>", "<P1000>", "<P1111>"};
  if constexpr (std::is_same_v<E, RoundMode>) return {"rmode", word(e, kRoundings)};
  else if constexpr (std::is_same_v<E, SaturationMode>) return {"satmode", word(e, kSaturations)};
  else if constexpr (std::is_same_v<E, AtomicType>) return {"atomicType", word(e, kAtomics)};
  else if constexpr (std::is_same_v<E, ReluPreMode>) return {"reluPreMode", word(e, kRelus)};
  else if constexpr (std::is_same_v<E, AccToVecMode>) return {"accToVecMode", word(e, kModes)};
  else if constexpr (std::is_same_v<E, AccPhase>) return {"accPhase", word(e, kPhases)};
  else if constexpr (std::is_same_v<E, STPhase>) return {"stPhase", word(e, kPhases)};
  else if constexpr (std::is_same_v<E, RemAlgorithm> || std::is_same_v<E, FmodAlgorithm> || std::is_same_v<E, RemSAlgorithm> ||
                     std::is_same_v<E, FmodSAlgorithm> || std::is_same_v<E, PowAlgorithm>)
    return {"precisionType", e == E::HIGH_PRECISION ? "<high_precision>" : "<default>"};
  else if constexpr (std::is_same_v<E, CmpMode>) return {"cmpMode", word(e, kComparisons)};
  else if constexpr (std::is_same_v<E, GatherAxis>) return {"axis", e == GatherAxis::GATHER_COL ? "\"col\"" : "\"row\""};
  else if constexpr (std::is_same_v<E, ScatterAxis>) return {"axis", e == ScatterAxis::SCATTER_COL ? "\"col\"" : "\"row\""};
  else if constexpr (std::is_same_v<E, MaskPattern>) return {"maskPattern", word(e, kPatterns)};
  else return {nullptr, nullptr};
}

template <class T>
inline constexpr bool is_operand =
    is_tile_data_v<T> || is_global_data_v<T> || tsr::is_number<T> || std::is_enum_v<T>;

/// The operands of one call, in the order of PTO assembly: inputs, then the result.
struct Operands {
  TsrOperand list[20];
  std::uint32_t count = 0;

  TSR_INLINE void tile(const TsrTile& t, TsrRole role) {
    list[count].role = role;
    list[count++].tile = &t;
  }
  TSR_INLINE void tensor(const TsrTensor& t, TsrRole role) {
    list[count].role = role;
    list[count++].tensor = &t;
  }
  TSR_INLINE void option(Attribute a) {
    if (a.key == nullptr) return;
    list[count].role = TSR_OPTION;
    list[count].option = a.key;
    list[count++].value = a.value;
  }
  template <class T>
  TSR_INLINE void add(const T& what, bool writes) {
    static_assert(!std::is_base_of_v<tsr::NoOperand, T>, "the simulator has no form of this operation for a ConvTile");
    if constexpr (is_tile_data_v<T>) {
      if constexpr (T::Loc == TileType::Left && std::is_same_v<typename T::DType, float>)  // the factor of a product
        if ((get_ctrl() & tsr::kShortProducts) != 0)
          option({"tf32Mode", (get_ctrl() & tsr::kTiesAway) != 0 ? "round_away" : "round_even"});
      tile(what, writes ? TSR_OUT : TSR_IN);
    } else if constexpr (is_global_data_v<T>) {
      tensor(what, writes ? TSR_TENSOR_OUT : TSR_TENSOR_IN);
    } else if constexpr (std::is_enum_v<T>) {
      option(attribute_of(what));
    } else if constexpr (tsr::is_real<T>) {
      list[count].role = TSR_REAL;
      list[count++].real = static_cast<double>(static_cast<float>(what));
    } else if constexpr (tsr::is_number<T>) {
      list[count].role = TSR_INTEGER;
      list[count++].integer = static_cast<std::int64_t>(what);
    }
  }
  /// What FIX scales by: its parameter is an integer of 64 bits, whatever the caller has.
  template <class T>
  TSR_INLINE void scale(const T& what) {
    if constexpr (std::is_arithmetic_v<T>)
      add(static_cast<std::uint64_t>(what), false);
    else
      add(what, false);
  }
  TSR_INLINE void position(std::int64_t n) {
    list[count].role = TSR_POSITION;
    list[count++].integer = n;
  }
  TSR_INLINE RecordEvent call(const char* operation) {
    const TsrCall call = {operation, count, list};
    tsr_api->operation(tsr_api->self, &call);
    return {};
  }
};

/// The bits of a number of a type that is none of integers; an integer itself.
template <class T>
TSR_INLINE std::int64_t bits_of(T number) {
  if constexpr (std::is_integral_v<T>) return static_cast<std::int64_t>(number);
  else {
    std::conditional_t<sizeof(T) == 1, std::uint8_t, std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>> bits;
    static_assert(sizeof bits == sizeof number, "bits of numbers of 1, 2 or 4 bytes");
    __builtin_memcpy(&bits, &number, sizeof bits);
    return bits;
  }
}

template <class T>
TSR_INLINE void wait_for(const T& what) {
  if constexpr (!is_operand<T>) what.Wait();
}

template <auto... Options, class D, class... A>
TSR_INLINE RecordEvent issue(const char* operation, const D& result, const A&... inputs) {
  (wait_for(inputs), ...);
  Operands operands;
  (operands.option(attribute_of(Options)), ...);
  (operands.add(inputs, false), ...);
  operands.add(result, true);
  return operands.call(operation);
}

/// What fills a tile. Public kernels of A5 for both kinds of core fill tiles in L1 outside of any #if; on a vector core, which has
/// no L1, the device does nothing there.
template <auto... Options, class D, class... A>
TSR_INLINE RecordEvent issue_into(const char* operation, const D& result, const A&... inputs) {
#if defined(PTO_NPU_ARCH_A5) && defined(__DAV_VEC__)
  if constexpr (is_tile_data_v<D>)
    if constexpr (D::Loc == TileType::Mat) return {};
#endif
  return issue<Options...>(operation, result, inputs...);
}

/// A product has the rows of A and the columns of B, whatever is valid of its tile in L0C.
template <auto... Options, class C, class A, class B, class... R>
TSR_INLINE RecordEvent issue_product(const char* operation, const C& result, const A& a, const B& b, const R&... rest) {
  C sum = result;
  sum.valid_rows = a.valid_rows;
  sum.valid_columns = b.valid_columns;
  return issue<Options...>(operation, sum, a, b, rest...);
}

}  // namespace tsr_detail

/// One operation, issued by HOW. Explicit template arguments are types of the operands, options, or types and then options.
#define TSR_OPERATION_BY(HOW, NAME, TEXT)                                              \
  template <class D, class... A>                                                       \
  TSR_INLINE RecordEvent NAME(const D& result, const A&... inputs) {                   \
    return tsr_detail::HOW(TEXT, result, inputs...);                                       \
  }                                                                                    \
  template <auto Option, class D, class... A>                                          \
  TSR_INLINE RecordEvent NAME(const D& result, const A&... inputs) {                   \
    return tsr_detail::HOW<Option>(TEXT, result, inputs...);                               \
  }                                                                                    \
  template <auto Option, auto Second, auto... Options, class D, class... A>            \
  TSR_INLINE RecordEvent NAME(const D& result, const A&... inputs) {                   \
    return tsr_detail::HOW<Option, Second, Options...>(TEXT, result, inputs...);           \
  }                                                                                    \
  template <auto First, class D, class S, auto Option, auto... Options, class... A>    \
  TSR_INLINE RecordEvent NAME(const D& result, const S& input, const A&... inputs) {   \
    return tsr_detail::HOW<First, Option, Options...>(TEXT, result, input, inputs...);     \
  }                                                                                    \
  template <class D, class S, auto Option, auto... Options, class... A>                \
  TSR_INLINE RecordEvent NAME(const D& result, const S& input, const A&... inputs) {   \
    return tsr_detail::HOW<Option, Options...>(TEXT, result, input, inputs...);            \
  }
#define TSR_OPERATION(NAME, TEXT) TSR_OPERATION_BY(issue, NAME, TEXT)

// Moves.
TSR_OPERATION_BY(issue_into, TLOAD, "pto.tload")
// FIX may scale what it moves: by a word of 64 bits, or by a tile with one for each column (TMOV_FP).
template <auto... Options, class D, class S, class... E>
TSR_INLINE RecordEvent tsr_scaled(const char* operation, const D& to, const S& from, const E&... rest) {
  (tsr_detail::wait_for(rest), ...);
  tsr_detail::Operands operands;
  (operands.option(tsr_detail::attribute_of(Options)), ...);
  operands.add(from, false);
  (operands.scale(rest), ...);
  operands.add(to, true);
  return operands.call(operation);
}
template <auto... Options, class D, class S, class... E>
TSR_INLINE RecordEvent tsr_move(const D& to, const S& from, const E&... rest) {
  return tsr_scaled<Options...>("pto.tmov", to, from, rest...);
}
template <class D, class S, class... E>
TSR_INLINE RecordEvent TMOV(const D& to, const S& from, const E&... rest) {
  if constexpr (tsr_detail::has_scale_boxes<D>) {
    tsr_detail::clear_last_boxes(to);
    return tsr_move(to, tsr_detail::as_long_as(from, to), rest...);
  }
  return tsr_move(to, from, rest...);
}
template <auto Option, auto... Options, class D, class S, class... E>
TSR_INLINE RecordEvent TMOV(const D& to, const S& from, const E&... rest) {
  return tsr_move<Option, Options...>(to, from, rest...);
}
template <class D, class S, auto Option, auto... Options, class... E>
TSR_INLINE RecordEvent TMOV(const D& to, const S& from, const E&... rest) {
  return tsr_move<Option, Options...>(to, from, rest...);
}
template <auto First, class D, class S, auto Option, auto... Options, class... E>
TSR_INLINE RecordEvent TMOV(const D& to, const S& from, const E&... rest) {
  return tsr_move<First, Option, Options...>(to, from, rest...);
}
template <class D, class S, class F, auto Option, auto... Options, class... E>
TSR_INLINE RecordEvent TMOV(const D& to, const S& from, const F& scales, const E&... rest) {
  return tsr_move<Option, Options...>(to, from, scales, rest...);
}
template <auto First, class D, class S, class F, auto Option, auto... Options, class... E>
TSR_INLINE RecordEvent TMOV(const D& to, const S& from, const F& scales, const E&... rest) {
  return tsr_move<First, Option, Options...>(to, from, scales, rest...);
}
TSR_OPERATION(TPREFETCH, "pto.tprefetch")

template <auto... Options, class S, class G, class... E>
TSR_INLINE RecordEvent tsr_store(const G& to, const S& from, const E&... rest) {
  return tsr_scaled<Options...>("pto.tstore", to, from, rest...);
}
template <class S, class G, AtomicType Atomic = AtomicType::AtomicNone, ReluPreMode Relu = ReluPreMode::NoRelu, class... E>
TSR_INLINE RecordEvent TSTORE(const G& to, const S& from, const E&... rest) {
  return tsr_store<Atomic, Relu>(to, from, rest...);
}
template <STPhase Phase, class S, class G, AtomicType Atomic = AtomicType::AtomicNone,
          ReluPreMode Relu = ReluPreMode::NoRelu, class... E>
TSR_INLINE RecordEvent TSTORE(const G& to, const S& from, const E&... rest) {
  return tsr_store<Phase, Atomic, Relu>(to, from, rest...);
}

/// The same bytes as a tile of another type.
template <class D, class S>
TSR_INLINE void TRESHAPE(D& to, const S& from) {
  static_assert(D::Loc == S::Loc, "TRESHAPE: both tiles must lie in one memory");
  static_assert(D::Numel * sizeof(typename D::DType) == S::Numel * sizeof(typename S::DType),
                "TRESHAPE: both tiles must have the same number of bytes");
  to.address = from.address;
}
template <class D, class S>
TSR_INLINE void TSUBVIEW(D& to, const S& from, int row, int column) {
  static_assert(D::Loc == S::Loc, "TSUBVIEW: both tiles must lie in one memory");
  to.address = from.address +
               (static_cast<std::int64_t>(row) * S::RowStride +
                static_cast<std::int64_t>(column) * S::ColStride) * sizeof(typename S::DType);
}

// Cube.
TSR_OPERATION_BY(issue_product, TMATMUL, "pto.tmatmul")
TSR_OPERATION_BY(issue_product, TMATMUL_BIAS, "pto.tmatmul.bias")
TSR_OPERATION_BY(issue_product, TGEMV, "pto.tgemv")
TSR_OPERATION_BY(issue_product, TGEMV_BIAS, "pto.tgemv.bias")
#define TSR_ACCUMULATE(NAME, TEXT)                                                          \
  template <class C, class A, class B>                                                      \
  TSR_INLINE RecordEvent NAME(const C& c, const A& a, const B& b) {                         \
    return tsr_detail::issue(TEXT, c, c, a, b);                                                 \
  }                                                                                         \
  template <AccPhase Phase, class C, class A, class B>                                      \
  TSR_INLINE RecordEvent NAME(const C& c, const A& a, const B& b) {                         \
    return tsr_detail::issue<Phase>(TEXT, c, c, a, b);                                          \
  }                                                                                         \
  template <AccPhase Phase = AccPhase::Unspecified, class C, class I, class A, class B, class... E>     \
  TSR_INLINE RecordEvent NAME(const C& c, const I& in, const A& a, const B& b, const E&... rest) { \
    if constexpr (tsr_detail::is_operand<B>)                                                    \
      return tsr_detail::issue<Phase>(TEXT, c, in, a, b, rest...);                              \
    else                                                                                    \
      return tsr_detail::issue<Phase>(TEXT, c, c, in, a, b, rest...);                           \
  }
TSR_ACCUMULATE(TMATMUL_ACC, "pto.tmatmul.acc")
TSR_ACCUMULATE(TGEMV_ACC, "pto.tgemv.acc")

// Vector: operations on one, two or more tiles, or on a tile and a number.
TSR_OPERATION(TADD, "pto.tadd")
TSR_OPERATION(TSUB, "pto.tsub")
TSR_OPERATION(TMUL, "pto.tmul")
TSR_OPERATION(TDIV, "pto.tdiv")
TSR_OPERATION(TMAX, "pto.tmax")
TSR_OPERATION(TMIN, "pto.tmin")
TSR_OPERATION(TAND, "pto.tand")
TSR_OPERATION(TOR, "pto.tor")
TSR_OPERATION(TXOR, "pto.txor")
TSR_OPERATION(TSHL, "pto.tshl")
TSR_OPERATION(TSHR, "pto.tshr")
TSR_OPERATION(TREM, "pto.trem")
TSR_OPERATION(TFMOD, "pto.tfmod")
TSR_OPERATION(TPOW, "pto.tpow")
TSR_OPERATION(TADDS, "pto.tadds")
TSR_OPERATION(TSUBS, "pto.tsubs")
TSR_OPERATION(TMULS, "pto.tmuls")
TSR_OPERATION(TDIVS, "pto.tdivs")
TSR_OPERATION(TMAXS, "pto.tmaxs")
TSR_OPERATION(TMINS, "pto.tmins")
// The library moves bits, also those of floats: the number comes as its bits.
#define TSR_BITS_WITH_NUMBER(NAME, TEXT)                                                               \
  template <class D, class S, class... E>                                                              \
  TSR_INLINE RecordEvent NAME(const D& result, const S& from, typename S::DType number, const E&... rest) { \
    return tsr_detail::issue(TEXT, result, from, tsr_detail::bits_of(number), rest...);                \
  }
TSR_BITS_WITH_NUMBER(TANDS, "pto.tands")
TSR_BITS_WITH_NUMBER(TORS, "pto.tors")
TSR_BITS_WITH_NUMBER(TXORS, "pto.txors")
TSR_OPERATION(TSHLS, "pto.tshls")
TSR_OPERATION(TSHRS, "pto.tshrs")
TSR_OPERATION(TREMS, "pto.trems")
TSR_OPERATION(TFMODS, "pto.tfmods")
TSR_OPERATION(TPOWS, "pto.tpows")
TSR_OPERATION(TLRELU, "pto.tlrelu")
TSR_OPERATION(TPRELU, "pto.tprelu")
TSR_OPERATION(TADDC, "pto.taddc")
TSR_OPERATION(TSUBC, "pto.tsubc")
TSR_OPERATION(TADDSC, "pto.taddsc")
TSR_OPERATION(TSUBSC, "pto.tsubsc")
TSR_OPERATION(TAXPY, "pto.taxpy")
TSR_OPERATION(TSUBRELU, "pto.tsubrelu")
TSR_OPERATION(TADDRELUCONV, "pto.taddreluconv")
TSR_OPERATION(TSUBRELUCONV, "pto.tsubreluconv")
TSR_OPERATION(TADDDEQRELU, "pto.tadddeqrelu")
TSR_OPERATION(TPAIRREDUCESUM, "pto.tpairreducesum")
TSR_OPERATION(TEXP, "pto.texp")
TSR_OPERATION(TLOG, "pto.tlog")
TSR_OPERATION(TSQRT, "pto.tsqrt")
TSR_OPERATION(TRSQRT, "pto.trsqrt")
TSR_OPERATION(TRECIP, "pto.trecip")
TSR_OPERATION(TNEG, "pto.tneg")
TSR_OPERATION(TABS, "pto.tabs")
TSR_OPERATION(TRELU, "pto.trelu")
TSR_OPERATION(TNOT, "pto.tnot")
TSR_OPERATION(TEXPANDS, "pto.texpands")
TSR_OPERATION(TCVT, "pto.tcvt")
TSR_OPERATION(TROWSUM, "pto.trowsum")
TSR_OPERATION(TROWMAX, "pto.trowmax")
TSR_OPERATION(TROWMIN, "pto.trowmin")
TSR_OPERATION(TROWPROD, "pto.trowprod")
TSR_OPERATION(TCOLSUM, "pto.tcolsum")
/// Rows one after the other, or in pairs.
template <class D, class S, class T, class B, class... E,
          class = std::enable_if_t<std::is_integral_v<B>>>
TSR_INLINE RecordEvent TCOLSUM(const D& result, const S& from, const T& scratch, B is_binary,
                               const E&... events) {
  (tsr_detail::wait_for(events), ...);
  tsr_detail::Operands operands;
  operands.option({"isBinary", is_binary ? "true" : "false"});
  operands.add(from, false);
  operands.add(scratch, false);
  operands.add(result, true);
  return operands.call("pto.tcolsum");
}
TSR_OPERATION(TCOLMAX, "pto.tcolmax")
TSR_OPERATION(TCOLMIN, "pto.tcolmin")
TSR_OPERATION(TCOLPROD, "pto.tcolprod")
TSR_OPERATION(TROWEXPAND, "pto.trowexpand")
// The value of a row may come first or second.
template <auto... Options, class D, class A, class B, class... E>
TSR_INLINE RecordEvent tsr_either_way(const char* operation, const D& result, const A& a, const B& b, const E&... rest) {
  if (a.valid_columns == result.valid_columns || b.valid_columns != result.valid_columns)
    return tsr_detail::issue<Options...>(operation, result, a, b, rest...);
  (tsr_detail::wait_for(rest), ...);
  tsr_detail::Operands operands;
  operands.option({"reversed", "true"});
  operands.add(b, false);
  operands.add(a, false);
  (operands.add(rest, false), ...);
  operands.add(result, true);
  return operands.call(operation);
}
#define TSR_EITHER_WAY(NAME, TEXT)                                                             \
  template <class D, class A, class B, class... E>                                             \
  TSR_INLINE RecordEvent NAME(const D& result, const A& a, const B& b, const E&... rest) {     \
    return tsr_either_way(TEXT, result, a, b, rest...);                                        \
  }                                                                                            \
  template <auto Option, class D, class A, class B, class... E>                                \
  TSR_INLINE RecordEvent NAME(const D& result, const A& a, const B& b, const E&... rest) {     \
    return tsr_either_way<Option>(TEXT, result, a, b, rest...);                                \
  }
TSR_EITHER_WAY(TROWEXPANDADD, "pto.trowexpandadd")
TSR_EITHER_WAY(TROWEXPANDMUL, "pto.trowexpandmul")
TSR_EITHER_WAY(TROWEXPANDMAX, "pto.trowexpandmax")
TSR_EITHER_WAY(TROWEXPANDMIN, "pto.trowexpandmin")
TSR_EITHER_WAY(TROWEXPANDSUB, "pto.trowexpandsub")
TSR_EITHER_WAY(TROWEXPANDDIV, "pto.trowexpanddiv")
TSR_EITHER_WAY(TROWEXPANDEXPDIF, "pto.trowexpandexpdif")
// The library's own names, which public kernels call too.
TSR_EITHER_WAY(TROWEXPANDADD_IMPL, "pto.trowexpandadd")
TSR_EITHER_WAY(TROWEXPANDMUL_IMPL, "pto.trowexpandmul")
TSR_EITHER_WAY(TROWEXPANDMAX_IMPL, "pto.trowexpandmax")
TSR_EITHER_WAY(TROWEXPANDMIN_IMPL, "pto.trowexpandmin")
TSR_EITHER_WAY(TROWEXPANDSUB_IMPL, "pto.trowexpandsub")
TSR_EITHER_WAY(TROWEXPANDDIV_IMPL, "pto.trowexpanddiv")
TSR_OPERATION(TCOLEXPAND, "pto.tcolexpand")
TSR_OPERATION(TCOLEXPANDADD, "pto.tcolexpandadd")
TSR_OPERATION(TCOLEXPANDSUB, "pto.tcolexpandsub")
TSR_OPERATION(TCOLEXPANDMUL, "pto.tcolexpandmul")
TSR_OPERATION(TCOLEXPANDDIV, "pto.tcolexpanddiv")
TSR_OPERATION(TCOLEXPANDMAX, "pto.tcolexpandmax")
TSR_OPERATION(TCOLEXPANDMIN, "pto.tcolexpandmin")
TSR_OPERATION(TCOLEXPANDEXPDIF, "pto.tcolexpandexpdif")
TSR_OPERATION(TTRANS, "pto.ttrans")
TSR_OPERATION(TCMP, "pto.tcmp")
TSR_OPERATION(TCMPS, "pto.tcmps")
TSR_OPERATION(TSEL, "pto.tsel")
TSR_OPERATION(TSELS, "pto.tsels")
TSR_OPERATION(TGATHER, "pto.tgather")
/// How many elements there are for each that a pattern selects.
template <MaskPattern Pattern>
constexpr int GetTimesByMask() {
  return Pattern == MaskPattern::P1111 ? 1 : Pattern == MaskPattern::P0101 || Pattern == MaskPattern::P1010 ? 2 : 4;
}
TSR_OPERATION(TSORT32, "pto.tsort32")
TSR_OPERATION(TCONCAT, "pto.tconcat")
TSR_OPERATION(TPARTADD, "pto.tpartadd")
TSR_OPERATION(TPARTMUL, "pto.tpartmul")
TSR_OPERATION(TPARTMAX, "pto.tpartmax")
TSR_OPERATION(TPARTMIN, "pto.tpartmin")
TSR_OPERATION_BY(issue_into, TFILLPAD, "pto.tfillpad")
TSR_OPERATION_BY(issue_into, TFILLPAD_INPLACE, "pto.tfillpad_inplace")
TSR_OPERATION(TFILLPAD_EXPAND, "pto.tfillpad_expand")

template <class D, class T, int Descends = 0, class S, class... E>
TSR_INLINE RecordEvent TCI(const D& result, S start, const E&... rest) {
  tsr_detail::Operands operands;
  if (Descends != 0) operands.option({"descending", "true"});
  operands.add(start, false);
  (operands.add(rest, false), ...);
  operands.add(result, true);
  return operands.call("pto.tci");
}
template <class D, class Scratch, class T, int Descends = 0, class S, class... E>
TSR_INLINE RecordEvent TCI(const D& result, S start, const E&... rest) {
  return TCI<D, T, Descends>(result, start, rest...);
}
template <class D, int Upper, class K>
TSR_INLINE RecordEvent TTRI(const D& result, K diagonal) {
  tsr_detail::Operands operands;
  operands.option({"upperOrLower", Upper != 0 ? "1" : "0"});
  operands.add(static_cast<std::int64_t>(diagonal), false);
  operands.add(result, true);
  return operands.call("pto.ttri");
}
template <int Upper, class D, class K>
TSR_INLINE RecordEvent TTRI(const D& result, K diagonal) {
  return TTRI<D, Upper, K>(result, diagonal);
}

template <TileType Loc_, class T, int Rows_, int Cols_, BLayout B_, int RV, int CV, SLayout S_,
          int F_, PadValue P_, CompactMode C_>
TSR_INLINE T* Tile<Loc_, T, Rows_, Cols_, B_, RV, CV, S_, F_, P_, C_>::data() const {
  return static_cast<T*>(tsr_api->address(tsr_api->self, type->location, address & 0xFFFFFFFFULL));
}
template <TileType Loc_, class T, int Rows_, int Cols_, BLayout B_, int RV, int CV, SLayout S_,
          int F_, PadValue P_, CompactMode C_>
TSR_INLINE T Tile<Loc_, T, Rows_, Cols_, B_, RV, CV, S_, F_, P_, C_>::GetValue(std::int64_t n) const {
  static_assert(Loc_ == TileType::Vec, "GetValue reads tiles in UB only");
  return data()[n];  // a native load, which the simulator sees
}
template <TileType Loc_, class T, int Rows_, int Cols_, BLayout B_, int RV, int CV, SLayout S_,
          int F_, PadValue P_, CompactMode C_>
template <class V>
TSR_INLINE void Tile<Loc_, T, Rows_, Cols_, B_, RV, CV, S_, F_, P_, C_>::SetValue(std::int64_t n,
                                                                                 V value) {
  static_assert(Loc_ == TileType::Vec, "SetValue writes tiles in UB only");
  data()[n] = static_cast<T>(value);
}

}  // namespace pto
