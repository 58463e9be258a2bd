// Puts the event stream in order of cycles for recorders whose files need it.
#pragma once

#include <cstddef>
#include <vector>

#include "models/observe/event.h"

namespace tessera::observe {

/// A block may announce an event some cycles before or after it happens, and inside a cycle they
/// come in any order. This sink buffers them and hands them on sorted by cycle, then tile, then block
/// (router by output port, input queue, compute engine); the order in which one block announced its
/// other events of a cycle is kept. So the result depends neither on the order in which blocks were
/// stepped nor on the structure of the machine.
class SortedSink : public Sink {
 public:
  void on_event(const Event& e) final;
  /// The file goes on with cycles since the start of the simulation. What was announced for later than the
  /// reset did not happen.
  void on_reset(Cycle origin) final;
  /// Hands the rest on and calls `on_end`. Call it once, after the last event.
  void finish();

 protected:
  virtual void on_sorted_event(const Event& e) = 0;
  virtual void on_end() = 0;

 private:
  /// Events are sorted in batches of this many; only those this far behind the newest are handed
  /// on.
  static constexpr std::size_t kBatch = 1U << 20;
  static constexpr Cycle kHorizon = 1U << 16;

  void hand_on(Cycle before);

  std::vector<Event> buffer_;
  Cycle origin_ = 0;
  Cycle newest_ = 0;
  std::size_t limit_ = kBatch;
};

}  // namespace tessera::observe
