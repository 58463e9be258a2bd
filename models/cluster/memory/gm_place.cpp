#include "models/cluster/memory/gm_place.h"

#include <array>
#include <utility>

namespace tessera::cluster {

namespace {

/// Of an array in bytes: 1 TB.
constexpr unsigned kArrayBits = 40;

struct Run {
  std::int64_t size, stride;  // in elements
};

}  // namespace

std::uint64_t array_base(const std::string& name) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return (hash >> kArrayBits) << kArrayBits;
}

transfer::Place place_of(const ResolvedOperand& operand, std::uint64_t array_base) {
  std::array<Run, kMostDimensions> runs{};
  std::size_t count = 0;
  for (unsigned d = 0; d < operand.dimensions; ++d) {
    if (operand.sizes[d] <= 0 || operand.strides[d] <= 0 || operand.first < 0) return {};
    if (operand.sizes[d] > 1) runs[count++] = {operand.sizes[d], operand.strides[d]};
  }
  // At most five: by stride, the smallest first.
  for (std::size_t i = 1; i < count; ++i)
    for (std::size_t k = i; k > 0 && runs[k].stride < runs[k - 1].stride; --k)
      std::swap(runs[k], runs[k - 1]);
  std::int64_t elements = 1;  // one behind the other
  std::size_t next = 0;
  for (; next < count && runs[next].stride == elements; ++next) elements *= runs[next].size;
  if (next + 1 < count) return {};
  transfer::Place place;
  const std::int64_t bits = bits_of(operand.element);
  place.first = array_base + static_cast<std::uint64_t>(operand.first);
  place.row_bytes = static_cast<std::uint32_t>((elements * bits + 7) / 8);
  place.rows = next < count ? static_cast<std::uint32_t>(runs[next].size) : 1;
  place.stride = next < count ? static_cast<std::uint64_t>(runs[next].stride * bits / 8) : 0;
  return place;
}

bool is_aligned(const transfer::Place& place) {
  constexpr std::uint64_t kBlockBytes = 32;
  return place.rows == 0 || ((place.first | place.stride) % kBlockBytes == 0);
}

}  // namespace tessera::cluster
