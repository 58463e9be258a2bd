#include "models/cluster/l2_directory.h"

#include <algorithm>

namespace tessera::cluster {

namespace {

/// Spreads the lines of a column of a tensor over the sets.
std::uint64_t mixed(std::uint64_t line) {
  line *= 0x9E3779B97F4A7C15ULL;
  return line ^ line >> 29;
}

}  // namespace

void L2Directory::touch_line(std::uint64_t line, bool writes, Cycle now, Touched& touched) {
  Set& set = sets_[mixed(line) % sets_.size()];
  ++touched.lines;
  std::size_t way = 0;
  while (way < kWays && set.lines[way] != line + 1) ++way;
  if (way < kWays) {
    ++touched.hits;
  } else {
    way = static_cast<std::size_t>(std::min_element(set.used, set.used + kWays) - set.used);
    if ((set.written >> way & 1U) != 0) ++touched.written_back;
    set.lines[way] = line + 1;
    set.here_at[way] = writes ? now : now + miss_latency_;
    set.written = static_cast<std::uint16_t>(set.written & ~(1U << way));
  }
  set.used[way] = ++touches_;
  touched.here_at = std::max(touched.here_at, set.here_at[way]);
  if (writes) set.written = static_cast<std::uint16_t>(set.written | 1U << way);
}

L2Directory::Touched L2Directory::touch(const transfer::Place& place, bool writes, Cycle now) {
  Touched touched;
  for (std::uint64_t row = 0; row < place.rows; ++row) {
    const std::uint64_t first = place.first + row * place.stride;
    const std::uint64_t last = first + std::max<std::uint64_t>(place.row_bytes, 1) - 1;
    for (std::uint64_t line = first / kLineBytes; line <= last / kLineBytes; ++line)
      touch_line(line, writes, now, touched);
  }
  return touched;
}

}  // namespace tessera::cluster
