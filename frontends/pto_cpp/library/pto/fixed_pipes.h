// TMPipe: the earlier form of a queue of tiles (pipes.h). It has one direction, the types of its tiles are its parameters, and the
// kernel says which tile is pushed and popped, and whether a push or pop waits and signals.
#pragma once

#include "pto/pipes.h"

namespace pto {

enum class FIFOType : std::uint8_t { GM_FIFO = 0, VEC_FIFO = 1, MAT_FIFO = 2, CTRL_FIFO = 3 };
enum class VecCubeRatio : std::uint8_t { V1C1_VEC0 = 0, V1C1_VEC1 = 1, V2C1_VECS = 2 };

template <std::uint8_t Flag, FIFOType Type, std::uint8_t Depth, std::uint8_t Period, class Prod, class Cons, bool UnitFlag = false,
          std::uint8_t LocalDepth = 2, VecCubeRatio Ratio = VecCubeRatio::V2C1_VECS>
struct TMPipe {
  static constexpr bool is_c2v = Prod::Loc == TileType::Acc && Cons::Loc == TileType::Vec;
  static constexpr bool is_v2c = Prod::Loc == TileType::Vec && Cons::Loc == TileType::Mat;
  static constexpr bool through_gm = Type == FIFOType::GM_FIFO;
  static_assert(is_c2v || is_v2c, "TMPipe: the simulator has queues from L0C to UB and from UB to L1");
  static_assert(through_gm || (tsr_detail::kIsA5 && Type == (is_c2v ? FIFOType::VEC_FIFO : FIFOType::MAT_FIFO)),
                "TMPipe: a queue lies in GM, or on A5 in the buffer of its consumer");
  static_assert(Flag + 1 < 16, "TMPipe: there are 16 flags, and a queue takes two");

  struct DataFiFo {
    static constexpr int fifoDepth = Depth, fifoPeriod = Period, localFiFoDepth = LocalDepth;
    static constexpr FIFOType fifoType = Type;
    static constexpr bool useLocalFiFo = LocalDepth > 0;
    char* fifoBase;
    std::uint32_t localFiFoBase;
  };
  // Only the kind of core at that end waits and signals.
  struct Producer : tsr_detail::PipeProducer {
    TSR_INLINE void allocate() const {
      if constexpr (kProduces) tsr_detail::wait_between(is_c2v ? PIPE_FIX : PIPE_MTE3, Flag + 1, true);
    }
    TSR_INLINE void record() const {
      if constexpr (kProduces) tsr_detail::set_between(is_c2v ? PIPE_FIX : PIPE_MTE3, Flag, true);
    }
  };
  struct Consumer : tsr_detail::PipeConsumer {
    TSR_INLINE void wait() const {
      if constexpr (!kProduces) tsr_detail::wait_between(through_gm ? PIPE_MTE2 : kReader, Flag, true);
    }
    TSR_INLINE void free() const {
      constexpr bool by_copy = !tsr_detail::kIsA5 || (through_gm && is_c2v);
      if constexpr (!kProduces) tsr_detail::set_between(by_copy ? PIPE_MTE2 : kReader, Flag + 1, true);
    }
  };
  DataFiFo fifo;
  Producer prod;
  Consumer cons;

  explicit TSR_INLINE TMPipe(const void* gm, std::uint32_t local = 0) : fifo{static_cast<char*>(const_cast<void*>(gm)), local} {
    static_assert(through_gm, "TMPipe: a queue outside of GM takes the address in its buffer");
    cons.free();
  }
  explicit TSR_INLINE TMPipe(std::uint32_t local) : fifo{nullptr, local} { cons.free(); }
  TSR_INLINE ~TMPipe() { prod.allocate(); }
  TMPipe(const TMPipe&) = delete;

  TSR_INLINE void push(Prod& tile) {
    if constexpr (!through_gm) push_to_core(tile);
    else if constexpr (is_c2v) push_sums(tile);
    else push_columns(tile);
  }
  TSR_INLINE void pop(Cons& tile) {
    if constexpr (through_gm) {
      if constexpr (LocalDepth > 0)
        TASSIGN(tile, fifo.localFiFoBase + cons.tileIndex % LocalDepth * (Cons::Numel * sizeof(typename Cons::DType)));
      if constexpr (is_c2v) pop_parts(tile);
      else TLOAD(tile, part<typename Cons::DType>(slot(cons, Cons::Rows * Prod::Cols * sizeof(typename Cons::DType)), Cons::Rows, Cons::Cols));
    }
    if constexpr (!tsr_detail::kIsA5) ++cons.tileIndex;
  }

 private:
  static constexpr bool kProduces = tsr_detail::kIsCube == is_c2v;
  static constexpr pipe_t kReader = is_c2v ? PIPE_V : PIPE_MTE1;
  static constexpr int kParts = is_c2v ? Cons::Cols / Prod::Cols : Prod::Cols / Cons::Cols;  // parts of the wider tile, side by side

  template <class T>
  static TSR_INLINE tsr_detail::RingTensor<T> part(char* at, std::int64_t rows, std::int64_t columns) {
    return tsr_detail::RingTensor<T>(reinterpret_cast<T*>(at), Shape<1, 1, 1, DYNAMIC, DYNAMIC>(rows, columns),
                                     Stride<1, 1, 1, DYNAMIC, 1>(columns));
  }
  TSR_INLINE char* slot(const tsr_detail::PipeEnd& end, std::size_t bytes) const {
    return fifo.fifoBase + end.tileIndex % Depth * bytes + end.entryOffset;
  }
  TSR_INLINE void push_sums(Prod& tile) {
    using T = typename Prod::DType;
    auto to = part<T>(slot(prod, kParts * Prod::Numel * sizeof(T)), Prod::Rows, Prod::Cols);
    if constexpr (UnitFlag) TSTORE<STPhase::Final>(to, tile);
    else TSTORE(to, tile);
  }
  /// Calls work(place, columns) for the parts of a tile whose columns are those of several tiles of the other side, which lie one after
  /// the other in the slot.
  template <class Other, class Whole, class Work>
  TSR_INLINE void by_columns(const tsr_detail::PipeEnd& end, Whole& tile, Work work) {
    using T = typename Prod::DType;
    char* const base = slot(end, kParts * Other::Numel * sizeof(T));
    Tile<TileType::Vec, T, Whole::Rows, Whole::Cols, BLayout::RowMajor, Whole::Rows, Other::Cols> columns;
    for (int n = 0; n < kParts; ++n) {
      TASSIGN(columns, tile.address + n * Other::Cols * sizeof(T));
      work(part<T>(base + n * Other::Numel * sizeof(T), Whole::Rows, Other::Cols), columns);
    }
  }
  TSR_INLINE void push_columns(Prod& tile) {
    by_columns<Cons>(prod, tile, [](auto to, auto& columns) { TSTORE(to, columns); });
  }
  TSR_INLINE void pop_parts(Cons& tile) {
    by_columns<Prod>(cons, tile, [](auto from, auto& columns) { TLOAD(columns, from); });
  }
  /// Into the buffer of the consumer, where it finds the tile.
  TSR_INLINE void push_to_core(Prod& tile) {
    using T = typename Prod::DType;
    constexpr bool two = Ratio == VecCubeRatio::V2C1_VECS;
    constexpr bool rows = two && Prod::Rows != Cons::Rows && Prod::Cols == Cons::Cols;
    constexpr bool columns = two && Prod::Rows == Cons::Rows && Prod::Cols != Cons::Cols;
    static_assert(rows || columns || (!two && Prod::Rows == Cons::Rows && Prod::Cols == Cons::Cols),
                  "TMPipe: both AIVs take half of the rows or half of the columns, or one AIV takes the tile");
    if constexpr (is_c2v) {
      constexpr int height = rows ? Prod::Rows / 2 : Prod::Rows, width = columns ? Prod::Cols / 2 : Prod::Cols;
      constexpr AccToVecMode mode = rows      ? AccToVecMode::DualModeSplitM
                                    : columns ? AccToVecMode::DualModeSplitN
                                              : AccToVecMode::SingleModeVec0;
      Tile<TileType::Vec, T, height, width, BLayout::RowMajor, height, width> to;
      TASSIGN(to, fifo.localFiFoBase + prod.tileIndex % Depth * (height * width * sizeof(T)) + prod.entryOffset);
      TMOV<decltype(to), Prod, mode>(to, tile);
    } else {
      const std::int64_t aiv = get_subblockid();
      Cons to;
      TASSIGN(to, fifo.localFiFoBase + prod.tileIndex % Depth * (Cons::Numel * sizeof(T)));
      TINSERT(to, tile, rows ? Cons::Rows / 2 * aiv : 0, columns ? Prod::Cols * aiv : 0);
    }
  }
};

template <class T, class P>
TSR_INLINE std::void_t<typename P::DataFiFo> TPUSH(T& tile, P& pipe) {
  if (pipe.prod.waits) pipe.prod.allocate();
  pipe.push(tile);
  if (pipe.prod.signals) pipe.prod.record();
}
template <class T, class P, class = typename P::DataFiFo>
TSR_INLINE void TPOP(T& tile, P& pipe) {
  if (pipe.cons.waits) pipe.cons.wait();
  pipe.pop(tile);
  if (P::through_gm && pipe.cons.signals) pipe.cons.free();
}
template <class P, class = typename P::DataFiFo>
TSR_INLINE void TFREE(P& pipe) {
  if (tsr_detail::kIsA5 && pipe.cons.signals) pipe.cons.free();
}

}  // namespace pto
