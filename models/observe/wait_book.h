// Where the cycles of a run went: what each compute engine waited for, by reason, thread and source
// line (docs/waits.md). A wait is a span: it is accounted when it ends, from the cycle in which it
// began, so an engine that sleeps costs nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::observe {

/// What a compute engine does in a cycle: it uses its issue slot (kBusy), has nothing to do (kIdle),
/// or waits. `number` is what the wait is about: a queue or a FIFO.
enum class WaitReason : std::uint8_t {
  kBusy,          ///< an instruction or a group of an operation has the issue slot
  kIdle,          ///< no task, no operation, and no unblocked channel that could start a task
  kTask,          ///< no task and no operation; a wavelet on an unblocked channel starts one
  kTaskBlocked,   ///< no task and no operation; a task is active and blocked
  kTaskStart,     ///< activation or switch of a task, before its first instruction (wse.md 3.4)
  kHost,          ///< a command of the host has the main thread (csl.md 11)
  kLatency,       ///< branch, result of an instruction, drain of an operation (wse.md 6.5)
  kStart,         ///< issue of a DSD operation to its first group (wse.md 6.5)
  kInterval,      ///< rate of the operation: cycles between two groups (wse.md 6.3)
  kBankConflict,  ///< the same, longer because two reads met in a bank (wse.md 6.2)
  kWavelet,       ///< a wavelet on input queue `number`
  kRoom,          ///< room in output queue `number`
  kFifoData,      ///< data in FIFO `number`
  kFifoRoom,      ///< room in FIFO `number`
  kChannel,       ///< the next wavelet of its queue belongs to a task (wse.md 2.3)
  kBlocked,       ///< its microthread is blocked
  kTurn,          ///< another thread has the issue slot (wse.md 4)
};
inline constexpr unsigned kWaitReasonCount = static_cast<unsigned>(WaitReason::kTurn) + 1;

struct WaitReasonInfo {
  std::string_view name;         ///< key in the report
  std::string_view description;  ///< for people
};
/// One row a reason, in the order of the enum.
const std::array<WaitReasonInfo, kWaitReasonCount>& wait_reason_table();
inline const WaitReasonInfo& info(WaitReason reason) {
  return wait_reason_table()[static_cast<std::size_t>(reason)];
}

/// A thread of a tile waited in the cycles `from` to `to` - 1, at instruction `pc`.
struct WaitSpan {
  std::uint32_t place = 0;
  unsigned thread = 0;  ///< as in events: 0 to 7 a microthread, 8 the main thread
  std::uint32_t pc = 0;
  WaitReason reason = WaitReason::kIdle;
  std::uint8_t number = 0;
  Cycle from = 0;
  Cycle to = 0;
};

/// Hears of every wait of a thread when it ends: for traces.
class WaitListener {
 public:
  virtual ~WaitListener() = default;
  virtual void on_wait(const WaitSpan& span) = 0;
};

/// Threads of a compute engine: microthreads 0 to 7, and the main thread.
inline constexpr unsigned kWaitThreads = 9;

/// Cycles by source line, thread and reason, of all tiles that run one program.
class LineWaits {
 public:
  struct Entry {
    std::uint32_t pc = 0;
    std::uint8_t thread = 0;
    WaitReason reason = WaitReason::kBusy;
    std::uint8_t number = 0;
    std::uint64_t cycles = 0;
  };
  void add(std::uint32_t pc, unsigned thread, WaitReason reason, std::uint8_t number,
           Cycle cycles) {
    if (pc >= of_pc_.size() || !of_pc_[pc]) open(pc);
    Cell& cell = (*of_pc_[pc])[thread * kWaitReasonCount + static_cast<std::size_t>(reason)];
    if (cell.cycles == 0) cell.number = number;
    if (cell.number != number)
      return add_other({pc, static_cast<std::uint8_t>(thread), reason, number, cycles});
    cell.cycles += cycles;
  }
  /// All entries, by pc, thread, reason and number.
  std::vector<Entry> entries() const;

 private:
  /// Nearly all waits of a line, thread and reason are about one queue; the others are in others_.
  struct Cell {
    std::uint64_t cycles = 0;
    std::uint8_t number = 0;
  };
  using Cells = std::array<Cell, std::size_t{kWaitThreads} * kWaitReasonCount>;
  void open(std::uint32_t pc);
  void add_other(const Entry& entry);

  std::vector<std::unique_ptr<Cells>> of_pc_;
  std::vector<Entry> others_;
};

/// What one compute engine did with its cycles; the engine tells it in the order of the cycles. Of the
/// tile as a whole, a cycle counts once: as busy if any thread has the issue slot, else by the wait of
/// its first thread: the main thread, if it has a task, else the lowest microthread with an
/// operation. Counts of cycles wrap at 2^32.
class TileWaits {
 public:
  TileWaits(std::uint32_t place, LineWaits& lines, WaitListener* listener)
      : lines_(&lines), listener_(listener), place_(place) {}

  // --- what the engine tells ---

  /// Instruction `pc` of `thread` uses the issue slot in cycle `now`; what follows counts as
  /// `after`.
  void busy(unsigned thread, std::uint32_t pc, Cycle now, WaitReason after) {
    Thread& t = at(thread, now);
    if (const std::int32_t waited = since(t, now); waited != 0) {
      // The cycle has been counted: a single step in the slot of its instruction.
      if (waited < 0) return set(t, after, 0, now + 1);
      account(t, thread, now);
    }
    if (t.pc != pc) change_line(t, thread, pc);
    t.since = low(now + 1);
    ++t.busy;
    if (now >= tile_since_) {
      charge_tile(now);
      ++cycles_[0];
      tile_since_ = now + 1;
    }
    set(t, after, 0, now + 1);
  }
  /// From cycle `from` on `thread` waits at instruction `pc`.
  void wait(unsigned thread, std::uint32_t pc, Cycle from, WaitReason reason,
            std::uint8_t number = 0) {
    Thread& t = at(thread, from);
    if (t.reason == reason && t.number == number && t.pc == pc) return;
    if (since(t, from) > 0) account(t, thread, from);
    if (t.pc != pc) change_line(t, thread, pc);
    set(t, reason, number, from);
  }
  /// `thread` has nothing to do from cycle `from` on.
  void end(unsigned thread, Cycle from);
  /// While no thread has anything to do, the tile counts as `reason` from cycle `from` on.
  void rest(WaitReason reason, Cycle from) {
    if (active_ != 0 || reason == tile_reason_) return;
    charge_tile(from);
    tile_reason_ = reason;
  }
  /// Whether some thread has a task or an operation.
  bool is_active() const { return active_ != 0; }
  /// What the tile counts as now.
  WaitReason reason() const { return tile_reason_; }
  /// The cycle from which on it does.
  Cycle since() const { return tile_since_; }

  // --- results ---

  /// The run has had `cycles` cycles: accounts what lasts. Call once.
  void finish(Cycle cycles);
  /// After finish(): they add up to the cycles of the run.
  std::uint32_t cycles(WaitReason reason) const {
    return cycles_[static_cast<std::size_t>(reason)];
  }

 private:
  /// A wafer has 745,500 accounts: numbers that wrap, in 12 bytes a thread.
  struct Thread {
    std::uint32_t since = 0;  ///< begin of the present wait, low bits: all before is accounted
    std::uint32_t busy = 0;   ///< cycles in the issue slot at pc that lines_ does not have yet
    std::uint16_t pc = 0;
    WaitReason reason = WaitReason::kIdle;
    std::uint8_t number = 0;
  };
  static std::uint32_t low(Cycle cycle) { return static_cast<std::uint32_t>(cycle); }
  /// The main thread goes first.
  static unsigned slot_of(unsigned thread) { return thread + 1 == kWaitThreads ? 0 : thread + 1; }

  /// A thread that has something to do from cycle `now` on, if it had nothing before.
  Thread& at(unsigned thread, Cycle now) {
    const unsigned slot = slot_of(thread);
    Thread& t = threads_[slot];
    if ((active_ >> slot & 1U) == 0) {
      active_ = static_cast<std::uint16_t>(active_ | 1U << slot);
      t.since = low(now);
    }
    return t;
  }
  void set(Thread& t, WaitReason reason, std::uint8_t number, Cycle from) {
    t.reason = reason;
    t.number = number;
    const WaitReason first = threads_[static_cast<std::size_t>(__builtin_ctz(active_))].reason;
    if (first == tile_reason_) return;
    charge_tile(from);
    tile_reason_ = first;
  }
  /// Cycles from the begin of the present wait to `now`; negative: it begins later.
  static std::int32_t since(const Thread& t, Cycle now) {
    return static_cast<std::int32_t>(low(now) - t.since);
  }
  /// Accounts the wait of `t`, which lasted until cycle `to`.
  void account(Thread& t, unsigned thread, Cycle to);
  void change_line(Thread& t, unsigned thread, std::uint32_t pc);
  void charge_tile(Cycle to) {
    if (to <= tile_since_) return;
    cycles_[static_cast<std::size_t>(tile_reason_)] += low(to - tile_since_);
    tile_since_ = to;
  }

  LineWaits* lines_;
  WaitListener* listener_;
  Cycle tile_since_ = 0;
  std::uint32_t place_;
  std::uint16_t active_ = 0;  // threads that have something to do, by slot
  WaitReason tile_reason_ = WaitReason::kIdle;
  std::array<std::uint32_t, kWaitReasonCount> cycles_{};
  std::array<Thread, kWaitThreads> threads_;  // by slot
};

/// What a tile does in cycle `now`, the last one that its engine was stepped or caught up for:
/// "the tile has waited since cycle 481 for a wavelet on an input queue".
std::string describe(const TileWaits& tile, Cycle now);
/// Cycles that it has waited for anything up to the end of cycle `now`.
std::uint64_t waited(const TileWaits& tile, Cycle now);

/// The waits of a machine.
class WaitBook {
 public:
  /// `places` tiles. `listener` may be nullptr.
  WaitBook(std::size_t places, WaitListener* listener) : tiles_(places), listener_(listener) {}

  /// Makes the account of a tile, whose program has number `program`. Once a tile; the address
  /// stays.
  TileWaits& open(std::uint32_t place, std::size_t program);
  /// nullptr: the tile has no compute engine.
  const TileWaits* tile(std::uint32_t place) const { return tiles_[place].get(); }
  std::size_t places() const { return tiles_.size(); }
  /// The run has had `cycles` cycles. Call once.
  void finish(Cycle cycles);
  /// Of all tiles with a compute engine; they add up to their number times the cycles of the run.
  std::uint64_t total(WaitReason reason) const;
  /// How many programs there are, and the lines of each.
  std::size_t programs() const { return lines_.size(); }
  const LineWaits& lines(std::size_t program) const { return *lines_[program]; }

 private:
  std::vector<std::unique_ptr<TileWaits>> tiles_;
  std::vector<std::unique_ptr<LineWaits>> lines_;
  WaitListener* listener_;
};

}  // namespace tessera::observe
