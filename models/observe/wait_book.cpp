#include "models/observe/wait_book.h"

#include <algorithm>
#include <tuple>

namespace tessera::observe {

const std::array<WaitReasonInfo, kWaitReasonCount>& wait_reason_table() {
  static constexpr std::array<WaitReasonInfo, kWaitReasonCount> kTable = {{
      {"busy", "the issue slot is used"},
      {"idle", "nothing to do"},
      {"task", "a wavelet that starts a task"},
      {"task_blocked", "an active task being unblocked"},
      {"task_start", "the first instruction of a task"},
      {"host", "a command of the host"},
      {"latency", "a branch, a result or the end of an operation"},
      {"start", "the first group of an operation"},
      {"interval", "the rate of an operation"},
      {"bank_conflict", "two reads in one memory bank"},
      {"wavelet", "a wavelet on an input queue"},
      {"room", "room in an output queue"},
      {"fifo_data", "data in a FIFO"},
      {"fifo_room", "room in a FIFO"},
      {"channel", "a wavelet that the tasks of its channel leave to it"},
      {"blocked", "its microthread being unblocked"},
      {"turn", "its turn"},
  }};
  return kTable;
}

void LineWaits::open(std::uint32_t pc) {
  if (pc >= of_pc_.size()) of_pc_.resize(pc + std::size_t{1});
  of_pc_[pc] = std::make_unique<Cells>();
}

void LineWaits::add_other(const Entry& entry) {
  for (Entry& other : others_) {
    if (std::tie(other.pc, other.thread, other.reason, other.number) !=
        std::tie(entry.pc, entry.thread, entry.reason, entry.number))
      continue;
    other.cycles += entry.cycles;
    return;
  }
  others_.push_back(entry);
}

std::vector<LineWaits::Entry> LineWaits::entries() const {
  std::vector<Entry> all = others_;
  for (std::uint32_t pc = 0; pc < of_pc_.size(); ++pc) {
    if (!of_pc_[pc]) continue;
    for (std::size_t i = 0; i < of_pc_[pc]->size(); ++i) {
      const Cell& cell = (*of_pc_[pc])[i];
      if (cell.cycles == 0) continue;
      all.push_back({pc, static_cast<std::uint8_t>(i / kWaitReasonCount),
                     static_cast<WaitReason>(i % kWaitReasonCount), cell.number, cell.cycles});
    }
  }
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.pc, a.thread, a.reason, a.number) <
           std::tie(b.pc, b.thread, b.reason, b.number);
  });
  return all;
}

void TileWaits::account(Thread& t, unsigned thread, Cycle to) {
  const std::uint32_t waited = low(to) - t.since;
  lines_->add(t.pc, thread, t.reason, t.number, waited);
  if (listener_ != nullptr)
    listener_->on_wait({place_, thread, t.pc, t.reason, t.number, to - waited, to});
  t.since = low(to);
}

void TileWaits::change_line(Thread& t, unsigned thread, std::uint32_t pc) {
  if (t.busy > 0) lines_->add(t.pc, thread, WaitReason::kBusy, 0, t.busy);
  t.busy = 0;
  t.pc = static_cast<std::uint16_t>(pc);
}

void TileWaits::end(unsigned thread, Cycle from) {
  Thread& t = at(thread, from);
  if (since(t, from) > 0) account(t, thread, from);
  change_line(t, thread, t.pc);
  active_ = static_cast<std::uint16_t>(active_ & ~(1U << slot_of(thread)));
  t.reason = WaitReason::kIdle;
  t.number = 0;
  const WaitReason next = active_ == 0
                              ? WaitReason::kIdle
                              : threads_[static_cast<std::size_t>(__builtin_ctz(active_))].reason;
  if (next == tile_reason_) return;
  charge_tile(from);
  tile_reason_ = next;
}

void TileWaits::finish(Cycle cycles) {
  const unsigned active = active_;
  for (unsigned thread = 0; thread < kWaitThreads; ++thread) {
    if ((active >> slot_of(thread) & 1U) != 0) end(thread, cycles);
  }
  charge_tile(cycles);
}

std::uint64_t waited(const TileWaits& tile, Cycle now) {
  std::uint64_t cycles = 0;
  for (unsigned r = 0; r < kWaitReasonCount; ++r) {
    const auto reason = static_cast<WaitReason>(r);
    if (reason != WaitReason::kBusy && reason != WaitReason::kIdle) cycles += tile.cycles(reason);
  }
  const bool waits = tile.reason() != WaitReason::kBusy && tile.reason() != WaitReason::kIdle;
  return waits && now >= tile.since() ? cycles + now + 1 - tile.since() : cycles;
}

std::string describe(const TileWaits& tile, Cycle now) {
  if (tile.since() > now) return "the tile uses its issue slot in this cycle";
  const std::string since = " since cycle " + std::to_string(tile.since());
  if (tile.reason() == WaitReason::kIdle) return "the tile has had nothing to do" + since;
  return "the tile has waited" + since + " for " + std::string(info(tile.reason()).description);
}

TileWaits& WaitBook::open(std::uint32_t place, std::size_t program) {
  while (lines_.size() <= program) lines_.push_back(std::make_unique<LineWaits>());
  tiles_[place] = std::make_unique<TileWaits>(place, *lines_[program], listener_);
  return *tiles_[place];
}

void WaitBook::finish(Cycle cycles) {
  for (const auto& tile : tiles_) {
    if (tile) tile->finish(cycles);
  }
}

std::uint64_t WaitBook::total(WaitReason reason) const {
  std::uint64_t sum = 0;
  for (const auto& tile : tiles_) sum += tile ? tile->cycles(reason) : 0;
  return sum;
}

}  // namespace tessera::observe
