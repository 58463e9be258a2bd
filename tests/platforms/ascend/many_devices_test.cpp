// Many devices in one simulation: a machine of 24 clusters each, with a clock domain and a GM of its own, and all
// of them started together, as a platform with a rack of accelerators does.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "frontends/pto/parser.h"
#include "models/observe/event_stream.h"
#include "platforms/ascend/ascend_config.h"
#include "platforms/ascend/kernel.h"
#include "platforms/ascend/machine.h"
#include "platforms/cli/options.h"

namespace tessera::test {
namespace {

constexpr unsigned kDevices = 43;  // 24 clusters each: 1,032

cli::Options& with_24_clusters(cli::Options& options) {
  options.params = {{"M", "512"}, {"N", "1536"}, {"K", "512"}, {"GM", "4"}, {"GN", "6"}};
  options.sets = {"launch.clusters=24"};
  return options;
}

/// A GEMM on one device, timing only. A module, so that the objects of each device have names of their own.
struct ClusterDevice : sc_core::sc_module {
  ClusterDevice(sc_core::sc_module_name name, const std::string& structure)
      : sc_core::sc_module(name),
        config(ascend::config_of(with_24_clusters(options), pto::profile_of(module))),
        kernel(module, options, config),
        events(static_cast<unsigned>(kernel.launch.places()), 1, false),
        machine(structure, config.machine, kernel.launch, {&events, nullptr}) {}

  void launch() { machine.launch(kernel.kernel.aic, kernel.kernel.aiv, 0); }
  std::string result() const {
    return "cycle " + std::to_string(machine.domain().now()) + " digest " + events.digest().hex() +
           (machine.view().finished() ? " finished" : " did not finish");
  }

  cli::Options options;
  const pto::Module module = pto::parse_file(TESSERA_SOURCE_DIR "/examples/ascend/gemm.pto");
  const ascend::AscendConfig config;
  const ascend::LaunchedKernel kernel;
  observe::EventStream events;
  ascend::Machine machine;
};

class ManyDevices : public testing::TestWithParam<const char*> {};

TEST_P(ManyDevices, EachRunsAsItDoesAlone) {
  std::vector<std::unique_ptr<ClusterDevice>> devices;
  for (unsigned i = 0; i < kDevices; ++i)
    devices.push_back(
        std::make_unique<ClusterDevice>(("device_" + std::to_string(i)).c_str(), GetParam()));
  for (const auto& device : devices) device->launch();
  sc_core::sc_start();
  std::vector<std::string> together;
  for (const auto& device : devices) together.push_back(device->result());
  ClusterDevice& first = *devices.front();
  first.machine.reset();
  first.launch();
  sc_core::sc_start();
  const std::string alone = first.result();
  EXPECT_NE(alone.find(" finished"), std::string::npos) << alone;
  for (unsigned i = 0; i < kDevices; ++i) EXPECT_EQ(together[i], alone) << "device " << i;
}

INSTANTIATE_TEST_SUITE_P(Structures, ManyDevices, testing::Values("modules", "dense"),
                         [](const auto& chosen) { return std::string(chosen.param); });

}  // namespace
}  // namespace tessera::test
