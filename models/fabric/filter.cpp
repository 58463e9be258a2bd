#include "models/fabric/filter.h"

namespace tessera::fabric {

FilterCounter::FilterCounter(const FilterConfig& config)
    : limit2_(config.limit2), pass_(halves(config.max_counter) + 2),
      round_(halves(config.limit1) + 2) {
  set_value(config.init_counter);
}

// wse.md 1.7: up to the limit inclusive, then 0.
bool FilterCounter::count(std::uint64_t size) {
  state_counter_ += size;
  if (state_counter_ < (dropping_ ? drop_length() : pass_length())) return false;
  state_counter_ = 0;
  const bool round_is_over = dropping_ || drop_length() == 0;
  dropping_ = !round_is_over || pass_ == 0;
  return round_is_over;
}

bool FilterCounter::take_limit2() {
  if (limit2_ == 0) return false;
  set_limit(limit2_);
  limit2_ = 0;
  return true;
}

void FilterCounter::set_position(Halves position) {
  dropping_ = position >= pass_;
  state_counter_ = dropping_ ? position - pass_ : position;
}

void FilterCounter::set_max_counter(std::uint32_t value) {
  const Halves at = position();
  pass_ = halves(value) + 2;
  set_position(at);
}

void FilterCounter::set_pass_count(std::uint32_t value) {
  const Halves drop = drop_length();
  pass_ = value;
  round_ = pass_ + drop;
}

Filter::Filter(const FilterConfig& config)
    : mode{config.kind, config.count_data, config.count_control, config.filter_control, false},
      min_index(config.min_idx), max_index(config.max_idx), counter(config) {}

bool Filter::accept(const link::Wavelet& w) {
  if (mode.disabled) return true;
  const bool passed = passes(w);
  if (mode.kind == FilterKind::kRange || !(w.control ? mode.count_control : mode.count_data))
    return passed;
  // wse.md 1.7: a sparse counter goes through limit1 and limit2 once and is then disabled.
  const bool round_is_over = counter.count(w.half ? 1 : 2);
  if (round_is_over && mode.kind == FilterKind::kSparseCounter)
    mode.disabled = !counter.take_limit2();
  return passed;
}

bool Filter::passes(const link::Wavelet& w) const {
  if (mode.kind == FilterKind::kRange)
    return w.control || (w.wavelet_index() >= min_index && w.wavelet_index() <= max_index);
  if (mode.kind == FilterKind::kCounter && mode.filter_control)
    return w.control && counter.value() == counter.max_counter();
  return !counter.dropping();
}

}  // namespace tessera::fabric
