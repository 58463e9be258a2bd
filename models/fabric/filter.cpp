#include "models/fabric/filter.h"

namespace tessera::fabric {

bool Filter::accept(const link::Wavelet& w) {
  if (disabled_) return true;
  const bool passed = passes(w);
  if (config_.kind != FilterKind::kRange &&
      (w.control ? config_.count_control : config_.count_data)) {
    count();
  }
  return passed;
}

bool Filter::passes(const link::Wavelet& w) const {
  if (config_.kind == FilterKind::kRange) {
    return w.control ||
           (w.wavelet_index() >= config_.min_idx && w.wavelet_index() <= config_.max_idx);
  }
  if (config_.kind == FilterKind::kCounter && config_.filter_control)
    return w.control && counter_ == config_.max_counter;
  return counter_ <= config_.max_counter;
}

// wse.md 1.7: up to the limit inclusive, then 0; a sparse counter goes through limit1 and limit2
// once and is then disabled.
void Filter::count() {
  const std::uint32_t limit = second_round_ ? config_.limit2 : config_.limit1;
  if (counter_ < limit) {
    ++counter_;
    return;
  }
  counter_ = 0;
  if (config_.kind != FilterKind::kSparseCounter) return;
  if (second_round_ || config_.limit2 == 0) {
    disabled_ = true;
  } else {
    second_round_ = true;
  }
}

}  // namespace tessera::fabric
