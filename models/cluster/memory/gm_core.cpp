#include "models/cluster/memory/gm_core.h"

#include <algorithm>
#include <utility>

namespace tessera::cluster {

namespace {

using transfer::kRateUnit;
using transfer::Transfer;
using transfer::WordAccess;

}  // namespace

GmCore::GmCore(const CostConfig& config)
    : gm_rate_(config.gm_bytes_per_cycle * kRateUnit),
      l2_rate_(config.l2_bytes_per_cycle * kRateUnit), miss_latency_(config.l2_miss_latency),
      l2_(config.l2_bytes, config.l2_miss_latency, config.l2_warm),
      most_behind_(std::uint64_t{config.gm_write_back_bytes} * kRateUnit) {}

std::int64_t GmCore::word(std::uint64_t address) const {
  const auto found = words_.find(address);
  return found == words_.end() ? 0 : found->second;
}

void GmCore::access_word(const Transfer& t, Cycle now) {
  std::int64_t& word = words_[t.address];
  step_.answers.push_back({{t.core, t.pipe, word, {}}, now + std::max(t.latency, 1U)});
  if (t.access == WordAccess::kStore) word = t.value;
  if (t.access == WordAccess::kAdd) word = calculate(Opcode::kAdd, word, t.value);
}

void GmCore::finish(Cycle now) {
  for (const Active& a : active_) {
    if (a.left > 0) continue;
    const Transfer& t = a.transfer;
    // After the last byte, until the data is there.
    const Cycle late = a.misses ? miss_latency_ : std::max(a.here_at, now) - now;
    step_.answers.push_back(
        {{t.core, t.pipe, 0, a.hit_bytes, static_cast<std::uint32_t>(late) + t.link}, now + 1});
    (a.writes ? bytes_written_ : bytes_read_) += t.bytes;
    changed_ = true;
  }
  active_.erase(
      std::remove_if(active_.begin(), active_.end(), [](const Active& a) { return a.left == 0; }),
      active_.end());
}

std::uint64_t GmCore::give_back(std::uint64_t bytes) {
  const std::uint64_t waiting = std::min(bytes * kRateUnit, most_behind_ - behind_);
  behind_ += waiting;
  return bytes - waiting / kRateUnit;
}

// Reads take from GM what L2 lacks; a write takes nothing while what leaves for it may wait.
void GmCore::look_up(Active& a, Cycle now) {
  const Transfer& t = a.transfer;
  a.gm_share = t.gm_bytes * kRateUnit / t.bytes;
  if (!l2_.follows(t.place)) return;
  const L2Directory::Touched touched = l2_.touch(t.place, a.writes, now);
  const std::uint64_t hits = a.writes ? touched.sectors : touched.hits;
  a.hit_bytes = t.bytes * hits / touched.sectors;
  const std::uint64_t gm_bytes = t.gm_bytes_cold * (touched.sectors - hits) / touched.sectors +
                                 give_back(touched.written_back * L2Directory::kSectorBytes);
  a.gm_share = gm_bytes * kRateUnit / t.bytes;
  a.misses = hits < touched.sectors;
  if (!a.writes) a.here_at = touched.here_at;
}

void GmCore::begin(const Transfer& t, Cycle now) {
  if (t.bytes == 0) return access_word(t, now);
  changed_ = true;
  const bool writes = t.pipe == sync::Pipe::kMte3 || t.pipe == sync::Pipe::kFix;
  active_.push_back({t, t.bytes * kRateUnit, 0, 0, writes, {}, false, 0});
  look_up(active_.back(), now);
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
  Left left{l2_rate_, l2_rate_, behind_ > 0 ? gm_rate_ - gm_rate_ / 2 : gm_rate_};
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
  behind_rate_ = behind_ > 0 ? left[kGm] + gm_rate_ / 2 : 0;
}

// Fixes the rates of those open transfers that `stays` chooses at `fair`, or at the end of their path.
// Returns whether there was one.
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

void GmCore::advance(Cycle now) {
  const Cycle cycles = now - std::exchange(now_, now);
  for (Active& a : active_) a.left -= std::min(a.left, a.rate * cycles);
  if (behind_ == 0) return;
  behind_ -= std::min(behind_, behind_rate_ * cycles);
  changed_ = changed_ || behind_ == 0;
}

const GmCore::Step& GmCore::step(Cycle now) {
  step_.answers.clear();
  advance(now);
  finish(now);
  std::vector<Transfer>& due = arriving_.take(now);
  std::stable_sort(due.begin(), due.end(), by_place);
  for (const Transfer& t : due) begin(t, now);
  if (changed_) set_rates();
  changed_ = false;
  step_.next = arriving_.next(now);
  for (const Active& a : active_)
    step_.next = std::min(step_.next, now + (a.left + a.rate - 1) / a.rate);
  if (behind_ > 0 && !active_.empty())  // GM is then free for the others
    step_.next = std::min(step_.next, now + (behind_ + behind_rate_ - 1) / behind_rate_);
  return step_;
}

}  // namespace tessera::cluster
