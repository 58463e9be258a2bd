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

std::vector<LineWaits::Entry> LineWaits::entries() const {
  std::vector<Entry> all;
  for (std::uint32_t pc = 0; pc < main_.size(); ++pc) {
    const auto put_main = [&](WaitReason reason, std::uint64_t cycles) {
      if (cycles > 0) all.push_back({pc, kWaitMainThread, reason, 0, cycles});
    };
    put_main(WaitReason::kBusy, main_[pc].issues);
    put_main(WaitReason::kLatency, main_[pc].latency);
    for (const Item& item : others_[pc]) {
      all.push_back({pc, static_cast<std::uint8_t>(item.key & 0xFFU),
                     static_cast<WaitReason>(item.key >> 8 & 0xFFU),
                     static_cast<std::uint8_t>(item.key >> 16), item.cycles});
    }
  }
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.pc, a.thread, a.reason, a.number) <
           std::tie(b.pc, b.thread, b.reason, b.number);
  });
  return all;
}

void TileWaits::tell(WaitSpan span) const {
  span.place = place_;
  listener_->on_wait(span);
}

void TileWaits::finish(Cycle cycles) {
  if (cycles > since_) charge(cycles);
  // Behind the last event of a run a wait can become another one, as at the first group of an
  // operation that then lacks room.
  if (since_ > cycles) {
    std::uint32_t& last = cycles_[static_cast<std::size_t>(charged_)];
    last -= std::min(last, static_cast<std::uint32_t>(since_ - cycles));
  }
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
