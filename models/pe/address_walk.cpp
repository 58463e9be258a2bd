#include "models/pe/address_walk.h"

#include <algorithm>

namespace tessera::pe {

// Each loop is a digit: an element lies at the start plus the sum of digit * span, where the span
// of a loop is its own step and the way that its inner loops have gone when it moves.
bool AddressWalk::stays_inside(const Dsd& dsd, std::uint32_t elements, std::uint32_t begin,
                               std::uint32_t end) const {
  if (address() % 2 != 0) return false;
  if (dsd.kind == DsdKind::kCircbuf) return ring_stays_inside(dsd, begin, end);
  std::int64_t low = address();
  std::int64_t high = low + dsd.element_bytes;
  std::int64_t inner = 0;              // the way of the inner loops
  std::uint64_t moves = elements - 1;  // of this loop and those outside it
  for (unsigned k = 0; low >= begin && high <= end && moves != 0; ++k) {
    const bool slowest = k + 1U >= dsd.dimensions;
    const std::uint64_t trips = std::max<std::uint64_t>(dsd.extents[k], 1);
    const std::uint64_t digit = slowest ? moves : std::min(moves, trips - 1);
    const std::int64_t stride = k == 0 ? stride_ : dsd.strides[k];
    const std::int64_t way =
        static_cast<std::int64_t>(digit) * (stride * dsd.element_bytes + inner);
    low += std::min<std::int64_t>(way, 0);
    high += std::max<std::int64_t>(way, 0);
    inner += way;
    moves = slowest ? 0 : moves / trips;
  }
  return low >= begin && high <= end;
}

bool AddressWalk::ring_stays_inside(const Dsd& dsd, std::uint32_t begin, std::uint32_t end) const {
  if (dsd.wrap_base % 2 != 0 || stride_ < 0) return false;
  const std::uint32_t low = std::min<std::uint32_t>(position_, dsd.wrap_base);
  const std::uint32_t high = std::max(position_, wrap_at(dsd));
  return low + offset_ >= begin && high + offset_ + dsd.element_bytes <= end;
}

}  // namespace tessera::pe
