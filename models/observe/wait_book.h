// Where the cycles of a run went: what each compute engine waited for, by reason, thread and source
// line (docs/waits.md). A wait is a span: it is accounted when it ends, from the cycle in which it
// began, so an engine that sleeps costs nothing.
#pragma once

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "models/state/fwd.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/prefetch.h"

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

/// Number of the main thread, after the microthreads.
inline constexpr unsigned kWaitMainThread = 8;

/// What one operation did with its cycles, by kOperationReasons.
inline constexpr std::array<WaitReason, 7> kOperationReasons = {
    WaitReason::kBusy,    WaitReason::kStart, WaitReason::kInterval, WaitReason::kBankConflict,
    WaitReason::kWavelet, WaitReason::kRoom,  WaitReason::kTurn};
using OperationCycles = std::array<std::uint32_t, kOperationReasons.size()>;

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
  explicit LineWaits(WaitListener* listener) : listener_(listener) {}
  /// Who hears of every wait of the tiles; nullptr: nobody.
  WaitListener* listener() const { return listener_; }
  void add(std::uint32_t pc, unsigned thread, WaitReason reason, std::uint8_t number, Cycle cycles);
  /// What an operation of thread `thread` did; `input` and `output`: its queues.
  void add(std::uint32_t pc, unsigned thread, std::uint8_t input, std::uint8_t output,
           const OperationCycles& cycles) {
    const std::uint32_t key = thread | std::uint32_t{input} << 8 | std::uint32_t{output} << 16;
    Operations& line = operations_[pc];
    Operations::Sums& sums = line.key == key ? line.sums : other_sums(pc, key);
#pragma GCC unroll 7
    for (unsigned i = 0; i < kOperationReasons.size(); ++i) sums[i] += cycles[i];
  }
  /// Cycles of the main thread at an instruction.
  struct Main {
    std::uint64_t busy = 0;
    std::uint64_t turn = 0;
    std::uint64_t latency = 0;
    std::uint64_t task_start = 0;
  };
  /// By pc; until reach().
  Main* main() {
    return main_.data();
  }
  /// There are lines 0 to `lines` - 1, as the other functions require.
  void reach(std::size_t lines) {
    if (lines <= main_.size()) return;
    main_.resize(lines);
    operations_.resize(lines);
    others_.resize(lines);
  }
  /// All entries, by pc, thread, reason and number.
  std::vector<Entry> entries() const;
  /// How often an instruction was issued.
  std::uint64_t issued(std::uint32_t pc) const {
    return pc < main_.size() ? main_[pc].busy : 0;
  }

 private:
  struct Item {
    std::uint64_t cycles = 0;
    std::uint32_t key = 0;  ///< thread, reason << 8, number << 16
  };
  /// A line of the cache: many tiles of several programs come here in turn.
  struct alignas(64) Operations {
    using Sums = std::array<std::uint64_t, std::tuple_size_v<OperationCycles>>;
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;
    std::uint32_t key = kNone;  ///< thread, input << 8, output << 16
    Sums sums{};
  };
  Operations::Sums& other_sums(std::uint32_t pc, std::uint32_t key);

  WaitListener* listener_;
  // By pc:
  std::vector<Main> main_;
  std::vector<Operations> operations_;
  std::vector<boost::container::small_vector<Item, 3>> others_;
  /// By pc and key: what an instruction does on a second thread, or on other queues.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Operations::Sums> more_operations_;
};

/// What the operation of a thread, which is asked in every step (pe::Operation::asked), did with its
/// cycles, as far as its source line does not have it yet.
struct OperationWaits {
  Cycle since = 0;  ///< all before is in the line
  std::uint32_t groups = 0;
  WaitReason reason = WaitReason::kTurn;  ///< the last answer
  std::uint8_t number = 0;
};

/// The groups of an operation that met a bank conflict.
struct Conflicts {
  std::uint32_t count = 0;
  std::uint32_t last = 0;  ///< low bits of the cycle of the last of them
};

/// What one compute engine did with its cycles. For the tile as a whole, a cycle counts once: as busy
/// if any thread has the issue slot, else by the wait of its first thread: the main thread, if it
/// has a task, else the lowest microthread with an operation. Counts of cycles wrap at 2^32.
///
/// An engine tells when what it does becomes something else, and nothing while it uses its slot in
/// every cycle. What a thread has waited for is worked out when the wait ends, or at the end of its
/// operation (models/pe/wait_account.h).
class alignas(64) TileWaits {
 public:
  /// `lines` are those of its program.
  TileWaits(std::uint32_t place, LineWaits& lines)
      : lines_(&lines), is_told_(lines.listener() != nullptr), place_(place) {}
  /// Its program has `lines` lines: before anything is accounted.
  void reach(std::size_t lines) {
    lines_->reach(lines);
    main_lines_ = lines_->main();
  }
  /// From here on it is known which of its `lines` lines the tile has issued (has_issued).
  void keep_issued(std::size_t lines) {
    issued_ = std::make_unique<std::uint64_t[]>((lines + kBits - 1) / kBits);
  }
  /// Requires keep_issued().
  bool has_issued(std::uint32_t pc) const { return (issued_[pc / kBits] >> pc % kBits & 1U) != 0; }

  // --- the tile

  /// From cycle `from` on the tile does `reason`.
  void change(WaitReason reason, Cycle from) {
    if (reason == reason_) return;
    if (from > since_) charge(from);
    reason_ = reason;
  }
  /// What the tile does now.
  WaitReason reason() const { return reason_; }
  /// The cycle from which on it does.
  Cycle since() const { return since_; }

  // --- its threads

  /// Thread `thread` waited in the cycles `from` to `to` - 1 at instruction `pc`.
  void add(const WaitSpan& span) {
    if (span.from >= span.to) return;
    lines_->add(span.pc, span.thread, span.reason, span.number, span.to - span.from);
    if (is_told()) tell(span);
  }
  LineWaits& lines() { return *lines_; }
  /// Whether a listener hears of every wait.
  bool is_told() const { return is_told_; }
  /// The account of the operation that a thread has, if it is asked.
  OperationWaits& thread(unsigned thread) { return threads_[thread]; }
  const OperationWaits& thread(unsigned thread) const { return threads_[thread]; }
  /// The conflicts of the operation that a thread has, if it may meet any.
  Conflicts& conflicts(unsigned thread) { return conflicts_[thread]; }

  /// The main thread waits for `reason`, kLatency or kTaskStart, from cycle `from` on, because of
  /// instruction `pc`. A cycle in which it has issued an instruction does not count.
  void start_main(std::uint32_t pc, Cycle from, WaitReason reason) {
    main_ = {from > main_.since ? from : main_.since, pc, reason};
  }
  /// It issues `pc` in cycle `now`, and could have done so since cycle `ready` at the latest.
  void issue(std::uint32_t pc, Cycle ready, Cycle now) {
    ++main_lines_[pc].busy;
    if (issued_ != nullptr) issued_[pc / kBits] |= std::uint64_t{1} << pc % kBits;
    if (main_.since < now) end_wait_of_main(pc, ready, now);
    main_ = {now + 1, pc, WaitReason::kLatency};
  }
  /// Accounts its wait up to cycle `to`.
  void end_main(Cycle to) { add({0, kWaitMainThread, main_.pc, main_.reason, 0, main_.since, to}); }
  /// What it waits for between two instructions.
  WaitReason main_reason() const { return main_.reason; }

  /// A command of the host has the main thread until cycle `until`. Its end is no step of the engine:
  /// from then on the tile is idle.
  void serve_host(Cycle until) { host_until_ = until; }
  Cycle host_until() const { return host_until_; }

  // --- results ---

  /// The run has had `cycles` cycles: accounts what lasts. Call once, when the engine has finished
  /// its threads. No engine was stepped in cycle `stepped` or later: a run that fails may have
  /// announced events of the cycles after it.
  void finish(Cycle cycles, Cycle stepped);
  /// After finish(): they add up to the cycles of the run.
  std::uint32_t cycles(WaitReason reason) const {
    return cycles_[static_cast<std::size_t>(reason)];
  }
  /// Cycles by reason, those in the issue slot among them.
  using Cycles = std::array<std::uint32_t, kWaitReasonCount>;
  const Cycles& all_cycles() const { return cycles_; }
  /// Becomes an account with these results.
  void restore(const Cycles& cycles) { cycles_ = cycles; }
  /// Saves or restores what changes (models/state/archive.h).
  void visit(state::Archive& archive);
  /// What instructions of the main thread need, into the cache of the host.
  [[gnu::always_inline]] void prefetch() const { __builtin_prefetch(this, 1); }
  /// What any step needs.
  [[gnu::always_inline]] void prefetch_all() const {
    tessera::prefetch(reinterpret_cast<const char*>(this), 0, offsetof(TileWaits, place_));
  }

 private:
  static constexpr unsigned kBits = 64;

  void tell(WaitSpan span) const;
  void end_wait_of_main(std::uint32_t pc, Cycle ready, Cycle now) {
    const Cycle turn = std::max(ready, main_.since);
    main_lines_[pc].turn += now - turn;
    LineWaits::Main& before = main_lines_[main_.pc];
    (main_.reason == WaitReason::kLatency ? before.latency : before.task_start) +=
        turn - main_.since;
    if (is_told()) tell_issue(pc, turn, now);
  }
  void tell_issue(std::uint32_t pc, Cycle turn, Cycle now) const;
  void charge(Cycle to) {
    Cycle end = to;
    if (reason_ == WaitReason::kHost) {
      end = std::min(std::max(host_until_, since_), to);
      put(WaitReason::kIdle, end, to);
    }
    put(reason_, since_, end);
    charged_ = reason_;
    since_ = to;
  }
  void put(WaitReason reason, Cycle from, Cycle to) {
    cycles_[static_cast<std::size_t>(reason)] += static_cast<std::uint32_t>(to - from);
  }
  struct Main {
    Cycle since = 0;  ///< all before is accounted
    std::uint32_t pc = 0;
    WaitReason reason = WaitReason::kTaskStart;
  };

  // What most tiles need lies in two lines of the cache, the first of which instructions of the main thread need.
  Cycle since_ = 0;
  Main main_;
  LineWaits::Main* main_lines_ = nullptr;
  LineWaits* lines_;
  std::unique_ptr<std::uint64_t[]> issued_;  // a bit a line; nullptr: nobody asked
  WaitReason reason_ = WaitReason::kIdle;
  WaitReason charged_ = WaitReason::kIdle;  // what came before it
  bool is_told_;
  Cycles cycles_{};
  std::uint32_t place_;
  Cycle host_until_ = 0;
  std::array<OperationWaits, kWaitMainThread + 1> threads_;
  std::array<Conflicts, kWaitMainThread + 1> conflicts_;
};

/// What a tile does in cycle `now`, the last one that its engine was stepped or caught up for:
/// "the tile has waited since cycle 481 for a wavelet on an input queue".
std::string describe(const TileWaits& tile, Cycle now);
/// Cycles that it has waited for anything up to the end of cycle `now`.
std::uint64_t waited(const TileWaits& tile, Cycle now);

/// The waits of a machine.
class WaitBook {
 public:
  /// Takes the account of a tile that another process has.
  using Other = std::function<void(std::uint32_t place, TileWaits& tile)>;
  /// `places` tiles. `listener` may be nullptr.
  WaitBook(std::size_t places, WaitListener* listener) : tiles_(places), listener_(listener) {}

  /// Makes the account of a tile, whose program has number `program`. Once a tile; the address
  /// stays. The tiles of a number share its lines: where several threads step the machine, the same
  /// program has a number for each.
  TileWaits& open(std::uint32_t place, std::size_t program);
  /// nullptr: the tile has no compute engine.
  const TileWaits* tile(std::uint32_t place) const { return tiles_[place]; }
  TileWaits* tile(std::uint32_t place) { return tiles_[place]; }
  std::size_t places() const { return tiles_.size(); }
  /// The run has had `cycles` cycles. Call once, when the engines have finished their threads
  /// (pe::ComputeEngineCore::finish_waits); `stepped` as in TileWaits::finish.
  void finish(Cycle cycles, Cycle stepped);
  /// Cycles of all tiles with a compute engine. The totals of all reasons add up to the number of these
  /// tiles times the cycles of the run.
  std::uint64_t total(WaitReason reason) const;
  /// How many programs there are, and the lines of each.
  std::size_t programs() const { return lines_.size(); }
  const LineWaits& lines(std::size_t program) const { return *lines_[program]; }
  /// Adds to the lines of a program.
  void add_line(std::size_t program, const LineWaits::Entry& entry) {
    LineWaits& lines = lines_of(program);
    lines.reach(entry.pc + std::size_t{1});
    lines.add(entry.pc, entry.thread, entry.reason, entry.number, entry.cycles);
  }
  /// Saves or restores what changes (models/state/archive.h) of `programs`
  /// programs, each of which several threads may run. `other`: gets the accounts of tiles that the book does not have. Throws
  /// state::Mismatch where a tile has an account that was not saved.
  void visit(state::Archive& archive, std::size_t programs, const Other& other);

 private:
  LineWaits& lines_of(std::size_t program);

  // Many in a row: were they among the memory of the tiles, they would tear that apart.
  static constexpr std::size_t kBlock = 64;
  std::vector<std::vector<TileWaits>> accounts_;
  std::vector<TileWaits*> tiles_;  // by place
  std::vector<std::unique_ptr<LineWaits>> lines_;
  WaitListener* listener_;
};

}  // namespace tessera::observe
