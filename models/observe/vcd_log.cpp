#include "models/observe/vcd_log.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tessera::observe {

void VcdLog::set_text(Signal signal, Cycle cycle, const std::string& text) {
  const auto [known, is_new] = numbers_.emplace(text, texts_.size());
  if (is_new) texts_.push_back(text);
  changes_.push_back({cycle, signal, known->second, true});
}

void VcdLog::pulse(Signal signal, Cycle first, Cycle end) {
  set(signal, first, 1);
  set(signal, end, 0);
}

void VcdLog::write(const Change& change) {
  if (change.is_text)
    writer_.set_text(change.signal, texts_[change.value]);
  else
    writer_.set(change.signal, change.value);
}

// What a signal has before the scope is its first value in it.
void VcdLog::write(Cycle end) {
  const auto key = [](const Change& c) { return std::pair(c.cycle, c.signal); };
  std::stable_sort(changes_.begin(), changes_.end(),
                   [&](const Change& a, const Change& b) { return key(a) < key(b); });
  const Cycle first = std::min(scope_.from, end);
  writer_.start(first);
  std::map<Signal, std::pair<std::uint64_t, bool>> before, now;
  const auto put = [&](const Change& change) {
    const std::pair value{change.value, change.is_text};
    const auto known = now.find(change.signal);
    if (known != now.end() && known->second == value) return;
    now[change.signal] = value;
    write(change);
  };
  std::size_t i = 0;
  for (; i < changes_.size() && changes_[i].cycle < first; ++i)
    before[changes_[i].signal] = {changes_[i].value, changes_[i].is_text};
  for (const auto& [signal, value] : before) put({first, signal, value.first, value.second});
  const Cycle last = std::min(scope_.to, end);
  for (; i < changes_.size() && changes_[i].cycle <= last; ++i) {
    if (i + 1 < changes_.size() && key(changes_[i + 1]) == key(changes_[i])) continue;
    writer_.advance_to(changes_[i].cycle);
    put(changes_[i]);
  }
  writer_.finish(last);
}

}  // namespace tessera::observe
