#include "models/cluster/l2_directory.h"

#include <algorithm>

namespace tessera::cluster {

namespace {

/// Spreads the lines of a column of a tensor over the sets.
std::uint64_t mixed(std::uint64_t line) {
  line *= 0x9E3779B97F4A7C15ULL;
  return line ^ line >> 29;
}

unsigned count(unsigned sectors) {
  constexpr std::uint8_t kBits[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return kBits[sectors];
}

}  // namespace

void L2Directory::touch_line(std::uint64_t line, Sectors sectors, bool writes, Cycle now,
                             Touched& touched) {
  Set& set = sets_[mixed(line) % sets_.size()];
  std::size_t way = 0;
  while (way < kWays && set.lines[way] != line + 1) ++way;
  if (way == kWays) {
    way = static_cast<std::size_t>(std::min_element(set.used, set.used + kWays) - set.used);
    touched.written_back += count(set.written[way]);
    set.lines[way] = line + 1;
    set.here_at[way] = now;
    set.held[way] = set.written[way] = 0;
  }
  const unsigned hits = count(set.held[way] & sectors);
  const unsigned wanted = count(sectors);
  touched.sectors += wanted;
  touched.hits += hits;
  if (hits < wanted && !writes) set.here_at[way] = now + miss_latency_;
  set.held[way] = static_cast<Sectors>(set.held[way] | sectors);
  if (writes) set.written[way] = static_cast<Sectors>(set.written[way] | sectors);
  set.used[way] = ++touches_;
  touched.here_at = std::max(touched.here_at, set.here_at[way]);
}

L2Directory::Touched L2Directory::touch(const transfer::Place& place, bool writes, Cycle now) {
  Touched touched;
  for (std::uint64_t row = 0; row < place.rows; ++row) {
    const std::uint64_t begin = place.first + row * place.stride;
    const std::uint64_t first = begin / kSectorBytes;
    const std::uint64_t last =
        (begin + std::max<std::uint64_t>(place.row_bytes, 1) - 1) / kSectorBytes;
    for (std::uint64_t line = first / kSectors; line <= last / kSectors; ++line) {
      const std::uint64_t from = line == first / kSectors ? first % kSectors : 0;
      const std::uint64_t to = line == last / kSectors ? last % kSectors : kSectors - 1;
      touch_line(line, static_cast<Sectors>((2U << to) - (1U << from)), writes, now, touched);
    }
  }
  return touched;
}

}  // namespace tessera::cluster
