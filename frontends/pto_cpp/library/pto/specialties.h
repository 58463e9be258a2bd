// Operations of PTO in C++ that are more than one row of operations.h: sorts, gathers, quantisation, and helpers of the
// public library that kernels call by name (pto_cpp.md 4).
#pragma once

#include "pto/events.h"

namespace pto {

using ::BLOCK_BYTE_SIZE;
using ::C0_SIZE_BYTE;
using ::CUBE_BLOCK_SIZE;
using ::FRACTAL_NZ_ROW;
using ::REPEAT_BYTE;
using ::REPEAT_MAX;
inline constexpr std::uint32_t B4_C0_SIZE = 64, BLOCK_SIZE = 32, TMP_UB_OFFSET = 184 * 1024;

enum class TileLayoutCustom : std::uint8_t { ND, DN, NZ, ZN, ZZ, NONE };
/// Which order of pto_cpp.md 3.2 a tile has.
template <class T>
constexpr TileLayoutCustom GetTileLayoutCustom() {
  if (T::SFractal == SLayout::NoneBox) return T::isRowMajor ? TileLayoutCustom::ND : TileLayoutCustom::DN;
  if (T::SFractal == SLayout::ColMajor) return T::isRowMajor ? TileLayoutCustom::ZN : TileLayoutCustom::NONE;
  return T::isRowMajor ? TileLayoutCustom::ZZ : TileLayoutCustom::NZ;
}

/// A flag that is set and waited for at once.
template <pipe_t From, pipe_t To>
TSR_INLINE void PtoSetWaitFlag(event_t set = EVENT_ID0, event_t wait = EVENT_ID0) {
  set_flag(From, To, set);
  wait_flag(From, To, wait);
}

/// What TMRGSORT has taken of each list. The simulator does not count that (docs/pto-cpp-corpus.md).
struct MrgSortExecutedNumList {
  std::uint16_t mrgSortList0 = 0, mrgSortList1 = 0, mrgSortList2 = 0, mrgSortList3 = 0;
};
template <class D, class S>
TSR_INLINE RecordEvent TMRGSORT(const D& result, const S& from, std::uint32_t block) {
  return tsr_detail::issue("pto.tmrgsort", result, from, block);
}
template <bool Exhausted, class D, class T, class... S>
TSR_INLINE RecordEvent tsr_merge(const D& result, const T& scratch, const S&... lists) {
  tsr_detail::Operands operands;
  operands.option({"exhausted", Exhausted ? "true" : "false"});
  (operands.add(lists, false), ...);
  operands.add(scratch, false);
  operands.add(result, true);
  return operands.call("pto.tmrgsort");
}
template <class D, class T, class A, class B, bool Exhausted, class... E>
TSR_INLINE RecordEvent TMRGSORT(const D& result, MrgSortExecutedNumList&, const T& scratch, const A& a, const B& b, const E&... events) {
  (tsr_detail::wait_for(events), ...);
  return tsr_merge<Exhausted>(result, scratch, a, b);
}
template <class D, class T, class A, class B, class C, bool Exhausted, class... E>
TSR_INLINE RecordEvent TMRGSORT(const D& result, MrgSortExecutedNumList&, const T& scratch, const A& a, const B& b, const C& c,
                                const E&... events) {
  (tsr_detail::wait_for(events), ...);
  return tsr_merge<Exhausted>(result, scratch, a, b, c);
}
template <class D, class T, class A, class B, class C, class L, bool Exhausted, class... E>
TSR_INLINE RecordEvent TMRGSORT(const D& result, MrgSortExecutedNumList&, const T& scratch, const A& a, const B& b, const C& c, const L& l,
                                const E&... events) {
  (tsr_detail::wait_for(events), ...);
  return tsr_merge<Exhausted>(result, scratch, a, b, c, l);
}

/// Bytes from floats. What follows the scale is scratch and, for the unsigned form, a pointer to the offset.
template <class T>
TSR_INLINE void tsr_add_pointee(tsr_detail::Operands& operands, const T& what) {
  if constexpr (std::is_pointer_v<T>) operands.add(*what, false);
  else tsr_detail::wait_for(what);
}
template <QuantType Type, class D, class S, class P, class... A,
          class = std::enable_if_t<!std::is_pointer_v<P>>>
TSR_INLINE RecordEvent TQUANT(const D& result, const S& from, const P& scale, const A&... more) {
  static_assert(Type == QuantType::INT8_SYM || Type == QuantType::INT8_ASYM,
                "TQUANT: an MX type has pointers to its scales, extremes and factors");
  tsr_detail::Operands operands;
  operands.option({"quant_type", Type == QuantType::INT8_SYM ? "#pto<quant_type INT8_SYM>" : "#pto<quant_type INT8_ASYM>"});
  operands.add(from, false);
  operands.add(scale, false);
  (tsr_add_pointee(operands, more), ...);
  operands.add(result, true);
  return operands.call("pto.tquant");
}
TSR_OPERATION(TDEQUANT, "pto.tdequant")

// FIX with a scale a column.
template <class S, class G, class F, auto... Options, class... E>
TSR_INLINE RecordEvent TSTORE_FP(const G& to, const S& from, const F& scale, const E&... events) {
  return tsr_store<Options...>(to, from, scale, events...);
}
template <class D, class S, class F, auto... Options, class... E>
TSR_INLINE RecordEvent TMOV_FP(const D& to, const S& from, const F& scale, const E&... events) {
  return tsr_move<Options...>(to, from, scale, events...);
}
template <STPhase Phase, class D, class S, class F, auto... Options, class... E>
TSR_INLINE RecordEvent TMOV_FP(const D& to, const S& from, const F& scale, const E&... events) {
  return tsr_move<Phase, Options...>(to, from, scale, events...);
}
template <auto... Options, class D, class S, class F, class... E>
TSR_INLINE RecordEvent tsr_scaled_part(const char* operation, const D& to, const S& from,
                                       const F& scale, std::int64_t row, std::int64_t column,
                                       const E&... events) {
  (tsr_detail::wait_for(events), ...);
  tsr_detail::Operands operands;
  (operands.option(tsr_detail::attribute_of(Options)), ...);
  operands.add(from, false);
  operands.add(scale, false);
  operands.position(row);
  operands.position(column);
  operands.add(to, true);
  return operands.call(operation);
}
template <class D, class S, class F, ReluPreMode Relu = ReluPreMode::NoRelu, class... E>
TSR_INLINE RecordEvent TEXTRACT_FP(const D& to, const S& from, const F& scale, std::int64_t row, std::int64_t column, const E&... events) {
  return tsr_scaled_part<Relu>("pto.textract_fp", to, from, scale, row, column, events...);
}
template <class D, class S, class F, ReluPreMode Relu = ReluPreMode::NoRelu, class... E>
TSR_INLINE RecordEvent TINSERT_FP(const D& to, const S& from, const F& scale, std::int64_t row, std::int64_t column, const E&... events) {
  return tsr_scaled_part<Relu>("pto.tinsert_fp", to, from, scale, row, column, events...);
}
template <class D, class S, class F, AccToVecMode Mode, auto... Options, class... E>
TSR_INLINE RecordEvent TEXTRACT(const D& to, const S& from, const F& scale, std::int64_t row,
                                std::int64_t column, const E&... events) {
  return tsr_scaled_part<Mode, Options...>("pto.textract_fp", to, from, scale, row, column,
                                           events...);
}
template <class D, class S, class F, AccToVecMode Mode, auto... Options, class... E>
TSR_INLINE RecordEvent TINSERT(const D& to, const S& from, const F& scale, std::int64_t row,
                               std::int64_t column, const E&... events) {
  return tsr_scaled_part<Mode, Options...>("pto.tinsert_fp", to, from, scale, row, column,
                                           events...);
}

// The result is a factor or a summand too.
template <class D, class A, class B, class... E>
TSR_INLINE RecordEvent TMULADDDST(const D& result, const A& a, const B& b, const E&... events) {
  return tsr_detail::issue("pto.tmuladddst", result, a, b, result, events...);
}
template <class D, class A, class B, class... E>
TSR_INLINE RecordEvent TFUSEDMULADD(const D& result, const A& a, const B& b, const E&... events) {
  return tsr_detail::issue("pto.tfusedmuladd", result, a, result, b, events...);
}
template <class D, class A, class B, class... E>
TSR_INLINE RecordEvent TFUSEDMULADDRELU(const D& result, const A& a, const B& b, const E&... events) {
  return tsr_detail::issue("pto.tfusedmuladdrelu", result, a, result, b, events...);
}

// An index (result, source, scratch), or a value and its index (value, index, source, scratch).
template <class D, class A, class B, class... E>
TSR_INLINE RecordEvent tsr_argument(const char* operation, const D& result, const A& a, const B& b, const E&... rest) {
  if constexpr ((is_tile_data_v<E> || ...)) {
    (tsr_detail::wait_for(rest), ...);
    tsr_detail::Operands operands;
    operands.add(b, false);
    (operands.add(rest, false), ...);
    operands.add(result, true);
    operands.add(a, true);
    return operands.call(operation);
  } else {
    return tsr_detail::issue(operation, result, a, b, rest...);
  }
}
#define TSR_ARGUMENT(NAME, TEXT)                                       \
  template <class... A>                                                \
  TSR_INLINE RecordEvent NAME(const A&... operands) {                  \
    return tsr_argument(TEXT, operands...);                            \
  }
TSR_ARGUMENT(TROWARGMAX, "pto.trowargmax")
TSR_ARGUMENT(TROWARGMIN, "pto.trowargmin")
TSR_ARGUMENT(TCOLARGMAX, "pto.tcolargmax")
TSR_ARGUMENT(TCOLARGMIN, "pto.tcolargmin")

// Two results: a value and its index.
#define TSR_PART_ARGUMENT(NAME, TEXT)                                                                                       \
  template <class V, class A, class B, class I, class IA, class IB, class... E>                                             \
  TSR_INLINE RecordEvent NAME(const V& value, const A& a, const B& b, const I& index, const IA& ia, const IB& ib, const E&... events) { \
    (tsr_detail::wait_for(events), ...);                                                                                    \
    tsr_detail::Operands operands;                                                                                          \
    operands.add(a, false);                                                                                                 \
    operands.add(b, false);                                                                                                 \
    operands.add(ia, false);                                                                                                \
    operands.add(ib, false);                                                                                                \
    operands.add(value, true);                                                                                              \
    operands.add(index, true);                                                                                              \
    return operands.call(TEXT);                                                                                             \
  }
TSR_PART_ARGUMENT(TPARTARGMAX, "pto.tpartargmax")
TSR_PART_ARGUMENT(TPARTARGMIN, "pto.tpartargmin")

enum class Coalesce : std::uint8_t { Row, Elem };
enum class GatherOOB : std::uint8_t { Undefined, Clamp, Wrap, Zero };
enum class ScatterOOB : std::uint8_t { Undefined, Skip, Clamp, Wrap };
enum class ScatterAtomicOp : std::uint8_t { None, Add, Max, Min };
enum class ScatterConflict : std::uint8_t { Last, Default };
TSR_OPERATION(tsr_scatter, "pto.tscatter")
template <class E>
constexpr bool tsr_is_by_columns(E e) {
  if constexpr (std::is_same_v<E, ScatterAxis>) return e == ScatterAxis::SCATTER_COL;
  else return false;
}
/// A2/A3 scatter with the scalar unit, which goes on behind it, when V has filled the result; V goes on after that.
template <bool ByColumns>
TSR_INLINE RecordEvent tsr_scattered(RecordEvent event) {
#ifndef PTO_NPU_ARCH_A5
  if constexpr (!ByColumns) {
    PtoSetWaitFlag<PIPE_V, PIPE_S>();
    PtoSetWaitFlag<PIPE_S, PIPE_V>();
  }
#endif
  return event;
}
template <class D, class... A>
TSR_INLINE RecordEvent TSCATTER(const D& result, const A&... inputs) {
  return tsr_scattered<false>(tsr_scatter(result, inputs...));
}
template <auto Option, auto... Options, class D, class... A>
TSR_INLINE RecordEvent TSCATTER(const D& result, const A&... inputs) {
  return tsr_scattered<(tsr_is_by_columns(Option) || ... || tsr_is_by_columns(Options))>(tsr_scatter<Option, Options...>(result, inputs...));
}
TSR_OPERATION(TGATHERB, "pto.tgatherb")
/// Where the elements of each row that compare with its limit stand, and how many they are.
template <class D, class S, class K, class C, class T, CmpMode Mode, class... E>
TSR_INLINE RecordEvent TGATHER(const D& positions, const S& from, const K& limits, const C& counts, const T& scratch,
                               std::uint32_t offset, const E&... events) {
  static_assert(Mode == CmpMode::GT || Mode == CmpMode::EQ, "TGATHER: expected GT or EQ");
  (tsr_detail::wait_for(events), ...);
  tsr_detail::Operands operands;
  operands.option(tsr_detail::attribute_of(Mode));
  operands.add(from, false);
  operands.add(limits, false);
  operands.add(scratch, false);
  operands.add(offset, false);
  operands.add(positions, true);
  operands.add(counts, true);
  return operands.call("pto.tgather");
}
TSR_OPERATION(TCONCAT_IMPL, "pto.tconcat")
TSR_OPERATION(TCOLEXPAND_IMPL, "pto.tcolexpand")

}  // namespace pto

/// A launcher calls this to have the host fetch an array into L2, which has no effect here.
template <auto... Options, class... A>
TSR_INLINE void PTO_PREFETCH(A&&...) {}
#define PTO_CEIL(x, y) ((((x) + (y)-1) / (y)) * (y))
#define PTO_DIV_ROUNDUP(x, y) (((x) + (y)-1) / (y))
