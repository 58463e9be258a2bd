#include "models/cluster/memory/ub_banks.h"

#include <algorithm>
#include <cstdlib>

namespace tessera::cluster {

namespace {

constexpr std::int64_t kBlock = 32, kGroups = 16, kRepeat = 256;
constexpr std::int64_t kBank = 64 * 1024;  // addresses that share a bank in each group
constexpr std::int64_t kBlocks = kRepeat / kBlock;

/// Groups from one to the other, the shorter way round.
std::int64_t distance(std::int64_t a, std::int64_t b) {
  const std::int64_t way = std::abs(a / kBlock - b / kBlock) % kGroups;
  return std::min(way, kGroups - way);
}

}  // namespace

BankConflict bank_conflict(const std::vector<std::int64_t>& sources, std::int64_t destination) {
  BankConflict worst = BankConflict::kNone;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::int64_t a = sources[i];
    for (std::size_t k = 0; k < i; ++k) {
      const std::int64_t b = sources[k];
      if (a == b || distance(a, b) >= kBlocks) continue;
      if (std::abs(a - b) >= kRepeat) return BankConflict::kReadRead;
      if (worst == BankConflict::kNone) worst = BankConflict::kNeighbour;
    }
    const std::int64_t apart = distance(a, destination);
    if (a / kBank == destination / kBank && apart > 0 && apart < kBlocks)
      worst = BankConflict::kReadWrite;
  }
  return worst;
}

}  // namespace tessera::cluster
