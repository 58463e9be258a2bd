// Slot protocol: a tap is bound between sender and receiver and shows what is offered and whether it
// is accepted; neither knows of it and no cycle changes.
#pragma once

#include <systemc>

#include <functional>
#include <utility>

#include "tlm_ifaces/kit/passage.h"
#include "tlm_ifaces/slot/slot_socket.h"

namespace tessera::slot {

class Tap : public kit::Passage<Kit, kit::Ends::kBoth> {
 public:
  using Observer = std::function<void(const Word&, bool accepted, Cycle now)>;

  explicit Tap(sc_core::sc_module_name name) : Passage(name) {}
  void on_offer(Observer observer) { observer_ = std::move(observer); }

 protected:
  bool offer(const Word& word, bool parity, Cycle now) override {
    const bool accepted = out->offer(word, parity, now);
    if (observer_) observer_(word, accepted, now);
    return accepted;
  }

 private:
  Observer observer_;
};

}  // namespace tessera::slot
