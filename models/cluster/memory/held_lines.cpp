#include "models/cluster/memory/held_lines.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace tessera::cluster {

namespace {

/// Whether the byte is in one of the extent's rows.
bool touches(const Extent& extent, std::int64_t address) {
  const std::int64_t offset = address - extent.first;
  if (offset < 0 || offset >= extent.bytes) return false;
  return extent.pitch <= 0 || offset % extent.pitch < extent.width;
}

}  // namespace

HeldLines::Held* HeldLines::find(const ScalarCache::Line& line, CoreId core) {
  for (Held& h : lines_[ScalarCache::key_of(line.array, line.first)])
    if (h.core == core && h.until == kNever) return &h;
  return nullptr;
}

void HeldLines::drop_old(Holders& holders, Cycle now) {
  const auto is_over = [now](const Held& h) { return h.until < now; };
  holders.erase(std::remove_if(holders.begin(), holders.end(), is_over), holders.end());
}

void HeldLines::hold(const ScalarCache::Line& line, std::uint64_t bits, CoreId core, Cycle now) {
  Held* held = find(line, core);
  if (held == nullptr) {
    Holders& holders = lines_[ScalarCache::key_of(line.array, line.first)];
    drop_old(holders, now);
    holders.push_back({core, 0, 0, now, kNever, 0});
    held = &holders.back();
  }
  if (held->since < now) {
    held->bits |= held->fresh;
    held->fresh = 0;
    held->since = now;
  }
  held->fresh |= bits;
  held->store_pc = line.store_pc;
}

void HeldLines::release(const ScalarCache::Line& line, CoreId core, Cycle due) {
  if (Held* held = find(line, core)) held->until = due;
}

void HeldLines::forget(CoreId core, Cycle now) {
  for (auto& [key, holders] : lines_)
    for (Held& h : holders)
      if (h.core == core) h.until = std::min(h.until, now);
}

void HeldLines::settle(Cycle next) {
  for (auto entry = lines_.begin(); entry != lines_.end();) {
    Holders& holders = entry->second;
    drop_old(holders, next + 1);  // a read in `next` does not miss what is there then
    for (Held& held : holders)
      held = {held.core, held.bits | held.fresh, 0, 0, held.until, held.store_pc};
    std::stable_sort(holders.begin(), holders.end(), [](const Held& a, const Held& b) {
      return std::make_tuple(a.core.index(), a.until) < std::make_tuple(b.core.index(), b.until);
    });
    entry = holders.empty() ? lines_.erase(entry) : std::next(entry);
  }
  std::sort(missed_.begin(), missed_.end(), [](const Missed& a, const Missed& b) {
    return std::make_tuple(a.reader.index(), a.pc) < std::make_tuple(b.reader.index(), b.pc);
  });
}

const HeldLines::Held* HeldLines::find_missed(const Holders& holders, std::int64_t first,
                                              const Extent& extent, Cycle now, std::int64_t& byte) {
  const Held* found = nullptr;
  for (const Held& h : holders) {
    if (h.until <= now) continue;
    const std::uint64_t bits = h.bits | (h.since < now ? h.fresh : 0);
    for (std::int64_t i = 0; i < ScalarCache::kLineBytes; ++i) {
      if ((bits >> i & 1U) == 0 || !touches(extent, first + i)) continue;
      // Who was stepped first does not matter.
      const bool before = found == nullptr || first + i < byte ||
                          (first + i == byte && h.core.index() < found->core.index());
      if (before) {
        found = &h;
        byte = first + i;
      }
      break;
    }
  }
  return found;
}

void HeldLines::read(std::uint16_t array, const Extent& extent, CoreId reader, std::uint32_t pc,
                     Cycle now) {
  if (lines_.empty() || extent.bytes <= 0) return;
  const std::uint64_t begin = ScalarCache::key_of(array, extent.first);
  const std::uint64_t end = ScalarCache::key_of(array, extent.first + extent.bytes - 1) + 1;
  const Held* found = nullptr;
  std::int64_t first = 0;
  const auto look = [&](std::uint64_t key, const Holders& holders) {
    std::int64_t byte = 0;
    const Held* held = find_missed(holders, first_of(key), extent, now, byte);
    if (held == nullptr || (found != nullptr && byte >= first)) return;
    found = held;
    first = byte;
  };
  if (end - begin > lines_.size()) {
    for (auto entry = lines_.begin(); entry != lines_.end();) {
      drop_old(entry->second, now);
      if (entry->second.empty()) {
        entry = lines_.erase(entry);
        continue;
      }
      if (entry->first >= begin && entry->first < end) look(entry->first, entry->second);
      ++entry;
    }
  } else {
    for (std::uint64_t key = begin; key < end; ++key)
      if (const auto entry = lines_.find(key); entry != lines_.end()) look(key, entry->second);
  }
  if (found == nullptr) return;
  for (Missed& m : missed_) {
    if (m.reader != reader || m.pc != pc) continue;
    ++m.times;
    return;
  }
  const bool is_sent = found->until != kNever;
  missed_.push_back({reader, pc, found->core, found->store_pc, array, first, is_sent, 1});
}

}  // namespace tessera::cluster
