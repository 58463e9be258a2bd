// Filter of a color between router and compute engine (reference wse.md 1.7): decides which
// wavelets the CE gets; copies to other directions are not touched. Its registers:
// registers.h.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/route.h"

namespace tessera::fabric {

/// Counter of a filter. It counts in rounds: PASS, as long as it is at most max_counter, then
/// DROP up to its limit. It counts half-wavelets, as the registers of WSE-3 do: two a wavelet, one
/// a half wavelet.
class FilterCounter {
 public:
  explicit FilterCounter(const FilterConfig& config);

  /// Counts `size` half-wavelets; true: a round is over.
  bool count(std::uint64_t size);
  /// Goes on with limit2, for the second and last round of a sparse counter; false: it is used up.
  bool take_limit2();

  // In wavelets. Setting one leaves the others; PASS or DROP follows from them.
  std::uint32_t value() const { return wavelets(position()); }
  std::uint32_t limit() const { return wavelets(round_) - 1; }
  std::uint32_t limit2() const { return limit2_; }
  std::uint32_t max_counter() const { return wavelets(pass_) - 1; }
  void set_value(std::uint32_t value) { set_position(halves(value)); }
  void set_limit(std::uint32_t value) { round_ = halves(value) + 2; }
  void set_limit2(std::uint32_t value) { limit2_ = value; }
  void set_max_counter(std::uint32_t value);

  // In half-wavelets, of the state that lasts now. Setting one leaves the others.
  bool dropping() const { return dropping_; }
  std::uint32_t state_counter() const { return static_cast<std::uint32_t>(state_counter_); }
  std::uint32_t pass_count() const { return static_cast<std::uint32_t>(pass_length()); }
  std::uint32_t drop_count() const { return static_cast<std::uint32_t>(drop_length()); }
  void set_dropping(bool dropping) { dropping_ = dropping; }
  void set_state_counter(std::uint32_t value) { state_counter_ = value; }
  void set_pass_count(std::uint32_t value);
  void set_drop_count(std::uint32_t value) { round_ = pass_ + value; }
  /// Saves or restores what changes (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(dropping_, limit2_, pass_, round_, state_counter_);
  }

 private:
  using Halves = std::uint64_t;
  static Halves halves(std::uint32_t value) { return Halves{value} * 2; }
  static std::uint32_t wavelets(Halves value) { return static_cast<std::uint32_t>(value / 2); }
  Halves pass_length() const { return std::min(pass_, round_); }
  Halves drop_length() const { return round_ > pass_ ? round_ - pass_ : 0; }
  Halves position() const { return dropping_ ? pass_ + state_counter_ : state_counter_; }
  void set_position(Halves position);

  bool dropping_ = false;
  std::uint32_t limit2_;  // limit of the next round; 0: this is the last one of a sparse counter
  Halves pass_;           // length of PASS, at most that of the round
  Halves round_;          // PASS and DROP together
  Halves state_counter_ = 0;
};

class Filter {
 public:
  /// What the control register sets.
  struct Mode {
    FilterKind kind;
    bool count_data;
    bool count_control;
    bool filter_control;
    bool disabled;  ///< lets everything pass: a sparse counter that has run out
  };

  explicit Filter(const FilterConfig& config);

  /// Whether the CE gets `w`, which comes next; counts it.
  bool accept(const link::Wavelet& w);

  Mode mode;
  std::uint16_t min_index;  ///< lowest index that a range filter lets pass
  std::uint16_t max_index;
  FilterCounter counter;

  /// Saves or restores what changes (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(mode.kind, mode.count_data, mode.count_control, mode.filter_control, mode.disabled,
            min_index, max_index, counter);
  }

 private:
  bool passes(const link::Wavelet& w) const;
};

}  // namespace tessera::fabric
