#include "models/cluster/memory/l2_directory.h"

#include <algorithm>
#include <array>
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

unsigned count(std::uint64_t sectors) {
  constexpr std::array<std::uint8_t, 16> kBits = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return kBits[sectors];
}

/// `order` with `way` in front.
std::uint64_t with_first(std::uint64_t order, std::size_t way) {
  const std::size_t at = lowest(fields_with(order, way, 0x1111111111111111ULL, 4)) / 4 * 4;
  const std::uint64_t before = (std::uint64_t{1} << at) - 1;
  return (order & ~(before << 4 | 0xF)) | (order & before) << 4 | way;
}

}  // namespace

L2Directory::Lookup L2Directory::look_up(std::uint64_t line, unsigned sectors) const {
  const std::uint64_t hash = mixed(line);
  return {line, hash, hash % sets_.size(), sectors};
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

// The way of the line, which it has from now on if it had none.
std::size_t L2Directory::place_line(const Lookup& at, Cycle now, Touched& touched) {
  Set& set = sets_[at.set];
  std::size_t way = find_way(at);
  if (way < kWays) {
    set.order = with_first(set.order, way);
    return way;
  }
  way = set.order >> 60;
  set.order = set.order << 4 | way;
  const std::size_t shift = way % 4 * 16;
  std::uint64_t& tags = set.tags[way / 4];
  tags = (tags & ~(std::uint64_t{0xFFFF} << shift)) | at.hash >> 48 << shift;
  Way& entry = ways_[at.set * kWays + way];
  write_back(entry, touched);
  entry.line = at.line + 1;
  entry.held = entry.written = 0;
  entry.here_at = now;
  return way;
}

// Sectors that go back to GM because of a new line: those of the line that leaves, and of the launch before.
void L2Directory::write_back(const Way& leaving, Touched& touched) {
  if (leaving.line == 0) {
    ++filled_;
    return;
  }
  const unsigned sectors = count(leaving.written);
  // Lines that leave before L2 is full only meet in one set.
  if (owes_ && filled_ >= ways_.size() - ways_.size() / kWays) {
    owes_ = false;
    owed_ = dirty_;
  }
  const std::uint64_t old = std::min(owed_, kSectors);
  owed_ -= old;
  dirty_ -= sectors;
  touched.written_back += sectors + old;
}

void L2Directory::touch_line(const Lookup& at, bool writes, Cycle now, Touched& touched) {
  Way& way = ways_[at.set * kWays + place_line(at, now, touched)];
  const unsigned hits = count(way.held & at.sectors);
  const unsigned wanted = count(at.sectors);
  touched.sectors += wanted;
  touched.hits += hits;
  if (hits < wanted && !writes) way.here_at = now + miss_latency_;
  way.held |= at.sectors;
  if (writes) {
    dirty_ += count(at.sectors & ~way.written);
    way.written |= at.sectors;
  }
  touched.here_at = std::max(touched.here_at, way.here_at);
}

void L2Directory::touch_lines(const Lookup* lines, std::size_t size, bool writes, Cycle now,
                              Touched& touched) {
  const auto leaving = [this](const Lookup& at) { return sets_[at.set].order >> 60; };
  for (std::size_t i = 0; i < size; ++i)
    __builtin_prefetch(&ways_[lines[i].set * kWays + leaving(lines[i])], 1);
  for (std::size_t i = 0; i < size; ++i) touch_line(lines[i], writes, now, touched);
}

L2Directory::Touched L2Directory::touch(const transfer::Place& place, bool writes, Cycle now) {
  constexpr std::size_t kBatch = 32;  // more do not come from memory at once
  std::array<Lookup, kBatch> batch;
  std::size_t size = 0;
  Touched touched;
  for (std::uint64_t row = 0; row < place.rows; ++row) {
    const std::uint64_t begin = place.first + row * place.stride;
    const std::uint64_t first = begin / kSectorBytes;
    const std::uint64_t last =
        (begin + std::max<std::uint64_t>(place.row_bytes, 1) - 1) / kSectorBytes;
    for (std::uint64_t line = first / kSectors; line <= last / kSectors; ++line) {
      const std::uint64_t from = line == first / kSectors ? first % kSectors : 0;
      const std::uint64_t to = line == last / kSectors ? last % kSectors : kSectors - 1;
      if (size == kBatch) touch_lines(batch.data(), std::exchange(size, 0), writes, now, touched);
      batch[size] = look_up(line, (2U << to) - (1U << from));
      __builtin_prefetch(&sets_[batch[size++].set], 1);
    }
  }
  touch_lines(batch.data(), size, writes, now, touched);
  return touched;
}

}  // namespace tessera::cluster
