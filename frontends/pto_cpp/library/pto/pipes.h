// Queues of tiles between the cube and the vector cores of a cluster (ascend.md 3.5). They are made of cross-core flags and
// moves: on A2/A3 through a ring in GM, on A5 straight into UB and L1 if the direction does not name GM.
#pragma once

#include "pto/specialties.h"

namespace pto {

enum Direction : std::uint8_t {
  UNDEFINED = 0,
  DIR_C2V = 1,
  DIR_V2C = 2,
  DIR_BOTH = 3,
  DIR_V2C_CTRL = 4,
  DIR_C2V_GM = 5,
  DIR_V2C_GM = 6,
  DIR_BOTH_GM = 7
};

namespace tsr_detail {
#ifdef __DAV_CUBE__
inline constexpr bool kIsCube = true;
#else
inline constexpr bool kIsCube = false;
#endif
#ifdef PTO_NPU_ARCH_A5
inline constexpr bool kIsA5 = true;
#else
inline constexpr bool kIsA5 = false;
#endif
constexpr bool is_odd(TileSplitAxis split) {
  return split == TileSplitAxis::TILE_UP_DOWN_ODD || split == TileSplitAxis::TILE_LEFT_RIGHT_ODD;
}
constexpr bool splits_columns(TileSplitAxis split) {
  return split == TileSplitAxis::TILE_LEFT_RIGHT || split == TileSplitAxis::TILE_LEFT_RIGHT_ODD;
}

/// The state of one end of a queue.
struct PipeEnd {
  int tileIndex = 0, subTileIndex = 0, entryOffset = 0;
  bool waits = true, signals = true;

  TSR_INLINE void setTileId(int index, int sub) {
    tileIndex = index;
    subTileIndex = sub;
  }
  TSR_INLINE int getTileId() const { return tileIndex; }
  TSR_INLINE int getSubTileId() const { return subTileIndex; }
  TSR_INLINE void setEntryOffset(int offset) { entryOffset = offset; }
};
struct PipeProducer : PipeEnd {
  TSR_INLINE void setAllocateStatus(bool on) { waits = on; }
  TSR_INLINE void setRecordStatus(bool on) { signals = on; }
  TSR_INLINE bool getAllocateStatus() const { return waits; }
  TSR_INLINE bool getRecordStatus() const { return signals; }
};
struct PipeConsumer : PipeEnd {
  TSR_INLINE void setWaitStatus(bool on) { waits = on; }
  TSR_INLINE void setFreeStatus(bool on) { signals = on; }
  TSR_INLINE bool getWaitStatus() const { return waits; }
  TSR_INLINE bool getFreeStatus() const { return signals; }
};

/// Flags between the kinds of core; `both`: with both AIVs on A5, where a flag has an id for each.
TSR_INLINE void set_between(pipe_t pipe, int flag, bool both) {
  if constexpr (kIsA5) {
    set_intra_block(pipe, flag);
    if (kIsCube && both) set_intra_block(pipe, flag + 16);
  } else {
    ffts_cross_core_sync(pipe, getFFTSMsg(CV_CORE_SYNC, static_cast<std::uint16_t>(flag)));
  }
}
TSR_INLINE void wait_between(pipe_t pipe, int flag, bool both) {
  if constexpr (kIsA5) {
    wait_intra_block(pipe, flag);
    if (kIsCube && both) wait_intra_block(pipe, flag + 16);
  } else {
    wait_flag_dev(flag);
  }
}
}  // namespace tsr_detail

template <std::uint8_t Flag, std::uint8_t Dir, std::uint32_t SlotSize, std::uint32_t SlotNum, std::uint32_t LocalSlotNum = 2,
          bool IsNoSplit = false, bool UnitFlag = false>
struct TPipe {
  struct RingFiFo {
    static constexpr std::uint32_t SLOT_SIZE = SlotSize, SLOT_NUM = SlotNum, LOCAL_SLOT_NUM = LocalSlotNum;
    char* GM_SLOT_BUFFER;
    std::uint32_t C2V_CONSUMER_BUF, V2C_CONSUMER_BUF;
  };
  static constexpr bool is_cube = tsr_detail::kIsCube, is_a5 = tsr_detail::kIsA5;
  static constexpr bool is_both = Dir == DIR_BOTH || Dir == DIR_BOTH_GM;
  static constexpr bool to_vector = is_both || Dir == DIR_C2V || Dir == DIR_C2V_GM;
  static constexpr bool to_cube = is_both || Dir == DIR_V2C || Dir == DIR_V2C_GM;
  static constexpr bool through_gm = !is_a5 || Dir > DIR_V2C_CTRL;
  static constexpr bool produces = is_cube ? to_vector : to_cube, consumes = is_cube ? to_cube : to_vector;
  static constexpr std::uint32_t SyncPeriod = SlotNum <= 2 ? SlotNum : SlotNum / 2;
  // Ready, and after it free.
  static constexpr int kOut = !is_cube && is_both ? Flag + 2 : Flag, kIn = is_cube && is_both ? Flag + 2 : Flag;
  static_assert(to_vector || to_cube, "TPipe: the simulator has the directions C2V, V2C and BOTH, also through GM");
  static_assert(SlotNum >= 1, "TPipe: a queue has at least one slot");
  static_assert(Flag + (is_both ? 3 : 1) < 16, "TPipe: there are 16 flags, and each direction takes two");

  using Producer = tsr_detail::PipeProducer;
  using Consumer = tsr_detail::PipeConsumer;
  RingFiFo fifo;
  Producer prod;
  Consumer cons;

  TSR_INLINE TPipe(const void* gm, std::uint32_t c2v, std::uint32_t v2c)
      : fifo{static_cast<char*>(const_cast<void*>(gm)), c2v, v2c} {
    if constexpr (is_both && through_gm) (is_cube ? static_cast<tsr_detail::PipeEnd&>(cons) : prod).setEntryOffset(SlotNum * SlotSize);
    if constexpr (is_a5 && consumes)
      for (std::uint32_t n = 0; n < SyncPeriod; ++n) free(!IsNoSplit);
  }
  TSR_INLINE ~TPipe() {
    if constexpr (produces)
      for (std::uint32_t n = 0; n < (is_a5 ? SyncPeriod : countPendingFreeCredits(prod.tileIndex)); ++n) allocate(!IsNoSplit);
  }
  TPipe(const TPipe&) = delete;

  static constexpr bool shouldWaitFree(std::uint32_t tile) { return tile >= SlotNum && tile % SyncPeriod == 0; }
  static constexpr bool shouldNotifyFree(std::uint32_t tile) { return (tile + 1) % SyncPeriod == 0; }
  /// Frees that have been signalled after so many tiles and that no push has waited for.
  static constexpr std::uint32_t countPendingFreeCredits(std::uint32_t tiles) {
    std::uint32_t signalled = 0, waited = 0;
    for (std::uint32_t n = 0; n < tiles; ++n) {
      signalled += shouldNotifyFree(n) ? 1 : 0;
      waited += shouldWaitFree(n) ? 1 : 0;
    }
    return signalled > waited ? signalled - waited : 0;
  }

  TSR_INLINE void allocate(bool both) const { tsr_detail::wait_between(out_pipe(), kOut + 1, both); }
  TSR_INLINE void record(bool both) const { tsr_detail::set_between(out_pipe(), kOut, both); }
  TSR_INLINE void wait(bool both) const { tsr_detail::wait_between(in_pipe(false), kIn, both); }
  TSR_INLINE void free(bool both) const { tsr_detail::set_between(in_pipe(true), kIn + 1, both); }

  /// The slot of a tile in GM.
  TSR_INLINE char* slot(const tsr_detail::PipeEnd& end) const {
    return fifo.GM_SLOT_BUFFER + (end.tileIndex % SlotNum) * SlotSize + end.entryOffset;
  }

 private:
  static constexpr pipe_t out_pipe() { return is_cube ? PIPE_FIX : PIPE_MTE3; }
  static constexpr pipe_t in_pipe(bool frees) {
    if (!is_a5 || (through_gm && !(is_cube && frees))) return PIPE_MTE2;
    return is_cube ? PIPE_MTE1 : PIPE_V;
  }
};

namespace tsr_detail {
template <class T>
using RingTensor = GlobalTensor<T, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;

/// Where the part of an AIV begins in a slot, and the columns from one row to the next.
template <TileSplitAxis Split, class T>
TSR_INLINE RingTensor<T> part_of_slot(char* slot, std::int64_t rows, std::int64_t columns, bool is_part, std::int64_t aiv) {
  std::int64_t offset = 0, stride = columns;
  if constexpr (Split != TileSplitAxis::TILE_NO_SPLIT) {
    const std::int64_t more = is_odd(Split) ? aiv : 0;  // the first part has one row or column more
    if (is_part && splits_columns(Split)) {
      offset = aiv * (columns + more);
      stride = 2 * columns + (is_odd(Split) ? 2 * aiv - 1 : 0);
    } else if (is_part) {
      offset = aiv * (rows + more) * columns;
    }
  }
  return RingTensor<T>(reinterpret_cast<T*>(slot) + offset, Shape<1, 1, 1, DYNAMIC, DYNAMIC>(rows, columns),
                       Stride<1, 1, 1, DYNAMIC, 1>(stride));
}

template <TileSplitAxis Split, class P, class T>
TSR_INLINE void push_to_gm(P& pipe, const T& tile, std::int64_t aiv) {
  auto to = part_of_slot<Split, typename T::DType>(pipe.slot(pipe.prod), tile.GetValidRow(), tile.GetValidCol(), !P::is_cube, aiv);
  TSTORE(to, tile);
}
/// From L0C to UB of the AIVs, or from UB to L1: the consumer finds the tile in its own buffer.
template <TileSplitAxis Split, class P, class T>
TSR_INLINE void push_to_core(P& pipe, const T& tile, std::int64_t aiv) {
  constexpr bool up_down = Split == TileSplitAxis::TILE_UP_DOWN, left_right = Split == TileSplitAxis::TILE_LEFT_RIGHT;
  const std::uint32_t entry = (pipe.prod.tileIndex % P::RingFiFo::SLOT_NUM) * P::RingFiFo::SLOT_SIZE + pipe.prod.entryOffset;
  if constexpr (P::is_cube) {
    constexpr int rows = up_down ? T::Rows / 2 : T::Rows, columns = left_right ? T::Cols / 2 : T::Cols;
    constexpr AccToVecMode mode = up_down      ? AccToVecMode::DualModeSplitM
                                  : left_right ? AccToVecMode::DualModeSplitN
                                               : AccToVecMode::SingleModeVec0;
    Tile<TileType::Vec, typename T::DType, rows, columns, BLayout::RowMajor, DYNAMIC, DYNAMIC> to(
        tile.GetValidRow() / (up_down ? 2 : 1), tile.GetValidCol() / (left_right ? 2 : 1));
    TASSIGN(to, pipe.fifo.C2V_CONSUMER_BUF + entry);
    TMOV<decltype(to), T, mode>(to, tile);
  } else {
    constexpr int rows = up_down ? T::Rows * 2 : T::Rows, columns = left_right ? T::Cols * 2 : T::Cols;
    Tile<TileType::Mat, typename T::DType, rows, columns, BLayout::ColMajor, DYNAMIC, DYNAMIC, SLayout::RowMajor> to(
        tile.GetValidRow() * (up_down ? 2 : 1), tile.GetValidCol() * (left_right ? 2 : 1));
    TASSIGN(to, pipe.fifo.V2C_CONSUMER_BUF + entry);
    TINSERT(to, tile, up_down ? tile.GetValidRow() * aiv : 0, left_right ? tile.GetValidCol() * aiv : 0);
  }
}
}  // namespace tsr_detail

template <class P, class T, TileSplitAxis Split>
TSR_INLINE void TPUSH(P& pipe, T& what, std::int64_t aiv = get_subblockid()) {
  constexpr bool both = Split != TileSplitAxis::TILE_NO_SPLIT;
  if constexpr (is_tile_data_v<T>) {
    if (pipe.prod.waits && P::shouldWaitFree(pipe.prod.tileIndex)) pipe.allocate(both);
    if constexpr (P::through_gm) tsr_detail::push_to_gm<Split>(pipe, what, aiv);
    else tsr_detail::push_to_core<Split>(pipe, what, aiv);
    ++pipe.prod.tileIndex;
  }
  if (pipe.prod.signals) pipe.record(both);
}
/// A slot in GM, which TPUSH of the tensor hands over.
template <class P, class G, TileSplitAxis Split>
TSR_INLINE void TALLOC(P& pipe, G& tensor) {
  static_assert(P::through_gm, "TALLOC: the slots of this queue do not lie in GM");
  if (pipe.prod.waits && P::shouldWaitFree(pipe.prod.tileIndex)) pipe.allocate(Split != TileSplitAxis::TILE_NO_SPLIT);
  tensor.SetAddr(tsr_detail::part_of_slot<Split, typename G::RawDType>(pipe.slot(pipe.prod), tensor.GetShape(3), tensor.GetShape(4),
                                                                       !P::is_cube, get_subblockid()).data());
  ++pipe.prod.tileIndex;
}
template <class P, class T, TileSplitAxis Split>
TSR_INLINE void TPOP(P& pipe, T& what) {
  constexpr bool both = Split != TileSplitAxis::TILE_NO_SPLIT;
  if (pipe.cons.waits) pipe.wait(both);
  const std::uint32_t index = pipe.cons.tileIndex;
  const std::uint32_t buffer = P::is_cube ? pipe.fifo.V2C_CONSUMER_BUF : pipe.fifo.C2V_CONSUMER_BUF;
  if constexpr (is_global_data_v<T>) {
    what.SetAddr(tsr_detail::part_of_slot<Split, typename T::RawDType>(pipe.slot(pipe.cons), what.GetShape(3), what.GetShape(4),
                                                                       !P::is_cube, get_subblockid()).data());
  } else if constexpr (P::through_gm) {
    constexpr std::uint32_t step = P::is_a5 ? T::Numel * sizeof(typename T::DType) : P::RingFiFo::SLOT_SIZE;
    TASSIGN(what, buffer + index % P::RingFiFo::LOCAL_SLOT_NUM * step);
    auto from = tsr_detail::part_of_slot<Split, typename T::DType>(pipe.slot(pipe.cons), what.GetValidRow(), what.GetValidCol(), !P::is_cube,
                                                                       get_subblockid());
    TLOAD(what, from);
    if (pipe.cons.signals && P::shouldNotifyFree(index)) pipe.free(both);
  } else {
    TASSIGN(what, buffer + index % P::RingFiFo::SLOT_NUM * P::RingFiFo::SLOT_SIZE + pipe.cons.entryOffset);
  }
  ++pipe.cons.tileIndex;
}
template <class P, TileSplitAxis Split>
TSR_INLINE void TFREE(P& pipe) {
  if constexpr (!P::through_gm)
    if (pipe.cons.signals && P::shouldNotifyFree(pipe.cons.tileIndex - 1)) pipe.free(Split != TileSplitAxis::TILE_NO_SPLIT);
}
template <class P, class G, TileSplitAxis Split>
TSR_INLINE void TFREE(P& pipe, G&) {
  if (pipe.cons.signals && P::shouldNotifyFree(pipe.cons.tileIndex - 1)) pipe.free(Split != TileSplitAxis::TILE_NO_SPLIT);
}

}  // namespace pto
