// A machine that was reset equals a new one: ten programs on fabrics of both structures, on clusters and on
// scheduled meshes, reset in random cycles, after a deadlock and after illegal behaviour. One TEST a process.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "frontends/operators/program_reader.h"
#include "frontends/pto/parser.h"
#include "platforms/ascend/core_counters.h"
#include "platforms/ascend/kernel.h"
#include "platforms/ascend/machine.h"
#include "platforms/numesh/compiled_program.h"
#include "platforms/numesh/machine.h"
#include "platforms/numesh/mesh_counters.h"
#include "platforms/wse/host_program.h"
#include "platforms/wse/machine.h"
#include "tests/support/sc_reports.h"
#include "tests/support/temporary_folder.h"

namespace tessera::test {
namespace {

const std::string kExamples = std::string(TESSERA_SOURCE_DIR) + "/examples/";

/// Resets of each program and structure: 1,000 in all of ten programs. The soak test asks for more of clusters.
constexpr unsigned kFabricResets = 50;
constexpr unsigned kClusterResets = 8;  // their programs run longer

unsigned rounds(unsigned by_default) {
  const char* const given = std::getenv("TESSERA_RESETS");
  return given == nullptr ? by_default : static_cast<unsigned>(std::atoi(given));
}

/// A fabric that can run the program of its layout again and again.
struct Fabric {
  Fabric(const std::string& structure, const std::string& layout,
         const std::map<std::string, std::int64_t>& params = {})
      : config(wse::load_wse_config("wse3", "")), workload(layout, params, config),
        events(static_cast<unsigned>(workload.layout.width),
               static_cast<unsigned>(workload.layout.height), true),
        machine(wse::build_machine(structure, {}, config, workload, &events)) {}

  /// Runs the host steps of `program` up to cycle `end`; what came of it, as text.
  std::string run(const wse::Workload& program, std::optional<Cycle> end = {}) {
    run::RunControl::Limits limits;
    limits.max_cycles = end;
    machine->domain().set_bound(kNever);
    run::RunControl control(machine->domain(), limits);
    wse::HostArrays arrays(program.layout, {});
    const wse::Checks checks(program.layout, arrays);
    wse::HostProgram host(program, arrays, checks, *machine);
    const run::Stop stop = host.drive(control);
    wse::catch_up(*machine, program.layout, machine->domain().next_free_cycle());
    std::string text = std::to_string(static_cast<int>(stop)) + " cycle " +
                       std::to_string(machine->domain().now()) + " digest " +
                       events.digest().hex() + " held " + std::to_string(machine->wavelets_held());
    for (const report::Check& check : host.checks())
      text += " " + check.name + (check.passed ? " passed: " : " failed: ") + check.detail;
    for (const observe::CounterInfo& info : observe::counter_table())
      text += " " + std::to_string(events.counters().total(info.counter));
    observe::Waits waits(100);
    machine->describe_waits(waits);
    for (const observe::Wait& wait : waits) text += "\n" + wait.who + " waits for " + wait.what;
    return text;
  }
  std::string run() { return run(workload); }
  void reset() { machine->reset(wse::Machine::Memory::kClear); }

  wse::WseConfig config;
  wse::Workload workload;
  observe::EventStream events;
  std::unique_ptr<wse::Machine> machine;
};

void reset_at_random(const std::string& structure, const std::string& layout,
                     const std::map<std::string, std::int64_t>& params = {}) {
  Fabric fabric(structure, kExamples + layout, params);
  const std::string fresh = fabric.run();
  const Cycle cycles = fabric.machine->domain().now();
  EXPECT_NE(fresh.find(" passed"), std::string::npos) << fresh;
  std::mt19937_64 random(7);
  fabric.reset();
  for (unsigned i = 0; i < rounds(kFabricResets); ++i) {
    const Cycle end = random() % (cycles + 5);
    const sc_core::sc_time before = sc_core::sc_time_stamp();
    fabric.run(fabric.workload, end);
    EXPECT_GE(sc_core::sc_time_stamp(), before);
    fabric.reset();
    EXPECT_EQ(fabric.events.digest().value(), 0U);
    EXPECT_EQ(fabric.machine->wavelets_held(), 0U);
    ASSERT_EQ(fabric.run(), fresh) << structure << " " << layout << ", reset in cycle " << end;
    fabric.reset();
  }
}

struct Example {
  const char* layout;
  std::map<std::string, std::int64_t> params;
};
class ResetFabric : public testing::TestWithParam<std::tuple<const char*, Example>> {};

TEST_P(ResetFabric, EqualsNew) {
  const auto& [structure, example] = GetParam();
  reset_at_random(structure, example.layout, example.params);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, ResetFabric,
    testing::Combine(testing::Values("modules", "dense"),
                     testing::Values(Example{"gemv_stream/layout.json", {}},
                                     Example{"hello_wavelet/layout.json", {}},
                                     Example{"exchange/layout.json", {}},
                                     Example{"reduce_chain/layout.json", {}},
                                     Example{"reduce_filters/layout.json", {}},
                                     Example{"reduce_two_phase/layout.json", {}},
                                     Example{"ring_allreduce/layout.json", {}},
                                     Example{"two_phase_teardown/layout.json", {}},
                                     Example{"broadcast_tree/layout.json", {}},
                                     Example{"pe_loops/layout.json", {}})),
    [](const auto& chosen) {
      const std::string file = std::get<1>(chosen.param).layout;
      return std::string(std::get<0>(chosen.param)) + "_" + file.substr(0, file.find('/'));
    });

/// Writes a layout with one tile and its program into `folder`; the path of the layout.
std::string write_program(const TemporaryFolder& folder, const std::string& code,
                          const std::string& host) {
  write_file(folder.file("code.tasm"), code);
  write_file(folder.file("layout.json"),
             R"({"schema": "tessera-wse-layout-1", "grid": [1, 1],
                 "tiles": [{"rect": [0, 0, 1, 1], "code": "code.tasm"}], "routes": [], "host": )" +
                 host + "}");
  return folder.file("layout.json");
}

class ResetStructure : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Both, ResetStructure, testing::Values("modules", "dense"),
                         [](const auto& chosen) { return std::string(chosen.param); });

TEST_P(ResetStructure, DeadlockIsGone) {
  Fabric fabric(GetParam(), kExamples + "gemv_stream/layout.json");
  const std::string fresh = fabric.run();
  for (unsigned i = 0; i < 5; ++i) {
    fabric.reset();
    // The streams are missing: all tiles wait for ever.
    for (int x = 0; x < 4; ++x)
      fabric.machine->launch({x, 0}, fabric.workload.programs.image_of({x, 0})->functions.front(),
                             {}, 3);
    fabric.machine->edge({3, 0}, Direction::kEast).expect(Color(2), 1);
    run::RunControl(fabric.machine->domain(), {}).run_to_idle();
    observe::Waits waits(100);
    fabric.machine->describe_waits(waits);
    EXPECT_GT(waits.blocking(), 0U);
    fabric.reset();
    ASSERT_EQ(fabric.run(), fresh);
  }
}

TEST_P(ResetStructure, IllegalBehaviourIsGone) {
  const TemporaryFolder folder;
  const std::string layout = write_program(folder,
                                           "fn main\n    movri r2, 0\n    st16 [0], r2\n    ret\n"
                                           "fn good\n    movri r2, 1\n    ret\n",
                                           R"([{"launch": "good"}, {"wait": "idle"}])");
  Fabric fabric(GetParam(), layout);
  const std::string fresh = fabric.run();
  std::vector<std::string> failures;
  fabric.machine->domain().set_failure_listener(
      [&](const timing::Failure& failure) { failures.push_back(failure.id + failure.text); });
  const pe::Image& image = *fabric.workload.programs.image_of({0, 0});
  for (unsigned i = 1; i <= 3; ++i) {
    fabric.reset();
    fabric.machine->launch({0, 0}, *image.find_function("main"), {}, 5);
    run::RunControl(fabric.machine->domain(), {}).run_to_idle();
    ASSERT_EQ(failures.size(), i);
    EXPECT_NE(failures.back().find("illegal_behaviour"), std::string::npos) << failures.back();
    EXPECT_TRUE(fabric.machine->domain().failure().has_value());
    EXPECT_TRUE(fabric.machine->domain().idle());
    fabric.reset();
    EXPECT_FALSE(fabric.machine->domain().failure().has_value());
    ASSERT_EQ(fabric.run(), fresh);
  }
}

TEST_P(ResetStructure, MemoryIsKeptOrCleared) {
  Fabric fabric(GetParam(), kExamples + "gemv_stream/layout.json");
  const std::string fresh = fabric.run();
  const auto word = [&fabric](std::uint32_t address) {
    return fabric.machine->engine({1, 1})->sram().read(address, 4);
  };
  const std::uint32_t at = fabric.workload.programs.image_of({1, 1})->find_symbol("A")->address;
  const std::uint32_t written = word(at);
  EXPECT_NE(written, 0U);
  fabric.machine->reset(wse::Machine::Memory::kKeep);
  EXPECT_EQ(word(at), written);
  fabric.run(fabric.workload, 30);
  fabric.machine->reset(wse::Machine::Memory::kClear);
  EXPECT_EQ(word(at), 0U);
  EXPECT_EQ(fabric.run(), fresh);
}

TEST_P(ResetStructure, AnotherProgramIsLoaded) {
  // The same grid and queues; other code and data.
  Fabric fabric(GetParam(), kExamples + "pe_loops/layout.json", {{"KERNEL", 1}});
  const wse::Workload other(kExamples + "pe_loops/layout.json", {{"KERNEL", 2}, {"N", 32}},
                            fabric.config);
  const std::string first = fabric.run();
  fabric.machine->load(other);
  const std::string second = fabric.run(other);
  EXPECT_NE(second, first);
  fabric.machine->load(fabric.workload);
  fabric.run(fabric.workload, 20);
  fabric.machine->load(other);
  EXPECT_EQ(fabric.run(other), second);
  fabric.machine->load(fabric.workload);
  EXPECT_EQ(fabric.run(), first);
  const wse::Workload wide(kExamples + "hello_wavelet/layout.json", {}, fabric.config);
  EXPECT_THROW(fabric.machine->load(wide), UserError);
}

TEST_P(ResetStructure, ResetInsideACycleIsRefused) {
  Fabric fabric(GetParam(), kExamples + "gemv_stream/layout.json");
  fabric.machine->edge({3, 0}, Direction::kEast).on_complete([&] { fabric.reset(); });
  const ExpectReport expected(timing::kResetId);
  EXPECT_THROW(fabric.run(), sc_core::sc_report);
}

// --- clusters

/// Clusters that run a kernel with the arrays of the host.
struct Clusters {
  Clusters(const std::string& structure, const std::string& file)
      : module(pto::parse_file(kExamples + file)),
        config(ascend::config_of(with_parameters(options, file), pto::profile_of(module))),
        kernel(module, options, config),
        data(config.machine.profile, kernel.launch, kernel.kernel.arrays),
        events(static_cast<unsigned>(kernel.launch.places()), 1, false),
        machine(structure, config.machine, kernel.launch, {&events, &data}) {}

  std::string run(Cycle end = kNever) {
    machine.launch(kernel.kernel.aic, kernel.kernel.aiv, 0);
    machine.domain().set_bound(end);
    run::RunControl(machine.domain(), {}).run_until([this, end] {
      return machine.domain().idle() || machine.domain().next_due() >= end;
    });
    machine.domain().set_bound(kNever);
    std::string text = "cycle " + std::to_string(machine.domain().now()) + " digest " +
                       events.digest().hex() + (machine.view().finished() ? " finished" : "");
    for (const report::Counter& counter : ascend::totals(machine.view()))
      text += " " + std::to_string(counter.value);
    for (std::size_t a = 0; end == kNever && a < data.arrays().size(); ++a)
      for (const std::byte byte : data.contents(a)) text += static_cast<char>(byte);
    return text;
  }
  void reset(bool keep) {
    const Cycle next = machine.domain().next_free_cycle();
    data.reset(next == 0 ? 0 : next - 1, keep);
    machine.reset();
  }

  static cli::Options& with_parameters(cli::Options& options, const std::string& file) {
    if (file.find("gemm") == std::string::npos) {
      options.params = {{"TILES", "4"}};
    } else {
      options.params = {{"M", "512"}, {"N", "512"}, {"K", "1024"}, {"GM", "2"}, {"GN", "2"}};
      options.sets = {"launch.clusters=4"};
    }
    return options;
  }

  cli::Options options;
  const pto::Module module;
  const ascend::AscendConfig config;
  const ascend::LaunchedKernel kernel;
  cluster::ClusterData data;
  observe::EventStream events;
  ascend::Machine machine;
};

class ResetClusters : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(ResetClusters, EqualsNew) {
  const auto& [structure, file] = GetParam();
  Clusters clusters(structure, std::string("ascend/") + file + ".pto");
  const std::string fresh = clusters.run();
  EXPECT_NE(fresh.find(" finished"), std::string::npos);
  const Cycle cycles = clusters.machine.domain().now();
  std::mt19937_64 random(11);
  clusters.reset(false);
  for (unsigned i = 0; i < rounds(kClusterResets); ++i) {
    const Cycle end = 1 + random() % (cycles + 5);
    clusters.run(end);
    clusters.reset(false);
    ASSERT_EQ(clusters.run(), fresh) << "reset in cycle " << end;
    clusters.reset(false);
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, ResetClusters,
                         testing::Combine(testing::Values("modules", "dense"),
                                          testing::Values("vector_add", "gemm", "c2v_a5", "v2c_a5",
                                                          "c2v_a2a3", "tpush_tpop")),
                         [](const auto& chosen) {
                           return std::string(std::get<0>(chosen.param)) + "_" +
                                  std::get<1>(chosen.param);
                         });

TEST(ResetArrays, AreKeptOrCleared) {
  Clusters clusters("dense", "ascend/vector_add.pto");
  std::vector<std::byte> ones(clusters.data.arrays().empty() ? 0 : 64, std::byte{0x3F});
  clusters.data.bind(0, ones);
  clusters.reset(true);
  EXPECT_EQ(clusters.data.contents(0), ones);
  clusters.reset(false);
  EXPECT_EQ(clusters.data.size(0), 0U);
}

// --- scheduled meshes

struct ScheduledMesh {
  ScheduledMesh(const std::string& structure, const std::string& file,
                const std::map<std::string, std::int64_t>& params)
      : config(numesh::load_numesh_config("numesh", "")),
        program(operators::read_program(kExamples + "numesh/" + file, params), config),
        words(program.lowered),
        events(static_cast<unsigned>(program.lowered.nodes.size()), 1, false),
        machine(structure, config.clock_period_ps, program.lowered, events, words) {}

  std::string run(Cycle end = kNever) {
    machine.domain().set_bound(end);
    run::RunControl(machine.domain(), {}).run_until([this, end] {
      return machine.domain().idle() || machine.domain().next_due() >= end;
    });
    machine.domain().set_bound(kNever);
    std::string text = "cycle " + std::to_string(machine.domain().now()) + " digest " +
                       events.digest().hex() + (machine.view().finished() ? " finished" : "") +
                       " findings " + std::to_string(words.total());
    for (const report::Counter& counter : numesh::totals(program.lowered, machine.view()))
      text += " " + std::to_string(counter.value);
    for (scheduled::NodeId node = 0; node < machine.view().size(); ++node)
      for (const std::uint32_t word : machine.memory(node)) text += " " + std::to_string(word);
    observe::Waits waits(100);
    machine.view().describe_waits(program.lowered, waits, machine.domain().next_free_cycle());
    for (const observe::Wait& wait : waits) text += "\n" + wait.who + " waits for " + wait.what;
    return text;
  }

  const numesh::NumeshConfig config;
  const numesh::CompiledProgram program;
  scheduled::WordChecker words;
  observe::EventStream events;
  numesh::Machine machine;
};

class ResetMesh : public testing::TestWithParam<std::tuple<const char*, Example>> {};

TEST_P(ResetMesh, EqualsNew) {
  const auto& [structure, example] = GetParam();
  ScheduledMesh mesh(structure, std::string(example.layout) + ".json", example.params);
  const std::string fresh = mesh.run();
  EXPECT_NE(fresh.find(" waits for ") == std::string::npos,
            fresh.find(" finished") == std::string::npos)
      << fresh;
  const Cycle cycles = mesh.machine.domain().now();
  std::mt19937_64 random(13);
  mesh.machine.reset(false);
  for (unsigned i = 0; i < rounds(8); ++i) {
    const Cycle end = 1 + random() % (cycles + 5);
    mesh.run(end);
    mesh.machine.reset(false);
    ASSERT_EQ(mesh.run(), fresh) << "reset in cycle " << end;
    mesh.machine.reset(false);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Programs, ResetMesh,
    testing::Combine(testing::Values("modules", "dense"),
                     testing::Values(Example{"tour", {}}, Example{"tour", {{"N", 12}, {"M", 4}}},
                                     Example{"tour", {{"M", 200}}}, Example{"jacobi", {}},
                                     Example{"jacobi", {{"W", 9}, {"H", 7}}}, Example{"online", {}},
                                     Example{"continuing", {}}, Example{"ring_right", {}},
                                     Example{"ring_wrong", {}}, Example{"two_phases", {}})),
    [](const auto& chosen) {
      const Example& example = std::get<1>(chosen.param);
      std::string name = std::string(std::get<0>(chosen.param)) + "_" + example.layout;
      for (const auto& [key, value] : example.params) name += "_" + key + std::to_string(value);
      return name;
    });

}  // namespace
}  // namespace tessera::test
