#include "models/wafer/part.h"

#include <ctime>

namespace tessera::wafer {

namespace {

// That this thread has computed.
double own_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

void KeepingOutside::on_diagnosis(const observe::Diagnosis& diagnosis) {
  tell([diagnosis](observe::Diagnoses& to) { to.on_diagnosis(diagnosis); });
}

void KeepingOutside::on_print(const observe::Print& print) {
  tell([print, text = std::string(print.text)](observe::Diagnoses& to) {
    observe::Print copy = print;
    copy.text = text;
    to.on_print(copy);
  });
}

void KeepingOutside::on_ready(std::uint32_t place) {
  tell([place](observe::Diagnoses& to) { to.on_ready(place); });
}

void KeepingOutside::tell(Told what) {
  if (!keeps_) return what(*listener_);
  told_.push_back(std::move(what));
}

void KeepingOutside::hand_on() {
  for (const ToPort& message : to_ports_) {
    if (message.credit) {
      outside_.credit(message.port, message.wavelet.color, message.due);
    } else {
      outside_.put(message.port, message.wavelet, message.due);
    }
  }
  to_ports_.clear();
  for (const Told& tell : told_) tell(*listener_);
  told_.clear();
}

void LocalPart::step(Cycle now) {
  try {
    set_next_due(core_.step(now));
  } catch (...) {
    set_failure(std::current_exception());
    set_next_due(core_.next_due(now));
  }
}

void LocalPart::step_and_measure(Cycle now) {
  const double begin = own_seconds();
  step(now);
  seconds_ = own_seconds() - begin;
}

void LocalPart::take(Direction side, std::vector<Crossing>& crossings, Cycle now) {
  if (crossings.empty()) return;
  core_.take(side, crossings, now);
  set_next_due(core_.next_due(now));
}

}  // namespace tessera::wafer
