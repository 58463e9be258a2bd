// HostPort behind its socket: LT, AT phases, DMI, interrupt line, wrong bindings, with the
// base-protocol checker in between. One TEST a process.
#define SC_INCLUDE_DYNAMIC_PROCESSES  // the slow END_RESP of AtHost
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/host/host_port.h"
#include "platforms/cli/main.h"
#include "tests/models/host/fake_device.h"
#include "tests/support/host_initiator.h"
#include "tests/support/sc_reports.h"
#include "tlm_ifaces/host/base_protocol_checker.h"
#include "tlm_ifaces/host/payload_pool.h"
#include "tlm_ifaces/host/refusal.h"
#include "tlm_ifaces/host/width_adapter.h"
#include "tlm_ifaces/kit/process.h"

namespace tessera::host {
namespace {

using sc_core::sc_time;
using sc_core::sc_time_stamp;
using tessera::test::ExpectReport;
using tessera::test::HostInitiator;
using test::FakeDevice;
using Payload = tlm::tlm_generic_payload;

constexpr Address kScratch = static_cast<Address>(Register::kScratch);
constexpr Address kIrqEnable = static_cast<Address>(Register::kIrqEnable);
constexpr Address kIrqClear = static_cast<Address>(Register::kIrqClear);
constexpr Address kCycle = static_cast<Address>(Register::kCycleLow);

sc_time ns(unsigned n) {
  return sc_time(n, sc_core::SC_NS);
}

struct Bench {
  explicit Bench(PortConfig config = {}) : port("port", domain, device, config) {
    initiator.socket.bind(checker.in);
    checker.out.bind(port.socket);
    port.irq.bind(irq);
  }
  void run() {
    sc_core::sc_start();
    EXPECT_TRUE(initiator.finished);
    EXPECT_EQ(checker.outstanding(), 0U);
    EXPECT_EQ(port.outstanding(), 0U);
  }

  timing::ClockDomain domain{"domain", 1000};
  FakeDevice device;
  HostPort port;
  HostInitiator initiator{"initiator"};
  BaseProtocolChecker checker{"checker"};
  sc_core::sc_signal<bool> irq{"irq"};
};

TEST(HostPortModule, MemoryTakesTimeByTheByteAndRegistersByTheWord) {
  Bench bench;
  bench.initiator.body = [&] {
    HostInitiator& host = bench.initiator;
    std::vector<std::uint8_t> data(100, 0x5A);
    EXPECT_EQ(host.access(tlm::TLM_WRITE_COMMAND, kMemoryBase + 1, data.data(), 100),
              tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(host.delay, ns(25));
    EXPECT_EQ(host.delay, bench.port.memory_time(100));
    host.sync();
    EXPECT_EQ(host.write(kScratch, 3), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(host.delay, ns(1));
    EXPECT_EQ(host.write(0x3C, 3), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(host.delay, ns(1)) << "a refused access takes no time";
    host.sync();
  };
  bench.run();
  EXPECT_EQ(sc_time_stamp(), ns(26));
}

// The effect is at the time of the access, however far ahead its initiator runs.
TEST(HostPortModule, AccessOfADecoupledInitiatorWaitsUntilItsTime) {
  Bench bench;
  bench.initiator.body = [&] {
    HostInitiator& host = bench.initiator;
    host.delay = ns(40);
    EXPECT_EQ(host.read(kScratch), 0U);
    EXPECT_EQ(sc_time_stamp(), ns(0)) << "what the machine does not change needs no waiting";
    EXPECT_EQ(host.read(kCycle), 41U);
    EXPECT_EQ(sc_time_stamp(), ns(41));
    EXPECT_EQ(host.delay, ns(1));
  };
  bench.run();
}

TEST(HostPortModule, InterruptLineFollowsOneCycleLater) {
  Bench bench;
  std::vector<std::pair<sc_time, bool>> edges;
  bench.initiator.body = [&] {
    HostInitiator& host = bench.initiator;
    EXPECT_EQ(host.write(kIrqEnable, kLaunchDone), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(host.write(kSlotBase + 0x10, {1, 1}), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(host.write(kDoorbellBase, 1), tlm::TLM_OK_RESPONSE);
    sc_core::wait(ns(20));
    bench.device.listener()->launch_ended(bench.domain.to_cycle(sc_time_stamp()));
    sc_core::wait(bench.irq.value_changed_event());
    edges.emplace_back(sc_time_stamp(), bench.irq.read());
    host.delay = sc_core::SC_ZERO_TIME;
    EXPECT_EQ(host.write(kIrqClear, kLaunchDone), tlm::TLM_OK_RESPONSE);
    sc_core::wait(bench.irq.value_changed_event());
    edges.emplace_back(sc_time_stamp(), bench.irq.read());
  };
  bench.run();
  ASSERT_EQ(edges.size(), 2U);
  EXPECT_TRUE(edges[0].second);
  EXPECT_FALSE(edges[1].second);
  EXPECT_EQ(edges[1].first - edges[0].first, ns(1));
}

TEST(HostPortModule, DirectMemoryIsTakenBackWhenTheMachineStarts) {
  Bench bench;
  bench.initiator.body = [&] {
    HostInitiator& host = bench.initiator;
    Payload p;
    std::uint32_t word = 0x11223344;
    HostInitiator::set(p, tlm::TLM_WRITE_COMMAND, kMemoryBase + kTileStride + 8, &word, 4);
    host.send(p);
    EXPECT_TRUE(p.is_dmi_allowed());
    tlm::tlm_dmi dmi;
    ASSERT_TRUE(host.socket->get_direct_mem_ptr(p, dmi));
    EXPECT_EQ(dmi.get_start_address(), kMemoryBase + kTileStride);
    EXPECT_EQ(dmi.get_end_address(), kMemoryBase + kTileStride + 0x3FF);
    EXPECT_EQ(dmi.get_dmi_ptr()[8], 0x44);
    EXPECT_EQ(dmi.get_read_latency() * 100, bench.port.memory_time(100));
    EXPECT_EQ(host.invalidations, 0U);
    host.write(kDoorbellBase, 1);
    EXPECT_EQ(host.invalidations, 1U);
    bench.device.rests = false;
    EXPECT_FALSE(host.socket->get_direct_mem_ptr(p, dmi));
    EXPECT_TRUE(dmi.is_none_allowed());
    host.write(kDoorbellBase, 1);
    EXPECT_EQ(host.invalidations, 1U) << "nobody holds a pointer";
    HostInitiator::set(p, tlm::TLM_READ_COMMAND, kMemoryBase, &word, 4);
    host.send(p);
    EXPECT_FALSE(p.is_dmi_allowed());
  };
  bench.run();
}

/// An AT initiator: sends reads as fast as the exclusion rules let it.
struct AtHost {
  AtHost(Bench& b, unsigned requests, bool slow, unsigned ahead_ns = 1)
      : bench(b), words(requests), slow_end(slow), ahead(ahead_ns) {
    bench.initiator.backward = [this](Payload& p, tlm::tlm_phase& phase, sc_time& delay) {
      return answer(p, phase, delay);
    };
    bench.initiator.body = [this] { run(); };
  }
  void run() {
    for (unsigned i = 0; i < words.size(); ++i) {
      while (request != nullptr) sc_core::wait(request_ended);
      Payload& p = pool.take();
      HostInitiator::set(p, tlm::TLM_READ_COMMAND, kMemoryBase + 4 * i, &words[i], 4);
      if (i == 5) p.set_address(0x3C);
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_time delay = ns(i % 3 * ahead);
      request = &p;
      const auto sync = bench.initiator.socket->nb_transport_fw(p, phase, delay);
      if (sync == tlm::TLM_UPDATED) request = nullptr;
      most_outstanding = std::max(most_outstanding, pool.in_use());
      sc_core::wait(ns(1));
    }
    while (done < words.size()) sc_core::wait(response_came);
  }
  tlm::tlm_sync_enum answer(Payload& p, tlm::tlm_phase& phase, sc_time& delay) {
    if (phase == tlm::BEGIN_RESP) {
      EXPECT_NE(request, &p) << "no END_REQ";
    }
    if (request == &p) request = nullptr;
    request_ended.notify(sc_core::SC_ZERO_TIME);
    if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
    if (p.get_address() == 0x3C)
      EXPECT_EQ(p.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    else
      EXPECT_EQ(p.get_response_status(), tlm::TLM_OK_RESPONSE);
    times.push_back(sc_time_stamp());
    if (slow_end && done % 2 == 0) {
      sc_core::sc_spawn([this, &p] {
        sc_core::wait(ns(7));
        tlm::tlm_phase end = tlm::END_RESP;
        sc_time none;
        EXPECT_EQ(bench.initiator.socket->nb_transport_fw(p, end, none), tlm::TLM_COMPLETED);
        finish(p);
      });
      return tlm::TLM_ACCEPTED;
    }
    phase = tlm::END_RESP;
    delay = sc_core::SC_ZERO_TIME;
    finish(p);
    return tlm::TLM_UPDATED;
  }
  void finish(Payload& p) {
    ++done;
    p.release();
    response_came.notify(sc_core::SC_ZERO_TIME);
  }

  Bench& bench;
  PayloadPool pool;
  std::vector<std::uint32_t> words;
  std::vector<sc_time> times;
  bool slow_end;
  unsigned ahead;              // ns by which a request may lie ahead, twice
  Payload* request = nullptr;  // the request that has not ended
  std::size_t done = 0;
  std::size_t most_outstanding = 0;
  sc_core::sc_event request_ended{"request_ended"};
  sc_core::sc_event response_came{"response_came"};
};

TEST(HostPortModule, FourPhasesWithPipelinedRequests) {
  PortConfig config;
  config.request_depth = 2;
  config.access_cycles = 3;
  config.bytes_per_cycle = 1;  // a word takes four cycles
  Bench bench(config);
  for (unsigned i = 0; i < 0x400; ++i) bench.device.memory[0][i] = static_cast<std::byte>(i / 4);
  AtHost host(bench, 20, true);
  bench.run();
  EXPECT_EQ(host.done, 20U);
  EXPECT_EQ(host.pool.in_use(), 0U) << "payloads leaked";
  EXPECT_GE(host.most_outstanding, 3U) << "two accepted, one waiting to be";
  for (unsigned i = 0; i < 20; ++i) EXPECT_EQ(host.words[i], i == 5 ? 0U : i * 0x01010101U) << i;
  for (unsigned i = 1; i < 20; ++i) EXPECT_GE(host.times[i] - host.times[i - 1], ns(3)) << i;
}

// The end of a request is not earlier than its begin, which the checker sees to. One that overtakes
// others has all four phases, too.
TEST(HostPortModule, RequestsThatLieFarAheadEndAtTheirTime) {
  PortConfig config;
  config.request_depth = 1;
  Bench bench(config);
  AtHost host(bench, 20, true, 50);
  bench.run();
  EXPECT_EQ(host.done, 20U);
  EXPECT_EQ(host.pool.in_use(), 0U) << "payloads leaked";
}

// Where no checker speaks first.
TEST(HostPortModule, PayloadWithoutMemoryManagerIsReported) {
  timing::ClockDomain domain{"domain", 1000};
  FakeDevice device;
  HostPort port("port", domain, device, {});
  HostInitiator initiator{"initiator"};
  sc_core::sc_signal<bool> irq{"irq"};
  initiator.socket.bind(port.socket);
  port.irq.bind(irq);
  const ExpectReport expected(HostPort::kMemoryId);
  initiator.body = [&] {
    Payload p;
    std::uint32_t word = 0;
    HostInitiator::set(p, tlm::TLM_READ_COMMAND, 0, &word, 4);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_time delay;
    EXPECT_THROW(initiator.socket->nb_transport_fw(p, phase, delay), sc_core::sc_report);
  };
  sc_core::sc_start();
  EXPECT_EQ(port.outstanding(), 0U);
}

TEST(HostPortModule, PhaseOutOfPlaceIsReported) {
  Bench bench;
  // Past the checker, which would speak first.
  const ExpectReport expected(HostPort::kPhaseId);
  const ExpectReport checker("/tessera/host/checker/phase");
  bench.initiator.body = [&] {
    PayloadPool pool;
    Payload& p = pool.take();
    std::uint32_t word = 0;
    HostInitiator::set(p, tlm::TLM_READ_COMMAND, 0, &word, 4);
    for (int i = 0; i < 2; ++i) {
      tlm::tlm_phase phase = tlm::END_RESP;
      sc_time delay;
      sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR,
                                              i == 0 ? sc_core::SC_THROW : sc_core::SC_DO_NOTHING);
      try {
        bench.initiator.socket->nb_transport_fw(p, phase, delay);
      } catch (const sc_core::sc_report&) {
      }
    }
    sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_DEFAULT_ERROR_ACTIONS);
    p.release();
  };
  bench.run();
}

void expect_elaboration_report(const char* id, const std::string& text) {
  const ExpectReport expected(id);
  try {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    ADD_FAILURE() << "nothing was reported";
  } catch (const sc_core::sc_report& report) {
    EXPECT_STREQ(report.get_msg_type(), id);
    EXPECT_EQ(report::exit_code(cli::failure_of(report).status), 3);
    EXPECT_THAT(report.get_msg(), testing::HasSubstr(text));
  }
}

TEST(HostPortModule, OpenSocketIsReportedInOurTerms) {
  timing::ClockDomain domain("domain", 1000);
  FakeDevice device;
  HostPort port("port", domain, device);
  sc_core::sc_signal<bool> irq("irq");
  port.irq.bind(irq);
  expect_elaboration_report(kUnboundId, "host port 'port', socket is not bound: bind an initiator");
}

TEST(HostPortModule, OpenInterruptIsReportedInOurTerms) {
  timing::ClockDomain domain("domain", 1000);
  FakeDevice device;
  HostPort port("port", domain, device);
  HostInitiator initiator("initiator");
  initiator.socket.bind(port.socket);
  expect_elaboration_report(kUnboundId, "host port 'port', irq is not bound: bind an sc_signal");
}

TEST(HostPortModule, OpenCheckerIsReportedInOurTerms) {
  HostInitiator initiator("initiator");
  BaseProtocolChecker checker("checker");
  initiator.socket.bind(checker.in);
  expect_elaboration_report(kUnboundId, "checker 'checker', out is not bound: bind a target");
}

TEST(HostPortModule, DoubleBindingIsReportedInOurTerms) {
  Bench bench;
  HostInitiator second("second");
  second.socket.bind(bench.port.socket);
  expect_elaboration_report(kBoundTwiceId, "socket is bound 2 times: put a bus in between");
}

TEST(HostPortModule, AdapterTakesAnInitiatorOfAnotherWidth) {
  timing::ClockDomain domain("domain", 1000);
  FakeDevice device;
  HostPort port("port", domain, device);
  sc_core::sc_signal<bool> irq("irq");
  port.irq.bind(irq);
  struct Wide : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
    explicit Wide(sc_core::sc_module_name n) : sc_module(n) { socket.bind(*this); }
    tlm::tlm_sync_enum nb_transport_bw(Payload&, tlm::tlm_phase&, sc_time&) override {
      return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override { ++invalidations; }
    tlm::tlm_initiator_socket<64> socket{"socket"};
    unsigned invalidations = 0;
  } wide("wide");
  WidthAdapter<64> adapter("adapter");
  wide.socket.bind(adapter.in);
  adapter.out.bind(port.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::uint32_t words[2] = {1, 2};
  const auto access = [&](tlm::tlm_command command, Address at) {
    Payload payload;
    HostInitiator::set(payload, command, at, words, 8);
    sc_time delay;
    wide.socket->b_transport(payload, delay);
    EXPECT_EQ(delay, ns(command == tlm::TLM_IGNORE_COMMAND ? 0 : 2));
    return payload.get_response_status();
  };
  EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, kSlotBase), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(access(tlm::TLM_READ_COMMAND, 0), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(words[0], kIdValue);
  EXPECT_EQ(access(tlm::TLM_READ_COMMAND, kSlotBase), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(words[1], 2U);
  Payload payload;
  HostInitiator::set(payload, tlm::TLM_READ_COMMAND, kMemoryBase, words, 8);
  tlm::tlm_dmi dmi;
  EXPECT_TRUE(wide.socket->get_direct_mem_ptr(payload, dmi));
  payload.set_address(0);
  EXPECT_EQ(wide.socket->transport_dbg(payload), 8U);
  adapter.in->invalidate_direct_mem_ptr(0, 1);
  EXPECT_EQ(wide.invalidations, 1U);
}

TEST(HostPortModule, RefusalTellsWhyInThePayload) {
  Bench bench;
  bench.initiator.body = [&] {
    Payload payload;
    std::uint32_t word = 0;
    HostInitiator::set(payload, tlm::TLM_WRITE_COMMAND, kCycle, &word, 4);
    Refusal refusal(payload);
    EXPECT_EQ(bench.initiator.send(payload), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(refusal.text, "write of 4 bytes at 0x70: it can only be read");
    {
      Refusal inner(payload);
      Payload copy;
      copy.deep_copy_from(payload);
      EXPECT_NE(copy.get_extension<Refusal>(), nullptr);
    }
    EXPECT_EQ(payload.get_extension<Refusal>(), &refusal);
  };
  bench.run();
}

// Payload and extension stand on the stack that the exception of a broken rule unwinds.
TEST(HostPortModule, ABrokenRuleUnwindsAnInitiatorWithARefusal) {
  Bench bench;
  const ExpectReport checker("/tessera/host/checker/memory");
  bool caught = false;
  bench.initiator.body = [&] {
    try {
      Payload payload;
      std::uint32_t word = 0;
      HostInitiator::set(payload, tlm::TLM_READ_COMMAND, 0, &word, 4);
      const Refusal refusal(payload);
      tlm::tlm_phase phase = tlm::END_RESP;
      sc_time delay;
      bench.initiator.socket->nb_transport_fw(payload, phase, delay);
    } catch (const sc_core::sc_report&) {
      caught = true;
    }
  };
  bench.run();
  EXPECT_TRUE(caught);
}

TEST(HostPortModule, APayloadDeletesARefusalThatItOwns) {
  struct Counted : Refusal {
    explicit Counted(int& to) : ended(to) {}
    ~Counted() override { ++ended; }
    int& ended;
  };
  int ended = 0;
  {
    Payload payload;
    payload.set_extension<Refusal>(new Counted(ended));
  }
  EXPECT_EQ(ended, 1);
}

TEST(HostPortModule, ResetLowersTheInterruptAndTakesDirectMemoryBack) {
  Bench bench;
  bench.initiator.body = [&] {
    bench.initiator.write(kIrqEnable, kLaunchDone);
    bench.initiator.write(kDoorbellBase, 1);
    bench.initiator.sync();
    for (int i = 0; i < 4; ++i) bench.device.listener()->launch_ended(bench.domain.now());
    sc_core::wait(ns(2));
    EXPECT_TRUE(bench.irq.read());
    Payload payload;
    std::uint32_t word = 0;
    HostInitiator::set(payload, tlm::TLM_READ_COMMAND, kMemoryBase, &word, 4);
    tlm::tlm_dmi dmi;
    EXPECT_TRUE(bench.initiator.socket->get_direct_mem_ptr(payload, dmi));
    bench.initiator.write(static_cast<Address>(Register::kControl), kResetMachine);
    EXPECT_EQ(bench.initiator.invalidations, 1U);
    sc_core::wait(ns(2));
    EXPECT_FALSE(bench.irq.read());
  };
  bench.run();
}

TEST(HostPortModule, WrongWidthIsReportedInOurTerms) {
  timing::ClockDomain domain("domain", 1000);
  FakeDevice device;
  HostPort port("port", domain, device);
  struct Wide : sc_core::sc_module {
    explicit Wide(sc_core::sc_module_name n) : sc_module(n) {}
    tlm::tlm_initiator_socket<64> socket{"socket"};
  } wide("wide");
  const ExpectReport expected(kWidthId);
  try {
    connect(wide.socket, port.socket);
    ADD_FAILURE() << "nothing was reported";
  } catch (const sc_core::sc_report& report) {
    EXPECT_THAT(report.get_msg(),
                testing::HasSubstr("wide.socket is 64 bits wide, and port.socket is 32"));
  }
}

TEST(HostPortModule, DelayFromAMethodIsReported) {
  Bench bench;
  struct Method : sc_core::sc_module {
    Method(sc_core::sc_module_name n, HostInitiator& i) : sc_module(n), initiator(i) {
      TESSERA_HAS_PROCESS(Method);
      SC_METHOD(run);
    }
    void run() {
      EXPECT_EQ(initiator.read(kCycle), 0U) << "without delay a method may call";
      initiator.delay = sc_time(5, sc_core::SC_NS);
      initiator.read(kCycle);
    }
    HostInitiator& initiator;
  } method("method", bench.initiator);
  const ExpectReport expected(HostPort::kCannotWaitId);
  EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
}

}  // namespace
}  // namespace tessera::host
