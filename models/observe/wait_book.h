// Where the cycles of a run went: what each compute engine waited for, by reason, thread and source
// line (docs/waits.md). A wait is a span: it is accounted when it ends, from the cycle in which it
// began, so an engine that sleeps costs nothing.
#pragma once

#include <boost/container/small_vector.hpp>

#include <algorithm>
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

/// Number of the main thread, behind the microthreads.
inline constexpr unsigned kWaitMainThread = 8;

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
    reach(pc);
    if (thread == kWaitMainThread && reason == WaitReason::kBusy) {
      main_[pc].issues += cycles;
      return;
    }
    if (thread == kWaitMainThread && reason == WaitReason::kLatency) {
      main_[pc].latency += cycles;
      return;
    }
    const std::uint32_t key =
        thread | static_cast<std::uint32_t>(reason) << 8 | std::uint32_t{number} << 16;
    for (Item& item : others_[pc]) {
      if (item.key != key) continue;
      item.cycles += cycles;
      return;
    }
    others_[pc].push_back({cycles, key});
  }
  /// The main thread issues the instruction; the one before it made it wait for `latency` cycles.
  void issue(std::uint32_t pc, std::uint32_t before, Cycle latency) {
    reach(std::max(pc, before));
    ++main_[pc].issues;
    main_[before].latency += latency;
  }
  /// All entries, by pc, thread, reason and number.
  std::vector<Entry> entries() const;

 private:
  /// A line has few: they lie side by side, as many tiles of several programs come here in turn.
  struct Item {
    std::uint64_t cycles = 0;
    std::uint32_t key = 0;  ///< thread, reason << 8, number << 16
  };
  /// Of the main thread: kBusy, groups of its operations too, and kLatency.
  struct Main {
    std::uint64_t issues = 0;
    std::uint64_t latency = 0;
  };
  void reach(std::uint32_t pc) {
    if (pc < main_.size()) return;
    main_.resize(pc + std::size_t{1});
    others_.resize(pc + std::size_t{1});
  }
  std::vector<Main> main_;  // by pc, apart from the others, as every instruction comes here
  std::vector<boost::container::small_vector<Item, 3>> others_;  // by pc
};

/// What an operation did with its cycles, as far as its source line does not have it yet
/// (models/pe/wait_account.h).
struct OperationWaits {
  Cycle since = 0;  ///< all before is in the line; from here on the counts below
  /// Groups, but those that it had while it was plain (TileWaits::is_plain): op.done counts them.
  std::uint32_t busy = 0;
  // Cycles by reason; what is left, but for those of Lacked, is kTurn.
  std::uint32_t interval = 0;
  std::uint32_t conflicts = 0;
  bool at_once : 1;   ///< every wait goes to the line when it ends: the counts, but `busy`, are 0
  bool asked : 1;     ///< in every step what it waits for; the last answer is `reason`, `number`
  bool conflict : 1;  ///< its last group met a bank conflict
  WaitReason reason = WaitReason::kTurn;
  std::uint8_t number = 0;
  OperationWaits() : at_once(false), asked(false), conflict(false) {}
};
/// Cycles in which it lacked a wavelet on its input queue, or room in its output queue.
struct LackedCycles {
  std::uint32_t wavelet = 0;
  std::uint32_t room = 0;
};

/// What one compute engine did with its cycles. Of the tile as a whole, a cycle counts once: as busy
/// if any thread has the issue slot, else by the wait of its first thread: the main thread, if it
/// has a task, else the lowest microthread with an operation. Counts of cycles wrap at 2^32.
///
/// An engine tells of a cycle what costs it nothing to know: that the slot is used, and what the
/// tile waits for when it is not. What a thread has waited for is worked out when it gets the slot
/// (models/pe/wait_account.h).
class alignas(64) TileWaits {
 public:
  TileWaits(std::uint32_t place, LineWaits& lines, WaitListener* listener)
      : lines_(&lines), listener_(listener), place_(place) {}

  // --- the tile

  /// The issue slot is used in cycle `now`.
  void use_slot(Cycle now) {
    if (now < since_) return;  // a single step in the slot of its instruction
    if (now != since_) charge(now);
    ++busy_;
    since_ = now + 1;
  }
  /// From cycle `from` on the tile counts as `reason` where its slot is not used.
  void rest(WaitReason reason, Cycle from) {
    if (reason == reason_) return;
    if (from > since_) charge(from);
    reason_ = reason;
  }
  /// What the tile counts as now.
  WaitReason reason() const { return reason_; }
  /// The cycle from which on it does.
  Cycle since() const { return since_; }

  // --- its threads

  /// Thread `thread` waited in the cycles `from` to `to` - 1 at instruction `pc`.
  void add(const WaitSpan& span) {
    if (span.from >= span.to) return;
    lines_->add(span.pc, span.thread, span.reason, span.number, span.to - span.from);
    if (listener_ != nullptr) tell(span);
  }
  LineWaits& lines() { return *lines_; }
  /// Whether a listener hears of every wait.
  bool is_told() const { return listener_ != nullptr; }
  /// Of the operation that a thread has.
  OperationWaits& thread(unsigned thread) { return threads_[thread]; }
  const OperationWaits& thread(unsigned thread) const { return threads_[thread]; }
  LackedCycles& lacked(unsigned thread) { return lacked_[thread]; }
  /// Whether between two groups it waits for nothing but its queues and its turn.
  bool is_plain(unsigned thread) const { return (plain_ >> thread & 1U) != 0; }
  void set_plain(unsigned thread, bool on) {
    plain_ = static_cast<std::uint16_t>((plain_ & ~(1U << thread)) | (on ? 1U : 0U) << thread);
  }

  /// The main thread waits for `reason` from cycle `from` on, because of instruction `pc`. A cycle in
  /// which it has used the issue slot does not count.
  void start_main(std::uint32_t pc, Cycle from, WaitReason reason) {
    main_ = {from > since_ ? from : since_, pc, reason};
  }
  /// It issues `pc` in cycle `now`, and could have done so since cycle `ready`.
  void issue(std::uint32_t pc, Cycle ready, Cycle now) {
    const Cycle turn = ready < main_.since ? main_.since : ready < now ? ready : now;
    if (listener_ == nullptr && main_.reason == WaitReason::kLatency) {
      lines_->issue(pc, main_.pc, turn - main_.since);
    } else {
      lines_->issue(pc, pc, 0);
      end_main(turn);
    }
    if (turn < now) add({0, kWaitMainThread, pc, WaitReason::kTurn, 0, turn, now});
    main_ = {now + 1, pc, WaitReason::kLatency};
    use_slot(now);
  }
  /// Accounts its wait up to cycle `to`.
  void end_main(Cycle to) { add({0, kWaitMainThread, main_.pc, main_.reason, 0, main_.since, to}); }
  /// What it waits for between two instructions.
  WaitReason main_reason() const { return main_.reason; }

  /// A command of the host has the main thread until cycle `until`.
  void serve_host(Cycle until) { host_until_ = until; }
  Cycle host_until() const { return host_until_; }

  // --- its queues, one bit each: input queues, and from bit 8 on output queues

  /// In cycle `now` operations lack a wavelet, or room, of `queues`.
  void look(std::uint32_t queues, Cycle now) {
    // Nearly always one queue at most: without a branch that the host would have to guess.
    std::uint32_t came = lacking_ & ~queues;
    lacking_ = queues;
    came_[lowest(came | 1U << kNoQueue)] = static_cast<std::uint32_t>(now);
    while ((came & (came - 1)) != 0) {
      came &= came - 1;
      came_[lowest(came)] = static_cast<std::uint32_t>(now);
    }
  }
  bool lacks(unsigned q) const { return (lacking_ >> q & 1U) != 0; }
  /// An operation whose group was due in cycle `due` had to wait for queue `q` for so many cycles,
  /// and has what it needs now.
  std::uint32_t waited_for(unsigned q, Cycle due) const {
    const auto cycles = static_cast<std::int32_t>(came_[q] - static_cast<std::uint32_t>(due));
    return static_cast<std::uint32_t>(std::max(cycles, 0));
  }
  /// A new operation needs `queues`: what came long ago is forgotten.
  void need(std::uint32_t queues, Cycle now) {
    for (; queues != 0; queues &= queues - 1)
      came_[lowest(queues)] = static_cast<std::uint32_t>(now);
  }
  /// Threads whose waits are asked for in every step, one bit each.
  std::uint32_t asked() const { return asked_; }
  void ask(unsigned thread, bool on) {
    asked_ = (asked_ & ~(1U << thread)) | (on ? 1U : 0U) << thread;
  }

  // --- results ---

  /// The run has had `cycles` cycles: accounts what lasts. Call once, when the engine has finished
  /// its threads.
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
  [[gnu::always_inline]] void prefetch() const {
    const char* const first = reinterpret_cast<const char*>(this);
    for (unsigned i = 0; i < 3; ++i) __builtin_prefetch(first + i * std::size_t{64}, 1);
  }

 private:
  static constexpr unsigned kQueues = 16;
  static constexpr unsigned kNoQueue = kQueues;  // its place takes what is about no queue
  static unsigned lowest(std::uint32_t bits) { return static_cast<unsigned>(__builtin_ctz(bits)); }
  void tell(WaitSpan span) const;
  void charge(Cycle to) {
    cycles_[static_cast<std::size_t>(reason_)] += static_cast<std::uint32_t>(to - since_);
    charged_ = reason_;
    since_ = to;
  }
  struct Main {
    Cycle since = 0;  ///< all before is accounted
    std::uint32_t pc = 0;
    WaitReason reason = WaitReason::kTaskStart;
  };

  // What every cycle needs stands together, in three cache lines.
  Cycle since_ = 0;
  std::uint32_t busy_ = 0;
  std::uint32_t lacking_ = 0;
  Main main_;
  LineWaits* lines_;
  WaitListener* listener_;
  std::uint32_t asked_ = 0;
  std::uint16_t plain_ = 0;  // threads, one bit each
  WaitReason reason_ = WaitReason::kIdle;
  WaitReason charged_ = WaitReason::kIdle;  // what came before it
  std::uint32_t place_;
  alignas(64) std::array<std::uint32_t, kQueues + 1> came_{};  // low bits of the cycle
  std::array<LackedCycles, kWaitMainThread + 1> lacked_;
  Cycle host_until_ = 0;
  std::array<OperationWaits, kWaitMainThread + 1> threads_;
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
  /// The run has had `cycles` cycles. Call once, when the engines have finished their threads
  /// (pe::ComputeEngineCore::finish_waits).
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
