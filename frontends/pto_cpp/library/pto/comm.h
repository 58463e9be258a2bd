// Communication between devices in C++ (public library, include/pto/comm; docs/isa/comm). A pointer into the memory of another device is
// a pointer into GM here: arrays of a run may stand for the windows of several ranks. Copies go through the staging tiles that the kernel
// gives, as they do on the device; asynchronous ones go through the scratch tile of their session and are complete at once, since
// nothing is published about the time of the engines for them.
#pragma once

#include "pto/events.h"

// Scalar atomics: set_st_atomic_cfg says what st_atomic does. The model has the one form that signals use.
enum atomic_type_t { ATOMIC_NONE, ATOMIC_F32, ATOMIC_F16, ATOMIC_S16, ATOMIC_S32, ATOMIC_S8, ATOMIC_BF16 };
enum atomic_op_t { ATOMIC_SUM, ATOMIC_MAX, ATOMIC_MIN };

namespace pto::tsr_detail {
using Word = GlobalTensor<std::int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;
inline atomic_type_t atomic_type = ATOMIC_NONE;
inline atomic_op_t atomic_op = ATOMIC_SUM;

/// Adds to a word of GM, or sets it. `orders`: after all that the core has done before.
TSR_INLINE void signal_word(const std::int32_t* word, std::int32_t value, bool adds, bool orders) {
  const Word tensor(const_cast<std::int32_t*>(word));
  Operands operands;
  operands.option({"notifyOp", adds ? "<atomic_add>" : "<set>"});
  if (!orders) operands.option({"ordered", "false"});
  operands.add(tensor, true);
  operands.add(static_cast<std::int64_t>(value), false);
  operands.call("pto.comm.tnotify");
}
}  // namespace pto::tsr_detail

TSR_INLINE void set_st_atomic_cfg(atomic_type_t type, atomic_op_t what) {
  pto::tsr_detail::atomic_type = type;
  pto::tsr_detail::atomic_op = what;
}
template <class T>
TSR_INLINE void st_atomic(T value, T* address) {
  if (!std::is_integral_v<T> || sizeof(T) != 4 || pto::tsr_detail::atomic_type != ATOMIC_S32 || pto::tsr_detail::atomic_op != ATOMIC_SUM)
    return tsr_api->fail(tsr_api->self, "st_atomic: the simulator has sums of int32 only, after set_st_atomic_cfg(ATOMIC_S32, ATOMIC_SUM)");
  pto::tsr_detail::signal_word(reinterpret_cast<const std::int32_t*>(address), static_cast<std::int32_t>(value), true, false);
}

namespace pto::comm {

enum class NotifyOp : std::uint8_t { AtomicAdd, Set };
enum class WaitCmp : std::uint8_t { EQ, NE, GT, GE, LT, LE };
enum class ReduceOp : std::uint8_t { Sum, Max, Min };
enum class DmaEngine : std::uint8_t { SDMA, URMA, RDMA };
enum class CollEngine : std::uint8_t { AIV, CCU };
enum class RdmaBackend : std::uint8_t { NONE };

using Signal = tsr_detail::Word;
template <class T, class Shape_, class Stride_, Layout L = Layout::ND>
using GlobalSignal = GlobalTensor<T, Shape_, Stride_, L>;
/// Signals in rows; a stride makes it a part of a larger grid.
template <int Rows, int Cols>
struct Signal2D : GlobalTensor<std::int32_t, Shape<1, 1, 1, Rows, Cols>, Stride<1, 1, 1, DYNAMIC, 1>> {
  using Base = GlobalTensor<std::int32_t, Shape<1, 1, 1, Rows, Cols>, Stride<1, 1, 1, DYNAMIC, 1>>;
  TSR_INLINE Signal2D(std::int32_t* pointer, int stride = Cols)
      : Base(pointer, typename Base::Shape(), typename Base::Stride(stride)) {}
};

/// The tensors of all ranks of a collective operation, as its root sees them.
template <class G>
struct ParallelGroup {
  using value_type = G;
  G* tensors = nullptr;
  int nranks = 0, rootIdx = -1;

  constexpr ParallelGroup() = default;
  constexpr ParallelGroup(G* all, int size, int root) : tensors(all), nranks(size), rootIdx(root) {}
  static constexpr ParallelGroup Create(G* all, int size, int root) { return ParallelGroup(all, size, root); }
  constexpr int GetRootIdx() const { return rootIdx; }
  constexpr int GetSize() const { return nranks; }
  constexpr bool empty() const { return nranks == 0; }
  TSR_INLINE G& operator[](int rank) const {
    if (rank < 0 || rank >= nranks) tsr_api->fail(tsr_api->self, "ParallelGroup: a rank that the group does not have");
    return tensors[rank];
  }
};
template <class T>
struct ParallelGroupTraits;
template <class G>
struct ParallelGroupTraits<ParallelGroup<G>> {
  using GlobalDataType = G;
};

}  // namespace pto::comm

namespace pto::tsr_detail {

TSR_INLINE bool compares(std::int32_t a, std::int32_t b, comm::WaitCmp how) {
  switch (how) {
    case comm::WaitCmp::EQ: return a == b;
    case comm::WaitCmp::NE: return a != b;
    case comm::WaitCmp::GT: return a > b;
    case comm::WaitCmp::GE: return a >= b;
    case comm::WaitCmp::LT: return a < b;
    default: return a <= b;
  }
}
/// Calls work(offset) for all elements of a tensor until one returns false.
template <class G, class Work>
TSR_INLINE bool for_all(const G& tensor, Work work) {
  for (std::int64_t a = 0; a < tensor.shape[0]; ++a)
    for (std::int64_t b = 0; b < tensor.shape[1]; ++b)
      for (std::int64_t c = 0; c < tensor.shape[2]; ++c)
        for (std::int64_t d = 0; d < tensor.shape[3]; ++d)
          for (std::int64_t e = 0; e < tensor.shape[4]; ++e)
            if (!work(a * tensor.stride[0] + b * tensor.stride[1] + c * tensor.stride[2] + d * tensor.stride[3] + e * tensor.stride[4]))
              return false;
  return true;
}
template <class G>
TSR_INLINE bool have_come(const G& signals, std::int32_t value, comm::WaitCmp how) {
  static_assert(std::is_same_v<typename G::RawDType, std::int32_t>, "signals are of int32");
  const std::int32_t* const words = signals.data();
  return for_all(signals, [&](std::int64_t n) {
    dcci(words + n, SINGLE_CACHE_LINE);
    return compares(*const_cast<const volatile std::int32_t*>(words + n), value, how);
  });
}
inline constexpr int kMostPolls = 100'000;

/// A part of a tensor as a matrix.
template <class G>
using Part = GlobalTensor<typename G::RawDType, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<DYNAMIC, DYNAMIC, DYNAMIC, DYNAMIC, DYNAMIC>, G::layout>;
template <class G>
TSR_INLINE Part<G> part_of(const G& tensor, std::int64_t offset, std::int64_t rows, std::int64_t columns) {
  const auto& s = tensor.stride;
  return Part<G>(const_cast<typename G::RawDType*>(tensor.data()) + offset, {rows, columns}, {s[0], s[1], s[2], s[3], s[4]});
}
/// The part that begins so many elements of the third dimension later, and the sizes of another tensor.
template <class G, class S>
TSR_INLINE auto slice_of(const G& tensor, const S& sizes, std::int64_t row) {
  using Any = GlobalTensor<typename G::RawDType, Shape<DYNAMIC, DYNAMIC, DYNAMIC, DYNAMIC, DYNAMIC>,
                           Stride<DYNAMIC, DYNAMIC, DYNAMIC, DYNAMIC, DYNAMIC>, G::layout>;
  const auto& n = sizes.shape;
  const auto& s = tensor.stride;
  return Any(const_cast<typename G::RawDType*>(tensor.data()) + row * s[3], {n[0], n[1], n[2], n[3], n[4]}, {s[0], s[1], s[2], s[3], s[4]});
}
template <class T>
TSR_INLINE void fit(T& tile, std::int64_t rows, std::int64_t columns) {
  if constexpr (T::ValidRow == DYNAMIC) tile.SetValidRow(static_cast<int>(rows));
  if constexpr (T::ValidCol == DYNAMIC) tile.SetValidCol(static_cast<int>(columns));
  if (tile.valid_rows != rows || tile.valid_columns != columns)
    tsr_api->fail(tsr_api->self, "a part of the tensor is smaller than the valid part of the staging tile, which is static");
}
/// Calls work(offset of `a`, offset of `b`, rows, columns) for the parts of two tensors, as large as a tile.
template <class T, class A, class B, class Work>
TSR_INLINE void for_parts(const T& tile, const A& a, const B& b, Work work) {
  const std::int64_t rows = T::ValidRow == DYNAMIC ? T::Rows : T::ValidRow, columns = T::ValidCol == DYNAMIC ? T::Cols : T::ValidCol;
  (void)tile;
  for (std::int64_t i = 0; i < a.shape[0]; ++i)
    for (std::int64_t j = 0; j < a.shape[1]; ++j)
      for (std::int64_t k = 0; k < a.shape[2]; ++k)
        for (std::int64_t r = 0; r < a.shape[3]; r += rows)
          for (std::int64_t c = 0; c < a.shape[4]; c += columns) {
            const auto at = [&](const auto& t) {
              return i * t.stride[0] + j * t.stride[1] + k * t.stride[2] + r * t.stride[3] + c * t.stride[4];
            };
            work(at(a), at(b), ::min(rows, a.shape[3] - r), ::min(columns, a.shape[4] - c));
          }
}
/// Copies `from` to `to` through tiles, which take turns.
template <AtomicType Atomic, class D, class S, class T>
TSR_INLINE void transfer(const D& to, const S& from, T* const* tiles, int count) {
  static_assert(std::is_same_v<typename D::RawDType, typename S::RawDType>, "both tensors must be of one type");
  int turn = 0, used = 0;
  for_parts(*tiles[0], from, to, [&](std::int64_t a, std::int64_t b, std::int64_t rows, std::int64_t columns) {
    T& tile = *tiles[turn];
    if (used >= count) wait_flag(PIPE_MTE3, PIPE_MTE2, turn);
    fit(tile, rows, columns);
    TLOAD(tile, part_of(from, a, rows, columns));
    set_flag(PIPE_MTE2, PIPE_MTE3, turn);
    wait_flag(PIPE_MTE2, PIPE_MTE3, turn);
    tsr_store<Atomic>(part_of(to, b, rows, columns), tile);
    set_flag(PIPE_MTE3, PIPE_MTE2, turn);
    ++used;
    turn = turn + 1 == count ? 0 : turn + 1;
  });
  for (int n = 0; n < ::min(used, count); ++n) wait_flag(PIPE_MTE3, PIPE_MTE2, n);
}
template <AtomicType Atomic = AtomicType::AtomicNone, class D, class S, class T>
TSR_INLINE void transfer(const D& to, const S& from, T& tile) {
  T* const tiles[] = {&tile};
  transfer<Atomic>(to, from, tiles, 1);
}
template <AtomicType Atomic = AtomicType::AtomicNone, class D, class S, class T>
TSR_INLINE void transfer(const D& to, const S& from, T& ping, T& pong) {
  T* const tiles[] = {&ping, &pong};
  transfer<Atomic>(to, from, tiles, 2);
}
template <class... E>
TSR_INLINE void wait_for_all(const E&... events) {
  (wait_for(events), ...);
}
template <class T>
inline constexpr bool is_tile = is_tile_data_v<std::remove_cv_t<std::remove_reference_t<T>>>;

}  // namespace pto::tsr_detail

namespace pto::comm {

/// A notification follows all that the core has done before.
template <class G, class... E>
TSR_INLINE void TNOTIFY(const G& signal, std::int32_t value, NotifyOp how, const E&... events) {
  static_assert(std::is_same_v<typename G::RawDType, std::int32_t>, "signals are of int32");
  tsr_detail::wait_for_all(events...);
  tsr_detail::signal_word(signal.data(), value, how == NotifyOp::AtomicAdd, true);
}
/// Waits until all signals compare.
template <class G, class... E>
TSR_INLINE void TWAIT(const G& signals, std::int32_t value, WaitCmp how, const E&... events) {
  tsr_detail::wait_for_all(events...);
  pipe_barrier(PIPE_ALL);
  for (int polls = 0; !tsr_detail::have_come(signals, value, how);)
    if (++polls == tsr_detail::kMostPolls) tsr_api->fail(tsr_api->self, "TWAIT: the signal did not come in 100000 polls");
}
template <class G, class... E>
TSR_INLINE bool TTEST(const G& signals, std::int32_t value, WaitCmp how, const E&... events) {
  tsr_detail::wait_for_all(events...);
  return tsr_detail::have_come(signals, value, how);
}

template <AtomicType Atomic = AtomicType::AtomicNone, class D, class S, class T, class... E>
TSR_INLINE std::enable_if_t<!(tsr_detail::is_tile<E> || ...), RecordEvent> TPUT(const D& to, const S& from, T& tile, const E&... events) {
  tsr_detail::wait_for_all(events...);
  tsr_detail::transfer<Atomic>(to, from, tile);
  return {};
}
template <AtomicType Atomic = AtomicType::AtomicNone, class D, class S, class T, class... E>
TSR_INLINE RecordEvent TPUT(const D& to, const S& from, T& ping, T& pong, const E&... events) {
  tsr_detail::wait_for_all(events...);
  tsr_detail::transfer<Atomic>(to, from, ping, pong);
  return {};
}
template <class D, class S, class T, class... E>
TSR_INLINE RecordEvent TPUT(const D& to, const S& from, T& tile, AtomicType how, const E&... events) {
  tsr_detail::wait_for_all(events...);
  if (how == AtomicType::AtomicAdd) tsr_detail::transfer<AtomicType::AtomicAdd>(to, from, tile);
  else tsr_detail::transfer(to, from, tile);
  return {};
}
template <class D, class S, class T, class... E>
TSR_INLINE std::enable_if_t<!(tsr_detail::is_tile<E> || ...), RecordEvent> TGET(const D& to, const S& from, T& tile, const E&... events) {
  tsr_detail::wait_for_all(events...);
  tsr_detail::transfer(to, from, tile);
  return {};
}
template <class D, class S, class T, class... E>
TSR_INLINE RecordEvent TGET(const D& to, const S& from, T& ping, T& pong, const E&... events) {
  tsr_detail::wait_for_all(events...);
  tsr_detail::transfer(to, from, ping, pong);
  return {};
}

// Collectives, which the root executes. What follows the tiles is an event.
#define TSR_COLLECTIVE(NAME, TO, FROM)                                                                                     \
  template <CollEngine Engine = CollEngine::AIV, class P, class G, class T, class... E, class = typename P::value_type>    \
  TSR_INLINE std::enable_if_t<!(tsr_detail::is_tile<E> || ...), RecordEvent> NAME(P& group, G& tensor, T& tile, E&... events) { \
    static_assert(Engine == CollEngine::AIV, #NAME ": the simulator has no CCU");                                          \
    tsr_detail::wait_for_all(events...);                                                                                   \
    for (int r = 0; r < group.nranks; ++r) tsr_detail::transfer(TO, FROM, tile);                                           \
    return {};                                                                                                             \
  }                                                                                                                        \
  template <CollEngine Engine = CollEngine::AIV, class P, class G, class T, class... E, class = typename P::value_type>    \
  TSR_INLINE RecordEvent NAME(P& group, G& tensor, T& ping, T& pong, E&... events) {                                       \
    static_assert(Engine == CollEngine::AIV, #NAME ": the simulator has no CCU");                                          \
    tsr_detail::wait_for_all(events...);                                                                                   \
    for (int r = 0; r < group.nranks; ++r) tsr_detail::transfer(TO, FROM, ping, pong);                                     \
    return {};                                                                                                             \
  }
TSR_COLLECTIVE(TGATHER, (tsr_detail::slice_of(tensor, group[r], r * group[r].shape[3])), group[r])
TSR_COLLECTIVE(TSCATTER, group[r], (tsr_detail::slice_of(tensor, group[r], r * group[r].shape[3])))
TSR_COLLECTIVE(TBROADCAST, group[r], tensor)
#undef TSR_COLLECTIVE

/// Parts of the other ranks are added to those of the root in the order of the ranks. `count` tiles receive in turn.
template <class P, class G, class T>
TSR_INLINE void tsr_reduce(P& group, G& to, T& sum, T* const* received, int count, ReduceOp how) {
  tsr_detail::for_parts(sum, group[group.rootIdx], to, [&](std::int64_t a, std::int64_t b, std::int64_t rows, std::int64_t columns) {
    tsr_detail::fit(sum, rows, columns);
    TLOAD(sum, tsr_detail::part_of(group[group.rootIdx], a, rows, columns));
    int turn = 0, used = 0;
    for (int r = 0; r < group.nranks; ++r) {
      if (r == group.rootIdx) continue;
      T& next = *received[turn];
      if (used >= count) wait_flag(PIPE_V, PIPE_MTE2, turn);
      tsr_detail::fit(next, rows, columns);
      TLOAD(next, tsr_detail::part_of(group[r], a, rows, columns));
      set_flag(PIPE_MTE2, PIPE_V, turn);
      wait_flag(PIPE_MTE2, PIPE_V, turn);
      if (how == ReduceOp::Sum) TADD(sum, sum, next);
      else if (how == ReduceOp::Max) TMAX(sum, sum, next);
      else TMIN(sum, sum, next);
      set_flag(PIPE_V, PIPE_MTE2, turn);
      ++used;
      turn = turn + 1 == count ? 0 : turn + 1;
      pipe_barrier(PIPE_V);
    }
    for (int n = 0; n < ::min(used, count); ++n) wait_flag(PIPE_V, PIPE_MTE2, n);
    pipe_barrier(PIPE_ALL);
    TSTORE(tsr_detail::part_of(to, b, rows, columns), sum);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
  });
}
template <CollEngine Engine = CollEngine::AIV, class P, class G, class T, class... E>
TSR_INLINE RecordEvent TREDUCE(P& group, G& to, T& sum, T& received, ReduceOp how, E&... events) {
  static_assert(Engine == CollEngine::AIV, "TREDUCE: the simulator has no CCU");
  tsr_detail::wait_for_all(events...);
  T* const tiles[] = {&received};
  tsr_reduce(group, to, sum, tiles, 1, how);
  return {};
}
template <CollEngine Engine = CollEngine::AIV, class P, class G, class T, class... E>
TSR_INLINE RecordEvent TREDUCE(P& group, G& to, T& sum, T& ping, T& pong, ReduceOp how, E&... events) {
  static_assert(Engine == CollEngine::AIV, "TREDUCE: the simulator has no CCU");
  tsr_detail::wait_for_all(events...);
  T* const tiles[] = {&ping, &pong};
  tsr_reduce(group, to, sum, tiles, 2, how);
  return {};
}

// Asynchronous transfers.
namespace sdma {
inline constexpr std::uint32_t kAutoChannelGroupIdx = 0xFFFFFFFFU, UB_ALIGN_SIZE = 256, kUbAlignSize = 256, kSdmaFlagLength = 128,
                               SDMA_FLAG_LENGTH = 128, kSdmaMaxChannel = 48;
inline constexpr std::uint64_t kDefaultSdmaBlockBytes = 1024 * 1024;
struct SdmaBaseConfig {
  std::uint64_t block_bytes, comm_block_offset;
  std::uint32_t queue_num;
};
using sdma_base_config_t = SdmaBaseConfig;
}  // namespace sdma

struct AsyncSession {
  DmaEngine engine = DmaEngine::SDMA;
  bool valid = false;
  std::uint8_t* contextGm = nullptr;
  std::uint8_t* tmpBufAddr = nullptr;
  std::uint32_t tmpBufSize = 0, syncId = 0, channelGroupIdx = sdma::kAutoChannelGroupIdx;
  std::uint64_t blockBytes = sdma::kDefaultSdmaBlockBytes, commBlockOffset = 0;
  std::uint32_t queueNum = 1, destRankId = 0, qpIdx = 0, myPe = 0;
  RdmaBackend rdmaBackend = RdmaBackend::NONE;
};
struct AsyncEvent {
  std::uint64_t handle = 0;
  DmaEngine engine = DmaEngine::SDMA;

  constexpr AsyncEvent() = default;
  constexpr AsyncEvent(std::uint64_t h, DmaEngine e) : handle(h), engine(e) {}
  constexpr bool valid() const { return handle != 0; }
  TSR_INLINE bool Wait(const AsyncSession&) const { return true; }
  TSR_INLINE bool Test(const AsyncSession&) const { return true; }
};

template <DmaEngine Engine = DmaEngine::SDMA, class T, class... More>
TSR_INLINE std::enable_if_t<is_tile_data_v<T>, bool> BuildAsyncSession(T& scratch, std::uint8_t* workspace, AsyncSession& session,
                                                                      std::uint32_t id = 0, const sdma::SdmaBaseConfig& = {}, More...) {
  session = {};
  session.engine = Engine;
  session.contextGm = workspace;
  session.tmpBufAddr = reinterpret_cast<std::uint8_t*>(scratch.data());
  session.tmpBufSize = T::Numel * sizeof(typename T::DType);
  session.syncId = id;
  return session.valid = true;
}
template <DmaEngine Engine>
TSR_INLINE bool BuildAsyncSession(std::uint8_t* workspace, AsyncSession& session) {
  session = {};
  session.engine = Engine;
  session.contextGm = workspace;
  return session.valid = workspace != nullptr;
}
template <DmaEngine Engine>
TSR_INLINE bool BuildAsyncSession(std::uint8_t* workspace, std::uint32_t rank, AsyncSession& session) {
  const bool valid = BuildAsyncSession<Engine>(workspace, session);
  session.destRankId = rank;
  return valid;
}

template <class D, class S>
TSR_INLINE AsyncEvent tsr_transfer_now(const D& to, const S& from, const AsyncSession& session) {
  if (!session.valid) return {};
  if (session.tmpBufSize < 32) {
    tsr_api->fail(tsr_api->self, "an asynchronous transfer without a scratch tile: the simulator copies through it");
    return {};
  }
  using E = typename S::RawDType;
  using Scratch = Tile<TileType::Vec, E, 1, 256 * 1024 / static_cast<int>(sizeof(E)), BLayout::RowMajor, 1, DYNAMIC>;
  const std::int64_t room = session.tmpBufSize / sizeof(E), columns = from.shape[4];
  Scratch scratch(1);
  TASSIGN(scratch, session.tmpBufAddr);
  pipe_barrier(PIPE_ALL);
  for (std::int64_t first = 0; first < columns; first += room) {
    const std::int64_t width = ::min(room, columns - first);
    tsr_detail::for_parts(Tile<TileType::Vec, E, 1, Scratch::Cols, BLayout::RowMajor, 1, DYNAMIC>(1), from, to,
                          [&](std::int64_t a, std::int64_t b, std::int64_t, std::int64_t) {
                            scratch.SetValidCol(static_cast<int>(width));
                            TLOAD(scratch, tsr_detail::part_of(from, a + first * from.stride[4], 1, width));
                            pipe_barrier(PIPE_ALL);
                            TSTORE(tsr_detail::part_of(to, b + first * to.stride[4], 1, width), scratch);
                            pipe_barrier(PIPE_ALL);
                          });
  }
  return AsyncEvent(1, session.engine);
}
template <DmaEngine Engine = DmaEngine::SDMA, class D, class S, class... E>
TSR_INLINE AsyncEvent TPUT_ASYNC(const D& to, const S& from, const AsyncSession& session, E&&...) {
  return tsr_transfer_now(to, from, session);
}
template <DmaEngine Engine = DmaEngine::SDMA, class D, class S, class... E>
TSR_INLINE AsyncEvent TGET_ASYNC(const D& to, const S& from, const AsyncSession& session, E&&...) {
  return tsr_transfer_now(to, from, session);
}

}  // namespace pto::comm

namespace pto {
/// Brings a tensor into L2, which has no effect here.
struct PrefetchAsyncContext {
  std::uint8_t* workspace = nullptr;
  comm::AsyncSession session;
  comm::AsyncSession* externalSession = nullptr;

  PrefetchAsyncContext() = default;
  explicit PrefetchAsyncContext(std::uint8_t* gm, comm::AsyncSession* external = nullptr) : workspace(gm), externalSession(external) {}
  comm::AsyncSession& GetSession() { return externalSession != nullptr ? *externalSession : session; }
};
template <class G, class... E>
TSR_INLINE comm::AsyncEvent TPREFETCH_ASYNC(const G&, PrefetchAsyncContext&, const E&...) {
  return comm::AsyncEvent(1, comm::DmaEngine::SDMA);
}
}  // namespace pto
