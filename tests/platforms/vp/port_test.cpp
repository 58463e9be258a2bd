// The host port on real machines, in both structures: 10^6 accesses of all kinds, debug access that
// disturbs nothing, streams through the fabric. A base-protocol checker watches. One TEST a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "models/observe/event_stream.h"
#include "platforms/vp/wse_device.h"
#include "platforms/wse/machine.h"
#include "platforms/wse/wse_config.h"
#include "tests/platforms/vp/port_bench.h"
#include "tests/support/sc_reports.h"

namespace tessera::test {
namespace {

using namespace host;

/// The fabric of a layout, as the host sees it.
struct SeenFabric {
  SeenFabric(const std::string& file, const std::string& structure,
             const std::map<std::string, std::int64_t>& params)
      : config(wse::load_wse_config("wse3", "")),
        workload(std::string(TESSERA_SOURCE_DIR) + "/" + file, params, config),
        events(static_cast<unsigned>(workload.layout.width),
               static_cast<unsigned>(workload.layout.height), false),
        machine(wse::build_machine(structure, {}, config, workload, &events)),
        seen(workload, *machine, events) {}

  wse::WseConfig config;
  wse::Workload workload;
  observe::EventStream events;
  std::unique_ptr<wse::Machine> machine;
  vp::WseDevice seen;
};

struct Bench : SeenFabric, PortBench {
  Bench(const std::string& file, const std::string& structure,
        const std::map<std::string, std::int64_t>& params = {})
      : SeenFabric(file, structure, params), PortBench(machine->domain(), seen) {}

  Address tile(unsigned x, unsigned y) const {
    return kMemoryBase + (y * static_cast<unsigned>(workload.layout.width) + x) * kTileStride;
  }
};

void million_accesses(const std::string& structure) {
  Bench bench("examples/gemv_stream/layout.json", structure);
  carry_out_million_accesses(bench, RandomAccesses::Between::kNothing);
}

TEST(VpPort, MillionAccessesToDense) {
  million_accesses("dense");
}

TEST(VpPort, MillionAccessesToModules) {
  million_accesses("modules");
}

std::uint32_t bits(float value) {
  std::uint32_t word = 0;
  std::memcpy(&word, &value, 4);
  return word;
}

/// The channel of a color at a side of a tile.
Address channel_of(const Bench& bench, TileCoord tile, Direction side, unsigned color) {
  const auto& edges = bench.device->info().edges;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (edges[e].tile == tile && edges[e].side == side)
      return kStreamBase + e * kEdgeStride + color * kChannelStride;
  }
  ADD_FAILURE() << "no such edge";
  return 0;
}

/// Begins the GEMV of the example through the port: A = 1, 2, .. in every tile, x = 1, b = row.
void begin_gemv(Bench& bench) {
  HostInitiator& host = bench.initiator;
  const std::uint32_t symbol = bench.workload.programs.image_of({0, 0})->find_symbol("A")->address;
  for (unsigned row = 0; row < 3; ++row) {
    for (unsigned column = 0; column < 4; ++column)
      EXPECT_EQ(host.write(bench.tile(column, row) + symbol, {bits(1), bits(2), bits(3), bits(4)}),
                tlm::TLM_OK_RESPONSE);
  }
  host.write(static_cast<Address>(Register::kIrqEnable), kStreamDone);
  for (int row = 0; row < 3; ++row)
    host.write(channel_of(bench, {3, row}, Direction::kEast, 2) + 0x54, 2);
  EXPECT_EQ(host.write(kDoorbellBase, 1), tlm::TLM_OK_RESPONSE);
  for (int column = 0; column < 4; ++column)
    host.write(channel_of(bench, {column, 0}, Direction::kNorth, 0), {bits(1), bits(1)});
  for (int row = 0; row < 3; ++row)
    host.write(channel_of(bench, {0, row}, Direction::kWest, 2), {bits(10), bits(20)});
  host.sync();
}

/// The whole of it, with the result.
std::vector<std::uint32_t> carry_out_gemv(Bench& bench) {
  HostInitiator& host = bench.initiator;
  begin_gemv(bench);
  while (!bench.irq.read()) sc_core::wait(bench.irq.value_changed_event());
  std::vector<std::uint32_t> y;
  for (int row = 0; row < 3; ++row) {
    for (const std::uint32_t word : host.read(channel_of(bench, {3, row}, Direction::kEast, 2), 2))
      y.push_back(word);
  }
  host.sync();
  return y;
}

// Column-major 2 x 2 pieces: rows 1 + 3 and 2 + 4, four of each in a row of tiles.
const std::vector<std::uint32_t> kGemvResult = {bits(26), bits(44), bits(26),
                                                bits(44), bits(26), bits(44)};

/// Debug accesses take place every `look` ns, if any. Answers the digest.
std::string gemv(const std::string& structure, unsigned look_ns) {
  Bench bench("examples/gemv_stream/layout.json", structure);
  std::vector<std::uint32_t> y;
  bench.initiator.body = [&] { y = carry_out_gemv(bench); };
  if (look_ns > 0) {
    std::vector<std::uint8_t> bytes(64);
    while (!bench.initiator.finished &&
           sc_core::sc_time_stamp() < sc_core::sc_time(1, sc_core::SC_MS)) {
      sc_core::sc_start(sc_core::sc_time(look_ns, sc_core::SC_NS));
      for (unsigned t = 0; t < 12; ++t)
        bench.initiator.debug(tlm::TLM_READ_COMMAND, kMemoryBase + t * kTileStride, bytes.data(),
                              64);
      for (const Address a : {Address{0x40}, kStreamBase, kCounterBase, kSlotBase})
        bench.initiator.debug(tlm::TLM_READ_COMMAND, a, bytes.data(), 64);
    }
  }
  bench.run();
  EXPECT_EQ(y, kGemvResult);
  return bench.events.digest().hex();
}

/// A driver resets the device in the middle of a GEMV, at any time, and begins again.
void reset_in_a_gemv(const std::string& structure) {
  Bench bench("examples/gemv_stream/layout.json", structure);
  bench.initiator.body = [&bench] {
    HostInitiator& host = bench.initiator;
    const auto control = static_cast<Address>(Register::kControl);
    std::mt19937_64 random(3);
    host.write(control, kResetMachine);  // the times of what follows count from a reset
    EXPECT_EQ(carry_out_gemv(bench), kGemvResult);
    sc_core::wait(1, sc_core::SC_US);
    const std::string fresh = bench.events.digest().hex();
    for (unsigned i = 0; i < 40 && !testing::Test::HasFailure(); ++i) {
      host.write(control, kResetMachine);
      begin_gemv(bench);
      sc_core::wait(static_cast<double>(random() % 60'000), sc_core::SC_PS);
      EXPECT_EQ(host.write(control, kResetMachine), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(carry_out_gemv(bench), kGemvResult) << "reset " << i;
      sc_core::wait(1, sc_core::SC_US);
      EXPECT_EQ(bench.events.digest().hex(), fresh) << "reset " << i;
      EXPECT_EQ(bench.machine->wavelets_held(), 0U);
    }
    // Without a reset the partial sums of a first GEMV would be in the second one.
    EXPECT_EQ(host.read(static_cast<Address>(Register::kMissing)), 0U);
  };
  bench.run();
}

TEST(VpPort, ResetInTheMiddleOfAGemvOnModules) {
  reset_in_a_gemv("modules");
}

TEST(VpPort, ResetInTheMiddleOfAGemvOnDense) {
  reset_in_a_gemv("dense");
}

/// What debug accesses see of a tile that is busy with vector operations, every 3 ns, as a hash.
/// Engines execute the groups of such operations late, unless `every_group`.
std::string seen_while_busy(const std::string& structure, bool every_group) {
  Bench bench("examples/pe_loops/layout.json", structure, {{"KERNEL", 1}, {"N", 512}});  // a copy
  bench.machine->engine({0, 0})->set_step_every_group(every_group);
  bench.initiator.body = [&] {
    const std::uint32_t x = bench.workload.programs.image_of({0, 0})->find_symbol("x")->address;
    std::vector<std::uint32_t> words;
    for (std::uint32_t i = 1; i <= 256; ++i) words.push_back(i * 0x10001);
    EXPECT_EQ(bench.initiator.write(kMemoryBase + x, words), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(bench.initiator.write(kDoorbellBase, 1), tlm::TLM_OK_RESPONSE);
  };
  std::vector<char> bytes(pe::kSramBytes);
  std::size_t hash = 0;
  std::set<std::size_t> different;
  for (int i = 0; i < 300; ++i) {
    sc_core::sc_start(sc_core::sc_time(3, sc_core::SC_NS));
    bench.initiator.debug(tlm::TLM_READ_COMMAND, kMemoryBase, bytes.data(), pe::kSramBytes);
    const std::size_t now = std::hash<std::string_view>()({bytes.data(), bytes.size()});
    different.insert(now);
    hash = hash * 31 + now;
  }
  EXPECT_GT(different.size(), 10U) << "nothing was written meanwhile";
  return std::to_string(hash);
}

TEST(VpPort, DebugAccessSeesWhatTheMachineHoldsInThatCycle) {
  const std::string seen = in_child([] { return seen_while_busy("modules", true); });
  EXPECT_EQ(in_child([] { return seen_while_busy("modules", false); }), seen);
  EXPECT_EQ(in_child([] { return seen_while_busy("dense", false); }), seen);
}

TEST(VpPort, GemvIsTheSameInBothStructuresAndWithDebugAccess) {
  const std::string digest = in_child([] { return gemv("modules", 0); });
  EXPECT_EQ(digest.size(), 16U);
  EXPECT_EQ(in_child([] { return gemv("dense", 0); }), digest);
  for (const unsigned look_ns : {1U, 7U, 50U}) {
    EXPECT_EQ(in_child([=] { return gemv("modules", look_ns); }), digest) << look_ns;
    EXPECT_EQ(in_child([=] { return gemv("dense", look_ns); }), digest) << look_ns;
  }
}

}  // namespace
}  // namespace tessera::test
