// Deadlock diagnoses: who waits for what (docs/architecture.md#errors).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::observe {

/// One line.
struct Wait {
  std::uint32_t place = 0;  ///< linear index of the tile
  std::string who;          ///< "microthread 2 (fadds at gemv.tasm:31, task reduce)"
  std::string what;         ///< "a wavelet on input queue 3 (color 4): 2 of 6 elements done"
  /// Someone is blocked. false: wavelets lie in a buffer or queue and nothing will read them.
  bool blocks = true;
  /// With blocks = false: a service, such as a data task, that lacks a wavelet.
  bool idle = false;
};

/// All lines of a machine. On a large one there may be millions; then the first of each sort are
/// kept and the others only counted.
class Waits {
 public:
  using value_type = Wait;
  using const_iterator = std::vector<Wait>::const_iterator;

  Waits() = default;
  /// Keeps at most `most` that block, that do not and that are idle.
  explicit Waits(std::size_t most) : most_(most) {}
  /// All lines of one place, and no others.
  static Waits of(std::uint32_t place) {
    Waits waits;
    waits.only_ = place;
    return waits;
  }

  /// Whether lines of a place are kept: where not, nobody needs to look for them.
  bool wants(std::uint32_t place) const { return !only_ || place == *only_; }
  void push_back(Wait wait) {
    if (!wants(wait.place)) return;
    if (++counts_[sort_of(wait.blocks, wait.idle)] <= most_) kept_.push_back(std::move(wait));
  }
  /// Whether an idle one would still be kept; if not, count_idle() does without words.
  bool keeps_idle() const { return counts_[kIdle] < most_; }
  void count_idle() { ++counts_[kIdle]; }

  // How many there are, kept or not.
  std::size_t blocking() const { return counts_[kBlocking]; }
  std::size_t unread() const { return counts_[kUnread]; }
  std::size_t total() const { return counts_[kBlocking] + counts_[kUnread] + counts_[kIdle]; }

  // Those that are kept, in the order in which they came.
  const_iterator begin() const { return kept_.begin(); }
  const_iterator end() const { return kept_.end(); }
  std::size_t size() const { return kept_.size(); }
  bool empty() const { return kept_.empty(); }
  const Wait& operator[](std::size_t i) const { return kept_[i]; }

 private:
  enum Sort : std::size_t { kBlocking, kUnread, kIdle };
  static Sort sort_of(bool blocks, bool idle) {
    return blocks ? kBlocking : idle ? kIdle : kUnread;
  }
  std::size_t most_ = std::numeric_limits<std::size_t>::max();
  std::optional<std::uint32_t> only_;
  std::array<std::size_t, 3> counts_{};
  std::vector<Wait> kept_;
};

}  // namespace tessera::observe
