#include "models/timing/calendar.h"

#include <set>

namespace tessera::timing {

Cycle Calendar::next_due() const {
  // The ring is scanned from base_'s bucket, a word of bits at a time; the first word is seen twice
  // because the ring wraps inside it.
  const unsigned start = bucket_of(base_);
  for (unsigned step = 0; step <= kWords; ++step) {
    const unsigned word = (start / 64 + step) % kWords;
    std::uint64_t bits = occupied_[word];
    if (step == 0) bits &= ~std::uint64_t{0} << (start % 64);
    if (step == kWords) bits &= ~(~std::uint64_t{0} << (start % 64));
    if (bits == 0) continue;
    const unsigned bucket = word * 64 + static_cast<unsigned>(__builtin_ctzll(bits));
    return base_ + (bucket + kBuckets - start) % kBuckets;
  }
  return far_.empty() ? kNever : far_.begin()->first;
}

void Calendar::take(Cycle now, std::vector<BlockId>& due) {
  assert(now >= base_ && now <= next_due());
  due.clear();
  base_ = now;
  pull_far_wakeups();
  const unsigned b = bucket_of(now);
  due.swap(ring_[b]);
  occupied_[b / 64] &= ~(std::uint64_t{1} << (b % 64));
}

std::vector<std::pair<Cycle, BlockId>> Calendar::wake_ups() const {
  std::vector<std::pair<Cycle, BlockId>> all;
  std::set<std::pair<Cycle, BlockId>> known;
  const auto add = [&](Cycle at, const std::vector<BlockId>& blocks) {
    for (const BlockId block : blocks) {
      if (known.emplace(at, block).second) all.emplace_back(at, block);
    }
  };
  for (Cycle at = base_; at < base_ + kBuckets; ++at) add(at, ring_[bucket_of(at)]);
  for (const auto& [at, blocks] : far_) add(at, blocks);
  return all;
}

void Calendar::pull_far_wakeups() {
  while (!far_.empty() && far_.begin()->first - base_ < kBuckets) {
    const Cycle at = far_.begin()->first;
    for (BlockId block : far_.begin()->second) insert(block, at);
    far_.erase(far_.begin());
  }
}

}  // namespace tessera::timing
