// Keeps the diagnoses of a run for its report: the first ones and how many there were. Passes on what
// programs tell the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "models/observe/diagnosis.h"
#include "models/observe/print_log.h"

namespace tessera::wse {

class DiagnosisLog final : public observe::Diagnoses {
 public:
  static constexpr std::size_t kKept = 100;

  void on_diagnosis(const observe::Diagnosis& diagnosis) override {
    ++count_;
    if (diagnosis.once && is_repeated(diagnosis)) return;
    if (first_.size() == kKept && !earlier(diagnosis, first_.back())) return;
    first_.insert(std::upper_bound(first_.begin(), first_.end(), diagnosis, earlier), diagnosis);
    if (first_.size() > kKept) first_.pop_back();
  }
  /// What was diagnosed so far is known before a run, and stays in a reset.
  void begin_run() {
    known_ = first_;
    known_count_ = count_;
  }
  void on_reset(Cycle origin) override {
    first_ = known_;
    count_ = known_count_;
    origin_ = origin;
  }
  /// Where prints go; must outlive the log.
  void set_prints(observe::PrintLog* prints) { prints_ = prints; }
  void on_print(const observe::Print& print) override {
    if (prints_ == nullptr) return;
    observe::Print since_start = print;
    since_start.cycle += origin_;
    prints_->add(since_start);
  }
  /// Called for each PE that is ready for the next command of the host.
  void on_ready(std::function<void(std::uint32_t place)> listener) { ready_ = std::move(listener); }
  void on_ready(std::uint32_t place) override {
    if (ready_) ready_(place);
  }
  /// Number of all diagnoses.
  std::uint64_t count() const { return count_; }
  /// The first kKept by cycle, then place, then in the order in which the place reported them: the same
  /// in whatever order the blocks of a cycle are stepped.
  const std::vector<observe::Diagnosis>& first() const { return first_; }
  /// Saves or restores what was diagnosed (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    first_.resize(archive.count(first_.size()));
    for (observe::Diagnosis& d : first_) archive(d.cycle, d.place, d.id, d.text, d.once, d.times);
    archive(count_);
  }

 private:
  bool is_repeated(const observe::Diagnosis& diagnosis) {
    const auto said =
        std::find_if(first_.begin(), first_.end(), [&diagnosis](const observe::Diagnosis& d) {
          return d.once && d.place == diagnosis.place && d.id == diagnosis.id;
        });
    if (said != first_.end()) ++said->times;
    return said != first_.end();
  }
  static bool earlier(const observe::Diagnosis& a, const observe::Diagnosis& b) {
    return std::tie(a.cycle, a.place) < std::tie(b.cycle, b.place);
  }

  std::vector<observe::Diagnosis> first_;  // sorted
  std::uint64_t count_ = 0;
  std::vector<observe::Diagnosis> known_;  // reported before the run
  std::uint64_t known_count_ = 0;
  Cycle origin_ = 0;
  observe::PrintLog* prints_ = nullptr;
  std::function<void(std::uint32_t)> ready_;
};

}  // namespace tessera::wse
