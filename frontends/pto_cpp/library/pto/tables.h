// TCONCAT by counts, and MGATHER and MSCATTER: rows or elements of a table in GM by indices (ascend_2.md 5.7). As on A2/A3 the scalar unit goes through
// the indices: a row is a copy of MTE2 or MTE3 of its own, an element a scalar load and store. A5 has threads for both, whose
// order makes no difference but for equal indices (the last one counts); the time there is that of the loop.
#pragma once

#include "pto/copies.h"
#include "pto/pipes.h"
#include "pto/specialties.h"

namespace pto {

enum class GatherExec : std::uint8_t { Scalar, Simt };

namespace tsr_detail {

/// Where an index leads: `element`, if `is_taken`.
struct TableIndex {
  std::uint32_t element = 0;
  bool is_taken = true;
};
template <GatherOOB Beyond>
TSR_INLINE TableIndex table_index(std::uint32_t index, std::uint32_t count) {
  if (Beyond == GatherOOB::Zero) return {index, index < count};
  if (Beyond == GatherOOB::Clamp) return {index < count ? index : count - 1, true};
  return {Beyond == GatherOOB::Wrap ? index % count : index, true};
}
template <ScatterOOB Beyond>
TSR_INLINE TableIndex table_index(std::uint32_t index, std::uint32_t count) {
  if (Beyond == ScatterOOB::Skip) return {index, index < count};
  if (Beyond == ScatterOOB::Clamp) return {index < count ? index : count - 1, true};
  return {Beyond == ScatterOOB::Wrap ? index % count : index, true};
}

/// Where element (r, c) of a tile lies, in elements.
template <class T>
TSR_INLINE std::int64_t offset_in(std::int64_t r, std::int64_t c) {
  if constexpr (!T::isBoxedLayout) return r * T::RowStride + c * T::ColStride;
  constexpr std::int64_t box = T::InnerRows * T::InnerCols;
  return c / T::InnerCols * (T::Rows / T::InnerRows * box) + r / T::InnerRows * box +
         r % T::InnerRows * T::InnerCols + c % T::InnerCols;
}

/// A tensor in GM whose rows, or elements, indices count.
template <class G>
struct Table {
  using T = typename G::RawDType;
  static constexpr bool is_nz = G::layout == Layout::NZ;
  static constexpr std::int64_t k0 = 32 / sizeof(T);
  const G& of;

  TSR_INLINE T* data() const { return const_cast<T*>(of.data()); }
  TSR_INLINE std::int64_t columns() const {
    return is_nz ? of.shape[0] * of.shape[1] * k0 : of.shape[4];
  }
  TSR_INLINE std::int64_t rows() const {
    return is_nz ? of.shape[2] * 16 : of.shape[0] * of.shape[1] * of.shape[2] * of.shape[3];
  }
  TSR_INLINE std::int64_t at(std::int64_t r, std::int64_t c) const {
    if constexpr (!is_nz) return r * of.stride[3] + c;
    const std::int64_t block = c / k0;
    return block / of.shape[1] * of.stride[0] + block % of.shape[1] * of.stride[1] +
           r / 16 * of.stride[2] + r % 16 * of.stride[3] + c % k0 * of.stride[4];
  }
  /// Element `n`, counted row by row. Those of ND lie one after the other.
  TSR_INLINE std::int64_t at(std::int64_t n) const {
    return is_nz ? at(n / columns(), n % columns()) : n;
  }
};

template <class T, int Rows, int Columns, TileType Where = TileType::Vec>
using Pieces = Tile<Where, T, Rows, Columns, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
template <class T>
using PiecesInGm = GlobalTensor<T, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;

/// Calls move(tile, tensor) for row `r` of a tile in UB and row `n` of a table: once, or for each outer dimension of NZ.
template <class D, class G, class Move>
TSR_INLINE void move_row(const D& tile, std::int64_t r, const Table<G>& table, std::int64_t n,
                         Move move) {
  using T = typename D::DType;
  if constexpr (Table<G>::is_nz) {
    constexpr int k0 = static_cast<int>(Table<G>::k0), blocks = D::Cols / k0;
    for (std::int64_t outer = 0; outer < table.of.shape[0]; ++outer) {
      const std::int64_t count = table.of.shape[1], first = outer * count * k0;
      Pieces<T, blocks, D::Rows * k0> part(count, k0);
      TASSIGN(part, tile.address + offset_in<D>(r, first) * sizeof(T));
      move(part, PiecesInGm<T>(table.data() + table.at(n, first),
                               Shape<1, 1, 1, DYNAMIC, DYNAMIC>(count, k0),
                               Stride<1, 1, 1, DYNAMIC, 1>(table.of.stride[1])));
    }
  } else {
    const std::int64_t columns = tile.valid_columns;
    Pieces<T, 1, D::Cols> part(1, columns);
    TASSIGN(part, tile.address + offset_in<D>(r, 0) * sizeof(T));
    move(part,
         PiecesInGm<T>(table.data() + table.at(n, 0), Shape<1, 1, 1, DYNAMIC, DYNAMIC>(1, columns),
                       Stride<1, 1, 1, DYNAMIC, 1>(columns)));
  }
}

// Flags of the library's own: 0 as in the public library, whose loop has them too; on A5, where it has none, the last one.
inline constexpr int kTableFlag = kIsA5 ? 7 : 0;
template <pipe_t From, pipe_t To>
TSR_INLINE void order_tables() {
  set_flag(From, To, kTableFlag);
  wait_flag(From, To, kTableFlag);
}
/// Threads of A5 are part of V, and what they store is in GM at once.
TSR_INLINE void begin_table() {
  order_tables<PIPE_V, PIPE_S>();
  if constexpr (kIsA5) dcci(static_cast<void*>(nullptr), ENTIRE_DATA_CACHE);
}
TSR_INLINE void end_table() {
  if constexpr (kIsA5) {
    dcci(static_cast<void*>(nullptr), ENTIRE_DATA_CACHE);
    dsb(DSB_DDR);
    order_tables<PIPE_S, PIPE_V>();
  } else {
    order_tables<PIPE_S, PIPE_V>();
    order_tables<PIPE_S, PIPE_MTE2>();
    order_tables<PIPE_S, PIPE_MTE3>();
  }
}

template <GatherOOB Beyond, class D, class G, class I>
TSR_INLINE void gather_table_rows(const D& result, const Table<G>& table, const I& indices) {
  const auto rows = static_cast<std::uint32_t>(table.rows());
  begin_table();
  if constexpr (kIsA5)
    order_tables<PIPE_S, PIPE_MTE2>();
  else
    order_tables<PIPE_MTE3, PIPE_S>();
  for (int r = 0; r < result.valid_rows; ++r) {
    const TableIndex from =
        table_index<Beyond>(static_cast<std::uint32_t>(indices.data()[r]), rows);
    if (from.is_taken)
      move_row(result, r, table, from.element,
               [](auto& part, const auto& row) { TLOAD(part, row); });
    else
      for (int c = 0; c < result.valid_columns; ++c) result.data()[offset_in<D>(r, c)] = {};
  }
  if constexpr (!kIsA5) order_tables<PIPE_S, PIPE_MTE2>();
  order_tables<PIPE_MTE2, PIPE_V>();
  if constexpr (!kIsA5) order_tables<PIPE_MTE2, PIPE_MTE3>();
  end_table();
}
template <GatherOOB Beyond, class D, class G, class I>
TSR_INLINE void gather_table_elements(const D& result, const Table<G>& table, const I& indices,
                                      bool by_row) {
  const auto count =
      static_cast<std::uint32_t>(by_row ? table.rows() : table.rows() * table.columns());
  begin_table();
  if constexpr (!kIsA5) order_tables<PIPE_MTE3, PIPE_S>();
  if constexpr (!kIsA5) order_tables<PIPE_MTE2, PIPE_S>();
  for (int r = 0; r < result.valid_rows; ++r)
    for (int c = 0; c < result.valid_columns; ++c) {
      const std::int64_t at = by_row ? r : offset_in<I>(r, c);
      const TableIndex from =
          table_index<Beyond>(static_cast<std::uint32_t>(indices.data()[at]), count);
      auto& to = result.data()[offset_in<D>(r, c)];
      if (from.is_taken)
        to = table.data()[by_row ? table.at(from.element, c) : table.at(from.element)];
      else
        to = {};
    }
  end_table();
}

/// Into boxes of L1 by indices in GM, row by row.
template <GatherOOB Beyond, class D, class G, class I>
TSR_INLINE void gather_rows_to_l1(const D& result, const Table<G>& table, const I& indices) {
  using T = typename D::DType;
  if constexpr (Beyond == GatherOOB::Zero) {
    Run<TileType::Mat, std::uint16_t, D::Numel * sizeof(T)> all(D::Numel *
                                                                static_cast<int>(sizeof(T)) / 2);
    TASSIGN(all, result.address);
    TEXPANDS(all, std::uint16_t{0});
  }
  for (int r = 0; r < result.valid_rows; ++r) {
    const TableIndex from = table_index<Beyond>(static_cast<std::uint32_t>(indices.data()[r]),
                                                static_cast<std::uint32_t>(table.rows()));
    if (!from.is_taken) continue;
    Tile<TileType::Mat, T, D::Rows, D::Cols, BLayout::ColMajor, DYNAMIC, DYNAMIC, SLayout::RowMajor>
        row(1, result.valid_columns);
    TASSIGN(row, result.address + offset_in<D>(r, 0) * sizeof(T));
    TLOAD(row, PiecesInGm<T>(table.data() + table.at(from.element, 0),
                             Shape<1, 1, 1, DYNAMIC, DYNAMIC>(1, result.valid_columns),
                             Stride<1, 1, 1, DYNAMIC, 1>(result.valid_columns)));
  }
  order_tables<PIPE_S, PIPE_MTE2>();
}
/// Element by element through memory in GM, which gets the boxes.
template <GatherOOB Beyond, class D, class G, class I, class Scratch>
TSR_INLINE void gather_elements_to_scratch(const D& result, const Table<G>& table, const I& indices,
                                           const Scratch& scratch) {
  using T = typename D::DType;
  auto* const to = const_cast<typename Scratch::RawDType*>(scratch.data());
  for (int n = 0; n < D::Numel; ++n) to[n] = {};
  for (int r = 0; r < result.valid_rows; ++r)
    for (int c = 0; c < result.valid_columns; ++c) {
      const auto index = static_cast<std::uint32_t>(indices.data()[r * indices.stride[3] + c]);
      const TableIndex from =
          table_index<Beyond>(index, static_cast<std::uint32_t>(table.rows() * table.columns()));
      if (from.is_taken) to[offset_in<D>(r, c)] = table.data()[from.element];
    }
  for (std::size_t byte = 0; byte < D::Numel * sizeof(T); byte += 64)
    dcci(reinterpret_cast<char*>(to) + byte, SINGLE_CACHE_LINE);
  dsb(DSB_DDR);
}

template <class D, class I>
inline constexpr bool is_gather_to_l1 = D::Loc == TileType::Mat&& is_global_data_v<I>;

}  // namespace tsr_detail

template <Coalesce How = Coalesce::Row, GatherOOB Beyond = GatherOOB::Undefined, class D, class G,
          class I, class... E,
          class = std::enable_if_t<is_tile_data_v<D> && !(is_global_data_v<E> || ...)>>
TSR_INLINE RecordEvent MGATHER(const D& result, const G& source, const I& indices,
                               const E&... events) {
  (tsr_detail::wait_for(events), ...);
  using Index = std::remove_cv_t<typename I::DType>;
  static_assert(std::is_same_v<typename D::DType, typename G::RawDType>,
                "MGATHER: the table and the result have one type");
  static_assert(std::is_same_v<Index, std::int32_t> || std::is_same_v<Index, std::uint32_t>,
                "MGATHER: indices are int32_t or uint32_t");
  const tsr_detail::Table<G> table{source};
  if constexpr (tsr_detail::is_gather_to_l1<D, I>) {
    static_assert(How == Coalesce::Row,
                  "MGATHER: elements go to L1 through memory in GM, a fourth operand");
    if constexpr (tsr_detail::kIsCube)
      tsr_detail::gather_rows_to_l1<Beyond>(result, table, indices);
  } else {
    static_assert(D::Loc == TileType::Vec && I::Loc == TileType::Vec,
                  "MGATHER: the result and the indices lie in UB");
    constexpr bool boxes = D::isBoxedLayout, by_row = How == Coalesce::Row;
    static_assert(boxes == tsr_detail::Table<G>::is_nz,
                  "MGATHER: a table of NZ goes to a tile of boxes, one of ND to a plain one");
    if constexpr (by_row && (boxes || D::isRowMajor))
      tsr_detail::gather_table_rows<Beyond>(result, table, indices);
    else
      tsr_detail::gather_table_elements<Beyond>(result, table, indices, by_row);
  }
  return {};
}
template <Coalesce How = Coalesce::Elem, GatherOOB Beyond = GatherOOB::Undefined,
          GatherExec Exec = GatherExec::Scalar, class D, class G, class I, class S, class... E,
          class = std::enable_if_t<is_global_data_v<S>>>
TSR_INLINE RecordEvent MGATHER(const D& result, const G& source, const I& indices, const S& scratch,
                               const E&... events) {
  using namespace tsr_detail;
  (wait_for(events), ...);
  static_assert(How == Coalesce::Elem && is_gather_to_l1<D, I>,
                "MGATHER: memory in GM is for elements that go to L1");
  constexpr int kDone = 2;
  // Threads of the vector core gather; otherwise the scalar unit of the cube core does.
  constexpr bool by_threads = Exec == GatherExec::Simt;
  static_assert(kIsA5 || !by_threads, "MGATHER: A2/A3 have no threads");
  if constexpr (by_threads && !kIsCube) {
    if (get_subblockid() != 0) return {};
    begin_table();
    gather_elements_to_scratch<Beyond>(result, Table<G>{source}, indices, scratch);
    set_intra_block(PIPE_S, kDone);
  }
  if constexpr (kIsCube) {
    if constexpr (by_threads) {
      wait_intra_block(PIPE_MTE2, kDone);
    } else {
      gather_elements_to_scratch<Beyond>(result, Table<G>{source}, indices, scratch);
      order_tables<PIPE_S, PIPE_MTE2>();
    }
    const std::int64_t blocks = D::Numel * sizeof(typename D::DType) / kBlockBytes;
    copy_gm_to_cbuf(reinterpret_cast<void*>(result.address), scratch.data(), 0, 1, blocks, 0, 0);
  }
  return {};
}

namespace tsr_detail {

template <ScatterAtomicOp Combine, class T>
TSR_INLINE void combine_in_table(T& there, T value) {
  if constexpr (Combine == ScatterAtomicOp::None)
    there = value;
  else if constexpr (Combine == ScatterAtomicOp::Add && !std::is_integral_v<T>)
    there = static_cast<T>(static_cast<float>(there) + static_cast<float>(value));
  else if constexpr (Combine == ScatterAtomicOp::Add)
    there = static_cast<T>(static_cast<std::uint32_t>(there) + static_cast<std::uint32_t>(value));
  else if constexpr (Combine == ScatterAtomicOp::Max)
    there = there < value ? value : there;
  else
    there = value < there ? value : there;
}

template <ScatterAtomicOp Combine, ScatterOOB Beyond, class S, class G, class I>
TSR_INLINE void scatter_table_rows(const S& from, const Table<G>& table, const I& indices) {
  constexpr AtomicType kHow =
      Combine == ScatterAtomicOp::Add ? AtomicType::AtomicAdd : AtomicType::AtomicNone;
  begin_table();
  if constexpr (!kIsA5) order_tables<PIPE_MTE2, PIPE_S>();
  order_tables<PIPE_S, PIPE_MTE3>();
  for (int r = 0; r < from.valid_rows; ++r) {
    const TableIndex to = table_index<Beyond>(static_cast<std::uint32_t>(indices.data()[r]),
                                              static_cast<std::uint32_t>(table.rows()));
    if (!to.is_taken) continue;
    move_row(from, r, table, to.element, [](auto& part, auto row) {
      TSTORE<std::decay_t<decltype(part)>, decltype(row), kHow>(row, part);
    });
    if constexpr (Combine == ScatterAtomicOp::None) order_tables<PIPE_MTE3, PIPE_S>();
  }
  if constexpr (Combine == ScatterAtomicOp::Add) order_tables<PIPE_MTE3, PIPE_S>();
  order_tables<PIPE_MTE3, PIPE_V>();
  if constexpr (!kIsA5) order_tables<PIPE_MTE3, PIPE_MTE2>();
  end_table();
}
template <ScatterAtomicOp Combine, ScatterOOB Beyond, class S, class G, class I>
TSR_INLINE void scatter_table_elements(const S& from, const Table<G>& table, const I& indices,
                                       bool by_row) {
  const auto count =
      static_cast<std::uint32_t>(by_row ? table.rows() : table.rows() * table.columns());
  begin_table();
  if constexpr (!kIsA5) order_tables<PIPE_MTE2, PIPE_S>();
  if constexpr (!kIsA5) order_tables<PIPE_MTE3, PIPE_S>();
  for (int r = 0; r < from.valid_rows; ++r)
    for (int c = 0; c < from.valid_columns; ++c) {
      const std::int64_t at = by_row ? r : offset_in<I>(r, c);
      const TableIndex to =
          table_index<Beyond>(static_cast<std::uint32_t>(indices.data()[at]), count);
      if (!to.is_taken) continue;
      combine_in_table<Combine>(
          table.data()[by_row ? table.at(to.element, c) : table.at(to.element)],
          from.data()[offset_in<S>(r, c)]);
    }
  end_table();
}

}  // namespace tsr_detail

template <Coalesce How = Coalesce::Row, ScatterAtomicOp Combine = ScatterAtomicOp::None,
          ScatterOOB Beyond = ScatterOOB::Undefined,
          ScatterConflict Conflict = ScatterConflict::Last, class G, class S, class I, class... E>
TSR_INLINE RecordEvent MSCATTER(const G& target, const S& from, const I& indices,
                                const E&... events) {
  (tsr_detail::wait_for(events), ...);
  using Index = std::remove_cv_t<typename I::DType>;
  static_assert(std::is_same_v<typename S::DType, typename G::RawDType>,
                "MSCATTER: the table and the source have one type");
  static_assert(std::is_same_v<Index, std::int32_t> || std::is_same_v<Index, std::uint32_t>,
                "MSCATTER: indices are int32_t or uint32_t");
  static_assert(S::Loc == TileType::Vec && I::Loc == TileType::Vec,
                "MSCATTER: the source and the indices lie in UB");
  static_assert(S::isBoxedLayout == tsr_detail::Table<G>::is_nz,
                "MSCATTER: a tile of boxes goes to a table of NZ, a plain one to ND");
  constexpr bool extreme = Combine == ScatterAtomicOp::Max || Combine == ScatterAtomicOp::Min;
  static_assert(tsr_detail::kIsA5 || !extreme, "MSCATTER: A2/A3 have no atomic maximum or minimum");
  const tsr_detail::Table<G> table{target};
  constexpr bool by_row = How == Coalesce::Row;
  if constexpr (by_row && !extreme && (S::isBoxedLayout || S::isRowMajor))
    tsr_detail::scatter_table_rows<Combine, Beyond>(from, table, indices);
  else
    tsr_detail::scatter_table_elements<Combine, Beyond>(from, table, indices, by_row);
  return {};
}

namespace tsr_detail {

/// `count` elements within a row of a tile in UB.
template <class T>
TSR_INLINE auto part_of_row(const T& tile, std::int64_t row, std::int64_t column,
                            std::int64_t count) {
  using E = typename T::DType;
  Run<TileType::Vec, E, 256 * 1024> part(count);
  TASSIGN(part, tile.address + static_cast<std::uint64_t>(row * T::RowStride + column) * sizeof(E));
  return part;
}

/// Each row: as many elements of a and b as the first index of the row says, in bytes of indices; `counts` gets their sum.
template <class D, class A, class B, class I, class J, class Counts>
TSR_INLINE void concat_by_counts(const D& result, const A& a, const B& b, const I& counts_a,
                                 const J& counts_b, const Counts* counts) {
  using Index = typename I::DType;
  constexpr std::int64_t block = kBlockBytes / sizeof(typename D::DType);
  const std::int64_t room = result.valid_columns;
  order_tables<PIPE_V, PIPE_S>();
  if constexpr (!kIsA5) order_tables<PIPE_MTE2, PIPE_S>();
  for (int r = 0; r < result.valid_rows; ++r) {
    const auto n = static_cast<std::int64_t>(counts_a.data()[r * I::RowStride] / sizeof(Index));
    const auto m = static_cast<std::int64_t>(counts_b.data()[r * J::RowStride] / sizeof(Index));
    if (counts != nullptr)
      counts->data()[r * Counts::RowStride] = static_cast<Index>(
          std::min<std::int64_t>(static_cast<Index>(n + m), room) * sizeof(Index));
    const std::int64_t first = std::min(n, room), second = std::min(m, room - first);
    order_tables<PIPE_S, PIPE_V>();
    if (first > 0) TMOV(part_of_row(result, r, 0, first), part_of_row(a, r, 0, first));
    if (second > 0 && first % block == 0)
      TMOV(part_of_row(result, r, first, second), part_of_row(b, r, 0, second));
    if (first % block == 0) continue;
    order_tables<PIPE_V, PIPE_S>();
    for (std::int64_t c = 0; c < second; ++c)
      result.data()[r * D::RowStride + first + c] = b.data()[r * B::RowStride + c];
    order_tables<PIPE_S, PIPE_V>();
    if constexpr (!kIsA5) order_tables<PIPE_S, PIPE_MTE3>();
  }
  if constexpr (!kIsA5) order_tables<PIPE_S, PIPE_MTE3>();
}

}  // namespace tsr_detail

// TCONCAT by counts: (result, a, b, counts of a, counts of b), or with the counts of the result in front of those.
#define TSR_CONCAT(NAME)                                                                           \
  template <class D, class A, class B, class I, class J, class... E,                               \
            class = std::enable_if_t<is_tile_data_v<I> && is_tile_data_v<J>>,                      \
            class = std::enable_if_t<!(is_tile_data_v<E> || ...)>>                                 \
  TSR_INLINE RecordEvent NAME(D& result, A& a, B& b, I& counts_a, J& counts_b,                     \
                              const E&... events) {                                                \
    static_assert(std::is_same_v<typename I::DType, typename J::DType>,                            \
                  "TCONCAT: both tiles of counts have one type");                                  \
    (tsr_detail::wait_for(events), ...);                                                           \
    tsr_detail::concat_by_counts<D, A, B, I, J, I>(result, a, b, counts_a, counts_b, nullptr);     \
    return {};                                                                                     \
  }                                                                                                \
  template <class D, class A, class B, class C, class I, class J, class... E,                      \
            class = std::enable_if_t<is_tile_data_v<I> && is_tile_data_v<J>>>                      \
  TSR_INLINE RecordEvent NAME(D& result, A& a, B& b, C& counts, I& counts_a, J& counts_b,          \
                              const E&... events) {                                                \
    static_assert(std::is_same_v<typename I::DType, typename J::DType>,                            \
                  "TCONCAT: both tiles of counts have one type");                                  \
    (tsr_detail::wait_for(events), ...);                                                           \
    tsr_detail::concat_by_counts(result, a, b, counts_a, counts_b, &counts);                       \
    return {};                                                                                     \
  }
TSR_CONCAT(TCONCAT)
TSR_CONCAT(TCONCAT_IMPL)
#undef TSR_CONCAT

}  // namespace pto
