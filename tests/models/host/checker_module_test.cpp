// The base-protocol checker: every rule is broken once, by an initiator or by a target that
// misbehaves on purpose. One TEST a process.
#include <gtest/gtest.h>

#include <functional>
#include <systemc>
#include <vector>

#include "tests/support/host_initiator.h"
#include "tests/support/sc_reports.h"
#include "tlm_ifaces/host/base_protocol_checker.h"
#include "tlm_ifaces/host/payload_pool.h"

namespace tessera::host {
namespace {

using sc_core::sc_time;
using tessera::test::ExpectReport;
using tessera::test::HostInitiator;
using Payload = tlm::tlm_generic_payload;
using Sync = tlm::tlm_sync_enum;

/// A target that does as the test says.
struct Target : sc_core::sc_module, tlm::tlm_fw_transport_if<> {
  explicit Target(sc_core::sc_module_name n) : sc_module(n) { socket.bind(*this); }
  void b_transport(Payload& p, sc_time& delay) override {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    if (blocking) blocking(p, delay);
  }
  Sync nb_transport_fw(Payload& p, tlm::tlm_phase& phase, sc_time& delay) override {
    return forward ? forward(p, phase, delay) : tlm::TLM_ACCEPTED;
  }
  bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi& dmi) override {
    dmi.set_start_address(0x1000);
    dmi.set_end_address(0x1FFF);
    dmi.allow_read();
    return true;
  }
  unsigned transport_dbg(Payload&) override { return 5; }

  TargetSocket socket{"socket"};
  std::function<void(Payload&, sc_time&)> blocking;
  std::function<Sync(Payload&, tlm::tlm_phase&, sc_time&)> forward;
};

class HostChecker : public testing::Test {
 protected:
  HostChecker() {
    initiator.socket.bind(checker.in);
    checker.out.bind(target.socket);
  }
  /// Runs `body` and expects the report of a rule.
  void expect(const char* rule, const std::function<void()>& body) {
    const ExpectReport expected(std::string("/tessera/host/checker/") + rule);
    initiator.body = [&] {
      try {
        body();
        ADD_FAILURE() << "rule " << rule << " was not checked";
      } catch (const sc_core::sc_report&) {
      }
    };
    sc_core::sc_start();
  }
  Payload& fresh() {
    Payload& p = pool.take();
    HostInitiator::set(p, tlm::TLM_WRITE_COMMAND, 0x10, &word, 4);
    return p;
  }
  Sync forward(Payload& p, tlm::tlm_phase phase, sc_time delay = sc_core::SC_ZERO_TIME) {
    return initiator.socket->nb_transport_fw(p, phase, delay);
  }
  Sync backward(Payload& p, tlm::tlm_phase phase, sc_time delay = sc_core::SC_ZERO_TIME) {
    return target.socket->nb_transport_bw(p, phase, delay);
  }

  std::uint32_t word = 0;
  PayloadPool pool;
  HostInitiator initiator{"initiator"};
  BaseProtocolChecker checker{"checker"};
  Target target{"target"};
};

TEST_F(HostChecker, LetsAWholeTransactionThrough) {
  initiator.body = [&] {
    Payload& p = fresh();
    EXPECT_EQ(forward(p, tlm::BEGIN_REQ), tlm::TLM_ACCEPTED);
    EXPECT_EQ(checker.outstanding(), 1U);
    backward(p, tlm::END_REQ);
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    backward(p, tlm::BEGIN_RESP);
    target.forward = [](Payload&, tlm::tlm_phase&, sc_time&) { return tlm::TLM_COMPLETED; };
    forward(p, tlm::END_RESP);
    EXPECT_EQ(checker.outstanding(), 0U);
    p.release();
  };
  sc_core::sc_start();
  EXPECT_EQ(pool.in_use(), 0U);
}

TEST_F(HostChecker, Attributes) {
  expect("attributes", [&] {
    Payload& p = fresh();
    p.set_data_length(0);
    initiator.send(p);
  });
}

TEST_F(HostChecker, AttributesMayBeLetThrough) {
  checker.set_check_attributes(false);
  initiator.body = [&] {
    Payload& p = fresh();
    p.set_data_ptr(nullptr);
    p.set_streaming_width(0);
    EXPECT_EQ(initiator.send(p), tlm::TLM_OK_RESPONSE);
    p.release();
  };
  sc_core::sc_start();
}

TEST_F(HostChecker, StatusOfARequest) {
  expect("status", [&] {
    Payload& p = fresh();
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    initiator.send(p);
  });
}

TEST_F(HostChecker, StatusOfAnAnswer) {
  target.blocking = [](Payload& p, sc_time&) {
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  };
  expect("status", [&] { initiator.send(fresh()); });
}

TEST_F(HostChecker, ChangedAttribute) {
  target.blocking = [](Payload& p, sc_time&) { p.set_data_length(8); };
  expect("changed", [&] { initiator.send(fresh()); });
}

TEST_F(HostChecker, ChangedData) {
  target.blocking = [](Payload& p, sc_time&) { p.get_data_ptr()[0] = 1; };
  expect("changed", [&] { initiator.send(fresh()); });
}

TEST_F(HostChecker, TimeGoesBackwards) {
  target.blocking = [](Payload&, sc_time& delay) { delay = sc_core::SC_ZERO_TIME; };
  expect("time", [&] {
    initiator.delay = sc_time(1, sc_core::SC_NS);
    initiator.send(fresh());
  });
}

TEST_F(HostChecker, WaitInsideNonBlockingTransport) {
  target.forward = [](Payload&, tlm::tlm_phase&, sc_time&) {
    sc_core::wait(1, sc_core::SC_NS);
    return tlm::TLM_ACCEPTED;
  };
  expect("time", [&] { forward(fresh(), tlm::BEGIN_REQ); });
}

TEST_F(HostChecker, EndOfAResponseThatNeverBegan) {
  expect("phase", [&] {
    Payload& p = fresh();
    forward(p, tlm::BEGIN_REQ);
    forward(p, tlm::END_RESP);
  });
}

TEST_F(HostChecker, SecondEndOfRequest) {
  expect("phase", [&] {
    Payload& p = fresh();
    forward(p, tlm::BEGIN_REQ);
    backward(p, tlm::END_REQ);
    backward(p, tlm::END_REQ);
  });
}

TEST_F(HostChecker, AcceptedWithAnotherPhase) {
  target.forward = [](Payload&, tlm::tlm_phase& phase, sc_time&) {
    phase = tlm::END_REQ;
    return tlm::TLM_ACCEPTED;
  };
  expect("phase", [&] { forward(fresh(), tlm::BEGIN_REQ); });
}

TEST_F(HostChecker, TwoRequestsAtOnce) {
  expect("exclusion", [&] {
    forward(fresh(), tlm::BEGIN_REQ);
    forward(fresh(), tlm::BEGIN_REQ);
  });
}

TEST_F(HostChecker, TwoResponsesAtOnce) {
  expect("exclusion", [&] {
    Payload& first = fresh();
    Payload& second = fresh();
    for (Payload* p : {&first, &second}) {
      forward(*p, tlm::BEGIN_REQ);
      backward(*p, tlm::END_REQ);
      p->set_response_status(tlm::TLM_OK_RESPONSE);
    }
    backward(first, tlm::BEGIN_RESP);
    backward(second, tlm::BEGIN_RESP);
  });
}

TEST_F(HostChecker, NoMemoryManager) {
  expect("memory", [&] {
    Payload p;
    HostInitiator::set(p, tlm::TLM_WRITE_COMMAND, 0x10, &word, 4);
    forward(p, tlm::BEGIN_REQ);
  });
}

TEST_F(HostChecker, OnePayloadTwice) {
  expect("mixed", [&] {
    Payload& p = fresh();
    forward(p, tlm::BEGIN_REQ);
    backward(p, tlm::END_REQ);
    forward(p, tlm::BEGIN_REQ);
  });
}

TEST_F(HostChecker, DebugThatMovesTooMuch) {
  expect("debug", [&] { initiator.debug(tlm::TLM_READ_COMMAND, 0, &word, 4); });
}

TEST_F(HostChecker, DirectMemoryElsewhere) {
  expect("dmi", [&] {
    tlm::tlm_dmi dmi;
    initiator.socket->get_direct_mem_ptr(fresh(), dmi);
  });
}

}  // namespace
}  // namespace tessera::host
