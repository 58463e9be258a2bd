#include "platforms/wse/diagnosis_log.h"

#include <algorithm>
#include <tuple>

namespace tessera::wse {

namespace {

bool earlier(const observe::Diagnosis& a, const observe::Diagnosis& b) {
  return std::tie(a.cycle, a.place) < std::tie(b.cycle, b.place);
}

}  // namespace

void DiagnosisLog::on_diagnosis(const observe::Diagnosis& diagnosis) {
  ++count_;
  if (first_.size() == kKept && !earlier(diagnosis, first_.back())) return;
  first_.insert(std::upper_bound(first_.begin(), first_.end(), diagnosis, earlier), diagnosis);
  if (first_.size() > kKept) first_.pop_back();
}

}  // namespace tessera::wse
