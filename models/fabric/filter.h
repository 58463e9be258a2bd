// Filter of a color between router and compute engine (reference wse.md 1.7): decides which
// wavelets the CE gets; copies to other directions are not touched.
#pragma once

#include <cstdint>

#include "tlm_ifaces/link/wavelet.h"

namespace tessera::fabric {

enum class FilterKind : std::uint8_t { kCounter, kSparseCounter, kRange };

struct FilterConfig {
  FilterKind kind = FilterKind::kCounter;
  // counter, sparse counter
  bool count_data = false;  ///< which wavelets move the counter on
  bool count_control = false;
  std::uint32_t init_counter = 0;
  std::uint32_t limit1 = 0;       ///< last value before the counter restarts at 0
  std::uint32_t limit2 = 0;       ///< sparse counter: limit of the second round; 0: there is none
  std::uint32_t max_counter = 0;  ///< wavelets pass while the counter is at most this
  bool filter_control = false;    ///< counter: only control wavelets that meet max_counter pass
  // range
  std::uint16_t min_idx = 0;
  std::uint16_t max_idx = 0;
};

class Filter {
 public:
  explicit Filter(const FilterConfig& config) : config_(config), counter_(config.init_counter) {}

  /// Whether the CE gets `w`, which comes next; counts it.
  bool accept(const link::Wavelet& w);

  std::uint32_t counter() const { return counter_; }
  /// A sparse counter that has run out lets everything pass.
  bool disabled() const { return disabled_; }

 private:
  bool passes(const link::Wavelet& w) const;
  void count();

  FilterConfig config_;
  std::uint32_t counter_;
  bool second_round_ = false;
  bool disabled_ = false;
};

}  // namespace tessera::fabric
