// AI-core clusters as the accelerator of vp_platform. A launch runs the kernel on all cores. The
// memory that the host port sees is that of the arrays in GM, the pointer arguments of the program;
// with --no-data there is none. No streams.
#pragma once

#include <systemc>

#include <memory>
#include <string>
#include <vector>

#include "models/cluster/memory/cluster_data.h"
#include "models/observe/event_stream.h"
#include "platforms/ascend/core_counters.h"
#include "platforms/ascend/kernel.h"
#include "platforms/ascend/machine.h"
#include "platforms/vp/accelerator.h"

namespace tessera::vp {

class AscendAccelerator final : public Accelerator, private run::View, private host::Device {
 public:
  /// The one function of the device.
  static constexpr const char* kFunction = "kernel";

  /// Throws UserError, and IllegalBehaviour for an instruction that may not stand where it does.
  AscendAccelerator(const Options& options, const std::string& program);

  timing::ClockDomain& domain() override { return machine_.domain(); }
  const char* structure() const override { return machine_.structure(); }
  run::View& view() override { return *this; }
  host::Device& device() override { return *this; }
  std::optional<std::uint32_t> find_symbol(TileCoord, const std::string&) const override {
    return std::nullopt;
  }

 private:
  // run::View
  void describe_waits(observe::Waits& waits) const override {
    machine_.view().describe_waits(waits);
  }
  std::vector<int> coordinates(std::uint32_t place) const override {
    return ascend::core_of(place);
  }
  void summarize(report::Report& report) const override;
  // host::Device
  const host::DeviceInfo& info() const override { return info_; }
  void set_listener(host::DeviceListener* listener) override;
  bool at_rest() const override { return machine_.domain().idle(); }
  bool has_memory(std::uint32_t) const override { return false; }
  std::uint32_t array_bytes(std::uint32_t array) const override;
  bool resize_array(std::uint32_t array, std::uint32_t bytes) override;
  void read_memory(std::uint32_t array, std::uint32_t at, std::uint32_t count,
                   std::byte* to) override;
  void write_memory(std::uint32_t array, std::uint32_t at, std::uint32_t count,
                    const std::byte* from) override;
  std::byte* direct_memory(std::uint32_t array) override;
  std::uint32_t launch(const host::LaunchRequest& request, Cycle at) override;
  void send(std::uint32_t, Color, std::vector<host::Word>, Cycle) override {}
  void expect(std::uint32_t, Color, std::uint32_t) override {}
  const host::EdgeCore& edge(std::uint32_t) const override;
  std::uint64_t counter(std::uint32_t number) override { return counters()[number].value; }

  void launch_ended(Cycle now);
  void name_arrays(const std::string& program);
  std::vector<report::Counter> counters() const;

  const pto::Module module_;
  const ascend::AscendConfig config_;
  const ascend::LaunchedKernel kernel_;
  const std::unique_ptr<cluster::ClusterData> data_;  // nullptr: timing only
  observe::EventStream events_;
  cluster::LaunchWatch launch_watch_;
  ascend::Machine machine_;
  host::DeviceInfo info_;
  host::DeviceListener* listener_ = nullptr;
  bool running_ = false;
};

}  // namespace tessera::vp
