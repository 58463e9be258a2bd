// Vector registers of A5 (ascend_2.md 4, pto_cpp.md 5): what kernels write inside of __VEC_SCOPE__. Each instruction becomes
// one call of TsrApi; the simulator keeps them until the scope ends, which makes one vector function of them.
#pragma once
// clang-format off
// Lists of macros without semicolons are no C++ to it.

#include "pto/operations.h"

namespace pto {
template <class A, class B>
constexpr auto CeilDivision(A a, B b) {
  return (a + b - 1) / b;
}
}  // namespace pto

#ifdef PTO_NPU_ARCH_A5

namespace tsr {

/// A register is known by the address of its object. Casts between references to registers of other lanes see the same
/// bytes, as on the device.
TSR_INLINE void move_register(const void* to, const void* from) {
  const TsrVectorOperand operands[] = {{TSR_REGISTER_RESULT, "", to, 0, 0},
                                       {TSR_REGISTER, "", from, 0, 0}};
  const TsrVectorCall call = {"move", 2, operands, 0};
  tsr_api->vector(tsr_api->self, &call);
}
template <class T, int Bytes>
struct Register {
  using Lane = T;
  TSR_INLINE Register() {}  // NOLINT: nothing is written
  TSR_INLINE Register(const Register& from) { move_register(this, &from); }
  TSR_INLINE Register& operator=(const Register& from) {
    move_register(this, &from);
    return *this;
  }

 private:
  alignas(32) unsigned char bytes_[Bytes];
};
template <class T>
using Vector = Register<T, 256>;
struct MaskLane {};
using Mask = Register<MaskLane, 32>;
/// State of accesses that are not aligned. The simulator accesses the bytes themselves.
struct Align {};
struct AddressRegister {};

template <class V, class = void>
struct RegisterOf {
  static constexpr bool is_vector = false, is_mask = false;
  using Lane = void;
};
template <class V>
struct RegisterOf<V, std::void_t<typename V::Lane>> {
  static constexpr bool is_mask = std::is_same_v<typename V::Lane, MaskLane>, is_vector = !is_mask;
  using Lane = typename V::Lane;
};
template <class V>
inline constexpr bool is_vector = RegisterOf<std::decay_t<V>>::is_vector;
template <class V>
inline constexpr bool is_mask = RegisterOf<std::decay_t<V>>::is_mask;

/// Words of instructions, in the order of kWords.
enum class Word : int {
  R,
  A,
  F,
  C,
  Z,
  O,
  Sat,
  NoSat,
  Even,
  Odd,
  P0,
  P1,
  P2,
  P3,
  Zeroing,
  Merging,
  Unknown,
  PostUpdate,
  NoPostUpdate,
  Increasing,
  Decreasing,
  Lowest,
  Highest,
  Lower,
  Higher,
  Stored,
  NoStored
};
inline constexpr const char* kWords[] = {"R",
                                         "A",
                                         "F",
                                         "C",
                                         "Z",
                                         "O",
                                         "SAT",
                                         "NOSAT",
                                         "EVEN",
                                         "ODD",
                                         "P0",
                                         "P1",
                                         "P2",
                                         "P3",
                                         "",
                                         "",
                                         "",
                                         "POST_UPDATE",
                                         "",
                                         "ASC",
                                         "DESC",
                                         "position=LOWEST",
                                         "position=HIGHEST",
                                         "LOWER",
                                         "HIGHER",
                                         "",
                                         ""};
enum class LoadWord : int {
  NORM,
  BRC_B8,
  BRC_B16,
  BRC_B32,
  US_B8,
  US_B16,
  DS_B8,
  DS_B16,
  UNPK_B8,
  UNPK_B16,
  UNPK_B32,
  BRC_BLK,
  E2B_B16,
  E2B_B32,
  UNPK4_B8,
  DINTLV_B8,
  DINTLV_B16,
  DINTLV_B32,
  BDINTLV,
  US,
  DS,
  PK,
  SPLT4CHN_B8,
  SPLT2CHN_B8,
  SPLT2CHN_B16
};
inline constexpr const char* kLoadWords[] = {
    "NORM",     "BRC_B8",      "BRC_B16",     "BRC_B32",     "US_B8",   "US_B16",  "DS_B8",
    "DS_B16",   "UNPK_B8",     "UNPK_B16",    "UNPK_B32",    "BRC_BLK", "E2B_B16", "E2B_B32",
    "UNPK4_B8", "DINTLV_B8",   "DINTLV_B16",  "DINTLV_B32",  "BDINTLV", "US",      "DS",
    "PK",       "SPLT4CHN_B8", "SPLT2CHN_B8", "SPLT2CHN_B16"};
inline constexpr const char* kPatterns[] = {
    "PAT_ALL",  "PAT_VL1",   "PAT_VL2", "PAT_VL3", "PAT_VL4", "PAT_VL8", "PAT_VL16", "PAT_VL32",
    "PAT_VL64", "PAT_VL128", "PAT_M3",  "PAT_M4",  "PAT_H",   "PAT_Q",   "",         "PAT_ALLF"};
}  // namespace tsr

/// Distributions of stores. The last two have the lanes of the element: pto::GetDistVst.
enum class DistVST {
  DIST_NORM_B8,
  DIST_NORM_B16,
  DIST_NORM_B32,
  DIST_ONEPT_B8,
  DIST_ONEPT_B16,
  DIST_ONEPT_B32,
  DIST_PK_B16,
  DIST_PK_B32,
  DIST_INTLV_B8,
  DIST_INTLV_B16,
  DIST_PK_B64,
  DIST_INTLV_B32,
  DIST_PK4_B32,
  DIST_MRG4CHN_B8,
  DIST_MRG2CHN_B8,
  DIST_MRG2CHN_B16,
  DIST_NORM,
  DIST_ONEPT
};
enum class Pat { ALL, VL1, VL2, VL3, VL4, VL8, VL16, VL32, VL64, VL128, M3, M4, H, Q, ALLF = 15 };

namespace tsr {
inline constexpr const char* kStoreWords[] = {
    "NORM_B8", "NORM_B16",   "NORM_B32",   "ONEPT_B8",   "ONEPT_B16", "ONEPT_B32",
    "PK_B16",  "PK_B32",     "INTLV_B8",   "INTLV_B16",  "PK_B64",    "INTLV_B32",
    "PK4_B32", "MRG4CHN_B8", "MRG2CHN_B8", "MRG2CHN_B16", "NORM", "ONEPT"};
constexpr const char* word_of(Word w) {
  return kWords[static_cast<int>(w)];
}
constexpr const char* word_of(LoadWord w) {
  return kLoadWords[static_cast<int>(w)];
}
constexpr const char* word_of(::DistVST w) {
  return kStoreWords[static_cast<int>(w)];
}
constexpr const char* word_of(::Pat w) {
  return kPatterns[static_cast<int>(w)];
}
template <class E, E W>
constexpr const char* word_of(std::integral_constant<E, W>) {
  return word_of(W);
}
template <class A, class = void>
inline constexpr bool is_word = false;
template <class A>
inline constexpr bool is_word<A, std::void_t<decltype(word_of(std::declval<A>()))>> = true;
template <Word W>
using Tag = std::integral_constant<Word, W>;
template <class A, Word W>
inline constexpr bool is_tag = std::is_same_v<std::decay_t<A>, Tag<W>>;
}  // namespace tsr

#define TSR_TAG(NAME, WORD) inline constexpr tsr::Tag<tsr::Word::WORD> NAME{};
TSR_TAG(ROUND_R, R) TSR_TAG(ROUND_A, A) TSR_TAG(ROUND_F, F) TSR_TAG(ROUND_C, C) TSR_TAG(ROUND_Z, Z)
TSR_TAG(ROUND_O, O) TSR_TAG(RS_ENABLE, Sat) TSR_TAG(RS_DISABLE, NoSat) TSR_TAG(PART_EVEN, Even) TSR_TAG(PART_ODD, Odd)
TSR_TAG(PART_P0, P0) TSR_TAG(PART_P1, P1) TSR_TAG(PART_P2, P2)
TSR_TAG(PART_P3, P3)
TSR_TAG(MODE_ZEROING, Zeroing) TSR_TAG(MODE_MERGING, Merging) TSR_TAG(MODE_UNKNOWN, Unknown)
TSR_TAG(POST_UPDATE, PostUpdate) TSR_TAG(NO_POST_UPDATE, NoPostUpdate)
TSR_TAG(INC_ORDER, Increasing)
TSR_TAG(DEC_ORDER, Decreasing) TSR_TAG(POS_LOWEST, Lowest) TSR_TAG(POS_HIGHEST, Highest) TSR_TAG(LOWER, Lower)
TSR_TAG(HIGHER, Higher)
TSR_TAG(MODE_STORED, Stored)
TSR_TAG(MODE_NO_STORED, NoStored)
#undef TSR_TAG
#define TSR_TAG(NAME)                                                                              \
  inline constexpr std::integral_constant<tsr::LoadWord, tsr::LoadWord::NAME> NAME{};
TSR_TAG(NORM) TSR_TAG(BRC_B8) TSR_TAG(BRC_B16) TSR_TAG(BRC_B32) TSR_TAG(US_B8) TSR_TAG(US_B16) TSR_TAG(DS_B8)
TSR_TAG(DS_B16) TSR_TAG(UNPK_B8)
TSR_TAG(UNPK_B16) TSR_TAG(UNPK_B32) TSR_TAG(BRC_BLK) TSR_TAG(E2B_B16) TSR_TAG(E2B_B32) TSR_TAG(UNPK4_B8)
TSR_TAG(DINTLV_B8) TSR_TAG(DINTLV_B16) TSR_TAG(DINTLV_B32) TSR_TAG(BDINTLV) TSR_TAG(US) TSR_TAG(DS) TSR_TAG(PK)
TSR_TAG(SPLT4CHN_B8) TSR_TAG(SPLT2CHN_B8) TSR_TAG(SPLT2CHN_B16)
#undef TSR_TAG
#define TSR_TAG(NAME)                                                                              \
  inline constexpr std::integral_constant<::DistVST, ::DistVST::DIST_##NAME> NAME{};
TSR_TAG(NORM_B8) TSR_TAG(NORM_B16) TSR_TAG(NORM_B32)
TSR_TAG(ONEPT_B8) TSR_TAG(ONEPT_B16) TSR_TAG(ONEPT_B32) TSR_TAG(PK_B16) TSR_TAG(PK_B32) TSR_TAG(PK_B64)
TSR_TAG(PK4_B32) TSR_TAG(INTLV_B8) TSR_TAG(INTLV_B16) TSR_TAG(INTLV_B32)
#undef TSR_TAG
#define TSR_TAG(NAME) inline constexpr ::Pat PAT_##NAME = ::Pat::NAME;
TSR_TAG(ALL) TSR_TAG(VL1) TSR_TAG(VL2) TSR_TAG(VL3) TSR_TAG(VL4) TSR_TAG(VL8) TSR_TAG(VL16) TSR_TAG(VL32)
TSR_TAG(VL64) TSR_TAG(VL128) TSR_TAG(M3) TSR_TAG(M4) TSR_TAG(H) TSR_TAG(Q) TSR_TAG(ALLF)
#undef TSR_TAG
enum tsr_memory_bar {
  VV_ALL,
  VST_VLD,
  VLD_VST,
  VST_VST,
  VS_ALL,
  VST_LD,
  VLD_ST,
  VST_ST,
  SV_ALL,
  ST_VLD,
  LD_VST,
  ST_VST
};
enum tsr_special_register { SPR_AR };
namespace __cce_simd {
using RoundRType = std::decay_t<decltype(ROUND_R)>;
using RoundAType = std::decay_t<decltype(ROUND_A)>;
using RoundFType = std::decay_t<decltype(ROUND_F)>;
using RoundCType = std::decay_t<decltype(ROUND_C)>;
using RoundZType = std::decay_t<decltype(ROUND_Z)>;
using RoundOType = std::decay_t<decltype(ROUND_O)>;
}  // namespace __cce_simd

using vector_f32 = tsr::Vector<float>;
using vector_f16 = tsr::Vector<half>;
using vector_bf16 = tsr::Vector<bfloat16_t>;
using vector_s64 = tsr::Vector<std::int64_t>;
using vector_u64 = tsr::Vector<std::uint64_t>;
using vector_s32 = tsr::Vector<std::int32_t>;
using vector_u32 = tsr::Vector<std::uint32_t>;
using vector_s16 = tsr::Vector<std::int16_t>;
using vector_u16 = tsr::Vector<std::uint16_t>;
using vector_s8 = tsr::Vector<std::int8_t>;
using vector_u8 = tsr::Vector<std::uint8_t>;
using vector_f8e4m3 = tsr::Vector<float8_e4m3_t>;
using vector_f8e5m2 = tsr::Vector<float8_e5m2_t>;
using vector_f8e8m0 = tsr::Vector<float8_e8m0_t>;
using vector_hif8 = tsr::Vector<hifloat8_t>;
using vector_f4e2m1x2 = tsr::Vector<float4_e2m1x2_t>;
using vector_f4e1m2x2 = tsr::Vector<float4_e1m2x2_t>;
using vector_bool = tsr::Mask;
using vector_align = tsr::Align;
using vector_address = tsr::AddressRegister;

namespace tsr {

/// The body of a vector function.
struct VectorScope {
  TSR_INLINE VectorScope() { tsr_api->scope(tsr_api->self, 1); }
  TSR_INLINE ~VectorScope() { tsr_api->scope(tsr_api->self, 0); }
  VectorScope(const VectorScope&) = delete;
};

/// One instruction: results first, then what it reads.
class VectorCall {
 public:
  template <class V>
  TSR_INLINE void result(const V& v) {
    if constexpr (is_mask<V>)
      put({TSR_MASK_RESULT, "", &v, 0, 0});
    else
      put({TSR_REGISTER_RESULT, element_name<typename V::Lane>(), &v, 0, 0});
  }
  /// A number has the type of the lanes.
  template <class Lane, class A>
  TSR_INLINE void source(const A& a) {
    if constexpr (is_mask<A>)
      put({TSR_MASK, "", &a, 0, 0});
    else if constexpr (is_vector<A>)
      put({TSR_REGISTER, element_name<typename A::Lane>(), &a, 0, 0});
    else if constexpr (std::is_same_v<A, Align>)
      return;
    else if constexpr (is_word<A>)
      word(a);
    else if constexpr (is_real<Lane>)
      put({TSR_VECTOR_REAL, "", nullptr, 0, static_cast<double>(a)});
    else
      put({TSR_VECTOR_INTEGER, "", nullptr, static_cast<std::int64_t>(a), 0});
  }
  template <class A>
  TSR_INLINE void word(const A& a) {
    if constexpr (is_tag<A, Word::Merging>) merges_ = 1;
    if constexpr (is_tag<A, Word::PostUpdate>) return;
    if (word_of(a)[0] != '\0') put({TSR_WORD, word_of(a), nullptr, 0, 0});
  }
  TSR_INLINE void word(const char* text) { put({TSR_WORD, text, nullptr, 0, 0}); }
  template <class T>
  TSR_INLINE void pointer(T* at, std::int64_t bytes) {
    put({TSR_UB, element_name<std::remove_cv_t<T>>(), reinterpret_cast<const char*>(at) + bytes, 0,
         0});
  }
  TSR_INLINE void integer(std::int64_t n) { put({TSR_VECTOR_INTEGER, "", nullptr, n, 0}); }
  TSR_INLINE void call(const char* operation) {
    const TsrVectorCall call = {operation, count_, operands_, merges_};
    tsr_api->vector(tsr_api->self, &call);
  }

 private:
  TSR_INLINE void put(const TsrVectorOperand& o) { operands_[count_++] = o; }
  TsrVectorOperand operands_[12];
  std::uint32_t count_ = 0;
  std::uint8_t merges_ = 0;
};

/// The type of the lanes of the first register among them.
template <class... A>
struct FirstLane {
  using Type = std::int32_t;
};
template <class A, class... B>
struct FirstLane<A, B...> {
  using Type =
      typename std::conditional_t<is_vector<A>, RegisterOf<std::decay_t<A>>, RegisterOf<int>>::Lane;
};
template <class A, class B, class... C>
struct FirstLane<A, B, C...> {
  using Rest = typename FirstLane<B, C...>::Type;
  using Type = std::conditional_t<is_vector<A>, typename RegisterOf<std::decay_t<A>>::Lane, Rest>;
};

template <class... A>
TSR_INLINE void vector_1(const char* operation, const char* word, const A&... a) {
  using Lane = typename FirstLane<A...>::Type;
  VectorCall call;
  std::size_t n = 0;
  ((n++ == 0 ? [&] { if constexpr (is_vector<A> || is_mask<A>) call.result(a); }() : call.template source<Lane>(a)), ...);
  if (word != nullptr) call.word(word);
  call.call(operation);
}
template <class D, class E, class... A>
TSR_INLINE void vector_2(const char* operation, const D& d, const E& e, const A&... a) {
  using Lane = typename FirstLane<D, E, A...>::Type;
  VectorCall call;
  call.result(d);
  call.result(e);
  (call.template source<Lane>(a), ...);
  call.call(operation);
}
template <class... A>
inline constexpr bool has_update = (is_tag<A, Word::PostUpdate> || ...);

/// An access at pointer + offset, or at the pointer, which then moves by the offset.
template <class T, class... A>
TSR_INLINE void access(VectorCall& call, const char* operation, T*& at, std::int64_t bytes,
                       const A&... a) {
  if constexpr (has_update<A...>) {
    call.pointer(at, 0);
    at = reinterpret_cast<T*>(reinterpret_cast<std::uint64_t>(at) +
                              static_cast<std::uint64_t>(bytes));
  } else {
    call.pointer(at, bytes);
  }
  (call.template source<std::int32_t>(a), ...);
  call.call(operation);
}
template <class P>
using IfPointer = std::enable_if_t<std::is_pointer_v<std::decay_t<P>>>;
template <class P>
inline constexpr std::int64_t kBytesOf = sizeof(std::remove_pointer_t<std::decay_t<P>>);
template <class V>
using IfVector = std::enable_if_t<is_vector<V>>;
template <class V>
using IfNumber = std::enable_if_t<!is_vector<V> && !is_mask<V> && !is_word<V> &&
                                  std::is_convertible_v<V, std::int64_t>>;

}  // namespace tsr

/// A function of its own, with arguments.
template <auto Function, class... A,
          class = std::enable_if_t<!(std::is_same_v<std::decay_t<A>, dim3> || ...)>>
TSR_INLINE void asc_vf_call(A&&... arguments) {
  const tsr::VectorScope scope;
  Function(std::forward<A>(arguments)...);
}
template <auto Function, class... A>
TSR_INLINE void VF_CALL(A&&... arguments) {
  asc_vf_call<Function>(std::forward<A>(arguments)...);
}

#include "pto/register_instructions.h"

#endif
