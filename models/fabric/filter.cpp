#include "models/fabric/filter.h"

namespace tessera::fabric {

Filter::Filter(const FilterConfig& config)
    : kind_(config.kind), count_data_(config.count_data), count_control_(config.count_control),
      filter_control_(config.filter_control), min_idx_(config.min_idx), max_idx_(config.max_idx),
      limit2_(config.limit2), pass_(halves(config.max_counter) + 2),
      round_(halves(config.limit1) + 2) {
  set_counter(config.init_counter);
}

bool Filter::accept(const link::Wavelet& w) {
  if (disabled_) return true;
  const bool passed = passes(w);
  if (kind_ != FilterKind::kRange && (w.control ? count_control_ : count_data_))
    count(w.half ? 1 : 2);
  return passed;
}

bool Filter::passes(const link::Wavelet& w) const {
  if (kind_ == FilterKind::kRange)
    return w.control || (w.wavelet_index() >= min_idx_ && w.wavelet_index() <= max_idx_);
  if (kind_ == FilterKind::kCounter && filter_control_)
    return w.control && counter() == max_counter();
  return !dropping_;
}

// wse.md 1.7: up to the limit inclusive, then 0.
void Filter::count(Halves size) {
  state_counter_ += size;
  if (state_counter_ < (dropping_ ? drop_length() : pass_length())) return;
  state_counter_ = 0;
  if (!dropping_ && drop_length() > 0) {
    dropping_ = true;
  } else {
    end_round();
  }
}

// wse.md 1.7: a sparse counter goes through limit1 and limit2 once and is then disabled.
void Filter::end_round() {
  dropping_ = pass_ == 0;
  if (kind_ != FilterKind::kSparseCounter) return;
  if (limit2_ == 0) {
    disabled_ = true;
    return;
  }
  set_limit(limit2_);
  limit2_ = 0;
}

void Filter::set_mode(FilterKind kind, bool count_data, bool count_control, bool filter_control,
                      bool disabled) {
  kind_ = kind;
  count_data_ = count_data;
  count_control_ = count_control;
  filter_control_ = filter_control;
  disabled_ = disabled;
}

void Filter::set_position(Halves position) {
  dropping_ = position >= pass_;
  state_counter_ = dropping_ ? position - pass_ : position;
}

void Filter::set_max_counter(std::uint32_t value) {
  const Halves at = position();
  pass_ = halves(value) + 2;
  set_position(at);
}

void Filter::set_pass_count(std::uint32_t value) {
  const Halves drop = drop_length();
  pass_ = value;
  round_ = pass_ + drop;
}

}  // namespace tessera::fabric
