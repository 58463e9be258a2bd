// vp::Bus and vp::Dma as modules: several initiators with four phases and with b_transport, and a DMA engine, at
// two targets; protocol checkers in every connection. One TEST a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <systemc>
#include <vector>

#include "models/host/host_port.h"
#include "platforms/vp/bus.h"
#include "platforms/vp/dma.h"
#include "platforms/vp/memory.h"
#include "tests/models/host/fake_device.h"
#include "tests/support/host_initiator.h"
#include "tests/support/sc_reports.h"
#include "tlm_ifaces/host/base_protocol_checker.h"

namespace tessera::test::bus_module_test {
namespace {

using host::Address;
using sc_core::sc_time;

constexpr Address kMemory = 0x10'0000;
constexpr Address kPort = 0x10'0000'0000;

/// Three initiators and a DMA engine on a bus with a memory and a host port.
struct Bench {
  Bench() {
    for (unsigned i = 0; i < 3; ++i) watch(initiators[i].socket, bus.in[i]);
    watch(dma.memory, bus.in[3]);
    map(memory.socket, kMemory, 0x10000);
    map(port.socket, kPort, kPort);
    map(dma.socket, vp::kDmaOnBus, vp::Dma::kBytes);
    port.irq.bind(port_irq);
    dma.irq.bind(dma_irq);
  }
  template <class From, class To>
  void watch(From& from, To& to) {
    from.bind(checks[used].in);
    checks[used++].out.bind(to);
  }
  void map(host::TargetSocket& target, Address base, Address bytes) {
    bus.map(checks[used].in, base, bytes);
    checks[used++].out.bind(target);
  }
  void run() {
    sc_core::sc_start();
    for (const HostInitiator& initiator : initiators) EXPECT_TRUE(initiator.finished);
    for (const host::BaseProtocolChecker& check : checks) EXPECT_EQ(check.outstanding(), 0U);
    for (const HostInitiator& initiator : initiators) EXPECT_EQ(initiator.pool.in_use(), 0U);
    EXPECT_EQ(bus.outstanding(), 0U);
    EXPECT_EQ(dma.outstanding(), 0U);
    EXPECT_EQ(port.outstanding(), 0U);
  }

  timing::ClockDomain domain{"domain", 1000};
  host::test::FakeDevice device;
  host::HostPort port{"port", domain, device};
  vp::Memory memory{"memory", 0x10000, sc_time(250, sc_core::SC_PS)};
  vp::Dma dma{"dma", sc_time(1, sc_core::SC_NS)};
  vp::Bus bus{"bus", 3, 4};
  sc_core::sc_vector<HostInitiator> initiators{"initiator", 3};
  sc_core::sc_vector<host::BaseProtocolChecker> checks{"check", 7};
  sc_core::sc_signal<bool> port_irq{"port_irq"};
  sc_core::sc_signal<bool> dma_irq{"dma_irq"};
  unsigned used = 0;
};

/// Random words written and read back, in a part of each target that belongs to the initiator.
void access_at_random(HostInitiator& initiator, unsigned number, unsigned accesses) {
  std::mt19937_64 random(number + 5);
  std::map<Address, std::uint32_t> written;
  for (unsigned i = 0; i < accesses; ++i) {
    const Address base =
        random() % 2 == 0 ? kMemory + 0x1000 * number : kPort + host::kMemoryBase + 0x100 * number;
    const Address at = base + 4 * (random() % 64);
    std::uint32_t word = static_cast<std::uint32_t>(random());
    const bool writes = random() % 2 == 0;
    HostInitiator::Payload payload;
    HostInitiator::set(payload, writes ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, at, &word,
                       4);
    if (writes) written[at] = word;
    const auto status = random() % 3 == 0 ? initiator.send(payload) : initiator.send_at(payload);
    ASSERT_EQ(status, tlm::TLM_OK_RESPONSE);
    if (written.count(at) > 0) {
      ASSERT_EQ(word, written[at]) << number;
    }
    if (random() % 4 == 0) initiator.sync();
  }
  initiator.sync();
}

TEST(VpBusModule, InitiatorsShareTargetsWithFourPhases) {
  Bench bench;
  for (unsigned i = 0; i < 3; ++i)
    bench.initiators[i].body = [&bench, i] { access_at_random(bench.initiators[i], i, 3000); };
  bench.run();
  EXPECT_GT(sc_core::sc_time_stamp(), sc_time(3, sc_core::SC_US));
}

TEST(VpBusModule, RequestsOfOneInstantAreServedByInitiator) {
  Bench bench;
  std::vector<unsigned> order;
  std::vector<sc_time> ends(3);
  for (unsigned i = 0; i < 3; ++i) {
    bench.initiators[i].body = [&, i] {
      std::uint32_t word = i;
      HostInitiator::Payload payload;
      HostInitiator::set(payload, tlm::TLM_WRITE_COMMAND, kPort + 0x5C, &word, 4);
      bench.initiators[i].delay = sc_time(10, sc_core::SC_NS);
      EXPECT_EQ(bench.initiators[i].send_at(payload), tlm::TLM_OK_RESPONSE);
      order.push_back(i);
      ends[i] = sc_core::sc_time_stamp();
    };
  }
  bench.run();
  EXPECT_THAT(order, testing::ElementsAre(0, 1, 2));
  // A word of a register takes a cycle, and one response follows the other.
  for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(ends[i], sc_time(11 + i, sc_core::SC_NS)) << i;
}

TEST(VpBusModule, NoTargetIsAnAddressErrorAtOnce) {
  Bench bench;
  HostInitiator& initiator = bench.initiators[0];
  initiator.body = [&] {
    HostInitiator::Payload& payload = initiator.pool.take();
    std::uint32_t word = 0;
    HostInitiator::set(payload, tlm::TLM_READ_COMMAND, 0x42, &word, 4);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_time delay;
    EXPECT_EQ(initiator.socket->nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    payload.release();
    EXPECT_EQ(initiator.access(tlm::TLM_READ_COMMAND, 0x42, &word, 4),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
  };
  bench.run();
}

TEST(VpBusModule, DmaCopiesWhileOthersAccessTheTargets) {
  Bench bench;
  for (unsigned i = 1; i < 3; ++i)
    bench.initiators[i].body = [&bench, i] { access_at_random(bench.initiators[i], i, 300); };
  HostInitiator& host = bench.initiators[0];
  host.body = [&] {
    std::vector<std::uint32_t> words(50);
    for (std::uint32_t i = 0; i < 50; ++i) words[i] = 7 * i;
    EXPECT_EQ(host.write(kMemory + 0x8000, words), tlm::TLM_OK_RESPONSE);
    const Address target = kPort + host::kMemoryBase + host::kTileStride;  // tile 1
    EXPECT_EQ(
        host.write(vp::kDmaOnBus, {0x10'8000, 0, static_cast<std::uint32_t>(target),
                                   static_cast<std::uint32_t>(target >> 32), 200, vp::kDmaStart}),
        tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(host.write(vp::kDmaOnBus + 0x10, 4), tlm::TLM_GENERIC_ERROR_RESPONSE);
    host.sync();
    while (!bench.dma_irq.read()) sc_core::wait(bench.dma_irq.value_changed_event());
    sc_core::wait(1, sc_core::SC_NS);
    EXPECT_EQ(host.read(vp::kDmaOnBus + 0x18), std::uint32_t{vp::kDmaDone});
    EXPECT_EQ(host.read(target, 50), words);
    host.write(vp::kDmaOnBus + 0x14, vp::kDmaClear);
    host.sync();
    sc_core::wait(1, sc_core::SC_NS);
    EXPECT_FALSE(bench.dma_irq.read());
  };
  bench.run();
}

}  // namespace
}  // namespace tessera::test::bus_module_test
