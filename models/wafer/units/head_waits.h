// The waits of the wavelets at the front of pipes and slots, for observe::LinkWaits. They are worked out
// around the step of a unit from its state before and after, so a unit knows nothing of them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/observe/link_waits.h"
#include "models/wafer/units/pipes.h"
#include "models/wafer/units/slots.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::wafer {

class HeadWaits {
 public:
  /// Both must outlive it.
  HeadWaits(observe::LinkWaits& waits, const Pipes& pipes, const Slots& slots)
      : waits_(waits), pipes_(pipes), slots_(slots), pipe_since_(pipes.all().size(), kNever),
        slot_since_(slots.all().size(), kNever) {}

  /// `step` steps a pipe in cycle `now`.
  template <class Step>
  void step_pipe(std::uint32_t index, Cycle now, Step&& step) {
    const unsigned held = pipes_.all()[index].held;
    step();
    note_pipe(index, held, now);
  }
  /// `step` steps slots from `first` on: those that hold something are among `busy`, one bit each.
  template <class Step>
  void step_slots(std::uint32_t first, unsigned busy, Cycle now, Step&& step) {
    Before before;
    look_at(before, first, busy);
    step();
    note_slots(before, first, busy, now);
  }
  /// Adds to `waits` what has waited in the cycles before `end` and still does.
  void add_lasting(observe::LinkWaits& waits, Cycle end) const;
  /// Since when the head of a unit could have left, for Visit.
  Cycle& since_of_pipe(std::uint32_t pipe) { return pipe_since_[pipe]; }
  Cycle& since_of_slot(std::uint32_t slot) { return slot_since_[slot]; }

 private:
  /// Slots before their step: wavelets, and links that the head has still to leave through.
  struct Before {
    std::array<std::uint8_t, 32> held;
    std::array<std::uint8_t, 32> to_go;
  };
  void look_at(Before& before, std::uint32_t first, unsigned busy) const;
  void note_pipe(std::uint32_t index, unsigned held, Cycle now);
  void note_slots(const Before& before, std::uint32_t first, unsigned busy, Cycle now);
  void note_switch(const Slot& slot, Cycle& since, Cycle now);
  void note_head(const Slot& slot, unsigned before, Cycle since, Cycle now);

  observe::LinkWaits& waits_;
  const Pipes& pipes_;
  const Slots& slots_;
  // The first cycle in which the wavelet that is now at the front could have left; kNever: there is none.
  std::vector<Cycle> pipe_since_, slot_since_;
};

}  // namespace tessera::wafer
