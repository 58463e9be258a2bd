#include "frontends/csl/codegen/moves.h"

#include <algorithm>
#include <stdexcept>

namespace tessera::csl::codegen {
namespace {

constexpr unsigned kFirstScratch = 8;
constexpr unsigned kLastScratch = 12;

unsigned units(std::uint8_t unit, bool is_wide) {
  return (is_wide ? 3U : 1U) << unit;
}

/// A pair that no pending move reads or writes and no finished one has written.
std::uint8_t scratch(const std::vector<Move>& moves, unsigned written) {
  unsigned used = written;
  for (const Move& m : moves) used |= units(m.to, m.is_wide) | units(m.from, m.is_wide);
  for (unsigned unit = kFirstScratch; unit <= kLastScratch; unit += 2) {
    const auto pair = static_cast<std::uint8_t>(unit);
    if ((used & units(pair, true)) == 0) return pair;
  }
  throw std::logic_error("no register for a ring of moves");
}

}  // namespace

std::vector<Move> in_sequence(std::vector<Move> moves) {
  std::vector<Move> sequence;
  unsigned written = 0;
  const auto is_idle = [](const Move& m) { return m.to == m.from; };
  // What stays where it is counts as written: a ring must not go through it.
  for (const Move& m : moves) written |= is_idle(m) ? units(m.to, m.is_wide) : 0U;
  moves.erase(std::remove_if(moves.begin(), moves.end(), is_idle), moves.end());
  while (!moves.empty()) {
    const auto is_ready = [&](const Move& m) {
      return std::none_of(moves.begin(), moves.end(), [&](const Move& other) {
        return &other != &m && (units(other.from, other.is_wide) & units(m.to, m.is_wide)) != 0;
      });
    };
    const auto ready = std::find_if(moves.begin(), moves.end(), is_ready);
    if (ready != moves.end()) {
      sequence.push_back(*ready);
      written |= units(ready->to, ready->is_wide);
      moves.erase(ready);
      continue;
    }
    const Move first = moves.front();
    const std::uint8_t free = scratch(moves, written);
    sequence.push_back({free, first.from, first.is_wide});
    for (Move& m : moves) {
      if (m.from == first.from) m.from = free;
    }
  }
  return sequence;
}

}  // namespace tessera::csl::codegen
