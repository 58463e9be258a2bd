// Keeps the diagnoses of a run for its report: the first ones and how many there were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/observe/diagnosis.h"

namespace tessera::wse {

class DiagnosisLog final : public observe::Diagnoses {
 public:
  static constexpr std::size_t kKept = 100;

  void on_diagnosis(const observe::Diagnosis& diagnosis) override;
  /// All of them.
  std::uint64_t count() const { return count_; }
  /// The first kKept by cycle, then place, then in the order in which the place reported them: the same
  /// in whatever order the blocks of a cycle are stepped.
  const std::vector<observe::Diagnosis>& first() const { return first_; }

 private:
  std::vector<observe::Diagnosis> first_;  // sorted
  std::uint64_t count_ = 0;
};

}  // namespace tessera::wse
