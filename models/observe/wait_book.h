// Where the cycles of a run went: what each compute engine waited for, by reason, thread and source
// line (docs/waits.md). A wait is a span: it is accounted when it ends, from the cycle in which it
// began, so an engine that sleeps costs nothing.
#pragma once

#include <boost/container/small_vector.hpp>

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
    if (pc >= of_pc_.size()) of_pc_.resize(pc + std::size_t{1});
    const std::uint32_t key =
        thread | static_cast<std::uint32_t>(reason) << 8 | std::uint32_t{number} << 16;
    for (Item& item : of_pc_[pc]) {
      if (item.key != key) continue;
      item.cycles += cycles;
      return;
    }
    of_pc_[pc].push_back({cycles, key});
  }
  /// All entries, by pc, thread, reason and number.
  std::vector<Entry> entries() const;

 private:
  /// A line has few: they lie side by side, as many tiles of several programs come here in turn.
  struct Item {
    std::uint64_t cycles = 0;
    std::uint32_t key = 0;  ///< thread, reason << 8, number << 16
  };
  std::vector<boost::container::small_vector<Item, 5>> of_pc_;
};

/// What one compute engine did with its cycles; the engine tells it in the order of the cycles. Of the
/// tile as a whole, a cycle counts once: as busy if any thread has the issue slot, else by the wait of
/// its first thread: the main thread, if it has a task, else the lowest microthread with an
/// operation. Counts of cycles wrap at 2^32.
class alignas(64) TileWaits {
 public:
  TileWaits(std::uint32_t place, LineWaits& lines, WaitListener* listener)
      : lines_(&lines), listener_(listener), place_(place) {}

  // --- what the engine tells ---

  /// Instruction `pc` of `thread` uses the issue slot in cycle `now`; what follows counts as
  /// `after`, from cycle `due` on as kTurn.
  void busy(unsigned thread, std::uint32_t pc, Cycle now, WaitReason after, Cycle due = kNever) {
    Thread& t = at(thread, now);
    const std::int32_t waited = since(t, now);
    // The cycle has been counted: a single step in the slot of its instruction.
    if (waited < 0) return set(t, after, 0, now + 1);
    if (waited > 0) account(t, thread, now);
    if (t.pc != pc) change_line(t, thread, pc);
    t.since = low(now + 1);
    t.ends = length(due, now + 1);
    t.reason = after;
    t.number = 0;
    if (++t.busy == kMost) change_line(t, thread, pc);
    open_ = static_cast<std::uint16_t>(open_ & ~(1U << slot_of(thread)));
    if (now >= tile_since_) {
      charge_tile(now);
      ++busy_;
      tile_since_ = now + 1;
    }
    tile_reason_ = first_reason();
  }
  /// From cycle `from` on `thread` waits at instruction `pc`; from cycle `due` on, if nobody tells
  /// otherwise, for its turn.
  void wait(unsigned thread, std::uint32_t pc, Cycle from, WaitReason reason,
            std::uint8_t number = 0, Cycle due = kNever) {
    Thread& t = at(thread, from);
    if (t.reason == reason && t.number == number && t.pc == pc) return;
    if (since(t, from) > 0) account(t, thread, from);
    if (t.pc != pc) change_line(t, thread, pc);
    t.ends = length(due, from);
    set(t, reason, number, from);
  }
  /// `thread` has nothing to do from cycle `from` on.
  void end(unsigned thread, Cycle from);
  /// While no thread has anything to do, the tile counts as `reason` from cycle `from` on.
  void rest(WaitReason reason, Cycle from) {
    if (active_ == 0) retile(reason, from);
  }
  /// Whether some thread waits for something of which only wait() tells that it is over.
  bool is_open() const { return open_ != 0; }
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
    return reason == WaitReason::kBusy ? busy_ : cycles_[static_cast<std::size_t>(reason)];
  }
  /// Cycles by reason, those in the issue slot among them.
  using Cycles = std::array<std::uint32_t, kWaitReasonCount>;
  Cycles all_cycles() const;
  /// Becomes an account with these results.
  void restore(const Cycles& cycles);
  /// Into the cache of the host.
  void prefetch() const {
    const char* const first = reinterpret_cast<const char*>(this);
    for (unsigned i = 0; i < sizeof(TileWaits); i += 64) __builtin_prefetch(first + i, 1);
  }

 private:
  static constexpr std::uint16_t kMost = 0xFFFF;
  static constexpr std::uint16_t kOpen = kMost;
  /// A wafer has 745,500 accounts: numbers that wrap, in 16 bytes a thread.
  struct Thread {
    std::uint32_t since = 0;     ///< begin of the present wait, low bits: all before is accounted
    std::uint16_t ends = kOpen;  ///< cycles of it that are for its reason, the rest is for its turn
    // Cycles at pc that lines_ does not have yet: in the issue slot, and waiting for it.
    std::uint16_t busy = 0;
    std::uint16_t turn = 0;
    std::uint16_t pc = 0;
    WaitReason reason = WaitReason::kIdle;
    std::uint8_t number = 0;
  };
  static std::uint32_t low(Cycle cycle) { return static_cast<std::uint32_t>(cycle); }
  static std::uint16_t length(Cycle due, Cycle from) {
    return due - from < kMost ? static_cast<std::uint16_t>(due - from) : kOpen;
  }
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
    static_assert(WaitReason::kTurn > WaitReason::kBlocked, "the last one is not open");
    t.reason = reason;
    t.number = number;
    const auto bit = static_cast<std::uint16_t>(1U << (&t - threads_.data()));
    const bool open = reason >= WaitReason::kWavelet && reason <= WaitReason::kBlocked;
    open_ = static_cast<std::uint16_t>(open ? open_ | bit : open_ & ~bit);
    retile(first_reason(), from);
  }
  /// Cycles from the begin of the present wait to `now`; negative: it begins later.
  static std::int32_t since(const Thread& t, Cycle now) {
    return static_cast<std::int32_t>(low(now) - t.since);
  }
  /// Accounts the wait of `t`, which lasted until cycle `to`.
  void account(Thread& t, unsigned thread, Cycle to) {
    const std::uint32_t waited = low(to) - t.since;
    const std::uint32_t turn = t.ends != kOpen && waited > t.ends ? waited - t.ends : 0;
    if (waited > turn) lines_->add(t.pc, thread, t.reason, t.number, waited - turn);
    if (turn + t.turn < kMost)
      t.turn = static_cast<std::uint16_t>(t.turn + turn);
    else
      lines_->add(t.pc, thread, WaitReason::kTurn, 0, turn);
    if (listener_ != nullptr) tell(t, thread, waited, turn, to);
    t.since = low(to);
    t.ends = kOpen;
  }
  void tell(const Thread& t, unsigned thread, std::uint32_t waited, std::uint32_t turn, Cycle to);
  void change_line(Thread& t, unsigned thread, std::uint32_t pc);
  /// Of the thread that the tile counts as. Requires is_active().
  WaitReason first_reason() const {
    return threads_[static_cast<std::size_t>(__builtin_ctz(active_))].reason;
  }
  void retile(WaitReason reason, Cycle from) {
    if (reason == tile_reason_) return;
    charge_tile(from);
    tile_reason_ = reason;
  }
  void charge_tile(Cycle to) {
    if (to <= tile_since_) return;
    cycles_[static_cast<std::size_t>(tile_reason_)] += low(to - tile_since_);
    charged_ = tile_reason_;
    tile_since_ = to;
  }

  // What every cycle needs stands together.
  Cycle tile_since_ = 0;
  LineWaits* lines_;
  std::uint32_t busy_ = 0;
  std::uint16_t active_ = 0;  // threads that have something to do, by slot
  std::uint16_t open_ = 0;    // threads of is_open()
  WaitReason tile_reason_ = WaitReason::kIdle;
  WaitReason charged_ = WaitReason::kIdle;    // what came before it
  std::array<Thread, kWaitThreads> threads_;  // by slot
  WaitListener* listener_;
  std::uint32_t place_;
  std::array<std::uint32_t, kWaitReasonCount> cycles_{};
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
  /// stays. The tiles of a number share its lines: where several threads step the machine, the same
  /// program has a number for each.
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
  /// Adds to the lines of a program.
  void add_line(std::size_t program, const LineWaits::Entry& entry) {
    lines_of(program).add(entry.pc, entry.thread, entry.reason, entry.number, entry.cycles);
  }

 private:
  LineWaits& lines_of(std::size_t program);

  std::vector<std::unique_ptr<TileWaits>> tiles_;
  std::vector<std::unique_ptr<LineWaits>> lines_;
  WaitListener* listener_;
};

}  // namespace tessera::observe
