#include "models/cluster/memory/gm_core.h"

#include <algorithm>

namespace tessera::cluster {

namespace {

using transfer::kRateUnit;
using transfer::Transfer;
using transfer::WordAccess;

bool by_place(const Transfer& a, const Transfer& b) {
  if (a.core != b.core) return a.core.index() < b.core.index();
  return a.pipe < b.pipe;
}

bool is_to_gm(const Transfer& t) {
  return t.pipe == sync::Pipe::kMte3 || t.pipe == sync::Pipe::kFix;
}

}  // namespace

GmCore::GmCore(const CostConfig& config)
    : gm_rate_(config.gm_bytes_per_cycle * kRateUnit),
      l2_rate_(config.l2_bytes_per_cycle * kRateUnit), miss_latency_(config.l2_miss_latency),
      l2_(config.l2_bytes, config.l2_miss_latency) {}

std::int64_t GmCore::word(std::uint64_t address) const {
  const auto found = words_.find(address);
  return found == words_.end() ? 0 : found->second;
}

void GmCore::start(const Transfer& transfer, Cycle due) {
  arriving_.push_back({transfer, due});
}

void GmCore::access_word(const Transfer& t, Cycle now) {
  std::int64_t& word = words_[t.address];
  step_.answers.push_back({{t.core, t.pipe, word, {}}, now + std::max(t.latency, 1U)});
  if (t.access == WordAccess::kStore) word = t.value;
  if (t.access == WordAccess::kAdd)
    word = static_cast<std::int64_t>(static_cast<std::uint64_t>(word) +
                                     static_cast<std::uint64_t>(t.value));
}

void GmCore::advance(Cycle now) {
  const Cycle cycles = now - now_;
  now_ = now;
  if (cycles == 0) return;
  for (Active& a : active_) a.left -= std::min(a.left, a.rate * cycles);
}

void GmCore::finish(Cycle now) {
  for (const Active& a : active_) {
    if (a.left > 0) continue;
    const Transfer& t = a.transfer;
    step_.answers.push_back({{t.core, t.pipe, 0, a.hit_bytes, late(a, now)}, now + 1});
    (a.writes ? bytes_written_ : bytes_read_) += t.bytes;
    changed_ = true;
  }
  active_.erase(
      std::remove_if(active_.begin(), active_.end(), [](const Active& a) { return a.left == 0; }),
      active_.end());
}

// Reads take from GM what L2 lacks; a write takes no more than the lines that have to leave for it.
void GmCore::look_up(Active& a, Cycle now) {
  const Transfer& t = a.transfer;
  a.gm_share = t.gm_bytes * kRateUnit / t.bytes;
  if (!l2_.follows(t.place)) return;
  const L2Directory::Touched touched = l2_.touch(t.place, a.writes, now);
  const std::uint64_t hits = a.writes ? touched.sectors : touched.hits;
  a.hit_bytes = t.bytes * hits / touched.sectors;
  const std::uint64_t gm_bytes = t.gm_bytes_cold * (touched.sectors - hits) / touched.sectors +
                                 touched.written_back * L2Directory::kSectorBytes;
  a.gm_share = gm_bytes * kRateUnit / t.bytes;
  a.misses = hits < touched.sectors;
  if (!a.writes) a.here_at = touched.here_at;
}

// Cycles behind the last byte until the data is there.
std::uint32_t GmCore::late(const Active& a, Cycle now) const {
  const Cycle cycles = a.misses ? miss_latency_ : std::max(a.here_at, now) - now;
  return static_cast<std::uint32_t>(cycles);
}

void GmCore::begin_one(const Transfer& t, Cycle now) {
  if (t.bytes == 0) return access_word(t, now);
  changed_ = true;
  active_.push_back({t, t.bytes * kRateUnit, 0, 0, is_to_gm(t), {}, false, 0});
  look_up(active_.back(), now);
}

void GmCore::begin(Cycle now) {
  starting_.clear();
  const auto is_due = [now](const Arriving& a) { return a.due <= now; };
  for (const Arriving& a : arriving_)
    if (is_due(a)) starting_.push_back(a);
  if (starting_.empty()) return;
  arriving_.erase(std::remove_if(arriving_.begin(), arriving_.end(), is_due), arriving_.end());
  std::stable_sort(starting_.begin(), starting_.end(), [](const Arriving& a, const Arriving& b) {
    return by_place(a.transfer, b.transfer);
  });
  for (const Arriving& a : starting_) begin_one(a.transfer, now);
}

// Bytes of a resource for 1024 bytes of the transfer.
std::uint64_t GmCore::share(const Active& a, std::size_t resource) {
  if (resource == kGm) return a.gm_share;
  return (resource == kL2Write) == a.writes ? kRateUnit : 0;
}

// Progressive filling: all rates rise together. What comes to the end of its own path stays there;
// when a resource is full, all that use it stay there; the others go on.
void GmCore::set_rates() {
  open_.clear();
  for (Active& a : active_) open_.push_back(&a);
  Left left{l2_rate_, l2_rate_, gm_rate_};
  while (!open_.empty()) {
    std::uint64_t fair = kNever;
    std::size_t full = kResources;
    for (std::size_t r = 0; r < kResources; ++r) {
      std::uint64_t shares = 0;
      for (const Active* a : open_) shares += share(*a, r);
      if (shares == 0) continue;
      const std::uint64_t rate = std::max<std::uint64_t>(left[r] * kRateUnit / shares, 1);
      if (rate >= fair) continue;
      fair = rate;
      full = r;
    }
    if (fix_rates(left, fair, [fair](const Active& a) { return a.transfer.rate_limit <= fair; }))
      continue;
    fix_rates(left, fair, [full](const Active& a) { return share(a, full) > 0; });
  }
}

// Fixes the rates of those open ones that `stays` chooses at `fair`, or at the end of their path.
// Whether there was one.
template <class Stays>
bool GmCore::fix_rates(Left& left, std::uint64_t fair, Stays stays) {
  const auto end =
      std::partition(open_.begin(), open_.end(), [&stays](const Active* a) { return !stays(*a); });
  if (end == open_.end()) return false;
  for (auto it = end; it != open_.end(); ++it) {
    Active& a = **it;
    a.rate = std::min(fair, a.transfer.rate_limit);
    for (std::size_t r = 0; r < kResources; ++r)
      left[r] -= std::min(left[r], a.rate * share(a, r) / kRateUnit);
  }
  open_.erase(end, open_.end());
  return true;
}

const GmCore::Step& GmCore::step(Cycle now) {
  step_.answers.clear();
  advance(now);
  finish(now);
  begin(now);
  if (changed_) set_rates();
  changed_ = false;
  step_.next = kNever;
  for (const Active& a : active_)
    step_.next = std::min(step_.next, now + (a.left + a.rate - 1) / a.rate);
  for (const Arriving& a : arriving_) step_.next = std::min(step_.next, a.due);
  return step_;
}

}  // namespace tessera::cluster
