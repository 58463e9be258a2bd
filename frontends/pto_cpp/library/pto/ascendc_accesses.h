// Accesses of vector registers to UB under the names of Ascend C (ascendc_registers.h).
#pragma once
// clang-format off
// Lists of macros without semicolons are no C++ to it.

namespace AscendC::Reg {

template <class T>
TSR_INLINE AddrReg CreateAddrReg() {
  return {};
}
template <class T, class... N>
TSR_INLINE AddrReg CreateAddrReg(std::int64_t index, std::int64_t stride, N... more) {
  return {index * stride + CreateAddrReg<T>(more...).offset};
}
namespace detail {
/// A load of one or two registers or of a mask at an address.
template <class T, class... U>
TSR_INLINE void load(const char* word, T* at, U&... to) {
  constexpr bool mask = (tsr::is_mask<U> && ...);
  tsr::VectorCall call;
  (call.result(to), ...);
  call.pointer(at, 0);
  call.word(word);
  call.call(mask ? "pto.plds" : sizeof...(U) == 2 ? "pto.vldsx2" : "pto.vlds");
}
template <class T, class... U>
TSR_INLINE void store(const char* word, T* at, U&... from) {
  tsr::VectorCall call;
  constexpr bool mask = (tsr::is_mask<U> && ...);
  constexpr std::size_t registers = (static_cast<std::size_t>(tsr::is_vector<U>) + ...);
  call.pointer(at, 0);
  (call.template source<int>(from), ...);
  call.word(word);
  call.call(mask ? "pto.psts" : registers == 2 ? "pto.vstsx2" : "pto.vsts");
}
inline constexpr const char* kMaskLoads[] = {"NORM", "US", "DS"};
inline constexpr const char* kMaskStores[] = {"NORM", "PK"};
}  // namespace detail
#define TSR_ACCESS(LOAD, STORE)                                                                    \
  template <class T = DefaultType, LoadDist Dist = LoadDist::DIST_NORM, class U, class P>          \
  TSR_INLINE void LOAD(U& to, P* at) {                                                             \
    detail::load(detail::word_of(Dist), at, to);                                                   \
  }                                                                                                \
  template <class T = DefaultType, LoadDist Dist = LoadDist::DIST_NORM, class U, class P>          \
  TSR_INLINE void LOAD(U& to, P* at, AddrReg offset) {                                             \
    detail::load(detail::word_of(Dist), at + offset.offset, to);                                   \
  }                                                                                                \
  template <class T, PostLiteral Post, LoadDist Dist = LoadDist::DIST_NORM, class U, class P>      \
  TSR_INLINE void LOAD(U& to, P*& at, std::int32_t step) {                                         \
    detail::load(detail::word_of(Dist), at + (Post == PostLiteral::POST_MODE_UPDATE ? 0 : step),   \
                 to);                                                                              \
    if constexpr (Post == PostLiteral::POST_MODE_UPDATE) at += step;                               \
  }                                                                                                \
  template <class T, LoadDist Dist, class U, class P>                                              \
  TSR_INLINE void LOAD(U& to, U& second, P* at) {                                                  \
    detail::load(detail::word_of(Dist), at, to, second);                                           \
  }                                                                                                \
  template <class T, PostLiteral Post, LoadDist Dist, class U, class P>                            \
  TSR_INLINE void LOAD(U& to, U& second, P*& at, std::int32_t step) {                              \
    detail::load(detail::word_of(Dist), at + (Post == PostLiteral::POST_MODE_UPDATE ? 0 : step),   \
                 to, second);                                                                      \
    if constexpr (Post == PostLiteral::POST_MODE_UPDATE) at += step;                               \
  }                                                                                                \
  template <class T, MaskDist Dist, class P>                                                       \
  TSR_INLINE void LOAD(MaskReg& to, P* at) {                                                       \
    detail::load(detail::kMaskLoads[static_cast<int>(Dist)], at, to);                              \
  }                                                                                                \
  template <class T = DefaultType, StoreDist Dist = StoreDist::DIST_NORM, class U, class P>        \
  TSR_INLINE void STORE(P* at, U& from, MaskReg& mask) {                                           \
    detail::store(detail::word_of(Dist), at, from, mask);                                          \
  }                                                                                                \
  template <class T = DefaultType, StoreDist Dist = StoreDist::DIST_NORM, class U, class P>        \
  TSR_INLINE void STORE(P* at, U& from, AddrReg offset, MaskReg& mask) {                           \
    detail::store(detail::word_of(Dist), at + offset.offset, from, mask);                          \
  }                                                                                                \
  template <class T, PostLiteral Post, StoreDist Dist = StoreDist::DIST_NORM, class U, class P>    \
  TSR_INLINE void STORE(P*& at, U& from, std::int32_t step, MaskReg& mask) {                       \
    detail::store(detail::word_of(Dist), at + (Post == PostLiteral::POST_MODE_UPDATE ? 0 : step),  \
                  from, mask);                                                                     \
    if constexpr (Post == PostLiteral::POST_MODE_UPDATE) at += step;                               \
  }                                                                                                \
  template <class T, StoreDist Dist, class U, class P>                                             \
  TSR_INLINE void STORE(P* at, U& from, U& second, MaskReg& mask) {                                \
    detail::store(detail::word_of(Dist), at, from, second, mask);                                  \
  }                                                                                                \
  template <class T = DefaultType, MaskDist Dist = MaskDist::DIST_NORM, class P>                   \
  TSR_INLINE void STORE(P* at, MaskReg& from) {                                                    \
    detail::store(detail::kMaskStores[static_cast<int>(Dist)], at, from);                          \
  }
// Blocks that lie apart: `apart` blocks from one to the next; `step` blocks on to the next access.
template <class T, DataCopyMode, class U, class P>
TSR_INLINE void LoadAlign(U& to, P* at, std::uint32_t apart, MaskReg& mask) {
  vsldb(to, at, static_cast<std::int32_t>(apart << 16), mask);
}
template <class T, DataCopyMode, PostLiteral Post, class U, class P>
TSR_INLINE void LoadAlign(U& to, P*& at, std::uint32_t apart, std::uint32_t step, MaskReg& mask) {
  if constexpr (Post == PostLiteral::POST_MODE_UPDATE)
    vsldb(to, at, static_cast<std::int32_t>(apart << 16 | step), mask, POST_UPDATE);
  else
    vsldb(to, at, static_cast<std::int32_t>(apart << 16), mask);
}
template <class T, DataCopyMode, class U, class P>
TSR_INLINE void StoreAlign(P* at, U& from, std::uint32_t apart, MaskReg& mask) {
  vsstb(from, at, static_cast<std::int32_t>(apart << 16), mask);
}
template <class T, DataCopyMode, PostLiteral Post, class U, class P>
TSR_INLINE void StoreAlign(P*& at, U& from, std::uint32_t apart, std::uint32_t step,
                           MaskReg& mask) {
  if constexpr (Post == PostLiteral::POST_MODE_UPDATE)
    vsstb(from, at, static_cast<std::int32_t>(apart << 16 | step), mask, POST_UPDATE);
  else
    vsstb(from, at, static_cast<std::int32_t>(apart << 16), mask);
}
TSR_ACCESS(LoadAlign, StoreAlign) TSR_ACCESS(DataCopy, DataCopy)
#undef TSR_ACCESS
template <class T = DefaultType, class U, class P, class I>
TSR_INLINE void Gather(U& to, P* at, I& index, MaskReg& mask) {
  vgather2(to, at, index, mask);
}
template <class T = DefaultType, class U = DefaultType, class S, class V>
TSR_INLINE void Gather(S& to, S& from, V& index) {
  tsr::vector_1("pto.vselr", nullptr, to, from, index);
}
template <class T = DefaultType, class U, class P, class I>
TSR_INLINE void GatherB(U& to, P* at, I& index, MaskReg& mask) {
  vgatherb(to, at, index, mask);
}
template <class T = DefaultType, class U = DefaultType, class S, class P, class I>
TSR_INLINE void Scatter(P* at, S& from, I& index, MaskReg& mask) {
  vscatter(from, at, index, mask);
}
template <class T = DefaultType, class P>
TSR_INLINE void LoadUnAlignPre(UnalignReg&, P*) {}
template <class T = DefaultType, class U, class P>
TSR_INLINE void LoadUnAlign(U& to, UnalignReg& align, P* at) {
  vldus(to, align, at);
}
template <class T = DefaultType, PostLiteral Post = PostLiteral::POST_MODE_UPDATE, class U, class P>
TSR_INLINE void LoadUnAlign(U& to, UnalignReg& align, P*& at, std::uint32_t step) {
  if constexpr (Post == PostLiteral::POST_MODE_UPDATE) vldus(to, align, at, step, POST_UPDATE);
  else vldus(to, align, at);
}
template <class T = DefaultType, PostLiteral Post = PostLiteral::POST_MODE_UPDATE, class U, class P>
TSR_INLINE void StoreUnAlign(P*& at, U& from, UnalignReg& align, std::uint32_t count) {
  if constexpr (Post == PostLiteral::POST_MODE_UPDATE) vstus(align, count, from, at, POST_UPDATE);
  else vstus(align, count, from, at);
}
template <class T = DefaultType, PostLiteral = PostLiteral::POST_MODE_UPDATE, class P>
TSR_INLINE void StoreUnAlignPost(P*&, UnalignReg&, std::int32_t) {}
// What the last Squeeze kept, where AR counts.
template <class T = DefaultType, PostLiteral Post = PostLiteral::POST_MODE_UPDATE, class U, class P>
TSR_INLINE void StoreUnAlign(P* at, U& from, UnalignReg& align) {
  if constexpr (Post == PostLiteral::POST_MODE_UPDATE) vstur(align, from, at, POST_UPDATE);
  else vstur(align, from, at);
}
template <class T = DefaultType, class P>
TSR_INLINE void StoreUnAlignPost(P*, UnalignReg&) {}

}  // namespace AscendC::Reg
