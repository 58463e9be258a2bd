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

void LineWaits::add(std::uint32_t pc, unsigned thread, WaitReason reason, std::uint8_t number,
                    Cycle cycles) {
  const std::uint32_t key =
      thread | static_cast<std::uint32_t>(reason) << 8 | std::uint32_t{number} << 16;
  for (Item& item : others_[pc]) {
    if (item.key != key) continue;
    item.cycles += cycles;
    return;
  }
  others_[pc].push_back({cycles, key});
}

LineWaits::Operations::Sums& LineWaits::other_sums(std::uint32_t pc, std::uint32_t key) {
  Operations& line = operations_[pc];
  if (line.key != Operations::kNone) return more_operations_[{pc, key}];
  line.key = key;
  return line.sums;
}

std::vector<LineWaits::Entry> LineWaits::entries() const {
  std::map<std::tuple<std::uint32_t, unsigned, WaitReason, unsigned>, std::uint64_t> sums;
  for (std::uint32_t pc = 0; pc < main_.size(); ++pc) {
    const auto count = [&](unsigned thread, WaitReason reason, unsigned number,
                           std::uint64_t cycles) {
      if (cycles > 0) sums[{pc, thread, reason, number}] += cycles;
    };
    count(kWaitMainThread, WaitReason::kBusy, 0, main_[pc].busy);
    count(kWaitMainThread, WaitReason::kTurn, 0, main_[pc].turn);
    count(kWaitMainThread, WaitReason::kLatency, 0, main_[pc].latency);
    count(kWaitMainThread, WaitReason::kTaskStart, 0, main_[pc].task_start);
    const auto count_operations = [&](std::uint32_t key, const Operations::Sums& cycles) {
      for (std::size_t i = 0; i < kOperationReasons.size(); ++i) {
        const WaitReason reason = kOperationReasons[i];
        const unsigned number = reason == WaitReason::kWavelet ? key >> 8 & 0xFFU
                                : reason == WaitReason::kRoom  ? key >> 16
                                                               : 0;
        count(key & 0xFFU, reason, number, cycles[i]);
      }
    };
    count_operations(operations_[pc].key, operations_[pc].sums);
    for (auto more = more_operations_.lower_bound({pc, 0});
         more != more_operations_.end() && more->first.first == pc; ++more)
      count_operations(more->first.second, more->second);
    for (const Item& item : others_[pc])
      count(item.key & 0xFFU, static_cast<WaitReason>(item.key >> 8 & 0xFFU), item.key >> 16,
            item.cycles);
  }
  std::vector<Entry> all;
  for (const auto& [key, cycles] : sums) {
    const auto& [pc, thread, reason, number] = key;
    all.push_back(
        {pc, static_cast<std::uint8_t>(thread), reason, static_cast<std::uint8_t>(number), cycles});
  }
  return all;
}

void TileWaits::tell(WaitSpan span) const {
  span.place = place_;
  lines_->listener()->on_wait(span);
}

// Only tells the listener: the lines have these waits already.
void TileWaits::tell_issue(std::uint32_t pc, Cycle turn, Cycle now) const {
  if (turn > main_.since) tell({0, kWaitMainThread, main_.pc, main_.reason, 0, main_.since, turn});
  if (now > turn) tell({0, kWaitMainThread, pc, WaitReason::kTurn, 0, turn, now});
}

void TileWaits::finish(Cycle cycles, Cycle stepped) {
  if (reason_ == WaitReason::kBusy && stepped < cycles) change(WaitReason::kIdle, stepped);
  if (cycles > since_) charge(cycles);
  // After the last event of a run a wait can become another one, as at the first group of an
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
  if (tile.reason() == WaitReason::kBusy || tile.since() > now)
    return "the tile uses its issue slot in this cycle";
  const std::string since = " since cycle " + std::to_string(tile.since());
  if (tile.reason() == WaitReason::kIdle) return "the tile has had nothing to do" + since;
  return "the tile has waited" + since + " for " + std::string(info(tile.reason()).description);
}

LineWaits& WaitBook::lines_of(std::size_t program) {
  while (lines_.size() <= program) lines_.push_back(std::make_unique<LineWaits>(listener_));
  return *lines_[program];
}

TileWaits& WaitBook::open(std::uint32_t place, std::size_t program) {
  if (accounts_.empty() || accounts_.back().size() == accounts_.back().capacity())
    accounts_.emplace_back().reserve(kBlock);
  tiles_[place] = &accounts_.back().emplace_back(place, lines_of(program));
  return *tiles_[place];
}

void WaitBook::finish(Cycle cycles, Cycle stepped) {
  for (auto& block : accounts_) {
    for (TileWaits& tile : block) tile.finish(cycles, stepped);
  }
}

std::uint64_t WaitBook::total(WaitReason reason) const {
  std::uint64_t sum = 0;
  for (const auto& block : accounts_) {
    for (const TileWaits& tile : block) sum += tile.cycles(reason);
  }
  return sum;
}

}  // namespace tessera::observe
