#include "models/cluster/l2_directory.h"

#include <algorithm>
#include <utility>

namespace tessera::cluster {

namespace {

/// Spreads the lines of a column of a tensor over the sets.
std::uint64_t mixed(std::uint64_t line) {
  line *= 0x9E3779B97F4A7C15ULL;
  return line ^ line >> 29;
}

/// The highest bit of each field of `word` that is `value`: `ones` has a 1 in every field. The lowest
/// one is right; above it there may be fields that differ from `value` in their lowest bit.
std::uint64_t fields_with(std::uint64_t word, std::uint64_t value, std::uint64_t ones,
                          unsigned bits) {
  const std::uint64_t differences = word ^ (value * ones);
  return (differences - ones) & ~differences & ones << (bits - 1);
}

std::size_t lowest(std::uint64_t bits) {
  return static_cast<std::size_t>(__builtin_ctzll(bits));
}

/// `order` with `way` in front.
std::uint64_t with_first(std::uint64_t order, std::size_t way) {
  const std::size_t at = lowest(fields_with(order, way, 0x1111111111111111ULL, 4)) / 4 * 4;
  const std::uint64_t before = (std::uint64_t{1} << at) - 1;
  return (order & ~(before << 4 | 0xF)) | (order & before) << 4 | way;
}

}  // namespace

L2Directory::Lookup L2Directory::look_up(std::uint64_t line) const {
  const std::uint64_t hash = mixed(line);
  return {line, hash, hash % sets_.size()};
}

// kWays: the set does not have the line.
std::size_t L2Directory::find_way(const Lookup& at) const {
  const Set& set = sets_[at.set];
  const std::uint64_t tag = at.hash >> 48;
  for (std::size_t word = 0; word < set.tags.size(); ++word) {
    std::uint64_t found = fields_with(set.tags[word], tag, 0x0001000100010001ULL, 16);
    for (; found != 0; found &= found - 1) {
      const std::size_t way = 4 * word + lowest(found) / 16;
      if (ways_[at.set * kWays + way].line == at.line + 1) return way;
    }
  }
  return kWays;
}

void L2Directory::touch_line(const Lookup& at, bool writes, Cycle now, Touched& touched) {
  Set& set = sets_[at.set];
  ++touched.lines;
  std::size_t way = find_way(at);
  if (way < kWays) {
    ++touched.hits;
    set.order = with_first(set.order, way);
  } else {
    way = set.order >> 60;
    set.order = set.order << 4 | way;
    touched.written_back += set.written >> way & 1U;
    set.written = static_cast<std::uint16_t>(set.written & ~(1U << way));
    const std::size_t shift = way % 4 * 16;
    std::uint64_t& tags = set.tags[way / 4];
    tags = (tags & ~(std::uint64_t{0xFFFF} << shift)) | at.hash >> 48 << shift;
    ways_[at.set * kWays + way] = {at.line + 1, writes ? now : now + miss_latency_};
  }
  touched.here_at = std::max(touched.here_at, ways_[at.set * kWays + way].here_at);
  if (writes) set.written = static_cast<std::uint16_t>(set.written | 1U << way);
}

void L2Directory::touch_lines(const Lookup* lines, std::size_t count, bool writes, Cycle now,
                              Touched& touched) {
  const auto leaving = [this](const Lookup& at) { return sets_[at.set].order >> 60; };
  for (std::size_t i = 0; i < count; ++i)
    __builtin_prefetch(&ways_[lines[i].set * kWays + leaving(lines[i])], 1);
  for (std::size_t i = 0; i < count; ++i) touch_line(lines[i], writes, now, touched);
}

L2Directory::Touched L2Directory::touch(const transfer::Place& place, bool writes, Cycle now) {
  constexpr std::size_t kBatch = 32;  // more do not come from memory at once
  std::array<Lookup, kBatch> batch;
  std::size_t count = 0;
  Touched touched;
  for (std::uint64_t row = 0; row < place.rows; ++row) {
    const std::uint64_t first = place.first + row * place.stride;
    const std::uint64_t last = first + std::max<std::uint64_t>(place.row_bytes, 1) - 1;
    for (std::uint64_t line = first / kLineBytes; line <= last / kLineBytes; ++line) {
      if (count == kBatch) touch_lines(batch.data(), std::exchange(count, 0), writes, now, touched);
      batch[count] = look_up(line);
      __builtin_prefetch(&sets_[batch[count++].set], 1);
    }
  }
  touch_lines(batch.data(), count, writes, now, touched);
  return touched;
}

}  // namespace tessera::cluster
