// Events and signals of PTO in C++ that are made of flags (pto_cpp.md 4.4): Event, TSync_Custom, TSYNC_CVID.
#pragma once

#include "pto/parts.h"

namespace pto {

enum class Op : std::uint16_t {
  TLOAD, TSTORE_VEC, SCALAR, TRESHAPE, VECTOR, TADD, TADDS, TSUB, TSUBS, TMUL, TMULS, TDIV, TDIVS, TMAX, TMAXS, TMIN,
  TMINS, TAND, TOR, TXOR, TSHL, TSHR, TREM, TFMOD, TEXP, TLOG, TSQRT, TRSQRT, TRECIP, TNEG, TABS, TRELU, TLRELU, TPRELU,
  TNOT, TEXPANDS, TCVT, TROWSUM, TROWMAX, TROWMIN, TROWPROD, TCOLSUM, TCOLMAX, TCOLMIN, TCOLPROD, TROWEXPAND, TROWEXPANDADD,
  TROWEXPANDSUB, TROWEXPANDMUL, TROWEXPANDDIV, TROWEXPANDMAX, TROWEXPANDMIN, TROWEXPANDEXPDIF, TCOLEXPAND, TCOLEXPANDADD,
  TCOLEXPANDSUB, TCOLEXPANDMUL, TCOLEXPANDDIV, TCOLEXPANDMAX, TCOLEXPANDMIN, TCOLEXPANDEXPDIF, TTRANS, TCI, TTRI, TCMP, TCMPS,
  TSEL, TSELS, TPOW, TPOWS, TANDS, TORS, TXORS, TSHLS, TSHRS, TREMS, TFMODS, TROWARGMAX, TROWARGMIN, TCOLARGMAX, TCOLARGMIN,
  TGATHER, TGATHERB, TSCATTER, MGATHER, MSCATTER, TSORT32, TMRGSORT, TCONCAT, TPARTADD, TPARTMUL, TPARTMAX, TPARTMIN,
  TFILLPAD, TFILLPAD_VEC, TQUANT, TDEQUANT, TAXPY, TFUSEDMULADD, TFUSEDMULADDRELU, TMULADDDST, TADDRELUCONV, TSUBRELU, TSUBRELUCONV,
  TADDDEQRELU, TPAIRREDUCESUM, TPARTARGMAX, TPARTARGMIN, TINTERLEAVE, TDEINTERLEAVE, THISTOGRAM, TRANDOM, MGATHER_VEC, TMOV_V2V,
  LAST_VECTOR = TMOV_V2V, TMOV_V2M,
  TMOV_M2L, TMOV_M2R, TMOV_M2B, TMOV_M2V, TEXTRACT, TEXTRACT_M2LR, TIMG2COL,
  TMATMUL, TGEMV, TMATMUL_MX, TMOV_M2S, TMOV_A2V, TMOV_A2M, TSTORE_ACC, TEXTRACT_A2M, TINSERT_A2M, TINSERT, TSTORE_MAT, TEXPANDS_MAT, TPREFETCH, TFILLPAD_MAT, MGATHER_MAT, TEXTRACT_V2M, TPRINT, OP_COUNT
};

namespace tsr_detail {
/// The pipe that executes operations of a class.
constexpr pipe_t pipe_of(Op op) {
  if (op == Op::TLOAD || op == Op::TEXPANDS_MAT || op == Op::TPREFETCH || op == Op::TFILLPAD_MAT || op == Op::MGATHER_MAT) return PIPE_MTE2;
  if (op == Op::TSTORE_VEC || op == Op::TSTORE_MAT || op == Op::TMOV_V2M || op == Op::TEXTRACT_V2M) return PIPE_MTE3;
  if (op == Op::SCALAR) return PIPE_S;
  if (op <= Op::TMOV_V2V) return PIPE_V;
  if (op <= Op::TIMG2COL) return PIPE_MTE1;
  if (op <= Op::TMATMUL_MX) return PIPE_M;
  return op <= Op::TINSERT ? PIPE_FIX : PIPE_S;
}
/// Ids of a pair of pipes are given out in turn, on each core by itself.
template <pipe_t From, pipe_t To>
TSR_INLINE int next_event_id() {
  static int next = 0;
  const int id = next;
  next = (next + 1) % 8;
  return id;
}
}  // namespace tsr_detail

/// The end of an operation of class From, which one of class To waits for.
template <Op From, Op To, bool AutoToken = true, int Id = EVENT_ID0>
struct Event {
  static constexpr pipe_t from = tsr_detail::pipe_of(From), to = tsr_detail::pipe_of(To);
  static constexpr bool is_flag = from != to;
  int token = Id;

  TSR_INLINE Event() {
    if constexpr (AutoToken && is_flag) token = tsr_detail::next_event_id<from, to>();
  }
  TSR_INLINE Event(RecordEvent) : Event() { Record(); }
  TSR_INLINE Event& operator=(RecordEvent) {
    Record();
    return *this;
  }
  TSR_INLINE void Record() const {
    if constexpr (is_flag) set_flag(from, to, token);
  }
  TSR_INLINE void Init() const { Record(); }
  TSR_INLINE void Wait() const {
    if constexpr (is_flag) wait_flag(from, to, token);
    else if constexpr (from != PIPE_S) pipe_barrier(from);
  }
};

enum class SyncOpType : std::uint8_t { TSTORE_C2GM, TSTORE_V2GM, TLOAD, TMOV_C2UB, TINSERT_V2L1 };

inline constexpr std::uint16_t CV_CORE_SYNC = 2;
/// The message of ffts_cross_core_sync.
constexpr std::uint16_t getFFTSMsg(std::uint16_t mode, std::uint16_t flag, std::uint16_t base = 1) {
  return static_cast<std::uint16_t>(base | mode << 4 | flag << 8);
}
constexpr std::uint16_t _getFFTSMsg(std::uint16_t mode, std::uint16_t flag) { return getFFTSMsg(mode, flag); }

namespace tsr_detail {
constexpr pipe_t pipe_of(SyncOpType op) {
  if (op == SyncOpType::TSTORE_C2GM || op == SyncOpType::TMOV_C2UB) return PIPE_FIX;
  return op == SyncOpType::TLOAD ? PIPE_MTE2 : PIPE_MTE3;
}
TSR_INLINE void signal(pipe_t pipe, int flag) {
#ifdef PTO_NPU_ARCH_A5
  set_intra_block(pipe, flag);
#ifdef __DAV_CUBE__
  set_intra_block(pipe, flag + 16);
#endif
#else
  ffts_cross_core_sync(pipe, getFFTSMsg(CV_CORE_SYNC, static_cast<std::uint16_t>(flag)));
#endif
}
TSR_INLINE void await(pipe_t pipe, int flag) {
#ifdef PTO_NPU_ARCH_A5
  wait_intra_block(pipe, flag);
#ifdef __DAV_CUBE__
  wait_intra_block(pipe, flag + 16);
#endif
#else
  (void)pipe;
  wait_flag_dev(flag);
#endif
}
}  // namespace tsr_detail

/// Signals between the cube and the vector cores of a cluster: results of operation A are ready for B, and their place is
/// free again.
template <SyncOpType A, SyncOpType B>
struct TSync_Custom {
  int flagId = 0;

  TSR_INLINE void record() const { tsr_detail::signal(tsr_detail::pipe_of(A), flagId); }
  TSR_INLINE void wait() const { tsr_detail::await(tsr_detail::pipe_of(B), flagId); }
  TSR_INLINE void free() const { tsr_detail::signal(PIPE_MTE2, flagId + 1); }
  TSR_INLINE void allocate() const { tsr_detail::await(tsr_detail::pipe_of(A), flagId + 1); }
};

inline constexpr int kCvMaxCores = 36;
template <class... A>
TSR_INLINE int TSYNC_CVID(A&&...) {
  return static_cast<int>(tsr_api->special(tsr_api->self, TSR_CLUSTER));
}

template <pipe_t Pipe, class... A>
TSR_INLINE void TSYNC(A&...) {
  pipe_barrier(Pipe);
}
template <Op Class, class... A>
TSR_INLINE void TSYNC() {
  pipe_barrier(tsr_detail::pipe_of(Class));
}
template <class... E>
TSR_INLINE void TSYNC(const E&... events) {
  (events.Wait(), ...);
}

}  // namespace pto
