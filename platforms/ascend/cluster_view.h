// What clusters show of themselves during and after a run: waits, the state of a core, and the cells of the live view.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platforms/ascend/core_counters.h"
#include "platforms/ascend/kernel.h"
#include "platforms/ascend/machine.h"
#include "platforms/run/driver.h"

namespace tessera::ascend {

class ClusterView : public run::View {
 public:
  void describe_waits(observe::Waits& waits) const override {
    machine_.view().describe_waits(waits);
  }
  std::vector<int> coordinates(std::uint32_t core) const override { return core_of(core); }
  std::size_t place_count() const override { return launch_.places(); }
  std::string state_of(std::uint32_t place, Cycle now) const override;
  run::LiveGrid live_grid() const override;
  std::vector<double> live_values(std::size_t quantity, Cycle now) const override;
  std::uint32_t live_place(std::size_t cell) const override;
  std::string live_name(std::size_t cell) const override;

 protected:
  /// Both may be members of the derived class, which are not built yet.
  ClusterView(const Machine& machine, const cluster::Launch& launch)
      : machine_(machine), launch_(launch) {}

 private:
  const Machine& machine_;
  const cluster::Launch& launch_;
};

}  // namespace tessera::ascend
