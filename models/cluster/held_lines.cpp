#include "models/cluster/held_lines.h"

#include <algorithm>
#include <tuple>

namespace tessera::cluster {

namespace {

Extent byte_at(std::int64_t address) {
  Extent e;
  e.first = address;
  e.bytes = 1;
  return e;
}

/// Whether the byte is one of the extent's rows.
bool touches(const Extent& extent, std::int64_t address) {
  if (!overlap(extent, byte_at(address))) return false;
  return extent.pitch <= 0 || (address - extent.first) % extent.pitch < extent.width;
}

}  // namespace

HeldLines::Held* HeldLines::find(std::uint16_t array, std::int64_t first, CoreId core) {
  for (Held& h : held_)
    if (h.array == array && h.first == first && h.core == core && h.until == kNever) return &h;
  return nullptr;
}

void HeldLines::hold(const ScalarCache::Line& line, std::uint64_t bits, CoreId core, Cycle now) {
  Held* held = find(line.array, line.first, core);
  if (held == nullptr) {
    held_.push_back({core, line.array, line.first, 0, 0, now, kNever, 0});
    held = &held_.back();
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
  if (Held* held = find(line.array, line.first, core)) held->until = due;
}

void HeldLines::forget(CoreId core, Cycle now) {
  for (Held& h : held_)
    if (h.core == core) h.until = std::min(h.until, now);
}

void HeldLines::read(std::uint16_t array, const Extent& extent, CoreId reader, std::uint32_t pc,
                     Cycle now) {
  if (held_.empty()) return;
  const auto is_over = [now](const Held& h) { return h.until < now; };
  held_.erase(std::remove_if(held_.begin(), held_.end(), is_over), held_.end());
  for (const Held& h : held_) {
    if (h.array != array || h.until == now) continue;
    const std::uint64_t bits = h.bits | (h.since < now ? h.fresh : 0);
    for (std::int64_t i = 0; i < ScalarCache::kLineBytes; ++i) {
      if ((bits >> i & 1U) == 0 || !touches(extent, h.first + i)) continue;
      note(h, h.first + i, reader, pc);
      break;
    }
  }
}

void HeldLines::note(const Held& held, std::int64_t first, CoreId reader, std::uint32_t pc) {
  for (Missed& m : missed_) {
    if (m.reader != reader || m.pc != pc) continue;
    ++m.times;
    return;
  }
  missed_.push_back({reader, pc, held.core, held.store_pc, held.array, first, 1});
}

}  // namespace tessera::cluster
