// Who is told where the main threads of PEs, the scalar units of cores and the processors of nodes stand: a debugger. Nobody is told
// unless somebody asks, and then for the engines that have pe::Listeners, or the places of ToldPlaces, only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::observe {

/// The instructions of a program at which somebody wants to stop.
class StopSet {
 public:
  void resize(std::size_t instructions) { bits_.assign(instructions, false); }
  void add(std::uint32_t pc) { bits_.at(pc) = true; }
  bool has(std::uint32_t pc) const { return pc < bits_.size() && bits_[pc]; }

 private:
  std::vector<bool> bits_;
};

class PlaceWatch {
 public:
  virtual ~PlaceWatch() = default;
  /// For `places` places; nothing stands anywhere.
  void watch(std::size_t places) { stands_.assign(places, false); }
  /// The main thread of `place` stands at an instruction that is not told: it did before anybody asked.
  void stand(std::uint32_t place, bool stands) { stands_[place] = stands; }

  // What an engine says, in the cycle that makes it so.
  /// `pc` is the next instruction of the main thread, of which nothing has happened yet.
  void come(std::uint32_t place, std::uint32_t pc, Cycle now) {
    if (stands_[place]) return;
    stands_[place] = true;
    arrives(place, pc, now);
  }
  /// The main thread has issued.
  void leave(std::uint32_t place) { stands_[place] = false; }

 protected:
  /// Once for each time that the main thread comes to the instruction.
  virtual void arrives(std::uint32_t place, std::uint32_t pc, Cycle now) = 0;

 private:
  std::vector<bool> stands_;
};

/// Which places of a machine tell a PlaceWatch, and at which instructions. For machines whose places are few, or slow beside the
/// question.
class ToldPlaces {
 public:
  explicit ToldPlaces(std::size_t places) : stops_(places) {}

  /// `watch` outlives this object.
  void set_watch(PlaceWatch& watch) { watch_ = &watch; }
  /// `place` tells of these; nullptr: of none. `stops` outlive the next call.
  void set_stops(std::uint32_t place, const StopSet* stops) { stops_[place] = stops; }
  /// This place tells of every instruction.
  void follow(std::optional<std::uint32_t> place) { followed_ = place; }

  void come(std::uint32_t place, std::uint32_t pc, Cycle now) const {
    if (watch_ == nullptr) return;
    const bool is_stop = stops_[place] != nullptr && stops_[place]->has(pc);
    if (is_stop || followed_ == place) watch_->come(place, pc, now);
  }
  void leave(std::uint32_t place) const {
    if (watch_ != nullptr) watch_->leave(place);
  }

 private:
  PlaceWatch* watch_ = nullptr;  // nullptr: nobody asks
  std::vector<const StopSet*> stops_;
  std::optional<std::uint32_t> followed_;
};

}  // namespace tessera::observe
