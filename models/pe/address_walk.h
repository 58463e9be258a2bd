// The byte addresses of a vector in memory, element by element (reference wse.md 5.2 to 5.4): one
// loop (mem1d), up to four nested loops (mem4d), or a circular buffer (circbuf).
#pragma once

#include <array>
#include <cstdint>

#include "models/pe/program.h"

namespace tessera::pe {

class AddressWalk {
 public:
  AddressWalk() = default;
  /// `base` and `stride` of the inner loop as the DSR has them now, in bytes and elements.
  AddressWalk(const Dsd& dsd, std::uint32_t base, std::int32_t stride) : address_(base) {
    const int bytes = dsd.element_bytes;
    loops_ = dsd.dimensions;
    for (unsigned k = 0; k < loops_; ++k) {
      steps_[k] = (k == 0 ? stride : dsd.strides[k]) * bytes;
      trips_[k] = dsd.extents[k];
    }
    if (dsd.kind != DsdKind::kCircbuf) return;
    wrap_to_ = dsd.wrap_base;
    wrap_at_ = dsd.wrap_base + std::uint32_t{dsd.wrap_count} * dsd.element_bytes;
  }

  /// Of the next element; behind the last element, that of the one the slowest loop would go on to
  /// (wse.md 5.11 save_address).
  std::uint32_t address() const { return address_; }
  /// Distance of neighbours in the inner loop, in bytes.
  std::int32_t step() const { return steps_[0]; }

  void next() {
    unsigned loop = 0;
    while (loop + 1 < loops_ && ++done_[loop] >= trips_[loop]) done_[loop++] = 0;
    address_ += static_cast<std::uint32_t>(steps_[loop]);
    if (wrap_at_ != 0 && address_ >= wrap_at_) address_ = wrap_to_;
  }

 private:
  std::uint32_t address_ = 0;
  std::uint32_t wrap_to_ = 0;
  std::uint32_t wrap_at_ = 0;  // 0: no wrap-around
  unsigned loops_ = 1;
  std::array<std::int32_t, kMaxDimensions> steps_{};  // bytes
  std::array<std::uint16_t, kMaxDimensions> trips_{};
  std::array<std::uint16_t, kMaxDimensions> done_{};
};

}  // namespace tessera::pe
