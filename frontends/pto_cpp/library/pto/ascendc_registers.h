// AscendC::Reg (also MicroAPI): the instructions on vector registers of A5 under the names of Ascend C. They are those of
// register_instructions.h.
#pragma once
// clang-format off
// Lists of macros without semicolons are no C++ to it.

#include "pto/pto-inst.hpp"

namespace AscendC {
enum class RoundMode {
  CAST_NONE,
  CAST_RINT,
  CAST_FLOOR,
  CAST_CEIL,
  CAST_ROUND,
  CAST_TRUNC,
  CAST_ODD,
  CAST_HYBRID,
  UNKNOWN
};
enum class CMPMODE { LT, GT, EQ, LE, GE, NE };
}  // namespace AscendC

#ifdef PTO_NPU_ARCH_A5

namespace AscendC {

enum class ReduceType { SUM, MAX, MIN };
enum class SpecialPurposeReg { AR };
enum class DivAlgo {
  INTRINSIC,
  DIFF_COMPENSATION,
  PRECISION_1ULP_FTZ_TRUE,
  PRECISION_0ULP_FTZ_TRUE,
  PRECISION_0ULP_FTZ_FALSE,
  PRECISION_1ULP_FTZ_FALSE
};
enum class SqrtAlgo {
  INTRINSIC,
  FAST_INVERSE,
  PRECISION_1ULP_FTZ_TRUE,
  PRECISION_0ULP_FTZ_FALSE,
  PRECISION_1ULP_FTZ_FALSE
};
enum class ExpAlgo { INTRINSIC, PRECISION_1ULP_FTZ_TRUE, PRECISION_1ULP_FTZ_FALSE };
enum class LnAlgo { INTRINSIC, PRECISION_1ULP_FTZ_TRUE, PRECISION_1ULP_FTZ_FALSE };

namespace Reg {

struct DefaultType {};
struct RegTrait {
  int REG_NUM = 1;
};
inline constexpr RegTrait RegTraitNumOne = {1}, RegTraitNumTwo = {2};
enum class RegLayout { UNKNOWN = -1, ZERO, ONE, TWO, THREE };
enum class SatMode { UNKNOWN = -1, NO_SAT, SAT };
enum class IndexOrder { INCREASE_ORDER, DECREASE_ORDER };
enum class MaskMergeMode { UNKNOWN, MERGING, ZEROING };
enum class HighLowPart { LOWEST, HIGHEST };
enum class HistogramsBinType { BIN0, BIN1 };
enum class HistogramsType { FREQUENCY, ACCUMULATE };
enum class PostLiteral { POST_MODE_NORMAL, POST_MODE_UPDATE };
enum class MaskPattern {
  ALL,
  VL1,
  VL2,
  VL3,
  VL4,
  VL8,
  VL16,
  VL32,
  VL64,
  VL128,
  M3,
  M4,
  H,
  Q,
  ALLF = 15
};
enum class LoadDist {
  DIST_NORM,
  DIST_BRC_B8,
  DIST_BRC_B16,
  DIST_BRC_B32,
  DIST_US_B8,
  DIST_US_B16,
  DIST_DS_B8,
  DIST_DS_B16,
  DIST_BDINTLV,
  DIST_DINTLV_B8,
  DIST_DINTLV_B16,
  DIST_UNPACK_B8,
  DIST_UNPACK_B16,
  DIST_BLK,
  DIST_E2B_B16,
  DIST_E2B_B32,
  DIST_UNPACK_B32,
  DIST_DINTLV_B32,
  DIST_UNPACK4_B8,
  DIST_SPLT4CHN_B8,
  DIST_SPLT2CHN_B8,
  DIST_SPLT2CHN_B16
};
enum class StoreDist {
  DIST_NORM_B8,
  DIST_NORM_B16,
  DIST_NORM_B32,
  DIST_FIRST_ELEMENT_B8,
  DIST_FIRST_ELEMENT_B16,
  DIST_FIRST_ELEMENT_B32,
  DIST_PACK_B16,
  DIST_PACK_B32,
  DIST_INTLV_B8,
  DIST_INTLV_B16,
  DIST_PACK_B64,
  DIST_INTLV_B32,
  DIST_PACK4_B32,
  DIST_MRG4CHN_B8,
  DIST_MRG2CHN_B8,
  DIST_MRG2CHN_B16,
  DIST_NORM
};
enum class MaskDist { DIST_NORM, DIST_US = 1, DIST_DS = 2, DIST_PACK = 1 };
enum class MemType { VEC_STORE, VEC_LOAD, SCALAR_STORE, SCALAR_LOAD, VEC_ALL, SCALAR_ALL };
enum class DataCopyMode { DATA_BLOCK_COPY };
enum class GatherMaskMode { NO_STORE_REG, STORE_REG };
using AscendC::SpecialPurposeReg;
enum class PairReduce { SUM };
using AscendC::ReduceType;
template <class Algorithm>
struct SpecificMode {
  MaskMergeMode mrgMode = MaskMergeMode::ZEROING;
  Algorithm algo = Algorithm::INTRINSIC;
};
using DivSpecificMode = SpecificMode<DivAlgo>;
using SqrtSpecificMode = SpecificMode<SqrtAlgo>;
using ExpSpecificMode = SpecificMode<ExpAlgo>;
using LnSpecificMode = SpecificMode<LnAlgo>;
struct CastTrait {
  RegLayout layoutMode = RegLayout::UNKNOWN;
  SatMode satMode = SatMode::UNKNOWN;
  MaskMergeMode mrgMode = MaskMergeMode::UNKNOWN;
  RoundMode roundMode = RoundMode::UNKNOWN;
};
inline constexpr CastTrait castTrait = {RegLayout::ZERO, SatMode::UNKNOWN, MaskMergeMode::ZEROING,
                                        RoundMode::CAST_NONE};

template <class T, const RegTrait& Trait = RegTraitNumOne>
struct RegTensor {
  static_assert(Trait.REG_NUM == 1, "a RegTensor of two registers is not modelled");
  using ActualT = T;
  using RegType = tsr::Vector<T>;
  using Lane = T;
  static constexpr RegTrait trait = Trait;
  static constexpr int REG_NUM = 1;
  RegType reg[1];
  TSR_INLINE RegTensor() {}  // NOLINT
  TSR_INLINE operator RegType&() { return reg[0]; }
};
using MaskReg = vector_bool;
using UnalignReg = vector_align;
using UnalignRegForLoad = vector_align;
using UnalignRegForStore = vector_align;
/// So many elements from the begin.
struct AddrReg {
  std::int64_t offset = 0;
};

namespace detail {
constexpr const char* word_of(LoadDist dist) {
  constexpr const char* kWords[] = {
      "NORM",     "BRC_B8",      "BRC_B16",     "BRC_B32",     "US_B8",      "US_B16",
      "DS_B8",    "DS_B16",      "BDINTLV",     "DINTLV_B8",   "DINTLV_B16", "UNPK_B8",
      "UNPK_B16", "BRC_BLK",     "E2B_B16",     "E2B_B32",     "UNPK_B32",   "DINTLV_B32",
      "UNPK4_B8", "SPLT4CHN_B8", "SPLT2CHN_B8", "SPLT2CHN_B16"};
  return kWords[static_cast<int>(dist)];
}
constexpr const char* word_of(StoreDist dist) {
  return tsr::kStoreWords[static_cast<int>(dist)];
}
constexpr const char* word_of(RoundMode mode) {
  constexpr const char* kWords[] = {"", "R", "F", "C", "A", "Z", "O", "H", ""};
  return kWords[static_cast<int>(mode)];
}
constexpr const char* word_of(CMPMODE mode) {
  constexpr const char* kWords[] = {"lt", "gt", "eq", "le", "ge", "ne"};
  return kWords[static_cast<int>(mode)];
}
/// Modes are a MaskMergeMode, or a pointer to a struct that has one beside an algorithm; all algorithms round once here.
template <class M>
constexpr bool merges(M mode) {
  if constexpr (std::is_pointer_v<M>)
    return mode->mrgMode == MaskMergeMode::MERGING;
  else
    return mode == MaskMergeMode::MERGING;
}
template <auto Mode, class... A>
TSR_INLINE void one(const char* operation, const char* word, const A&... a) {
  if constexpr (merges(Mode))
    tsr::vector_1(operation, word, a..., MODE_MERGING);
  else
    tsr::vector_1(operation, word, a...);
}
TSR_INLINE void add_word(tsr::VectorCall& call, const char* word) {
  if (word[0] != '\0') call.word(word);
}
}  // namespace detail

// --- arithmetic ---

#define TSR_REG(NAME, OP, MODE)                                                                    \
  template <class T = DefaultType, MODE Mode = MaskMergeMode::ZEROING, class U, class... A>        \
  TSR_INLINE void NAME(U& to, A&&... from) {                                                       \
    detail::one<Mode>("pto." OP, nullptr, to, from...);                                            \
  }
TSR_REG(Add, "vadd", MaskMergeMode) TSR_REG(Sub, "vsub", MaskMergeMode) TSR_REG(Mul, "vmul", MaskMergeMode)
TSR_REG(Div, "vdiv", auto) TSR_REG(Max, "vmax", MaskMergeMode) TSR_REG(Min, "vmin", MaskMergeMode)
TSR_REG(And, "vand", MaskMergeMode) TSR_REG(Or, "vor", MaskMergeMode) TSR_REG(Xor, "vxor", MaskMergeMode)
TSR_REG(Prelu, "vprelu", MaskMergeMode) TSR_REG(Abs, "vabs", MaskMergeMode) TSR_REG(Relu, "vrelu", MaskMergeMode)
TSR_REG(Neg, "vneg", MaskMergeMode) TSR_REG(Not, "vnot", MaskMergeMode) TSR_REG(Exp, "vexp", auto)
TSR_REG(Ln, "vln", auto) TSR_REG(Log, "vln", auto) TSR_REG(Sqrt, "vsqrt", auto)
TSR_REG(ReduceSum, "vcadd", MaskMergeMode) TSR_REG(ReduceMax, "vcmax", MaskMergeMode)
TSR_REG(ReduceMin, "vcmin", MaskMergeMode) TSR_REG(ReduceSumWithDataBlock, "vcgadd", MaskMergeMode)
TSR_REG(ReduceMaxWithDataBlock, "vcgmax", MaskMergeMode) TSR_REG(ReduceMinWithDataBlock, "vcgmin", MaskMergeMode)
#undef TSR_REG
#define TSR_REG(NAME, OP)                                                                          \
  template <class T = DefaultType, class U = DefaultType,                                          \
            MaskMergeMode Mode = MaskMergeMode::ZEROING, class S, class V>                         \
  TSR_INLINE void NAME(S& to, S& from, V&& amount, MaskReg& mask) {                                \
    detail::one<Mode>("pto." OP, nullptr, to, from, amount, mask);                                 \
  }
TSR_REG(Adds, "vadds") TSR_REG(Muls, "vmuls") TSR_REG(Maxs, "vmaxs") TSR_REG(Mins, "vmins")
TSR_REG(LeakyRelu, "vlrelu") TSR_REG(ShiftLeft, "vshl") TSR_REG(ShiftRight, "vshr") TSR_REG(ShiftLefts, "vshls")
TSR_REG(ShiftRights, "vshrs")
#undef TSR_REG
template <class T = DefaultType, class U = DefaultType, MaskMergeMode Mode = MaskMergeMode::ZEROING,
          class S, class V>
TSR_INLINE void Axpy(S& to, S& from, const V& factor, MaskReg& mask) {
  detail::one<Mode>("pto.vaxpy", nullptr, to, from, to, factor, mask);
}
template <class T = DefaultType, MaskMergeMode Mode = MaskMergeMode::ZEROING, class U>
TSR_INLINE void MulAddDst(U& to, U& a, U& b, MaskReg& mask) {
  detail::one<Mode>("pto.vmula", nullptr, to, to, a, b, mask);
}
template <class T = DefaultType, MaskMergeMode Mode = MaskMergeMode::ZEROING, class U>
TSR_INLINE void MulDstAdd(U& to, U& a, U& b, MaskReg& mask) {
  detail::one<Mode>("pto.vmadd", nullptr, to, to, a, b, mask);
}
template <class T = DefaultType, class U = DefaultType, RegLayout Layout = RegLayout::ZERO,
          MaskMergeMode Mode = MaskMergeMode::ZEROING, class S, class V>
TSR_INLINE void ExpSub(S& to, V& a, V& b, MaskReg& mask) {
  detail::one<Mode>("pto.vexpdif", Layout == RegLayout::ONE ? "ODD" : "EVEN", to, a, b, mask);
}
template <class T = DefaultType, class U = DefaultType, RegLayout Layout = RegLayout::ZERO,
          MaskMergeMode Mode = MaskMergeMode::ZEROING, class S, class V>
TSR_INLINE void FusedExpSub(S& to, V& a, V& b, MaskReg& mask) {
  ExpSub<T, U, Layout, Mode>(to, a, b, mask);
}
template <class T = DefaultType, class U>
TSR_INLINE void Mull(U& low, U& high, U& a, U& b, MaskReg& mask) {
  tsr::vector_2("pto.vmull", low, high, a, b, mask);
}
template <ReduceType Type = ReduceType::SUM, class T = DefaultType, class U = DefaultType,
          MaskMergeMode Mode = MaskMergeMode::ZEROING, class S, class V, class M>
TSR_INLINE void Reduce(S& to, V&& from, M&& mask) {
  constexpr const char* kNames[] = {"pto.vcadd", "pto.vcmax", "pto.vcmin"};
  detail::one<Mode>(kNames[static_cast<int>(Type)], nullptr, to, from, mask);
}
template <ReduceType Type = ReduceType::SUM, class T = DefaultType,
          MaskMergeMode Mode = MaskMergeMode::ZEROING, class S, class V, class M>
TSR_INLINE void ReduceDataBlock(S& to, V&& from, M&& mask) {
  constexpr const char* kNames[] = {"pto.vcgadd", "pto.vcgmax", "pto.vcgmin"};
  detail::one<Mode>(kNames[static_cast<int>(Type)], nullptr, to, from, mask);
}
template <PairReduce = PairReduce::SUM, class T = DefaultType,
          MaskMergeMode Mode = MaskMergeMode::ZEROING, class U, class V, class M>
TSR_INLINE void PairReduceElem(U& to, V&& from, M&& mask) {
  detail::one<Mode>("pto.vcpadd", nullptr, to, from, mask);
}

template <class T = DefaultType, class U = DefaultType, HistogramsBinType Part,
          HistogramsType Type, class D, class S>
TSR_INLINE void Histograms(D& to, S& from, MaskReg& mask) {
  if constexpr (Type == HistogramsType::ACCUMULATE)
    chistv2(to, from, mask, static_cast<int>(Part));
  else
    dhistv2(to, from, mask, static_cast<int>(Part));
}

// --- conversions, comparisons, constants ---

template <class T = DefaultType, class U = DefaultType, const CastTrait& Trait = castTrait, class S,
          class V>
TSR_INLINE void Cast(S& to, V& from, MaskReg& mask) {
  using D = typename S::Lane;
  using F = typename V::Lane;
  constexpr int wide = sizeof(D) > sizeof(F) ? sizeof(D) : sizeof(F),
                narrow = sizeof(D) + sizeof(F) - wide;
  constexpr int part =
      Trait.layoutMode == RegLayout::UNKNOWN ? 0 : static_cast<int>(Trait.layoutMode);
  constexpr const char* kHalves[] = {"EVEN", "ODD"};
  constexpr const char* kQuarters[] = {"P0", "P1", "P2", "P3"};
  tsr::VectorCall call;
  call.result(to);
  call.source<F>(from);
  call.source<F>(mask);
  if constexpr (wide == 2 * narrow) call.word(kHalves[part]);
  if constexpr (wide == 4 * narrow) call.word(kQuarters[part]);
  detail::add_word(call, detail::word_of(Trait.roundMode));
  if constexpr (Trait.satMode != SatMode::UNKNOWN)
    call.word(Trait.satMode == SatMode::SAT ? "SAT" : "NOSAT");
  if constexpr (Trait.mrgMode == MaskMergeMode::MERGING) call.word(MODE_MERGING);
  call.call("pto.vcvt");
}
template <class T = DefaultType, RoundMode Round = RoundMode::CAST_NONE,
          MaskMergeMode Mode = MaskMergeMode::ZEROING, class S>
TSR_INLINE void Truncate(S& to, S& from, MaskReg& mask) {
  detail::one<Mode>("pto.vtrc", detail::word_of(Round), to, from, mask);
}
template <class T = DefaultType, CMPMODE Mode = CMPMODE::EQ, class U>
TSR_INLINE void Compare(MaskReg& to, U& a, U& b, MaskReg& mask) {
  tsr::vector_1("pto.vcmp", detail::word_of(Mode), to, a, b, mask);
}
template <class T = DefaultType, CMPMODE Mode = CMPMODE::EQ, class U, class S>
TSR_INLINE void Compares(MaskReg& to, U& a, S b, MaskReg& mask) {
  tsr::vector_1("pto.vcmps", detail::word_of(Mode), to, a, b, mask);
}
template <class T = DefaultType, CMPMODE Mode = CMPMODE::EQ, class U, class S>
TSR_INLINE void CompareScalar(MaskReg& to, U& a, S b, MaskReg& mask) {
  tsr::vector_1("pto.vcmps", detail::word_of(Mode), to, a, b, mask);
}
template <class T = DefaultType, class U>
TSR_INLINE void Select(U& to, U& a, U& b, MaskReg& mask) {
  tsr::vector_1("pto.vsel", nullptr, to, a, b, mask);
}
template <class T = DefaultType, class U, class S>
TSR_INLINE void Duplicate(S& to, U&& value) {
  tsr::vector_1("pto.vbr", nullptr, to, value);
}
template <class T = DefaultType, MaskMergeMode Mode = MaskMergeMode::ZEROING, class U, class S>
TSR_INLINE void Duplicate(S& to, U&& value, MaskReg& mask) {
  detail::one<Mode>("pto.vdup", nullptr, to, value, mask);
}
template <class T, HighLowPart Part, MaskMergeMode Mode = MaskMergeMode::ZEROING, class S>
TSR_INLINE void Duplicate(S& to, S& from, MaskReg& mask) {
  detail::one<Mode>("pto.vdup",
                    Part == HighLowPart::HIGHEST ? "position=HIGHEST" : "position=LOWEST", to, from,
                    mask);
}
template <class T = DefaultType, IndexOrder Order = IndexOrder::INCREASE_ORDER, class U, class S>
TSR_INLINE void Arange(S& to, U first) {
  tsr::vector_1("pto.vci", Order == IndexOrder::INCREASE_ORDER ? "ASC" : "DESC", to, first);
}

// --- lanes and masks ---

template <class T = DefaultType, class U>
TSR_INLINE void Interleave(U& first, U& second, U& a, U& b) {
  if constexpr (!tsr::is_mask<U>)
    tsr::vector_2("pto.vintlv", first, second, a, b);
  else if constexpr (sizeof(T) == 1)
    pintlv_b8(first, second, a, b);
  else if constexpr (sizeof(T) == 2)
    pintlv_b16(first, second, a, b);
  else
    pintlv_b32(first, second, a, b);
}
template <class T = DefaultType, class U>
TSR_INLINE void DeInterleave(U& first, U& second, U& a, U& b) {
  if constexpr (!tsr::is_mask<U>)
    tsr::vector_2("pto.vdintlv", first, second, a, b);
  else if constexpr (sizeof(T) == 1)
    pdintlv_b8(first, second, a, b);
  else if constexpr (sizeof(T) == 2)
    pdintlv_b16(first, second, a, b);
  else
    pdintlv_b32(first, second, a, b);
}
template <class T = DefaultType, class U = DefaultType, HighLowPart Part = HighLowPart::LOWEST,
          class S, class V>
TSR_INLINE void Pack(S& to, V& from) {
  tsr::vector_1("pto.vpack", Part == HighLowPart::LOWEST ? "LOWER" : "HIGHER", to, from);
}
template <class T = DefaultType, class U = DefaultType, HighLowPart Part = HighLowPart::LOWEST,
          class S, class V>
TSR_INLINE void UnPack(S& to, V& from) {
  tsr::vector_1(std::is_signed_v<typename V::Lane> ? "pto.vsunpack" : "pto.vzunpack",
                Part == HighLowPart::LOWEST ? "LOWER" : "HIGHER", to, from);
}
template <class T = DefaultType, GatherMaskMode = GatherMaskMode::NO_STORE_REG, class U>
TSR_INLINE void Squeeze(U& to, U& from, MaskReg& mask) {
  tsr::vector_1("pto.vsqz", nullptr, to, from, mask);
}
template <SpecialPurposeReg>
TSR_INLINE void ClearSpr() {
  sprclr(SPR_AR);
}
template <class T = DefaultType, MaskMergeMode Mode = MaskMergeMode::MERGING, class U>
TSR_INLINE void Move(U& to, U& from, MaskReg mask) {
  if constexpr (Mode == MaskMergeMode::MERGING)
    vmov(to, from, mask, MODE_MERGING);
  else
    vmov(to, from, mask);
}
template <class T = DefaultType, class U>
TSR_INLINE void Move(U& to, U& from) {
  to = from;
}
#define TSR_MASK(NAME, OP)                                                                         \
  TSR_INLINE void NAME(MaskReg& to, MaskReg& a, MaskReg& b, MaskReg& mask) {                       \
    OP(to, a, b, mask);                                                                            \
  }
TSR_MASK(And, pand) TSR_MASK(Or, por) TSR_MASK(Xor, pxor) TSR_MASK(Select, psel)
#undef TSR_MASK
TSR_INLINE void Not(MaskReg& to, MaskReg& from, MaskReg& mask) {
  pnot(to, from, mask);
}
TSR_INLINE void Move(MaskReg& to, MaskReg& from, MaskReg& mask) {
  pmov(to, from, mask);
}
template <HighLowPart Part = HighLowPart::LOWEST>
TSR_INLINE void Pack(MaskReg& to, MaskReg& from) {
  tsr::vector_1("pto.ppack", Part == HighLowPart::LOWEST ? "LOWER" : "HIGHER", to, from);
}
template <HighLowPart Part = HighLowPart::LOWEST>
TSR_INLINE void UnPack(MaskReg& to, MaskReg& from) {
  tsr::vector_1("pto.punpack", Part == HighLowPart::LOWEST ? "LOWER" : "HIGHER", to, from);
}
template <class T, const RegTrait& = RegTraitNumOne>
TSR_INLINE MaskReg UpdateMask(std::uint32_t& count) {
  return pto::CreatePredicate<T>(count);
}
template <class T, MaskPattern Pattern = MaskPattern::ALL, const RegTrait& = RegTraitNumOne>
TSR_INLINE MaskReg CreateMask() {
  return pto::PSetWithType<T>(static_cast<::Pat>(Pattern));
}
template <MemType, MemType>
TSR_INLINE void LocalMemBar() {
  mem_bar(VV_ALL);
}

}  // namespace Reg

namespace MicroAPI = Reg;

}  // namespace AscendC

#include "pto/ascendc_accesses.h"

#endif
