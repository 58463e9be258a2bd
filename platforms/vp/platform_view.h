// What a report says of a platform with several accelerators: the first one, and after its counters those of the
// others, with "2.", "3." in front. --why and the live view look at the first one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platforms/run/driver.h"
#include "platforms/vp/accelerator.h"

namespace tessera::vp {

class PlatformView final : public run::View {
 public:
  /// They must outlive the view; at least one.
  explicit PlatformView(const std::vector<std::unique_ptr<Accelerator>>& accelerators)
      : accelerators_(accelerators) {}

  void catch_up(Cycle end) override {
    for (const auto& a : accelerators_)
      a->view().catch_up(a == accelerators_.front() ? end : a->domain().next_free_cycle());
  }
  void describe_waits(observe::Waits& waits) const override {
    for (std::uint32_t n = 0; n < accelerators_.size(); ++n) {
      observe::Waits own(10'000);
      accelerators_[n]->view().describe_waits(own);
      for (observe::Wait wait : own) {
        wait.place = wait.place * kPlaces + n;
        if (n > 0) wait.who = "accelerator " + std::to_string(n + 1) + ", " + wait.who;
        waits.push_back(std::move(wait));
      }
    }
  }
  std::vector<int> coordinates(std::uint32_t place) const override {
    if (place % kPlaces >= accelerators_.size()) return {};
    return accelerators_[place % kPlaces]->view().coordinates(place / kPlaces);
  }
  std::size_t place_count() const override { return first().place_count() * kPlaces; }
  std::string state_of(std::uint32_t place, Cycle now) const override {
    return place % kPlaces == 0 ? first().state_of(place / kPlaces, now) : std::string();
  }
  run::LiveGrid live_grid() const override { return first().live_grid(); }
  void live_read(std::size_t cell, Cycle now, std::uint32_t* counts) const override {
    first().live_read(cell, now, counts);
  }
  std::pair<unsigned, unsigned> live_track(std::size_t cell) const override {
    return first().live_track(cell);
  }
  const run::SliceLog* live_slices(Cycle now) override {
    return accelerators_.front()->view().live_slices(now);
  }
  std::vector<run::LiveSymbol> live_memory(std::size_t cell) const override {
    return first().live_memory(cell);
  }
  std::vector<run::LiveQueue> live_queues(std::size_t cell, Cycle now) const override {
    return first().live_queues(cell, now);
  }
  std::uint32_t live_place(std::size_t cell) const override {
    return first().live_place(cell) * kPlaces;
  }
  std::string live_name(std::size_t cell) const override { return first().live_name(cell); }
  void summarize(report::Report& report) const override {
    accelerators_.front()->view().summarize(report);
    for (std::size_t n = 1; n < accelerators_.size(); ++n) {
      report::Report other;
      accelerators_[n]->view().summarize(other);
      const std::string prefix = std::to_string(n + 1) + ".";
      report.digest += other.digest;
      for (report::Counter& counter : other.counters) {
        counter.name.insert(0, prefix);
        report.counters.push_back(std::move(counter));
      }
      report.diagnoses.count += other.diagnoses.count;
      for (report::Diagnosis& d : other.diagnoses.first)
        report.diagnoses.first.push_back(std::move(d));
    }
  }
  std::string fault_at_end(const observe::Waits&) const override {
    std::string text;
    for (const auto& a : accelerators_) {
      observe::Waits own(10'000);
      a->view().describe_waits(own);
      const std::string fault = a->view().fault_at_end(own);
      text += (text.empty() || fault.empty() ? "" : "; ") + fault;
    }
    return text;
  }
  void complete_traces(const report::Report& report) override {
    for (const auto& a : accelerators_) a->view().complete_traces(report);
  }

 private:
  static constexpr std::uint32_t kPlaces =
      16;  // a place stands above the number of its accelerator
  const run::View& first() const { return accelerators_.front()->view(); }

  const std::vector<std::unique_ptr<Accelerator>>& accelerators_;
};

}  // namespace tessera::vp
