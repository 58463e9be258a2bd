// The byte addresses of a vector in memory, element by element (reference wse.md 5.2 to 5.4): one
// loop (mem1d), up to four nested loops (mem4d), or a circular buffer (circbuf).
//
// A walk holds only what moves, because engines have many of them. Strides of the outer loops, trip
// counts and the bounds of a circular buffer are those of the descriptor, which every call gets; so is
// the size of an element in bytes, which may be that of the operation (Dsd::element_bytes).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/pe/program.h"

namespace tessera::pe {

/// Whether all elements lie in one loop, and not in a ring.
inline bool is_in_line(const Dsd& dsd) {
  return dsd.dimensions <= 1 && dsd.kind != DsdKind::kCircbuf;
}

class AddressWalk {
 public:
  AddressWalk() = default;
  /// `base` and `stride` of the inner loop as the DSR has them now, in bytes and elements.
  AddressWalk(std::uint32_t base, std::int16_t stride) : position_(base), stride_(stride) {}

  /// Address of the next element; after the last element, of the element that the slowest loop
  /// would go on to (wse.md 5.11 save_address).
  std::uint32_t address() const { return position_ + offset_; }
  /// The same without what shift() adds.
  std::uint32_t position() const { return position_; }
  /// From now on `bytes` are added to every address (wse.md 5.2 wavelet_index_offset).
  void shift(std::uint32_t bytes) { offset_ = bytes; }
  /// Of the inner loop, in elements.
  std::int16_t stride() const { return stride_; }
  /// Distance of neighbours in the inner loop, in bytes.
  std::int32_t step(unsigned bytes) const { return stride_ * static_cast<std::int32_t>(bytes); }

  void next(const Dsd& dsd, unsigned bytes) {
    unsigned loop = 0;
    while (loop + 1U < dsd.dimensions && ++done_[loop] >= dsd.extents[loop]) done_[loop++] = 0;
    const std::int32_t stride = loop == 0 ? stride_ : dsd.strides[loop];
    position_ += static_cast<std::uint32_t>(stride) * bytes;
    if (dsd.kind == DsdKind::kCircbuf && position_ >= wrap_at(dsd)) position_ = dsd.wrap_base;
  }

  /// next() where is_in_line(dsd).
  void next_in_line(unsigned bytes) {
    position_ += static_cast<std::uint32_t>(std::int32_t{stride_}) * bytes;
  }

  /// The same `elements` times.
  void skip_in_line(unsigned bytes, std::uint32_t elements) {
    position_ += static_cast<std::uint32_t>(std::int32_t{stride_}) * bytes * elements;
  }

  /// Whether its first `elements` elements lie on word boundaries in [begin, end). Requires that it
  /// stands at the first and elements > 0. False when it would take long to say: a circular buffer
  /// that is walked backwards or ends at `end`.
  bool stays_inside(const Dsd& dsd, unsigned bytes, std::uint32_t elements, std::uint32_t begin,
                    std::uint32_t end) const {
    if (address() % 2 != 0) return false;
    if (dsd.kind == DsdKind::kCircbuf) return ring_stays_inside(dsd, begin, end);
    // An element is named by one digit a loop. It lies at the start plus the sum of digit * span;
    // the span of a loop is its own step plus the way that its inner loops have gone when it moves.
    std::int64_t low = address();
    std::int64_t high = low + bytes;
    std::int64_t inner = 0;              // the way of the inner loops
    std::uint64_t moves = elements - 1;  // moves of this loop and those outside it
    for (unsigned k = 0; low >= begin && high <= end && moves != 0; ++k) {
      const bool slowest = k + 1U >= dsd.dimensions;
      const std::uint64_t trips = std::max<std::uint64_t>(dsd.extents[k], 1);
      const std::uint64_t digit = slowest ? moves : std::min(moves, trips - 1);
      const std::int64_t stride = k == 0 ? stride_ : dsd.strides[k];
      const std::int64_t way =
          static_cast<std::int64_t>(digit) * (stride * std::int64_t{bytes} + inner);
      low += std::min<std::int64_t>(way, 0);
      high += std::max<std::int64_t>(way, 0);
      inner += way;
      moves = slowest ? 0 : moves / trips;
    }
    return low >= begin && high <= end;
  }

  /// Saves or restores what changes (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(position_, offset_, stride_, done_);
  }

 private:
  static std::uint32_t wrap_at(const Dsd& dsd) {
    return dsd.wrap_base + std::uint32_t{dsd.wrap_count} * dsd.element_bytes;
  }
  bool ring_stays_inside(const Dsd& dsd, std::uint32_t begin, std::uint32_t end) const {
    if (dsd.wrap_base % 2 != 0 || stride_ < 0) return false;
    const std::uint32_t low = std::min<std::uint32_t>(position_, dsd.wrap_base);
    const std::uint32_t high = std::max(position_, wrap_at(dsd));
    return low + offset_ >= begin && high + offset_ + dsd.element_bytes <= end;
  }

  std::uint32_t position_ = 0;
  std::uint32_t offset_ = 0;
  std::int16_t stride_ = 1;                               // elements, of the inner loop
  std::array<std::uint16_t, kMaxDimensions - 1> done_{};  // trips, of all loops but the slowest
};

}  // namespace tessera::pe
