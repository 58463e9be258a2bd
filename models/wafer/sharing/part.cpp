#include "models/wafer/sharing/part.h"

#include <algorithm>
#include <ctime>
#include <tuple>

namespace tessera::wafer {

void KeepingOutside::on_diagnosis(const observe::Diagnosis& diagnosis) {
  tell(diagnosis.cycle, diagnosis.place,
       [diagnosis](observe::Diagnoses& to) { to.on_diagnosis(diagnosis); });
}

void KeepingOutside::on_print(const observe::Print& print) {
  tell(print.cycle, print.place, [print, text = std::string(print.text)](observe::Diagnoses& to) {
    observe::Print copy = print;
    copy.text = text;
    to.on_print(copy);
  });
}

void KeepingOutside::on_ready(std::uint32_t place) {
  tell(*now_, place, [place](observe::Diagnoses& to) { to.on_ready(place); });
}

void KeepingOutside::tell(Cycle of, std::uint32_t place, Told what) {
  if (!keeps_.for_listeners) return what(*listener_);
  told_.push_back({*now_, of, place, std::move(what)});
}

void KeepingOutside::sort(Cycle end) {
  const auto counts = [end](const Kept& kept) { return std::min(kept.at, kept.of) < end; };
  told_.erase(std::stable_partition(told_.begin(), told_.end(), counts), told_.end());
  for (Kept& kept : told_) kept.at = std::min(kept.at, end - 1);
  std::stable_sort(told_.begin(), told_.end(), [](const Kept& a, const Kept& b) {
    return std::tie(a.at, a.place) < std::tie(b.at, b.place);
  });
}

void KeepingOutside::hand_on(Cycle now) {
  for (const PortMessage& message : to_ports_) {
    if (message.credit) {
      outside_.credit(message.port, message.wavelet.color, message.due);
    } else {
      outside_.put(message.port, message.wavelet, message.due);
    }
  }
  to_ports_.clear();
  const auto later =
      std::find_if(told_.begin(), told_.end(), [now](const Kept& kept) { return kept.at > now; });
  for (auto kept = told_.begin(); kept != later; ++kept) kept->tell(*listener_);
  told_.erase(told_.begin(), later);
}

void LocalPart::step(Cycle now) {
  try {
    set_next_due(core_.step(now));
  } catch (...) {
    set_failure(std::current_exception());
    set_next_due(core_.next_due(now));
  }
}

void LocalPart::end_ahead(Cycle begin, Cycle end) {
  try {
    core_.end_ahead(begin, end);
  } catch (...) {
    set_failure(std::current_exception());
  }
  set_next_due(core_.next_due(end - 1));
  outside_.sort(end);
}

double LocalPart::own_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void LocalPart::take(Direction side, std::vector<Crossing>& crossings, Cycle now) {
  if (crossings.empty()) return;
  core_.take(side, crossings, now);
  set_next_due(core_.next_due(now));
}

}  // namespace tessera::wafer
