// Stores of native code that g++ does not tell of, or tells of too early.
#include <algorithm>

#include "frontends/pto_cpp/native_core.h"

namespace tessera::pto_cpp {

bool NativeCores::Core::note_store(const Watched& w) {
  const auto is_there = [&w](const Store& s) {
    return s.address < w.access.address + w.access.bytes && w.access.address < s.address + s.bytes;
  };
  if (!w.has_changed() || std::any_of(stores.begin(), stores.end(), is_there)) return false;
  stores.push_back(w.access);
  return true;
}

void NativeCores::Core::note_hidden_stores() {
  for (Watched& w : watched)
    if (note_store(w)) w.look();
}

void NativeCores::Core::note_faded() {
  for (const auto& [address, w] : faded) note_store(w);
  faded.clear();
}

// It is watched from here on.
void NativeCores::Core::note_faded(std::uint64_t address) {
  const auto found = faded.find(address);
  if (found == faded.end()) return;
  note_store(found->second);
  faded.erase(found);
}

// An assignment of a struct is one statement: g++ tells of its store, then of its load, and then executes both. So the
// store has no value before the load is served. The calls of such a statement stand beside each other.
std::optional<NativeCores::Store> NativeCores::Core::hold_copy(const Request& load) {
  constexpr std::uint64_t kBeside = 32;  // bytes of code
  if (stores.empty()) return std::nullopt;
  const Store last = stores.back();
  const bool overlap =
      last.address < load.address + load.bytes && load.address < last.address + last.bytes;
  if (overlap || load.from <= last.from || load.from - last.from > kBeside) return std::nullopt;
  stores.pop_back();
  return last;
}

}  // namespace tessera::pto_cpp
