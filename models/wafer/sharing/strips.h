// A wafer as strips: its rows are cut into a WaferCore each, joined at their borders (rims.h). In a
// cycle the strips may be stepped at the same time, one thread each; then each takes what its
// neighbours sent. Some of the strips may be in other processes (remote_part.h). Results do not depend on
// the number of strips (docs/architecture.md#strips).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "models/observe/diagnosis.h"
#include "models/observe/event_stream.h"
#include "models/state/fwd.h"
#include "models/wafer/plan/plan.h"
#include "models/wafer/sharing/packet.h"
#include "models/wafer/sharing/part.h"
#include "models/wafer/sharing/remote_part.h"
#include "models/wafer/sharing/skew.h"
#include "models/wafer/sharing/thread_pool.h"
#include "models/wafer/sharing/threads.h"
#include "models/wafer/wafer_core.h"

namespace tessera::wafer {

/// A wafer as one block: what WaferCore offers, for any number of strips.
class Strips {
 public:
  /// As WaferCore. One strip for each thread, but no more than there are rows. `others` lead to processes
  /// that serve() the rest of the rows, which are shared out evenly; this one has the first. There
  /// are no more processes than rows: the last of `others` are not used.
  Strips(const Strip& rows, Threads threads, Outside& outside, observe::EventStream* events,
         const std::vector<Channel*>& others = {});
  ~Strips();
  Strips(const Strips&) = delete;
  Strips& operator=(const Strips&) = delete;

  /// Strips in this process.
  std::size_t count() const { return locals_.size(); }
  /// Number of the strip that has a tile, from north to south.
  std::uint32_t strip_of(TileCoord tile) const {
    return part_of_row_[static_cast<std::size_t>(tile.y - first_row_)];
  }
  /// As those of WaferCore.
  void start();
  /// Nobody outside looks or acts before cycle `free_until`: the cycles up to there may be computed now. step() is
  /// called for those in which there is something to tell and for the last one with something to do, as ever.
  Cycle step(Cycle now, Cycle free_until = 0);
  /// Before step(now): lets other threads begin with their strips, if it is worth them. Until join() or step(now) only
  /// put() and credit() of ports that are not taken may be called.
  void begin(Cycle now) noexcept;
  bool has_begun() const { return begun_ != kNever; }
  /// Whether another thread has begun with the strip of a port.
  bool is_taken(std::uint32_t port) const {
    return has_begun() && strip_of(plan_.ports[port].tile) > 0;
  }
  /// Steps the first strip, and waits for the others, where they have begun. What crosses borders is left to step().
  void join();
  /// The first cycle that has not been computed.
  Cycle computed_to() const { return computed_to_; }
  Cycle next_due(Cycle now) const;
  // For a process that another one leads: what Part has for cycles before their time.
  void step_stage(const Window& window, unsigned stage);
  Cycle failed_at() const;
  Cycle last_ahead() const;
  void end_ahead(Cycle begin, Cycle end);
  /// Throws the first failure of the last cycle, if there was one.
  void report_failure();
  /// Whether the accounts of waits are those of the last cycle. They are not where a block has failed and others may
  /// have been ahead of it: what they have accounted since cannot be taken back.
  bool knows_waits() const { return !failed_ || !may_be_ahead(); }
  Cycle next_told() const;
  void hand_on(Cycle now);
  void shuffle_step_order(std::uint64_t seed);
  /// nullptr also where another process has the tile.
  pe::ComputeEngineCore* engine(TileCoord tile);
  /// The process that has a tile; nullptr: this one.
  RemotePart* remote(TileCoord tile) const;
  const std::vector<std::unique_ptr<RemotePart>>& remotes() const { return remotes_; }
  void launch(TileCoord tile, const pe::Function& function,
              const std::vector<std::uint32_t>& arguments, Cycle at);
  void access(TileCoord tile, pe::HostAccess access, Cycle at);
  void set_diagnoses(observe::Diagnoses* diagnoses);
  std::size_t wavelets_held() const;
  // The outer borders, where `rows` are not the whole wafer: as those of WaferCore.
  std::vector<std::uint16_t> rooms_at(Direction side) { return outer(side).rooms_at(side); }
  void set_rooms(Direction side, const std::vector<std::uint16_t>& rooms) {
    outer(side).set_rooms(side, rooms);
  }
  std::vector<Crossing>& sent(Direction side) { return outer(side).sent(side); }
  void take(Direction side, std::vector<Crossing>& crossings, Cycle now) {
    outer(side).take(side, crossings, now);
  }
  void describe_waits(observe::Waits& waits, Cycle now) const;
  // The next two hold for the strips in this process.
  void set_link_waits(observe::LinkWaits& waits);
  void add_lasting_waits(observe::LinkWaits& waits, Cycle end) const;
  /// As those of Ports.
  unsigned capacity(std::uint32_t port, Color color) const;
  void put(std::uint32_t port, const link::Wavelet& w, Cycle due);
  void credit(std::uint32_t port, Color color, Cycle due);
  /// The SRAM of all PEs, row by row, to be put into the wafer that comes after this one.
  std::vector<pe::Sram> take_memories();
  void put_memories(std::vector<pe::Sram> memories);
  /// Saves the state between two cycles, of which `next` is the second; or restores it, after start(). The bytes do not
  /// depend on the number of strips. Throws state::Mismatch.
  void visit(state::Archive& archive, Cycle next);
  // Parts of it, for a process that another one leads.
  void visit_locals(StateOf what, const Visit& visit);
  WaferCore::Announcements announcements(Cycle next) const;
  void take_announcements(const WaferCore::Announcements& all);
  /// All is restored; `is_due`: something is to be looked at in `next`. Answers the next cycle with something to do.
  Cycle go_on_at(Cycle next, bool is_due);

 private:
  Part& outer(Direction side) {
    return side == Direction::kNorth ? *parts_.front() : *parts_.back();
  }
  Part& part_of(TileCoord tile) const;
  Part& part_of_port(std::uint32_t port) const;
  std::uint64_t engine_steps() const;
  Cycle next_due_of_parts() const;
  void count_busy(std::uint64_t steps, unsigned cycles);
  bool may_be_ahead() const { return skewed_ && (events_ == nullptr || !events_->is_traced()); }
  bool is_worth_skew() const;
  void run_ahead(const Window& window);
  Cycle tell_computed(Cycle now);
  void step_parts(Cycle now);
  void find_due(Cycle now);
  /// Whether PEs have still something to do for the host.
  bool has_accesses() const { return accesses_.load(std::memory_order_relaxed) > 0; }
  void begin_together(Cycle now);
  ThreadPool& pool();
  /// Asked before so many cycles are stepped.
  bool is_worth_threads(unsigned cycles);
  void end_together(Cycle now);
  void step_in_turn(Cycle now);
  /// What a cycle has taken one thread, and how long it has lasted with all of them.
  void note_cost(double seconds) { cost_s_ += (seconds - cost_s_) * kNew; }
  void note_together(double seconds);
  static void hand_over(Part& from, Part& to, Direction side, Cycle now);
  void exchange(std::size_t part, Cycle now);
  void exchange_all(Cycle now);
  void end_step(Cycle now);
  void visit_announcements(const Visit& visit);
  /// Calls `work` for every strip of this process, all at the same time or in turn. It may not throw.
  void run_locals(bool together, const std::function<void(unsigned)>& work);
  /// Calls `work` for every strip of this process, all at the same time if the wafer is large.
  void for_all_locals(const std::function<void(std::size_t)>& work);

  static constexpr double kNew = 0.25;  // part that a measurement has in a mean

  const Plan& plan_;
  const Threads threads_;
  bool is_large_;  // worth several threads where all tiles are gone through
  observe::EventStream* const events_;
  std::vector<std::unique_ptr<LocalPart>> locals_;    // from north to south
  std::vector<std::unique_ptr<RemotePart>> remotes_;  // south of them
  std::vector<Part*> parts_;                          // all of them
  const bool skewed_;                                 // tiles may be stepped ahead of others
  bool failed_ = false;
  const std::size_t busy_enough_;  // engines: where skewing pays, by default
  Cycle computed_to_ = 0;
  std::uint64_t busy_ = 0;  // engines stepped in a cycle of late
  const int first_row_;
  std::vector<std::uint32_t> part_of_row_;          // counted from first_row_
  std::vector<LocalPart*> due_;                     // with something to do in the cycle
  Cycle begun_ = kNever;                            // the cycle that other threads have begun
  bool first_begun_ = false;                        // this thread too, with the first strip
  double begun_s_ = 0;                              // what that has taken this thread
  const std::function<void(unsigned)> step_begun_;  // job of the threads: their strip of that cycle
  std::atomic<unsigned> accesses_{0};               // of the host that are to come
  bool together_ = false;                           // several threads are at work
  bool keeps_ = false;        // parts keep what they have for ports and listeners
  bool first_keeps_ = false;  // the first part too keeps what it has for ports
  // With Threads::when_busy, means of the last cycles that were measured:
  double cost_s_ = 0;                 // what a cycle takes one thread
  double together_s_ = 0;             // how long a cycle lasts with all of them
  unsigned unmeasured_ = 0;           // cycles since the cost was measured
  unsigned in_turn_for_ = 0;          // cycles for which several threads are not tried again
  std::mutex host_;                   // for what PEs do for the host in a cycle
  std::unique_ptr<ThreadPool> pool_;  // from the first cycle that uses it on
};

}  // namespace tessera::wafer
