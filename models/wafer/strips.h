// A wafer as strips: its rows are cut into a WaferCore each, joined at their borders (rims.h). In a
// cycle the strips may be stepped at the same time, one thread each; then each takes what its
// neighbours sent. Results do not depend on the number of strips (docs/architecture.md#strips).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "models/observe/diagnosis.h"
#include "models/observe/event_stream.h"
#include "models/wafer/plan.h"
#include "models/wafer/thread_pool.h"
#include "models/wafer/wafer_core.h"

namespace tessera::wafer {

/// How many threads step a wafer.
struct Threads {
  unsigned count = 1;
  /// Step a cycle with one thread as long as cycles are too short to be worth more.
  bool when_busy = false;
};

/// A wafer as one block: what WaferCore offers, for any number of strips.
class Strips {
 public:
  /// As WaferCore. One strip for each thread, but no more than there are rows.
  Strips(const Plan& plan, Threads threads, Outside& outside, observe::EventStream* events);
  ~Strips();
  Strips(const Strips&) = delete;
  Strips& operator=(const Strips&) = delete;

  std::size_t count() const { return parts_.size(); }
  /// Number of the strip that has a tile, from north to south.
  std::uint32_t strip_of(TileCoord tile) const {
    return part_of_row_[static_cast<std::size_t>(tile.y)];
  }
  /// As those of WaferCore.
  void start();
  Cycle step(Cycle now);
  Cycle next_due(Cycle now) const;
  void shuffle_step_order(std::uint64_t seed);
  pe::ComputeEngineCore* engine(TileCoord tile);
  void launch(TileCoord tile, const pe::Function& function,
              const std::vector<std::uint32_t>& arguments, Cycle at);
  void access(TileCoord tile, pe::HostAccess access, Cycle at);
  void set_diagnoses(observe::Diagnoses* diagnoses);
  std::size_t wavelets_held() const;
  void describe_waits(observe::Waits& waits, Cycle now) const;
  /// As those of Ports.
  unsigned capacity(std::uint32_t port, Color color) const;
  void put(std::uint32_t port, const link::Wavelet& w, Cycle due);
  void credit(std::uint32_t port, Color color, Cycle due);
  /// The SRAM of all PEs, row by row, to be put into the wafer that comes after this one.
  std::vector<pe::Sram> take_memories();
  void put_memories(std::vector<pe::Sram> memories);

 private:
  class Part;
  Part& part_of(TileCoord tile) const;
  Part& part_of_port(std::uint32_t port) const;
  bool is_worth_threads();
  void step_together(Cycle now);
  void step_in_turn(Cycle now);
  void exchange(std::size_t part, Cycle now);
  void exchange_all(Cycle now);
  void report_failure();

  const Plan& plan_;
  const Threads threads_;
  observe::EventStream* const events_;
  std::vector<std::unique_ptr<Part>> parts_;  // from north to south
  std::vector<std::uint32_t> part_of_row_;
  std::vector<std::size_t> due_;  // parts with something to do in the cycle
  bool together_ = false;         // several threads are at work
  // With Threads::when_busy, means of the last cycles that were measured:
  double cost_s_ = 0;                 // what a cycle takes one thread
  double together_s_ = 0;             // how long a cycle lasts with all of them
  unsigned unmeasured_ = 0;           // cycles since the cost was measured
  unsigned in_turn_for_ = 0;          // cycles for which several threads are not tried again
  std::mutex host_;                   // for what PEs do for the host in a cycle
  std::unique_ptr<ThreadPool> pool_;  // from the first cycle that uses it on
};

}  // namespace tessera::wafer
