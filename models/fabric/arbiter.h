// Arbiter: who goes first when several wavelets want one port in one cycle. The sources do not
// document the rule (wse.md 1.11), so the config names it (FabricTiming::arbitration). It is
// written here only; the routers and on-ramps of both structures rank their requests by it.
#pragma once

#include <cstdint>
#include <optional>

#include "models/fabric/fabric_timing.h"

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

 private:
  static std::uint64_t bit(unsigned n) { return std::uint64_t{1} << (n % 64); }
  static unsigned lowest(std::uint64_t bits) {
    return static_cast<unsigned>(__builtin_ctzll(bits));
  }
  std::uint64_t words_[2] = {0, 0};
};

/// Whose turn it is at one port: a byte, for structures with very many ports.
class Turn {
 public:
  /// Of the candidates that ask, the one with the lowest rank is granted.
  unsigned rank(unsigned candidate) const { return (candidate - first_) % CandidateSet::kSize; }
  /// The candidate of rank 0.
  unsigned first() const { return first_; }
  /// `candidate` has been granted: in round robin it becomes last.
  void take(unsigned candidate, Arbitration rule) {
    if (rule == Arbitration::kRoundRobin) first_ = static_cast<std::uint8_t>(candidate + 1);
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

 private:
  Arbitration rule_;
  Turn turn_;
};

}  // namespace tessera::fabric
