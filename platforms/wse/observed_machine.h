// The WSE machine of a workload with everything that listens to its events: what wse_platform runs,
// and what vp_platform puts behind a host port.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/observe/link_waits.h"
#include "models/observe/wait_book.h"
#include "models/pe/memory_checks.h"
#include "models/state/fwd.h"
#include "platforms/cli/coverage_options.h"
#include "platforms/run/driver.h"
#include "platforms/wse/diagnosis_log.h"
#include "platforms/wse/machine.h"
#include "platforms/wse/options.h"
#include "platforms/wse/recorders.h"
#include "platforms/wse/route_flows.h"
#include "platforms/wse/workload.h"
#include "platforms/wse/wse_config.h"

namespace tessera::wse {

class ObservedMachine final : public run::View {
 public:
  /// Builds the machine and opens the trace files that the options name. Throws UserError. All
  /// arguments must outlive it. `replacements`: as in build_machine().
  ObservedMachine(const cli::Options& options, const FabricOptions& fabric, const WseConfig& config,
                  const Workload& workload, Replacements* replacements = nullptr);
  /// Where the kernel would take longer to destroy the machine than the run took
  /// (Machine::is_quick_to_destroy), the machine is left to the end of the process; not after
  /// destroy_with_this().
  ~ObservedMachine() override;
  void destroy_with_this() { is_destroyed_ = true; }
  ObservedMachine(const ObservedMachine&) = delete;
  ObservedMachine& operator=(const ObservedMachine&) = delete;

  Machine& machine() { return *machine_; }
  const Machine& machine() const { return *machine_; }
  observe::EventStream& events() { return *recorders_.sink(); }

  /// What engines tell without a debugger; nullptr: nothing.
  const pe::Listeners* listeners() const {
    return stall_listeners_.stalls == nullptr ? nullptr : &stall_listeners_;
  }

  /// Calls `listener` for each PE that is ready for the next command of the host.
  void on_ready(std::function<void(std::uint32_t place)> listener) {
    diagnoses_.on_ready(std::move(listener));
  }
  /// Wavelets that nobody has read (unread_wavelets); empty: there are none.
  std::string unread(const observe::Waits& waits) const;
  /// Sentences about the program before its run: routes.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// nullptr: memory is not checked.
  pe::MemoryChecks* memory_checks() { return memory_checks_.get(); }
  /// Something for the report that the host has seen.
  void add_diagnosis(const observe::Diagnosis& diagnosis) { diagnoses_.on_diagnosis(diagnosis); }

  void catch_up(Cycle end) override { wse::catch_up(*machine_, layout_, end); }
  void catch_up_at(std::uint32_t place, Cycle end) override;
  /// Machine::visit(), and what observes the machine: an observer goes on where both runs have it. Throws
  /// state::Mismatch.
  void visit(state::Archive& archive, Cycle next);
  /// What observes it, for people.
  std::string recorded() const;
  void describe_waits(observe::Waits& waits) const override { machine_->describe_waits(waits); }
  const observe::Flows* flows() const override { return &flows_; }
  std::vector<int> coordinates(std::uint32_t place) const override;
  std::size_t place_count() const override { return layout_.tile_count(); }
  std::string state_of(std::uint32_t place, Cycle now) const override;
  run::LiveGrid live_grid() const override;
  void live_read(std::size_t cell, Cycle now, std::uint32_t* counts) const override;
  std::string live_name(std::size_t cell) const override;
  const run::SliceLog* live_slices(Cycle) override { return recorders_.slices(); }
  std::vector<run::LiveSymbol> live_memory(std::size_t cell) const override;
  std::vector<run::LiveQueue> live_queues(std::size_t cell, Cycle now) const override;
  void summarize(report::Report& report) const override;
  std::string fault_at_end(const observe::Waits& waits) const override;
  void complete_traces(const report::Report&) override;

  /// Seconds that it took to destroy the machine; no value: it was left to the end of the process.
  /// Nothing else may be called afterwards.
  std::optional<double> destroy();

 private:
  /// Attaches the listeners to the engines of a machine that is new or was reset.
  void observe_engines();
  void account_waits();
  void observe_others();
  void check_routes(const std::string& what, const Workload& workload);
  void check_memory();
  void add_memory_checks(report::Report& report) const;
  void add_dropped(report::Diagnoses& diagnoses) const;
  void finish_waits(Cycle cycles) const;
  void add_places(report::Places& places) const;
  std::vector<observe::WaitReason> add_wait_counters(report::Places& places) const;

  const cli::Options& options_;
  const cli::CoverageOptions coverage_;
  const WseConfig& config_;
  const layout::Layout& layout_;
  const RouteFlows flows_;
  Recorders recorders_;
  const observe::Counters& counters_;  ///< counters of recorders_; those of tiles are up to date
  DiagnosisLog diagnoses_;
  std::vector<std::shared_ptr<const pe::Image>> images_;  ///< by program of waits_
  std::vector<std::string> warnings_;
  std::unique_ptr<observe::WaitBook> waits_;        ///< nullptr: nobody asked
  std::unique_ptr<observe::LinkWaits> link_waits_;  ///< nullptr: nobody asked
  pe::Listeners stall_listeners_;
  bool accounts_all_ = false;  ///< accounts all tiles, else those whose waits a trace shows
  std::unique_ptr<Machine> machine_;
  const bool checks_unread_;
  std::unique_ptr<pe::MemoryChecks> memory_checks_;  ///< nullptr: nobody asked
  bool is_destroyed_ = false;  // true: the destructor always destroys the machine
};

}  // namespace tessera::wse
