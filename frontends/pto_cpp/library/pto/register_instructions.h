// The instructions on vector registers, under the names of the vendor's compiler (registers.h).
#pragma once
// clang-format off
// Lists of macros without semicolons are no C++ to it.

// One result. Orders of operands are those of PTO assembly, but for the result in front.
#define TSR_VECTOR(NAME)                                                                           \
  template <class D, class... A, class = tsr::IfVector<D>>                                         \
  TSR_INLINE void NAME(D&& to, A&&... from) {                                                      \
    tsr::vector_1("pto." #NAME, nullptr, to, from...);                                             \
  }
TSR_VECTOR(vadd) TSR_VECTOR(vsub) TSR_VECTOR(vmul) TSR_VECTOR(vdiv) TSR_VECTOR(vmax) TSR_VECTOR(vmin)
TSR_VECTOR(vadds) TSR_VECTOR(vsubs) TSR_VECTOR(vmuls) TSR_VECTOR(vmaxs) TSR_VECTOR(vmins) TSR_VECTOR(vand)
TSR_VECTOR(vor) TSR_VECTOR(vxor) TSR_VECTOR(vshl) TSR_VECTOR(vshr) TSR_VECTOR(vshls) TSR_VECTOR(vshrs)
TSR_VECTOR(vabs) TSR_VECTOR(vneg) TSR_VECTOR(vnot) TSR_VECTOR(vrelu) TSR_VECTOR(vlrelu) TSR_VECTOR(vprelu)
TSR_VECTOR(vexp) TSR_VECTOR(vln) TSR_VECTOR(vsqrt) TSR_VECTOR(vrsqrt) TSR_VECTOR(vrec) TSR_VECTOR(vexpdif)
TSR_VECTOR(vcvt) TSR_VECTOR(vtrc) TSR_VECTOR(vdup) TSR_VECTOR(vbr) TSR_VECTOR(vci) TSR_VECTOR(vsel) TSR_VECTOR(vselr)
TSR_VECTOR(vcadd) TSR_VECTOR(vcmax) TSR_VECTOR(vcmin) TSR_VECTOR(vcgadd) TSR_VECTOR(vcgmax) TSR_VECTOR(vcgmin)
TSR_VECTOR(vcpadd) TSR_VECTOR(vpack) TSR_VECTOR(vsunpack) TSR_VECTOR(vzunpack) TSR_VECTOR(vsqz) TSR_VECTOR(vusqz)
TSR_VECTOR(vmulscvt)
#undef TSR_VECTOR
// The result is a source, too.
#define TSR_VECTOR(NAME, ...)                                                                      \
  template <class D, class A, class B, class... M, class = tsr::IfVector<D>>                       \
  TSR_INLINE void NAME(D&& to, A&& a, B&& b, M&&... more) {                                        \
    tsr::vector_1("pto." #NAME, nullptr, to, __VA_ARGS__, more...);                                \
  }
TSR_VECTOR(vmula, to, a, b) TSR_VECTOR(vmadd, to, a, b) TSR_VECTOR(vaxpy, a, to, b)
#undef TSR_VECTOR
template <class D, class S, class = tsr::IfVector<D>>
TSR_INLINE void vmov(D&& to, S&& from) {
  to = from;
}
template <class D, class S, class M, class... A, class = tsr::IfVector<D>>
TSR_INLINE void vmov(D&& to, S&& from, M&& mask, A... words) {
  if constexpr ((tsr::is_tag<A, tsr::Word::Merging> || ...)) {
    tsr::vector_1("pto.vsel", nullptr, to, from, to, mask);
  } else {
    std::decay_t<D> zeros;
    tsr::vector_1("pto.vbr", nullptr, zeros, 0);
    tsr::vector_1("pto.vsel", nullptr, to, from, zeros, mask);
  }
}
#define TSR_COMPARE(WORD)                                                                          \
  template <class A, class B, class M>                                                             \
  TSR_INLINE void vcmp_##WORD(vector_bool& to, A&& a, B&& b, M&& mask) {                           \
    tsr::vector_1("pto.vcmp", #WORD, to, a, b, mask);                                              \
  }                                                                                                \
  template <class A, class B, class M>                                                             \
  TSR_INLINE void vcmps_##WORD(vector_bool& to, A&& a, B&& b, M&& mask) {                          \
    tsr::vector_1("pto.vcmps", #WORD, to, a, b, mask);                                             \
  }
TSR_COMPARE(eq) TSR_COMPARE(ne) TSR_COMPARE(lt) TSR_COMPARE(le) TSR_COMPARE(gt) TSR_COMPARE(ge)
#undef TSR_COMPARE
#define TSR_VECTOR(NAME)                                                                           \
  template <class D, class E, class... A, class = tsr::IfVector<D>, class = tsr::IfVector<E>>      \
  TSR_INLINE void NAME(D&& first, E&& second, A&&... from) {                                       \
    tsr::vector_2("pto." #NAME, first, second, from...);                                           \
  }
TSR_VECTOR(vintlv) TSR_VECTOR(vdintlv) TSR_VECTOR(vmull)
#undef TSR_VECTOR
// The mask of carries stands in front.
#define TSR_VECTOR(NAME)                                                                           \
  template <class D, class... A, class = tsr::IfVector<D>>                                         \
  TSR_INLINE void NAME(vector_bool& carry, D&& to, A&&... from) {                                  \
    tsr::vector_2("pto." #NAME, to, carry, from...);                                               \
  }
TSR_VECTOR(vaddc) TSR_VECTOR(vaddcs) TSR_VECTOR(vsubc) TSR_VECTOR(vsubcs)
#undef TSR_VECTOR

// --- masks ---

#define TSR_MASKS(BITS)                                                                            \
  TSR_INLINE vector_bool pset_b##BITS(Pat pattern) {                                               \
    vector_bool mask;                                                                              \
    tsr::vector_1("pto.pset_b" #BITS, nullptr, mask, pattern);                                     \
    return mask;                                                                                   \
  }                                                                                                \
  TSR_INLINE vector_bool pge_b##BITS(Pat pattern) {                                                \
    return pset_b##BITS(pattern);                                                                  \
  }                                                                                                \
  template <class N, class... U>                                                                   \
  TSR_INLINE vector_bool plt_b##BITS(N&& count, U...) {                                            \
    vector_bool mask;                                                                              \
    constexpr std::int64_t lanes = 2048 / BITS;                                                    \
    tsr::vector_1("pto.plt_b" #BITS, nullptr, mask, count);                                        \
    if constexpr (tsr::has_update<U...>)                                                           \
      count = static_cast<std::int64_t>(count) > lanes                                             \
                  ? static_cast<std::decay_t<N>>(static_cast<std::int64_t>(count) - lanes)         \
                  : std::decay_t<N>(0);                                                            \
    return mask;                                                                                   \
  }                                                                                                \
  TSR_INLINE void pintlv_b##BITS(vector_bool& first, vector_bool& second, const vector_bool& a,    \
                                 const vector_bool& b) {                                           \
    tsr::vector_2("pto.pintlv_b" #BITS, first, second, a, b);                                      \
  }                                                                                                \
  TSR_INLINE void pdintlv_b##BITS(vector_bool& first, vector_bool& second, const vector_bool& a,   \
                                  const vector_bool& b) {                                          \
    tsr::vector_2("pto.pdintlv_b" #BITS, first, second, a, b);                                     \
  }
TSR_MASKS(8) TSR_MASKS(16) TSR_MASKS(32)
#undef TSR_MASKS
#define TSR_MASK(NAME)                                                                             \
  template <class... A>                                                                            \
  TSR_INLINE void NAME(vector_bool& to, const vector_bool& from, const A&... more) {               \
    tsr::vector_1("pto." #NAME, nullptr, to, from, more...);                                       \
  }
TSR_MASK(pand) TSR_MASK(por) TSR_MASK(pxor) TSR_MASK(pnot) TSR_MASK(psel) TSR_MASK(ppack) TSR_MASK(punpack)
#undef TSR_MASK
TSR_INLINE void pmov(vector_bool& to, const vector_bool& from) {
  to = from;
}
TSR_INLINE void pmov(vector_bool& to, const vector_bool& from, const vector_bool& mask) {
  tsr::vector_1("pto.pand", nullptr, to, from, mask, mask);
}

// --- accesses to UB ---

template <class D, class P, class N, class... A, class = tsr::IfVector<D>,
          class = tsr::IfPointer<P>, class = tsr::IfNumber<N>>
TSR_INLINE void vlds(D&& to, P&& at, N offset, A... words) {
  auto& pointer = const_cast<std::decay_t<P>&>(static_cast<const std::decay_t<P>&>(at));
  tsr::VectorCall call;
  call.result(to);
  tsr::access(call, "pto.vlds", pointer, static_cast<std::int64_t>(offset) * tsr::kBytesOf<P>,
              words...);
}
template <class D, class E, class P, class N, class... A, class = tsr::IfVector<D>,
          class = tsr::IfVector<E>, class = tsr::IfPointer<P>, class = tsr::IfNumber<N>>
TSR_INLINE void vlds(D&& to, E&& second, P&& at, N offset, A... words) {
  auto& pointer = const_cast<std::decay_t<P>&>(static_cast<const std::decay_t<P>&>(at));
  tsr::VectorCall call;
  call.result(to);
  call.result(second);
  tsr::access(call, "pto.vldsx2", pointer, static_cast<std::int64_t>(offset) * tsr::kBytesOf<P>,
              words...);
}
template <class S, class P, class N, class... A, class = tsr::IfVector<S>,
          class = tsr::IfPointer<P>, class = tsr::IfNumber<N>>
TSR_INLINE void vsts(S&& from, P&& at, N offset, A&&... more) {
  auto& pointer = const_cast<std::decay_t<P>&>(static_cast<const std::decay_t<P>&>(at));
  tsr::VectorCall call;
  call.source<int>(from);
  tsr::access(call, "pto.vsts", pointer, static_cast<std::int64_t>(offset) * tsr::kBytesOf<P>,
              more...);
}
template <class S, class E, class P, class N, class... A, class = tsr::IfVector<S>,
          class = tsr::IfVector<E>, class = tsr::IfPointer<P>, class = tsr::IfNumber<N>>
TSR_INLINE void vsts(S&& from, E&& second, P&& at, N offset, A&&... more) {
  auto& pointer = const_cast<std::decay_t<P>&>(static_cast<const std::decay_t<P>&>(at));
  tsr::VectorCall call;
  call.source<int>(from);
  call.source<int>(second);
  tsr::access(call, "pto.vstsx2", pointer, static_cast<std::int64_t>(offset) * tsr::kBytesOf<P>,
              more...);
}
// Bytes that lie anywhere: the state of the alignment needs no bytes of its own.
template <class P, class... A>
TSR_INLINE void vldas(vector_align&, P&&, A&&...) {}
template <class... A>
TSR_INLINE void vstas(vector_align&, A&&...) {}
template <class... A>
TSR_INLINE void vstar(vector_align&, A&&...) {}
template <class D, class P, class = tsr::IfVector<D>, class = tsr::IfPointer<P>>
TSR_INLINE void vldus(D&& to, vector_align&, P&& at) {
  tsr::VectorCall call;
  call.result(to);
  call.pointer(at, 0);
  call.call("pto.vldus");
}
template <class D, class P, class N, class... A, class = tsr::IfVector<D>,
          class = tsr::IfPointer<P>>
TSR_INLINE void vldus(D&& to, vector_align& align, P& at, N offset, A...) {
  if constexpr (tsr::has_update<A...>) {
    vldus(to, align, at);
    at += offset;
  } else {
    vldus(to, align, at + offset);
  }
}
template <class N, class S, class P, class... A, class = tsr::IfVector<S>,
          class = tsr::IfPointer<P>>
TSR_INLINE void vstus(vector_align&, N count, S&& from, P&& at, A...) {
  tsr::VectorCall call;
  call.source<int>(from);
  call.integer(static_cast<std::int64_t>(count));
  call.pointer(at, 0);
  call.call("pto.vstus");
  if constexpr (tsr::has_update<A...>) at += count;
}
template <class S, class P, class... A, class = tsr::IfVector<S>, class = tsr::IfPointer<P>>
TSR_INLINE void vstur(vector_align&, S&& from, P&& at, A...) {
  tsr::VectorCall call;
  call.source<int>(from);
  call.pointer(at, 0);
  if constexpr (tsr::has_update<A...>) call.word("POST_UPDATE");
  call.call("pto.vstur");
}
TSR_INLINE void sprclr(tsr_special_register) {
  tsr::VectorCall call;
  call.call("pto.sprclr");
}
// `strides`: the distance of blocks in the upper half, and where the access begins, or what the pointer moves by, in the lower one.
#define TSR_BLOCKS(NAME, RESULT)                                                                   \
  template <class V, class P, class M, class... A, class = tsr::IfVector<V>,                       \
            class = tsr::IfPointer<P>>                                                             \
  TSR_INLINE void NAME(V&& value, P&& at, std::int32_t strides, M&& mask, A...) {                  \
    tsr::VectorCall call;                                                                          \
    if constexpr (RESULT)                                                                          \
      call.result(value);                                                                          \
    else                                                                                           \
      call.source<int>(value);                                                                     \
    const std::int64_t moved = std::int64_t{strides & 0xFFFF} * 32;                                \
    call.pointer(at, tsr::has_update<A...> ? 0 : moved);                                           \
    call.integer(strides >> 16 & 0xFFFF);                                                          \
    call.source<int>(mask);                                                                        \
    call.call("pto." #NAME);                                                                       \
    if constexpr (tsr::has_update<A...>)                                                           \
      at = reinterpret_cast<std::decay_t<P>>(reinterpret_cast<std::uint64_t>(at) +                 \
                                             static_cast<std::uint64_t>(moved));                   \
  }
TSR_BLOCKS(vsldb, true) TSR_BLOCKS(vsstb, false)
#undef TSR_BLOCKS
#define TSR_GATHER(NAME)                                                                           \
  template <class D, class P, class I, class... M, class = tsr::IfVector<D>,                       \
            class = tsr::IfPointer<P>>                                                             \
  TSR_INLINE void NAME(D&& to, P&& at, I&& index, M&&... mask) {                                   \
    tsr::VectorCall call;                                                                          \
    call.result(to);                                                                               \
    call.source<int>(index);                                                                       \
    call.pointer(at, 0);                                                                           \
    (call.source<int>(mask), ...);                                                                 \
    call.call("pto." #NAME);                                                                       \
  }
TSR_GATHER(vgather2) TSR_GATHER(vgatherb)
#undef TSR_GATHER
template <class S, class P, class I, class... M, class = tsr::IfVector<S>,
          class = tsr::IfPointer<P>>
TSR_INLINE void vscatter(S&& from, P&& at, I&& index, M&&... mask) {
  tsr::VectorCall call;
  call.source<int>(from);
  call.source<int>(index);
  call.pointer(at, 0);
  (call.source<int>(mask), ...);
  call.call("pto.vscatter");
}
// Offsets of masks are bytes.
template <class P, class N, class... A, class = tsr::IfPointer<P>>
TSR_INLINE void plds(vector_bool& to, P&& at, N offset, A... words) {
  auto& pointer = const_cast<std::decay_t<P>&>(static_cast<const std::decay_t<P>&>(at));
  tsr::VectorCall call;
  call.result(to);
  tsr::access(call, "pto.plds", pointer, static_cast<std::int64_t>(offset), words...);
}
template <class P, class N, class... A, class = tsr::IfPointer<P>>
TSR_INLINE void psts(const vector_bool& from, P&& at, N offset, A... words) {
  auto& pointer = const_cast<std::decay_t<P>&>(static_cast<const std::decay_t<P>&>(at));
  tsr::VectorCall call;
  call.source<int>(from);
  tsr::access(call, "pto.psts", pointer, static_cast<std::int64_t>(offset), words...);
}
/// How often each value of a half of the 256 comes, added to what the result has; chistv2: each value or a smaller one.
enum { Bin_N0, Bin_N1 };
#define TSR_VECTOR(NAME)                                                                           \
  template <class D, class S, class = tsr::IfVector<D>>                                            \
  TSR_INLINE void NAME(D& to, const S& from, const vector_bool& mask, int part) {                  \
    tsr::VectorCall call;                                                                          \
    call.result(to);                                                                               \
    call.source<int>(to);                                                                          \
    call.source<int>(from);                                                                        \
    call.source<int>(mask);                                                                        \
    if (part != Bin_N0 && part != Bin_N1)                                                          \
      tsr_api->fail(tsr_api->self, #NAME ": the part is Bin_N0 or Bin_N1");                        \
    call.word(part == Bin_N0 ? "LOWER" : "HIGHER");                                                \
    call.call("pto." #NAME);                                                                       \
  }
TSR_VECTOR(dhistv2) TSR_VECTOR(chistv2)
#undef TSR_VECTOR
TSR_INLINE void mem_bar(tsr_memory_bar) {
  tsr::VectorCall call;
  call.call("pto.mem_bar");
}

// What the simulator has no values or no form for.
#define TSR_REFUSED(NAME)                                                                          \
  template <class D, class... A, class = std::enable_if_t<tsr::is_vector<D> || tsr::is_mask<D>>>   \
  TSR_INLINE void NAME(D&&, A&&...) {                                                              \
    tsr_api->fail(tsr_api->self, #NAME ": this instruction on registers is not modelled");         \
  }
TSR_REFUSED(vmod) TSR_REFUSED(vslide) TSR_REFUSED(vtranspose)
TSR_REFUSED(vshift) TSR_REFUSED(pstu) TSR_REFUSED(vgather2_bc) TSR_REFUSED(vaddrelu) TSR_REFUSED(vsubrelu)
#undef TSR_REFUSED

inline constexpr std::uint32_t CCE_VL = 256;  ///< bytes of a register

namespace pto {

template <class T>
struct RegTensor {
  using RegType = tsr::Vector<T>;
  using Lane = T;
  RegType reg;
  TSR_INLINE RegTensor() {}  // NOLINT
  TSR_INLINE operator RegType&() { return reg; }
};
using MaskReg = vector_bool;
using UnalignReg = vector_align;
using AddrReg = vector_address;

template <class T>
TSR_INLINE MaskReg CreatePredicate(std::uint32_t& count) {
  if constexpr (sizeof(T) == 1)
    return plt_b8(count, POST_UPDATE);
  else if constexpr (sizeof(T) == 2)
    return plt_b16(count, POST_UPDATE);
  else
    return plt_b32(count, POST_UPDATE);
}
template <class T>
TSR_INLINE MaskReg PSetWithType(Pat pattern) {
  if constexpr (sizeof(T) == 1)
    return pset_b8(pattern);
  else if constexpr (sizeof(T) == 2)
    return pset_b16(pattern);
  else
    return pset_b32(pattern);
}
using ::DistVST;
template <class T, DistVST Dist>
constexpr DistVST GetDistVst() {
  constexpr int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : 2;
  if constexpr (Dist == DistVST::DIST_NORM)
    return static_cast<DistVST>(static_cast<int>(DistVST::DIST_NORM_B8) + width);
  else if constexpr (Dist == DistVST::DIST_ONEPT)
    return static_cast<DistVST>(static_cast<int>(DistVST::DIST_ONEPT_B8) + width);
  else
    return Dist;
}

}  // namespace pto
