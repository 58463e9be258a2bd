// The host port on real machines, in both structures: 10^6 accesses of all kinds, debug access that
// disturbs nothing, streams through the fabric. A base-protocol checker watches. One TEST a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "models/host/host_port.h"
#include "models/observe/event_stream.h"
#include "platforms/vp/wse_device.h"
#include "platforms/wse/machine.h"
#include "platforms/wse/wse_config.h"
#include "tests/support/host_initiator.h"
#include "tests/support/sc_reports.h"
#include "tlm_ifaces/host/base_protocol_checker.h"

namespace tessera::test {
namespace {

using namespace host;
using Payload = tlm::tlm_generic_payload;
using Status = tlm::tlm_response_status;

/// A machine behind a host port, and an initiator with a checker in front of it.
struct Bench {
  Bench(const std::string& file, const std::string& structure,
        const std::map<std::string, std::int64_t>& params = {})
      : config(wse::load_wse_config("wse3", "")),
        workload(std::string(TESSERA_SOURCE_DIR) + "/" + file, params, config),
        events(static_cast<unsigned>(workload.layout.width),
               static_cast<unsigned>(workload.layout.height), false),
        machine(wse::build_machine(structure, {}, config, workload, &events)),
        device(std::make_unique<vp::WseDevice>(workload, *machine, events)) {
    port = std::make_unique<HostPort>("port", machine->domain(), *device);
    initiator.socket.bind(checker.in);
    checker.out.bind(port->socket);
    port->irq.bind(irq);
  }
  void run() {
    if (!initiator.finished) sc_core::sc_start();
    EXPECT_TRUE(initiator.finished);
    EXPECT_EQ(checker.outstanding(), 0U);
  }
  Address tile(unsigned x, unsigned y) const {
    return kMemoryBase + (y * static_cast<unsigned>(workload.layout.width) + x) * kTileStride;
  }

  wse::WseConfig config;
  wse::Workload workload;
  observe::EventStream events;
  std::unique_ptr<wse::Machine> machine;
  std::unique_ptr<vp::WseDevice> device;
  std::unique_ptr<HostPort> port;
  HostInitiator initiator{"initiator"};
  BaseProtocolChecker checker{"checker"};
  sc_core::sc_signal<bool> irq{"irq"};
};

/// Random accesses with an answer that is worked out here, from the documented map and not from
/// the port.
class RandomAccesses {
 public:
  explicit RandomAccesses(Bench& bench)
      : bench_(bench), tiles_(bench.workload.layout.tile_count()),
        memory_(tiles_, std::vector<std::uint8_t>(pe::kSramBytes)), data_(4096), before_(4096),
        enables_(64) {
    for (unsigned t = 0; t < tiles_; ++t)
      EXPECT_EQ(debug(kMemoryBase + t * kTileStride, memory_[t].data(), pe::kSramBytes),
                pe::kSramBytes);
    at_start_ = memory_;
  }

  void reset() {
    const bool keeps = random(2) == 0;
    set(true, 0x40, 4);
    const std::uint32_t bits = kResetMachine | (keeps ? kKeepMemory : 0U);
    std::memcpy(data_.data(), &bits, 4);
    send(tlm::TLM_OK_RESPONSE, "reset");
    if (!keeps) memory_ = at_start_;
  }

  void step() {
    switch (random(8)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return memory();
    case 4:
      return words();
    case 5:
      return broken();
    case 6:
      return nowhere();
    default:
      return stream();
    }
  }
  void compare_memory() {
    std::vector<std::uint8_t> found(pe::kSramBytes);
    for (unsigned t = 0; t < tiles_; ++t) {
      debug(kMemoryBase + t * kTileStride, found.data(), pe::kSramBytes);
      EXPECT_TRUE(found == memory_[t]) << "tile " << t;
    }
  }
  unsigned counts[8] = {};

 private:
  std::uint64_t random(std::uint64_t n) { return generator_() % n; }
  unsigned debug(Address at, void* data, unsigned n) {
    return bench_.initiator.debug(tlm::TLM_READ_COMMAND, at, data, n);
  }
  void send(Status expected, const char* what) {
    // One in 16 with four phases.
    const bool at = random(16) == 0;
    const Status status = at ? bench_.initiator.send_at(payload_) : bench_.initiator.send(payload_);
    ++counts[-expected + 1];
    ASSERT_EQ(status, expected) << what << " at 0x" << std::hex << payload_.get_address() << ", "
                                << std::dec << payload_.get_data_length() << " bytes";
  }
  void set(bool write, Address at, unsigned length) {
    HostInitiator::set(payload_, write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, at,
                       data_.data(), length);
  }

  // Any bytes of a tile; a third of the accesses with byte enables, some over the end.
  void memory() {
    const auto tile = static_cast<unsigned>(random(tiles_));
    const auto offset = static_cast<unsigned>(random(kTileStride));
    const auto length =
        static_cast<unsigned>(random(20) == 0 ? random(5000) % 4096 + 1 : random(16) + 1);
    const bool write = random(2) == 0;
    for (unsigned i = 0; i < length; ++i)
      before_[i] = data_[i] = static_cast<std::uint8_t>(generator_());
    set(write, kMemoryBase + tile * kTileStride + offset, length);
    const auto enable_length = static_cast<unsigned>(random(64) + 1);
    const bool enabled = random(3) == 0;
    for (std::uint8_t& e : enables_) e = random(2) == 0 ? 0xFF : 0;
    if (enabled) {
      payload_.set_byte_enable_ptr(enables_.data());
      payload_.set_byte_enable_length(enable_length);
    }
    const auto moves = [&](unsigned i) { return !enabled || enables_[i % enable_length] != 0; };
    if (offset >= pe::kSramBytes) return send(tlm::TLM_ADDRESS_ERROR_RESPONSE, "behind a tile");
    if (length > pe::kSramBytes - offset)
      return send(tlm::TLM_BURST_ERROR_RESPONSE, "over the end of a tile");
    std::uint8_t* const model = memory_[tile].data() + offset;
    std::vector<std::uint8_t> looked(length);
    ASSERT_EQ(debug(payload_.get_address(), looked.data(), length), length);
    EXPECT_TRUE(std::equal(looked.begin(), looked.end(), model)) << "debug and timed reads differ";
    send(tlm::TLM_OK_RESPONSE, "memory");
    for (unsigned i = 0; i < length; ++i) {
      if (write && moves(i)) model[i] = data_[i];
      if (!write) {
        ASSERT_EQ(data_[i], moves(i) ? model[i] : before_[i]);
      }
    }
  }

  // Registers that never change, names, counters, and the scratch register.
  void words() {
    const Address bases[] = {0x00, kCounterBase, kNameBase, kStreamBase + 0xF00};
    const auto kind = random(5);
    if (kind == 4) {
      set(true, 0x5C, 4);
      send(tlm::TLM_OK_RESPONSE, "scratch");
      const std::vector<std::uint8_t> written(data_.begin(), data_.begin() + 4);
      set(false, 0x5C, 4);
      send(tlm::TLM_OK_RESPONSE, "scratch");
      EXPECT_TRUE(std::equal(written.begin(), written.end(), data_.begin()));
      return;
    }
    const auto length = static_cast<unsigned>(4 * (random(4) + 1));
    set(false, bases[kind], length);
    std::vector<std::uint8_t> looked(length);
    ASSERT_EQ(debug(bases[kind], looked.data(), length), length);
    send(tlm::TLM_OK_RESPONSE, "words");
    EXPECT_TRUE(std::equal(looked.begin(), looked.end(), data_.begin()));
    set(true, bases[kind], length);
    send(tlm::TLM_COMMAND_ERROR_RESPONSE, "write of what is read only");
  }

  // A legal access with one attribute that is wrong.
  void broken() {
    const bool in_memory = random(2) == 0;
    set(false, in_memory ? kMemoryBase + 4 * random(1000) : 4 * random(8), 4);
    switch (random(7)) {
    case 0:
      payload_.set_command(static_cast<tlm::tlm_command>(3));
      return send(tlm::TLM_COMMAND_ERROR_RESPONSE, "no such command");
    case 1:
      payload_.set_data_length(0);
      return send(tlm::TLM_BURST_ERROR_RESPONSE, "no bytes");
    case 2:
      payload_.set_streaming_width(static_cast<unsigned>(random(4)));
      return send(tlm::TLM_BURST_ERROR_RESPONSE, "streaming width");
    case 3:
      payload_.set_byte_enable_ptr(enables_.data());
      payload_.set_byte_enable_length(0);
      return send(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, "byte enables");
    case 4:
      payload_.set_data_ptr(nullptr);
      return send(tlm::TLM_GENERIC_ERROR_RESPONSE, "no data");
    case 5:
      payload_.set_address(random(0x20) * 4 % 0x2C + 1 + random(3));
      return send(tlm::TLM_BURST_ERROR_RESPONSE, "unaligned register");
    default:
      payload_.set_command(tlm::TLM_IGNORE_COMMAND);
      return send(tlm::TLM_OK_RESPONSE, "ignore");
    }
  }

  void nowhere() {
    const Address holes[] = {0x38 + 4 * random(2),
                             0x84 + 4 * random(200),
                             0x6800 + 4 * random(0x6000),
                             kStreamBase + kEdgeStride * bench_.device->info().edges.size() +
                                 random(0x100000),
                             kMemoryBase + kTileStride * tiles_ + random(std::uint64_t{1} << 60),
                             ~Address{0} - random(1000)};
    set(random(2) == 0, holes[random(6)], static_cast<unsigned>(random(64) + 1));
    send(tlm::TLM_ADDRESS_ERROR_RESPONSE, "nowhere");
  }

  // Streams carry nothing here: their levels are zero, there is nothing to be read, and too much is
  // too much.
  void stream() {
    const Address channel = kStreamBase + random(bench_.device->info().edges.size()) * kEdgeStride +
                            random(kColorCount) * kChannelStride;
    switch (random(4)) {
    case 0:
      set(false, channel + 4 * random(16), 4);
      return send(tlm::TLM_GENERIC_ERROR_RESPONSE, "empty stream");
    case 1:
      set(false, channel + 0x44, 12);
      send(tlm::TLM_OK_RESPONSE, "levels");
      EXPECT_THAT(std::vector<std::uint8_t>(data_.begin(), data_.begin() + 12),
                  testing::ElementsAre(0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0));
      return;
    case 2:
      set(true, channel + 4 * random(16), 68);
      return send(tlm::TLM_BURST_ERROR_RESPONSE, "over the data window");
    default:
      set(true, channel + 0x44, 4);
      return send(tlm::TLM_COMMAND_ERROR_RESPONSE, "write of a level");
    }
  }

  Bench& bench_;
  const std::uint64_t tiles_;
  std::vector<std::vector<std::uint8_t>> memory_;
  std::vector<std::vector<std::uint8_t>> at_start_;
  std::vector<std::uint8_t> data_;
  std::vector<std::uint8_t> before_;
  std::vector<std::uint8_t> enables_;
  Payload payload_;
  std::mt19937_64 generator_{7};
};

void million_accesses(const std::string& structure) {
  Bench bench("examples/gemv_stream/layout.json", structure);
  bench.checker.set_check_attributes(false);
  bench.initiator.body = [&] {
    sc_core::wait(100, sc_core::SC_NS);  // all engines have come to rest
    RandomAccesses accesses(bench);
    for (int i = 1; i <= 1'000'000 && !testing::Test::HasFailure(); ++i) {
      accesses.step();
      if (i % 5000 == 0) accesses.reset();
    }
    accesses.compare_memory();
    for (const auto status : {tlm::TLM_OK_RESPONSE, tlm::TLM_GENERIC_ERROR_RESPONSE,
                              tlm::TLM_ADDRESS_ERROR_RESPONSE, tlm::TLM_COMMAND_ERROR_RESPONSE,
                              tlm::TLM_BURST_ERROR_RESPONSE, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE})
      EXPECT_GT(accesses.counts[-status + 1], 5000U) << status;
  };
  bench.run();
  EXPECT_GT(bench.checker.calls(), 1'000'000U);
  EXPECT_EQ(bench.initiator.pool.in_use(), 0U) << "payloads leaked";
  EXPECT_EQ(bench.port->outstanding(), 0U);
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

/// Runs `body` in a process of its own, as SystemC simulates once a process.
std::string in_child(const std::function<std::string()>& body) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string answer = body();
    const bool failed = testing::Test::HasFailure();
    const auto written = ::write(ends[1], answer.data(), answer.size());
    ::_exit(failed || written != static_cast<ssize_t>(answer.size()) ? 1 : 0);
  }
  ::close(ends[1]);
  char text[64];
  const auto length = ::read(ends[0], text, sizeof text);
  ::close(ends[0]);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "the run in the child failed";
  return std::string(text, static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
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
