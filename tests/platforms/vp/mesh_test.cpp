// A scheduled mesh behind the host port, in both structures: random accesses with launches and resets, and
// launches at any time that equal a run by itself. One TEST a process.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <systemc>
#include <vector>

#include "frontends/operators/program_reader.h"
#include "platforms/numesh/compiled_program.h"
#include "platforms/numesh/machine.h"
#include "platforms/run/run_control.h"
#include "platforms/vp/accelerator.h"
#include "tests/platforms/vp/port_bench.h"
#include "tests/support/sc_reports.h"

namespace tessera::test::mesh_test {
namespace {

const std::string kJacobi = TESSERA_SOURCE_DIR "/examples/numesh/jacobi.json";
constexpr Address kControl = offset_of(Register::kControl);

struct Mesh {
  Mesh(const std::string& structure, const std::string& program) {
    options.structure = structure;
    accelerator = vp::build_accelerator(options, {"numesh", program, ""});
  }
  std::string digest() const {
    report::Report report;
    accelerator->view().summarize(report);
    return report.digest;
  }

  vp::Options options;
  std::unique_ptr<vp::Accelerator> accelerator;
};

struct Bench : Mesh, PortBench {
  explicit Bench(const std::string& structure, const std::string& program = kJacobi)
      : Mesh(structure, program), PortBench(accelerator->domain(), accelerator->device()) {}

  /// What all nodes hold.
  std::string memory() {
    const DeviceInfo& info = device->info();
    std::string all;
    std::vector<std::uint8_t> bytes(info.tile_bytes);
    for (unsigned t = 0; t < info.width * info.height; ++t) {
      initiator.debug(tlm::TLM_READ_COMMAND, kMemoryBase + t * kTileStride, bytes.data(),
                      info.tile_bytes);
      all.append(bytes.begin(), bytes.end());
    }
    return std::to_string(std::hash<std::string>()(all));
  }
  void wait_for_irq() {
    initiator.sync();
    while (!irq.read()) sc_core::wait(irq.value_changed_event());
    initiator.write(offset_of(Register::kIrqClear), kAllIrqs);
    initiator.sync();
  }
  Status launch() { return initiator.write(kDoorbellBase, 1); }
};

class MeshPort : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Both, MeshPort, testing::Values("modules", "dense"),
                         [](const auto& chosen) { return std::string(chosen.param); });

TEST_P(MeshPort, MillionAccessesWithLaunchesAndResets) {
  Bench bench(GetParam());
  carry_out_million_accesses(bench, RandomAccesses::Between::kLaunch);
}

/// Digest and memory of the program without a port, as numesh_platform runs it.
std::string alone(const std::string& structure, unsigned times) {
  const numesh::NumeshConfig config = numesh::load_numesh_config("numesh", "");
  const numesh::CompiledProgram program(operators::read_program(kJacobi, {}), config);
  scheduled::WordChecker words(program.lowered);
  observe::EventStream events(static_cast<unsigned>(program.lowered.nodes.size()), 1, false);
  numesh::Machine machine(structure, config.clock_period_ps, program.lowered, events, words);
  run::RunControl(machine.domain(), {}).run_to_idle();
  for (unsigned i = 1; i < times; ++i) {
    machine.start(0);
    run::RunControl(machine.domain(), {}).run_to_idle();
  }
  std::string all;
  for (scheduled::NodeId node = 0; node < program.lowered.nodes.size(); ++node) {
    const std::vector<std::uint32_t>& memory = machine.memory(node);
    all.append(reinterpret_cast<const char*>(memory.data()), 4 * memory.size());
  }
  return events.digest().hex() + " " + std::to_string(std::hash<std::string>()(all));
}

// The slots of a mesh count from the launch, so its cycle does not matter; a reset makes the machine new.
TEST_P(MeshPort, LaunchesEqualRunsByThemselves) {
  const std::string structure = GetParam();
  const std::string once = in_child([&] { return alone(structure, 1); });
  const std::string twice = in_child([&] { return alone(structure, 2); });
  Bench bench(structure);
  std::vector<std::uint32_t> cycles;
  bench.initiator.body = [&] {
    std::mt19937_64 random(5);
    for (unsigned i = 0; i < 20 && !HasFailure(); ++i) {
      bench.initiator.write(kControl, kResetMachine);
      bench.initiator.write(offset_of(Register::kIrqEnable), kLaunchDone);
      bench.initiator.sync();
      sc_core::wait(static_cast<double>(random() % 300'000), sc_core::SC_PS);
      EXPECT_EQ(bench.launch(), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(bench.launch(), tlm::TLM_GENERIC_ERROR_RESPONSE) << "it runs";
      const std::uint32_t begin = bench.initiator.read(offset_of(Register::kCycleLow));
      bench.wait_for_irq();
      cycles.push_back(bench.initiator.read(offset_of(Register::kCycleLow)) - begin);
      EXPECT_EQ(bench.initiator.read(offset_of(Register::kOpenLaunches)), 0U);
      EXPECT_EQ(bench.digest() + " " + bench.memory(), once);
      // At once again, on the memory as it is.
      EXPECT_EQ(bench.launch(), tlm::TLM_OK_RESPONSE);
      bench.wait_for_irq();
      EXPECT_EQ(bench.digest() + " " + bench.memory(), twice);
      // In the middle of the next run; what the nodes hold stays.
      EXPECT_EQ(bench.launch(), tlm::TLM_OK_RESPONSE);
      bench.initiator.sync();
      sc_core::wait(static_cast<double>(random() % 4'000'000), sc_core::SC_PS);
      const std::string held = bench.memory();
      bench.initiator.write(kControl, kResetMachine | kKeepMemory);
      EXPECT_EQ(bench.memory(), held);
    }
  };
  bench.run();
  ASSERT_EQ(cycles.size(), 20U);
  EXPECT_EQ(std::count(cycles.begin(), cycles.end(), cycles.front()), 20);
}

// A program that waits for ever: launches are refused until a reset.
TEST_P(MeshPort, DeadlockIsGoneWithAReset) {
  Bench bench(GetParam(), TESSERA_SOURCE_DIR "/examples/numesh/ring_wrong.json");
  bench.initiator.body = [&] {
    HostInitiator& host = bench.initiator;
    for (unsigned i = 0; i < 3; ++i) {
      host.write(offset_of(Register::kIrqEnable), kAtRest);
      EXPECT_EQ(bench.launch(), tlm::TLM_OK_RESPONSE);
      bench.wait_for_irq();
      EXPECT_EQ(host.read(offset_of(Register::kStatus)), kLaunched);
      EXPECT_EQ(bench.launch(), tlm::TLM_GENERIC_ERROR_RESPONSE);
      observe::Waits waits(100);
      bench.accelerator->view().describe_waits(waits);
      EXPECT_GT(waits.blocking(), 0U);
      host.write(kControl, kResetMachine);
      EXPECT_EQ(host.read(offset_of(Register::kStatus)), 0U);
    }
  };
  bench.run();
}

TEST_P(MeshPort, TellsWhatItIs) {
  Bench bench(GetParam());
  const DeviceInfo& info = bench.device->info();
  EXPECT_EQ(info.kind, DeviceKind::kNumesh);
  EXPECT_EQ(info.width * info.height, 36U);
  EXPECT_EQ(info.functions, std::vector<std::string>{"program"});
  ASSERT_GE(info.symbols.size(), 2U);
  EXPECT_EQ(info.symbols[1].name, "v");
  EXPECT_EQ(info.symbols[1].bytes, 16U);
  EXPECT_EQ(bench.accelerator->find_symbol({0, 0}, "v"), info.symbols[1].address);
  EXPECT_EQ(bench.accelerator->find_symbol({0, 0}, "w"), std::nullopt);
  bench.initiator.body = [&] {
    // The interior begins with 100 + k, the rim with zeros.
    const Address u = kMemoryBase + info.symbols[0].address;
    EXPECT_EQ(bench.initiator.read(u + 7 * kTileStride, 4),
              (std::vector<std::uint32_t>{100, 101, 102, 103}));
    EXPECT_EQ(bench.initiator.read(u, 1), std::vector<std::uint32_t>{0});
    EXPECT_EQ(bench.initiator.read(kSymbolBase + kSymbolEntry + 0x4C, 1),
              std::vector<std::uint32_t>{2});
  };
  bench.run();
}

}  // namespace
}  // namespace tessera::test::mesh_test
