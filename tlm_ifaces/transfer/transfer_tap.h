// Transfer protocol: a tap is bound between core and GM and shows what passes; neither knows of it
// and no cycle changes. Derive from it or hand it observers.
#pragma once

#include <systemc>

#include <functional>
#include <utility>

#include "tlm_ifaces/kit/passage.h"
#include "tlm_ifaces/transfer/transfer_socket.h"

namespace tessera::transfer {

class Tap : public kit::Passage<Kit, kit::Ends::kBoth> {
 public:
  using StartObserver = std::function<void(const Transfer&, Cycle due)>;
  using DoneObserver = std::function<void(const Done&, Cycle due)>;

  explicit Tap(sc_core::sc_module_name name) : Passage(name) {}
  void on_start(StartObserver observer) { start_observer_ = std::move(observer); }
  void on_done(DoneObserver observer) { done_observer_ = std::move(observer); }

 protected:
  void start(const Transfer& transfer, Cycle due) override {
    if (start_observer_) start_observer_(transfer, due);
    out->start(transfer, due);
  }
  void done(const Done& d, Cycle due) override {
    if (done_observer_) done_observer_(d, due);
    in->done(d, due);
  }

 private:
  StartObserver start_observer_;
  DoneObserver done_observer_;
};

}  // namespace tessera::transfer
