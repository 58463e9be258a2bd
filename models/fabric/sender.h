// The sender's half of the link protocol (tlm_ifaces/link/link_kit.h): which of several wavelets
// goes first through a port, and how many the receiver still has room for. Plain C++.
#pragma once

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/fabric/fabric_timing.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::fabric {

/// A set of candidates numbered 0..127. What a number stands for is up to the owner.
class CandidateSet {
 public:
  static constexpr unsigned kSize = 128;

  void insert(unsigned n) { words_[n / 64] |= bit(n); }
  void erase(unsigned n) { words_[n / 64] &= ~bit(n); }
  bool contains(unsigned n) const { return (words_[n / 64] & bit(n)) != 0; }
  bool empty() const { return (words_[0] | words_[1]) == 0; }
  /// The lowest member that is at least `from`.
  std::optional<unsigned> first_from(unsigned from) const {
    if (from >= kSize) return std::nullopt;
    std::uint64_t bits = words_[from / 64] & (~std::uint64_t{0} << (from % 64));
    if (bits != 0) return from / 64 * 64 + lowest(bits);
    if (from >= 64 || words_[1] == 0) return std::nullopt;
    return 64 + lowest(words_[1]);
  }
  /// The member of a set that has one and no more.
  std::optional<unsigned> only() const {
    if (words_[0] != 0 && words_[1] != 0) return std::nullopt;
    const unsigned word = words_[0] != 0 ? 0 : 1;
    if (words_[word] == 0 || (words_[word] & (words_[word] - 1)) != 0) return std::nullopt;
    return word * 64 + lowest(words_[word]);
  }
  /// Calls `visit(n)` for every member in rising order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (unsigned word = 0; word < 2; ++word) {
      for (std::uint64_t bits = words_[word]; bits != 0; bits &= bits - 1) {
        visit(word * 64 + lowest(bits));
      }
    }
  }
  /// Saves or restores what changes (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(words_[0], words_[1]);
  }

 private:
  static std::uint64_t bit(unsigned n) { return std::uint64_t{1} << (n % 64); }
  static unsigned lowest(std::uint64_t bits) {
    return static_cast<unsigned>(__builtin_ctzll(bits));
  }
  std::uint64_t words_[2] = {0, 0};
};

/// Whose turn it is at one port, by FabricTiming::arbitration. The rule is written here only; the
/// routers and on-ramps of both structures rank their requests by it. A byte, for structures with
/// very many ports.
class Turn {
 public:
  /// Among the candidates that ask, the one with the lowest rank is granted.
  unsigned rank(unsigned candidate) const { return (candidate - first_) % CandidateSet::kSize; }
  /// The candidate of rank 0.
  unsigned first() const { return first_; }
  /// `candidate` has been granted: in round robin it becomes last.
  void take(unsigned candidate, Arbitration rule) {
    if (rule == Arbitration::kRoundRobin) first_ = static_cast<std::uint8_t>(candidate + 1);
  }
  /// Saves or restores what changes (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(first_);
  }

 private:
  std::uint8_t first_ = 0;  // fixed order: always 0
};

/// The arbiter of one port. The same requests after the same grants give the same winner.
class Arbiter {
 public:
  explicit Arbiter(Arbitration rule = Arbitration::kRoundRobin) : rule_(rule) {}

  /// The candidate that goes now. Nothing changes when nobody asks.
  std::optional<unsigned> grant(const CandidateSet& requests) {
    if (requests.empty()) return std::nullopt;
    std::optional<unsigned> winner = requests.first_from(turn_.first());
    if (!winner) winner = requests.first_from(0);
    turn_.take(*winner, rule_);
    return winner;
  }
  /// grant() where `candidate` is the only one that asks.
  void grant_alone(unsigned candidate) { turn_.take(candidate, rule_); }
  /// Saves or restores what changes (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(turn_);
  }

 private:
  Arbitration rule_;
  Turn turn_;
};

/// How many wavelets a sender may still hand over on each of its channels. A channel is a color of
/// one link, or whatever the owner numbers.
class Credits {
 public:
  explicit Credits(std::size_t channels = 0) : counts_(channels) {}

  /// More channels; those that exist keep their counts.
  void resize(std::size_t channels) { counts_.resize(channels); }
  /// The receiver has room for `capacity` wavelets of `channel`, all of it free.
  void set_capacity(unsigned channel, unsigned capacity) {
    counts_[channel] = {capacity, capacity, 0};
  }
  unsigned capacity(unsigned channel) const { return counts_[channel].capacity; }
  /// Credits that may be taken now.
  unsigned usable(unsigned channel) const { return counts_[channel].usable; }
  /// Room of the receiver that no wavelet occupies: usable now, or on its way back.
  unsigned owned(unsigned channel) const {
    return counts_[channel].usable + counts_[channel].returning;
  }
  /// Requires usable(channel) > 0.
  void take(unsigned channel) {
    assert(counts_[channel].usable > 0);
    --counts_[channel].usable;
  }
  /// One credit comes back, usable from cycle `due` on. False, and no effect, when none was taken.
  bool give_back(unsigned channel, Cycle due) {
    if (owned(channel) >= capacity(channel)) return false;
    ++counts_[channel].returning;
    returning_.push_back({due, channel});
    return true;
  }
  /// Credits due by `now` become usable.
  void settle(Cycle now) {
    for (std::size_t i = 0; i < returning_.size();) {
      if (returning_[i].due > now) {
        ++i;
        continue;
      }
      Count& count = counts_[returning_[i].channel];
      ++count.usable;
      --count.returning;
      returning_[i] = returning_.back();  // their order does not matter
      returning_.pop_back();
    }
  }
  /// Earliest cycle in which a credit becomes usable; kNever when none is on its way.
  Cycle next_due() const {
    Cycle due = kNever;
    for (const Returning& r : returning_) due = std::min(due, r.due);
    return due;
  }
  /// Saves or restores what changes (models/state/archive.h).
  void visit(state::Archive& archive);
  /// Calls `visit(cycle)` for each credit on its way back.
  template <class Visit>
  void for_each_due(Visit&& visit) const {
    for (const Returning& r : returning_) visit(r.due);
  }

 private:
  struct Count {
    unsigned capacity = 0;
    unsigned usable = 0;
    unsigned returning = 0;
  };
  struct Returning {
    Cycle due;
    unsigned channel;
  };
  std::vector<Count> counts_;
  boost::container::small_vector<Returning, 4> returning_;  // a handful at a time
};

}  // namespace tessera::fabric
