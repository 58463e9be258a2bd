// Link protocol: a tap is bound between sender and receiver and shows what passes; neither knows of
// it and no cycle changes. Derive from it or hand it observers.
#pragma once

#include <systemc>

#include <functional>
#include <utility>

#include "tlm_ifaces/kit/passage.h"
#include "tlm_ifaces/link/link_socket.h"

namespace tessera::link {

class Tap : public kit::Passage<Kit, kit::Ends::kBoth> {
 public:
  using PutObserver = std::function<void(const Wavelet&, Cycle due)>;
  using CreditObserver = std::function<void(Color, Cycle due)>;

  explicit Tap(sc_core::sc_module_name name) : Passage(name) {}
  void on_put(PutObserver observer) { put_observer_ = std::move(observer); }
  void on_credit(CreditObserver observer) { credit_observer_ = std::move(observer); }

 protected:
  void put(const Wavelet& w, Cycle due) override {
    if (put_observer_) put_observer_(w, due);
    out->put(w, due);
  }
  unsigned capacity(Color color) const override { return out->capacity(color); }
  void credit(Color color, Cycle due) override {
    if (credit_observer_) credit_observer_(color, due);
    in->credit(color, due);
  }

 private:
  PutObserver put_observer_;
  CreditObserver credit_observer_;
};

}  // namespace tessera::link
