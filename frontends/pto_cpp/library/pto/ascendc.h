// A part of Ascend C for the simulator: tensors in GM and UB, copies between them, flags, queues, and operations on whole
// tensors, beside AscendC::Reg (ascendc_registers.h). What is not here does not compile.
#pragma once
// clang-format off
// Lists of macros without semicolons are no C++ to it.

#include "pto/ascendc_registers.h"

namespace AscendC {

enum class TPosition { GM, VECIN, VECOUT, VECCALC, A1, B1, C1, A2, B2, C2, CO1, CO2 };
using QuePosition = TPosition;
enum class Hardware { GM, UB, L1, L0A, L0B, L0C };
enum class HardEvent {
  MTE2_V,
  V_MTE2,
  V_MTE3,
  MTE3_V,
  MTE3_MTE2,
  MTE2_MTE3,
  MTE2_S,
  S_MTE2,
  V_S,
  S_V,
  MTE3_S,
  S_MTE3,
  MTE2_MTE1,
  MTE1_MTE2,
  MTE1_M,
  M_MTE1,
  M_FIX,
  FIX_M,
  FIX_S,
  M_S,
  V_V
};

namespace detail {
struct Pipes {
  pipe_t from, to;
};
constexpr Pipes pipes_of(HardEvent event) {
  constexpr Pipes kPipes[] = {
      {PIPE_MTE2, PIPE_V},    {PIPE_V, PIPE_MTE2},    {PIPE_V, PIPE_MTE3}, {PIPE_MTE3, PIPE_V},
      {PIPE_MTE3, PIPE_MTE2}, {PIPE_MTE2, PIPE_MTE3}, {PIPE_MTE2, PIPE_S}, {PIPE_S, PIPE_MTE2},
      {PIPE_V, PIPE_S},       {PIPE_S, PIPE_V},       {PIPE_MTE3, PIPE_S}, {PIPE_S, PIPE_MTE3},
      {PIPE_MTE2, PIPE_MTE1}, {PIPE_MTE1, PIPE_MTE2}, {PIPE_MTE1, PIPE_M}, {PIPE_M, PIPE_MTE1},
      {PIPE_M, PIPE_FIX},     {PIPE_FIX, PIPE_M},     {PIPE_FIX, PIPE_S},  {PIPE_M, PIPE_S},
      {PIPE_V, PIPE_V}};
  return kPipes[static_cast<int>(event)];
}
inline constexpr std::int64_t kUbBytes = PTO_UBUF_SIZE_BYTES;
/// A row of elements in UB, and one in GM.
template <class T>
using Row = pto::Tile<pto::TileType::Vec, T, 1,
                      static_cast<int>(kUbBytes / static_cast<std::int64_t>(sizeof(T))),
                      pto::BLayout::RowMajor, 1, pto::DYNAMIC>;
template <class T>
using RowInGm =
    pto::GlobalTensor<T, pto::Shape<1, 1, 1, 1, pto::DYNAMIC>, pto::Stride<1, 1, 1, 1, 1>>;
}  // namespace detail

template <HardEvent Event>
TSR_INLINE void SetFlag(std::int64_t id) {
  set_flag(detail::pipes_of(Event).from, detail::pipes_of(Event).to, static_cast<int>(id));
}
template <HardEvent Event>
TSR_INLINE void WaitFlag(std::int64_t id) {
  wait_flag(detail::pipes_of(Event).from, detail::pipes_of(Event).to, static_cast<int>(id));
}
template <pipe_t Pipe>
TSR_INLINE void PipeBarrier() {
  pipe_barrier(Pipe);
}
TSR_INLINE void InitSocState() {}
TSR_INLINE std::int64_t GetBlockIdx() {
  return get_block_idx() * get_subblockdim() + get_subblockid();
}
TSR_INLINE std::int64_t GetBlockNum() {
  return get_block_num();
}
TSR_INLINE std::int64_t GetSubBlockIdx() {
  return get_subblockid();
}
TSR_INLINE std::int64_t GetSubBlockNum() {
  return get_subblockdim();
}
constexpr std::uint32_t GetVecLen() {
  return 256;
}
using pto::CeilDivision;
template <class A, class B>
using IsSameType = std::is_same<A, B>;

template <class T>
class GlobalTensor {
 public:
  using PrimType = T;
  TSR_INLINE void SetGlobalBuffer(T* at, std::uint64_t = 0) { at_ = at; }
  TSR_INLINE GlobalTensor operator[](std::uint64_t n) const {
    GlobalTensor part;
    part.at_ = at_ + n;
    return part;
  }
  TSR_INLINE T* GetPhyAddr(std::uint64_t n = 0) const { return at_ + n; }
  TSR_INLINE T GetValue(std::uint64_t n) const { return at_[n]; }
  TSR_INLINE void SetValue(std::uint64_t n, T value) const { at_[n] = value; }
  TSR_INLINE T& operator()(std::uint64_t n) const { return at_[n]; }

 private:
  T* at_ = nullptr;
};

/// Elements in UB from an address on.
template <class T>
class LocalTensor {
 public:
  using PrimType = T;
  LocalTensor() = default;
  TSR_INLINE LocalTensor(std::uint32_t address, std::uint32_t size)
      : address_(address), size_(size) {}
  TSR_INLINE LocalTensor(TPosition, std::uint32_t address, std::uint32_t size)
      : address_(address), size_(size) {}
  TSR_INLINE LocalTensor operator[](std::uint32_t n) const {
    return {address_ + n * std::uint32_t{sizeof(T)}, size_ > n ? size_ - n : 0};
  }
  TSR_INLINE __ubuf__ T* GetPhyAddr(std::uint32_t n = 0) const {
    return static_cast<T*>(
        tsr_api->address(tsr_api->self, "vec", address_ + n * std::uint64_t{sizeof(T)}));
  }
  TSR_INLINE T GetValue(std::uint32_t n) const { return GetPhyAddr()[n]; }
  template <class V>
  TSR_INLINE void SetValue(std::uint32_t n, V value) const {
    GetPhyAddr()[n] = static_cast<T>(value);
  }
  TSR_INLINE std::uint32_t GetSize() const { return size_; }
  TSR_INLINE void SetSize(std::uint32_t size) { size_ = size; }
  template <class U>
  TSR_INLINE LocalTensor<U> ReinterpretCast() const {
    return {address_, static_cast<std::uint32_t>(size_ * sizeof(T) / sizeof(U))};
  }
  TSR_INLINE std::uint32_t address() const { return address_; }
  TSR_INLINE detail::Row<T> row(std::int64_t count) const {
    detail::Row<T> row(static_cast<int>(count));
    TASSIGN(row, std::uint64_t{address_});
    return row;
  }

 private:
  std::uint32_t address_ = 0, size_ = 0;
};

template <Hardware Where = Hardware::UB>
class LocalMemAllocator {
  static_assert(Where == Hardware::UB,
                "LocalMemAllocator of another memory than UB is not modelled");

 public:
  template <class T, std::uint32_t Count>
  TSR_INLINE LocalTensor<T> Alloc() {
    return Alloc<T>(Count);
  }
  template <TPosition, class T, std::uint32_t Count>
  TSR_INLINE LocalTensor<T> Alloc() {
    return Alloc<T>(Count);
  }
  template <class T>
  TSR_INLINE LocalTensor<T> Alloc(std::uint32_t count) {
    const LocalTensor<T> tensor(next_, count);
    next_ += (count * std::uint32_t{sizeof(T)} + 31) / 32 * 32;
    return tensor;
  }
  TSR_INLINE std::uint32_t GetCurAddr() const { return next_; }

 private:
  std::uint32_t next_ = 0;
};

// --- copies ---

/// Lengths and distances in GM are bytes, those in UB blocks of 32 bytes; distances are gaps.
struct DataCopyExtParams {
  std::uint16_t blockCount = 1;
  std::uint32_t blockLen = 0;
  std::int64_t srcStride = 0, dstStride = 0;
  std::uint32_t rsv = 0;
};
using DataCopyParams = DataCopyExtParams;
struct DataCopyPadParams {
  bool isPad = false;
  std::uint8_t leftPadding = 0, rightPadding = 0;
  std::uint64_t paddingValue = 0;
};
template <class T>
struct DataCopyPadExtParams {
  bool isPad = false;
  std::uint8_t leftPadding = 0, rightPadding = 0;
  T paddingValue = 0;
};

namespace detail {
template <bool Loads, class T>
TSR_INLINE void copy(const LocalTensor<T>& tensor, T* in_gm, std::int64_t count) {
  auto row = tensor.row(count);
  RowInGm<T> gm(in_gm, pto::Shape<1, 1, 1, 1, pto::DYNAMIC>(count));
  if constexpr (Loads)
    TLOAD(row, gm);
  else
    TSTORE(gm, row);
}
template <bool Loads, class T>
TSR_INLINE void copy_lines(const LocalTensor<T>& tensor, T* in_gm, std::int64_t count) {
  if (count * sizeof(T) % 32 != 0)
    tsr_api->fail(tsr_api->self,
                  "DataCopy of bytes that are no multiple of 32; DataCopyPad copies others");
  copy<Loads>(tensor, in_gm, count);
}
/// Lengths of DataCopy are blocks of 32 bytes, and so are all distances.
TSR_INLINE DataCopyExtParams in_bytes(const DataCopyParams& p, bool loads) {
  DataCopyExtParams how = p;
  how.blockLen *= 32;
  (loads ? how.srcStride : how.dstStride) *= 32;
  return how;
}
template <bool Loads, class T>
TSR_INLINE void copy_blocks(const LocalTensor<T>& tensor, T* in_gm, const DataCopyExtParams& how) {
  const std::int64_t gap_in_ub = Loads ? how.dstStride : how.srcStride,
                     gap_in_gm = Loads ? how.srcStride : how.dstStride;
  const std::int64_t in_ub = (how.blockLen + 31) / 32 * 32 + gap_in_ub * 32;
  if (how.blockLen % sizeof(T) != 0 || gap_in_gm % std::int64_t{sizeof(T)} != 0)
    tsr_api->fail(tsr_api->self, "DataCopyPad of bytes that are no whole elements");
  for (std::uint32_t n = 0; n < how.blockCount; ++n)
    copy<Loads>(tensor[static_cast<std::uint32_t>(n * in_ub / sizeof(T))],
                in_gm + n * (how.blockLen + gap_in_gm) / sizeof(T), how.blockLen / sizeof(T));
}
}  // namespace detail

namespace detail {
template <class N>
using IfCount = std::enable_if_t<std::is_convertible_v<N, std::int64_t>>;
}
template <class T, class N, class = detail::IfCount<N>>
TSR_INLINE void DataCopy(const LocalTensor<T>& to, const GlobalTensor<T>& from, N count) {
  detail::copy_lines<true>(to, from.GetPhyAddr(), static_cast<std::int64_t>(count));
}
template <class T, class N, class = detail::IfCount<N>>
TSR_INLINE void DataCopy(const GlobalTensor<T>& to, const LocalTensor<T>& from, N count) {
  detail::copy_lines<false>(from, to.GetPhyAddr(), static_cast<std::int64_t>(count));
}
template <class T>
TSR_INLINE void DataCopy(const LocalTensor<T>& to, const GlobalTensor<T>& from,
                         const DataCopyParams& how) {
  detail::copy_blocks<true>(to, from.GetPhyAddr(), detail::in_bytes(how, true));
}
template <class T>
TSR_INLINE void DataCopy(const GlobalTensor<T>& to, const LocalTensor<T>& from,
                         const DataCopyParams& how) {
  detail::copy_blocks<false>(from, to.GetPhyAddr(), detail::in_bytes(how, false));
}
template <class T, class N, class = detail::IfCount<N>>
TSR_INLINE void DataCopy(const LocalTensor<T>& to, const LocalTensor<T>& from, N count) {
  if (static_cast<std::uint64_t>(count) * sizeof(T) % 32 != 0)
    tsr_api->fail(tsr_api->self, "DataCopy of bytes that are no multiple of 32");
  auto t = to.row(static_cast<std::int64_t>(count)), x = from.row(static_cast<std::int64_t>(count));
  TMOV(t, x);
}
template <class T, class P = DataCopyPadExtParams<T>>
TSR_INLINE void DataCopyPad(const LocalTensor<T>& to, const GlobalTensor<T>& from,
                            const DataCopyExtParams& how, const P& pad) {
  if (pad.isPad && (pad.leftPadding != 0 || pad.rightPadding != 0))
    tsr_api->fail(tsr_api->self, "DataCopyPad with pads of its own is not modelled");
  detail::copy_blocks<true>(to, from.GetPhyAddr(), how);
}
template <class T>
TSR_INLINE void DataCopyPad(const GlobalTensor<T>& to, const LocalTensor<T>& from,
                            const DataCopyExtParams& how) {
  detail::copy_blocks<false>(from, to.GetPhyAddr(), how);
}

}  // namespace AscendC

#include "pto/ascendc_vector.h"

namespace AscendC {

// --- queues: what EnQue fills is in order before what DeQue takes, and so is the next use after FreeTensor ---

class TPipe {
 public:
  TSR_INLINE TPipe() { current() = this; }
  TSR_INLINE ~TPipe() {
    if (current() == this) current() = nullptr;
  }
  TPipe(const TPipe&) = delete;
  TPipe& operator=(const TPipe&) = delete;
  TSR_INLINE void Init() {}
  TSR_INLINE void Destroy() {}
  /// The pipe of this core, for code that does not get it.
  TSR_INLINE static TPipe*& current() {
    static TPipe* pipe = nullptr;
    return pipe;
  }
  /// Events of a pair of pipes from above, as queues take theirs from below.
  TSR_INLINE std::int32_t FetchEventID(HardEvent event) const {
    const std::uint32_t taken = taken_[static_cast<int>(event)] | of_queues(event);
    for (std::int32_t id = kEvents - 1; id >= 0; --id)
      if ((taken >> id & 1U) == 0) return id;
    tsr_api->fail(tsr_api->self, "a pair of pipes has 8 events, and all are taken");
    return 0;
  }
  template <HardEvent Event>
  TSR_INLINE std::int32_t FetchEventID() const {
    return FetchEventID(Event);
  }
  template <HardEvent Event>
  TSR_INLINE std::int32_t AllocEventID() {
    const std::int32_t id = FetchEventID(Event);
    taken_[static_cast<int>(Event)] |= 1U << id;
    return id;
  }
  template <HardEvent Event>
  TSR_INLINE void ReleaseEventID(std::int64_t id) {
    std::uint32_t& taken = taken_[static_cast<int>(Event)];
    if (id < 0 || id >= kEvents || (taken >> id & 1U) == 0)
      tsr_api->fail(tsr_api->self, "ReleaseEventID: AllocEventID has not given this event, or it was released");
    taken &= ~(1U << id);
  }
  template <class Q>
  TSR_INLINE void InitBuffer(Q& queue, std::uint32_t count, std::uint32_t bytes) {
    queue.init(next_, count, (bytes + 31) / 32 * 32, events_);
    for (const HardEvent event : {HardEvent::MTE2_V, HardEvent::V_MTE2, HardEvent::V_MTE3, HardEvent::MTE3_V})
      if ((taken_[static_cast<int>(event)] & of_queues(event)) != 0)
        tsr_api->fail(tsr_api->self, "InitBuffer: AllocEventID has given an event that the queue needs");
    next_ += count * ((bytes + 31) / 32 * 32);
  }
  template <class B>
  TSR_INLINE void InitBuffer(B& buffer, std::uint32_t bytes) {
    buffer.init(next_, bytes);
    next_ += (bytes + 31) / 32 * 32;
  }

 private:
  static constexpr int kEvents = 8;
  TSR_INLINE std::uint32_t of_queues(HardEvent event) const {
    const bool in = event == HardEvent::MTE2_V || event == HardEvent::V_MTE2,
               out = event == HardEvent::V_MTE3 || event == HardEvent::MTE3_V;
    return in || out ? (1U << events_[in]) - 1 : 0;
  }
  std::uint32_t next_ = 0;
  std::uint32_t taken_[static_cast<int>(HardEvent::V_V) + 1] = {};  ///< a bit for each event
  std::uint32_t events_[2] = {};  ///< that queues of VECOUT and of VECIN have taken
};
/// A tensor has an event of its own, from who fills it to who reads it, and back.
template <TPosition Where, int Depth, int = 0>
class TQue {
  static_assert(Where == TPosition::VECIN || Where == TPosition::VECOUT,
                "queues are modelled of VECIN and VECOUT");
  static constexpr bool kIn = Where == TPosition::VECIN;
  static constexpr pipe_t kFills = kIn ? PIPE_MTE2 : PIPE_V, kReads = kIn ? PIPE_V : PIPE_MTE3;
  static constexpr std::uint32_t kMost = 8;  // events of a pair of pipes
  enum class State : std::uint8_t { kNew, kTaken, kWaits, kFreed };

 public:
  TQue() = default;
  TQue(const TQue&) = delete;
  TQue& operator=(const TQue&) = delete;
  TSR_INLINE ~TQue() { drain(); }
  TSR_INLINE void init(std::uint32_t address, std::uint32_t count, std::uint32_t bytes,
                       std::uint32_t (&events)[2]) {
    if (count == 0 || bytes == 0) refuse("a queue has a tensor at least, with a byte at least");
    if (count > kMost || events[kIn] + count > kMost)
      refuse(kIn ? "queues of VECIN have more than 8 tensors; a pair of pipes has 8 events"
                 : "queues of VECOUT have more than 8 tensors; a pair of pipes has 8 events");
    drain();
    address_ = address;
    count_ = count;
    bytes_ = bytes;
    event_ = events[kIn];
    events[kIn] += count;
    next_ = enqueued_ = dequeued_ = 0;
  }
  template <class T>
  TSR_INLINE LocalTensor<T> AllocTensor() {
    std::uint32_t n = next_, tried = 0;
    while (tried < count_ && is_held(n)) n = (n + 1) % count_, ++tried;
    if (tried == count_) refuse("AllocTensor: all tensors of the queue are taken, and none has been freed");
    if (states_[n] == State::kFreed) wait_flag(kReads, kFills, event(n));
    states_[n] = State::kTaken;
    next_ = (n + 1) % count_;
    return {address_ + n * bytes_, static_cast<std::uint32_t>(bytes_ / sizeof(T))};
  }
  template <class T>
  TSR_INLINE bool EnQue(const LocalTensor<T>& tensor) {
    const std::uint32_t n = number_of(tensor.address());
    set_flag(kFills, kReads, event(n));
    states_[n] = State::kWaits;
    waiting_[enqueued_++ % kMost] = n;
    return true;
  }
  template <class T>
  TSR_INLINE LocalTensor<T> DeQue() {
    if (enqueued_ == dequeued_) refuse("DeQue: no tensor waits in the queue");
    const std::uint32_t n = waiting_[dequeued_++ % kMost];
    wait_flag(kFills, kReads, event(n));
    states_[n] = State::kTaken;
    return {address_ + n * bytes_, static_cast<std::uint32_t>(bytes_ / sizeof(T))};
  }
  template <class T>
  TSR_INLINE void FreeTensor(const LocalTensor<T>& tensor) {
    const std::uint32_t n = number_of(tensor.address());
    set_flag(kReads, kFills, event(n));
    states_[n] = State::kFreed;
  }

 private:
  TSR_INLINE static void refuse(const char* why) { tsr_api->fail(tsr_api->self, why); }
  TSR_INLINE int event(std::uint32_t n) const { return static_cast<int>(event_ + n); }
  TSR_INLINE bool is_held(std::uint32_t n) const {
    return states_[n] == State::kTaken || states_[n] == State::kWaits;
  }
  TSR_INLINE std::uint32_t number_of(std::uint32_t address) const {
    const std::uint32_t n = address < address_ || bytes_ == 0 ? kMost : (address - address_) / bytes_;
    if (n >= count_ || states_[n] != State::kTaken)
      refuse("a tensor that has not been taken from this queue");
    return n;
  }
  /// Nothing may be left of flags when a block ends: the next one of the core begins with none.
  TSR_INLINE void drain() {
    for (std::uint32_t n = 0; n < count_; ++n) {
      if (states_[n] == State::kFreed) wait_flag(kReads, kFills, event(n));
      states_[n] = State::kNew;
    }
  }
  std::uint32_t address_ = 0, count_ = 0, bytes_ = 0, event_ = 0;
  std::uint32_t next_ = 0, enqueued_ = 0, dequeued_ = 0;
  std::uint32_t waiting_[kMost] = {};
  State states_[kMost] = {};
};
template <TPosition Where = TPosition::VECCALC>
class TBuf {
 public:
  TSR_INLINE void init(std::uint32_t address, std::uint32_t bytes) {
    address_ = address;
    bytes_ = bytes;
  }
  template <class T>
  TSR_INLINE LocalTensor<T> Get() const {
    return {address_, static_cast<std::uint32_t>(bytes_ / sizeof(T))};
  }
  template <class T>
  TSR_INLINE LocalTensor<T> Get(std::uint32_t count) const {
    return {address_, count};
  }
  template <class T>
  TSR_INLINE LocalTensor<T> GetWithOffset(std::uint32_t count, std::uint32_t offset) const {
    return {address_ + offset, count};
  }

 private:
  std::uint32_t address_ = 0, bytes_ = 0;
};
TSR_INLINE TPipe* GetTPipePtr() {
  TPipe* const pipe = TPipe::current();
  if (pipe == nullptr) tsr_api->fail(tsr_api->self, "GetTPipePtr: there is no TPipe here");
  return pipe;
}
template <class... A>
TSR_INLINE void printf(const char* format, A... what) {
  std::printf(format, what...);  // NOLINT
}

}  // namespace AscendC
