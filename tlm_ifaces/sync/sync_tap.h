// Sync protocol: a tap is bound between core and sync unit and shows what passes; neither knows of
// it and no cycle changes. Derive from it or hand it observers.
#pragma once

#include <systemc>

#include <functional>
#include <utility>

#include "tlm_ifaces/kit/passage.h"
#include "tlm_ifaces/sync/sync_socket.h"

namespace tessera::sync {

class Tap : public kit::Passage<Kit, kit::Ends::kBoth> {
 public:
  using AskObserver = std::function<void(const Request&, Cycle due)>;
  using AnswerObserver = std::function<void(const Answer&, Cycle due)>;

  explicit Tap(sc_core::sc_module_name name) : Passage(name) {}
  void on_ask(AskObserver observer) { ask_observer_ = std::move(observer); }
  void on_answer(AnswerObserver observer) { answer_observer_ = std::move(observer); }

 protected:
  void ask(const Request& request, Cycle due) override {
    if (ask_observer_) ask_observer_(request, due);
    out->ask(request, due);
  }
  void answer(const Answer& a, Cycle due) override {
    if (answer_observer_) answer_observer_(a, due);
    in->answer(a, due);
  }

 private:
  AskObserver ask_observer_;
  AnswerObserver answer_observer_;
};

}  // namespace tessera::sync
