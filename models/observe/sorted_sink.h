// Puts the event stream in order of cycles for recorders whose files need it.
#pragma once

#include <boost/container/deque.hpp>

#include <cstdint>
#include <map>
#include <vector>

#include "models/observe/event.h"

namespace tessera::observe {

/// Inside a cycle events come in any order, and some are announced before they happen. This sink hands
/// them on sorted by cycle, then tile, then block (router by output port, input queue, compute
/// engine); the order in which one block announced its other events of a cycle is kept. So the result
/// depends neither on the order in which blocks were stepped nor on the structure of the machine.
///
/// Most kinds are announced in their own cycle. The first such event of a later cycle tells that all
/// cycles before it are complete, so the sink holds the events of one cycle, and those that were
/// announced ahead. Groups of an operation may be announced late (pe::ComputeEngineCore); they are
/// handed on with the cycle in which they come. A recorder that needs them in order has the engines
/// execute every group in its cycle (ComputeEngineCore::set_step_every_group).
class SortedSink : public Sink {
 public:
  void on_event(const Event& e) final;
  /// The file goes on with cycles since the start of the simulation. What was announced for later than the
  /// reset did not happen.
  void on_reset(Cycle origin) final;
  /// Hands the rest on and calls `on_end`. Call it once, after the last event.
  void finish();

 protected:
  /// Whether on_sorted_event() is to have `e`, which may be changed. Called for every event, in the
  /// order in which they come.
  virtual bool takes(Event& /*e*/) { return true; }
  virtual void on_sorted_event(const Event& e) = 0;
  /// The machine was reset in cycle `origin`: what is under way does not end any more.
  virtual void on_machine_reset(Cycle /*origin*/) {}
  virtual void on_end() = 0;

 private:
  /// An event that waits for its turn, without its cycle, which is that of the others less `late`. A cycle of
  /// a large wafer has millions of events.
  struct Held {
    std::uint64_t ident;
    std::uint32_t place;
    std::uint32_t a;
    std::uint32_t b;
    EventKind kind;
    std::uint16_t late;
  };
  static_assert(sizeof(Held) == 24);
  // Blocks of some pages, never moved to a larger place.
  using Events = boost::container::deque<
      Held, void, boost::container::deque_options_t<boost::container::block_size<1024>>>;

  void hand_on_before(Cycle cycle);
  /// Hands on the events of a cycle.
  void hand_on(const Events& events, Cycle cycle);

  Cycle origin_ = 0;  ///< cycle of the last reset, since the start of the simulation
  Cycle cycle_ = 0;   ///< the one that is being stepped
  Events events_;
  std::map<Cycle, Events> ahead_;     ///< later cycles
  std::vector<std::uint64_t> order_;  ///< used by hand_on(); kept for its memory
};

}  // namespace tessera::observe
