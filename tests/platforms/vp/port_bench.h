// What tests of host ports on whole machines share: a port with an initiator and a checker in front of it, and
// random accesses.
#pragma once

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <systemc>
#include <vector>

#include <gmock/gmock.h>

#include "models/host/device.h"
#include "models/host/host_port.h"
#include "models/timing/clock_domain.h"
#include "tests/support/host_initiator.h"
#include "tlm_ifaces/host/base_protocol_checker.h"

namespace tessera::test {

using namespace host;
using Payload = tlm::tlm_generic_payload;
using Status = tlm::tlm_response_status;

/// A device behind a host port, and an initiator with a checker in front of it.
struct PortBench {
  PortBench(timing::ClockDomain& domain, Device& of)
      : device(&of), port(std::make_unique<HostPort>("port", domain, of)) {
    initiator.socket.bind(checker.in);
    checker.out.bind(port->socket);
    port->irq.bind(irq);
  }
  void run() {
    if (!initiator.finished) sc_core::sc_start();
    EXPECT_TRUE(initiator.finished);
    EXPECT_EQ(checker.outstanding(), 0U);
  }

  Device* device;
  std::unique_ptr<HostPort> port;
  HostInitiator initiator{"initiator"};
  BaseProtocolChecker checker{"checker"};
  sc_core::sc_signal<bool> irq{"irq"};
};

/// Random accesses with an answer that is worked out here, from the documented map and not from
/// the port.
class RandomAccesses {
 public:
  /// What happens between the last access and a reset.
  enum class Between { kNothing, kLaunch };

  explicit RandomAccesses(PortBench& bench)
      : bench_(bench), info_(bench.device->info()), tiles_(info_.width * info_.height),
        bytes_(info_.tile_bytes), memory_(tiles_, std::vector<std::uint8_t>(bytes_)), data_(4096),
        before_(4096), enables_(64) {
    look();
    at_start_ = memory_;
  }

  void reset(Between between) {
    if (between == Between::kLaunch) {
      const std::uint32_t any = 1;
      for (const Status expected : {tlm::TLM_OK_RESPONSE, tlm::TLM_GENERIC_ERROR_RESPONSE}) {
        set(true, kDoorbellBase, 4);
        std::memcpy(data_.data(), &any, 4);
        send(expected, "a launch, and one while the first runs");
      }
      bench_.initiator.sync();
      sc_core::wait(static_cast<double>(random(8'000'000)), sc_core::SC_PS);
    }
    const bool keeps = random(2) == 0;
    set(true, 0x40, 4);
    const std::uint32_t bits = kResetMachine | (keeps ? kKeepMemory : 0U);
    std::memcpy(data_.data(), &bits, 4);
    send(tlm::TLM_OK_RESPONSE, "reset");
    if (!keeps) memory_ = at_start_;
    if (keeps && between == Between::kLaunch) look();  // what the program has written stays
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
    std::vector<std::uint8_t> found(bytes_);
    for (unsigned t = 0; t < tiles_; ++t) {
      debug(kMemoryBase + t * kTileStride, found.data(), bytes_);
      EXPECT_TRUE(found == memory_[t]) << "tile " << t;
    }
  }
  unsigned counts[8] = {};

 private:
  std::uint64_t random(std::uint64_t n) { return generator_() % n; }
  void look() {
    for (unsigned t = 0; t < tiles_; ++t)
      EXPECT_EQ(debug(kMemoryBase + t * kTileStride, memory_[t].data(), bytes_), bytes_);
  }
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
    const auto offset =
        static_cast<unsigned>(random(std::min<Address>(kTileStride, bytes_ + bytes_ / 3)));
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
    if (offset >= bytes_) return send(tlm::TLM_ADDRESS_ERROR_RESPONSE, "after a tile");
    if (length > bytes_ - offset)
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
    const Address bases[] = {0x00, kCounterBase, kNameBase,
                             info_.edges.empty() ? Address{0x00} : kStreamBase + 0xF00};
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
    set(false, in_memory ? kMemoryBase + 4 * random(std::min(1000U, bytes_ / 4)) : 4 * random(8),
        4);
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
    const Address holes[] = {0x3C,
                             0x88 + 4 * random(200),
                             0x6800 + 4 * random(0x6000),
                             kStreamBase + kEdgeStride * info_.edges.size() + random(0x100000),
                             kMemoryBase + kTileStride * tiles_ + random(std::uint64_t{1} << 60),
                             ~Address{0} - random(1000)};
    set(random(2) == 0, holes[random(6)], static_cast<unsigned>(random(64) + 1));
    send(tlm::TLM_ADDRESS_ERROR_RESPONSE, "nowhere");
  }

  // Streams carry nothing here: their levels are zero, there is nothing to be read, and too much is
  // too much.
  void stream() {
    if (info_.edges.empty()) return words();
    const Address channel = kStreamBase + random(info_.edges.size()) * kEdgeStride +
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

  PortBench& bench_;
  const DeviceInfo& info_;
  const std::uint64_t tiles_;
  const unsigned bytes_;  // memory of a tile
  std::vector<std::vector<std::uint8_t>> memory_;
  std::vector<std::vector<std::uint8_t>> at_start_;
  std::vector<std::uint8_t> data_;
  std::vector<std::uint8_t> before_;
  std::vector<std::uint8_t> enables_;
  Payload payload_;
  std::mt19937_64 generator_{7};
};

/// 10^6 random accesses, with a reset after every 5,000.
inline void carry_out_million_accesses(PortBench& bench, RandomAccesses::Between between) {
  bench.checker.set_check_attributes(false);
  bench.initiator.body = [&bench, between] {
    sc_core::wait(100, sc_core::SC_NS);  // all engines have come to rest
    RandomAccesses accesses(bench);
    for (int i = 1; i <= 1'000'000 && !testing::Test::HasFailure(); ++i) {
      accesses.step();
      if (i % 5000 == 0) accesses.reset(between);
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

/// Runs `body` in a process of its own, as SystemC simulates once a process.
inline std::string in_child(const std::function<std::string()>& body) {
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

}  // namespace tessera::test
