// The byte addresses of a vector in memory, element by element (reference wse.md 5.2 to 5.4): one
// loop (mem1d), up to four nested loops (mem4d), or a circular buffer (circbuf).
//
// A walk is only what moves: engines hold many. Strides of the outer loops, trips and the bounds of
// a circular buffer are those of the descriptor, which every call is given.
#pragma once

#include <array>
#include <cstdint>

#include "models/pe/program.h"

namespace tessera::pe {

class AddressWalk {
 public:
  AddressWalk() = default;
  /// `base` and `stride` of the inner loop as the DSR has them now, in bytes and elements.
  AddressWalk(std::uint32_t base, std::int16_t stride) : position_(base), stride_(stride) {}

  /// Of the next element; behind the last element, that of the one the slowest loop would go on to
  /// (wse.md 5.11 save_address).
  std::uint32_t address() const { return position_ + offset_; }
  /// The same without what shift() adds.
  std::uint32_t position() const { return position_; }
  /// From now on `bytes` are added to every address (wse.md 5.2 wavelet_index_offset).
  void shift(std::uint32_t bytes) { offset_ = bytes; }
  /// Distance of neighbours in the inner loop, in bytes.
  std::int32_t step(const Dsd& dsd) const { return stride_ * dsd.element_bytes; }

  void next(const Dsd& dsd) {
    unsigned loop = 0;
    while (loop + 1U < dsd.dimensions && ++done_[loop] >= dsd.extents[loop]) done_[loop++] = 0;
    const std::int32_t stride = loop == 0 ? stride_ : dsd.strides[loop];
    position_ += static_cast<std::uint32_t>(stride * dsd.element_bytes);
    if (dsd.kind == DsdKind::kCircbuf && position_ >= wrap_at(dsd)) position_ = dsd.wrap_base;
  }

  /// Whether its first `elements` elements lie on word boundaries in [begin, end). Requires that it
  /// stands at the first and elements > 0. False when it would take long to say: a circular buffer
  /// that is walked backwards or ends at `end`.
  bool stays_inside(const Dsd& dsd, std::uint32_t elements, std::uint32_t begin,
                    std::uint32_t end) const;

 private:
  static std::uint32_t wrap_at(const Dsd& dsd) {
    return dsd.wrap_base + std::uint32_t{dsd.wrap_count} * dsd.element_bytes;
  }
  bool ring_stays_inside(const Dsd& dsd, std::uint32_t begin, std::uint32_t end) const;

  std::uint32_t position_ = 0;
  std::uint32_t offset_ = 0;
  std::int16_t stride_ = 1;                               // elements, of the inner loop
  std::array<std::uint16_t, kMaxDimensions - 1> done_{};  // trips; the slowest loop counts none
};

}  // namespace tessera::pe
