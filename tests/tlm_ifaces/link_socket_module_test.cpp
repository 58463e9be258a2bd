// Link kit (docs/protocol-kits.md, docs/architecture.md#errors): what may be bound to what, stubs that close an open
// side, and open sides that are reported in the terms of the model. One TEST a process.
#include "tlm_ifaces/link/link_kit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

#include "tests/support/report_of.h"
#include "tests/support/sc_reports.h"
#include "tests/tlm_ifaces/link_test_sides.h"
#include "tlm_ifaces/kit/connect.h"
#include "tlm_ifaces/queue/queue_kit.h"

namespace tessera::link {
namespace {

using tessera::test::report_of;
using test::Receiver;
using test::Sender;
using test::wavelet;
using testing::AllOf;
using testing::HasSubstr;

template <class Initiator, class Target, class = void>
struct CanBind : std::false_type {};
template <class Initiator, class Target>
struct CanBind<Initiator, Target,
               std::void_t<decltype(std::declval<Initiator&>().bind(std::declval<Target&>()))>>
    : std::true_type {};

template <unsigned kBits>
using TargetOfWidth =
    tlm::tlm_base_target_socket<kBits, ForwardIf, BackwardIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

TEST(LinkSocket, OnlySocketsOfTheSameWidthAndProtocolBind) {
  static_assert(CanBind<InitiatorSocket, TargetSocket>::value);
  static_assert(CanBind<MultiInitiatorSocket, TargetSocket>::value);
  static_assert(CanBind<InitiatorSocket, TargetOfWidth<kLinkBits>>::value);
  static_assert(!CanBind<InitiatorSocket, TargetOfWidth<kLinkBits * 2>>::value, "width");
  static_assert(!CanBind<InitiatorSocket, TargetOfWidth<16>>::value, "width");
  static_assert(!CanBind<InitiatorSocket, queue::ReadTargetSocket>::value, "protocol");
  static_assert(!CanBind<InitiatorSocket, queue::WriteTargetSocket>::value, "protocol");
  static_assert(!CanBind<queue::ReadInitiatorSocket, queue::WriteTargetSocket>::value, "protocol");
  static_assert(CanBind<queue::ReadInitiatorSocket, queue::ReadTargetSocket>::value);
  static_assert(CanBind<queue::WriteInitiatorSocket, queue::WriteTargetSocket>::value);
  // Nor does a socket take the interface of the other side.
  static_assert(CanBind<InitiatorSocket, BackwardIf>::value);
  static_assert(!CanBind<InitiatorSocket, ForwardIf>::value);
  static_assert(CanBind<TargetSocket, ForwardIf>::value);
  static_assert(!CanBind<TargetSocket, BackwardIf>::value);
  // The protocol is named in both interfaces, as TLM wants it.
  static_assert(std::is_same_v<ForwardIf::protocol_types, BackwardIf::protocol_types>);
  static_assert(!std::is_base_of_v<queue::ReadProtocol, ForwardIf::protocol_types>);
}

TEST(LinkSocket, MultiSocketReachesEachReceiverByItsNumber) {
  // The off-ramp of a router and the input queues behind it.
  struct Ramp : sc_core::sc_module, private BackwardIf {
    MultiInitiatorSocket out{"out"};
    explicit Ramp(sc_core::sc_module_name name) : sc_core::sc_module(name) {
      out.bind(static_cast<BackwardIf&>(*this));
    }

   private:
    void credit(Color, Cycle) override {}
  };
  Ramp ramp("ramp");
  Receiver first("first");
  Receiver second("second");
  ramp.out.bind(first.socket);
  ramp.out.bind(second.socket);
  test::elaborate();
  ASSERT_EQ(ramp.out.size(), 2);
  ramp.out[1]->put(wavelet(3), 5);
  EXPECT_TRUE(first.puts.empty());
  EXPECT_EQ(second.puts.size(), 1u);
}

TEST(RequireBound, OpenSocketIsNamedInTheTermsOfTheModel) {
  Sender sender("sender");
  test::elaborate();
  test::ExpectReport expected(kUnboundId);
  try {
    require_bound(sender.socket, "tile (3, 0), EAST output");
    FAIL() << "not reported";
  } catch (const sc_core::sc_report& report) {
    EXPECT_STREQ(report.get_msg_type(), "/tessera/link/unbound");
    EXPECT_THAT(report.get_msg(),
                AllOf(HasSubstr("tile (3, 0), EAST output is not bound"), HasSubstr("link::Stub")));
  }
}

TEST(RequireBound, OpenTargetIsReported) {
  Receiver receiver("receiver");
  test::elaborate();
  test::ExpectReport expected(kUnboundId);
  EXPECT_THROW(require_bound(receiver.socket, "tile (3, 0), EAST input"), sc_core::sc_report);
}

TEST(RequireBound, BoundSocketsAreFine) {
  Sender sender("sender");
  Receiver receiver("receiver");
  sender.socket.bind(receiver.socket);
  test::elaborate();
  require_bound(sender.socket, "output");
  require_bound(receiver.socket, "input");
}

/// Asks where link_kit.h allows it first: "in before_end_of_elaboration or later".
struct EarlyAsker : sc_core::sc_module {
  Sender sender{"sender"};
  Receiver receiver{"receiver"};
  explicit EarlyAsker(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    sender.socket.bind(receiver.socket);
  }
  void before_end_of_elaboration() override {
    require_bound(sender.socket, "output");
    require_bound(receiver.socket, "input");
  }
};

TEST(RequireBound, BoundSocketsAreFineBeforeTheEndOfElaboration) {
  EarlyAsker asker("asker");
  test::elaborate();
  asker.sender.socket->put(wavelet(1), 1);
  EXPECT_EQ(asker.receiver.puts.size(), 1u);
}

// docs/architecture.md#errors: a double binding is an integration mistake, told in our terms.
TEST(BoundTwice, SocketsHaveOnePartner) {
  Sender a("a");
  Sender b("b");
  Receiver x("x");
  Receiver y("y");
  a.socket.bind(x.socket);
  const std::string id = "/tessera/link/bound_twice";
  EXPECT_THAT(report_of(id, [&] { a.socket.bind(y.socket); }),
              HasSubstr("a.socket is bound already; it cannot be bound to y.socket too"));
  EXPECT_THAT(report_of(id, [&] { b.socket.bind(x.socket); }),
              HasSubstr("x.socket is bound already; it cannot be bound to b.socket too"));
  report_of(id, [&] { a.socket.bind(x.socket); });
  report_of(id, [&] { x.socket.bind(b.socket); });  // from the other side
  y.socket.bind(b.socket);
  test::elaborate();
  require_bound(a.socket, "a");
  require_bound(y.socket, "y");
}

/// A link of 16 bits and a queue.
class Strangers : public sc_core::sc_module, private ForwardIf, private queue::ReadIf {
 public:
  TargetOfWidth<16> narrow{"narrow"};
  queue::ReadTargetSocket reader{"reader"};
  explicit Strangers(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    narrow.bind(static_cast<ForwardIf&>(*this));
    reader.bind(static_cast<queue::ReadIf&>(*this));
  }

 private:
  void put(const Wavelet&, Cycle) override {}
  unsigned capacity(Color) const override { return 0; }
  Cycle ready_at() const override { return kNever; }
  unsigned available(Cycle) const override { return 0; }
  const Wavelet& front() const override { return none_; }
  void pop(Cycle) override {}
  Wavelet none_;
};

TEST(Connect, BindsByNameAndSaysWhatDoesNotFit) {
  Sender a("a");
  Receiver x("x");
  Tap tap("tap");
  Strangers other("other");
  const auto says = [](const char* what, const char* to, const char* text) {
    EXPECT_THAT(
        report_of(std::string("/tessera/kit/") + what, [&] { kit::connect("a.socket", to); }),
        HasSubstr(text));
  };
  says("width", "other.narrow", "a.socket has 32 bits and other.narrow has 16");
  says("protocol", "other.reader", "a.socket and other.reader speak different protocols");
  says("not_found", "nobody.in", "there is no socket 'nobody.in'");
  says("socket", "a", "a is not a socket");
  says("socket", "tap.out", "tap.out is not a target socket");
  EXPECT_THAT(report_of("/tessera/kit/socket", [] { kit::connect("x.socket", "tap.in"); }),
              HasSubstr("x.socket is not an initiator socket"));
  kit::connect("a.socket", "tap.in");
  kit::connect("tap.out", "x.socket");
  report_of("/tessera/link/bound_twice", [] { kit::connect("a.socket", "x.socket"); });
  test::elaborate();
  a.socket->put(wavelet(4), 9);
  EXPECT_EQ(x.puts.size(), 1u);
}

TEST(LinkSocket, OpenSocketDoesNotStopTheKernel) {
  // Otherwise E109 would come before the model can say it better.
  Sender sender("sender");
  Receiver receiver("receiver");
  test::elaborate();
  EXPECT_EQ(sender.socket.size(), 0);
}

TEST(Stub, ClosesBothSidesAndHasNoRoom) {
  Sender sender("sender");
  Receiver receiver("receiver");
  Stub after_sender("after_sender");
  Stub before_receiver("before_receiver");
  sender.socket.bind(after_sender.in);
  before_receiver.out.bind(receiver.socket);
  test::elaborate();
  require_bound(sender.socket, "output");
  require_bound(receiver.socket, "input");
  for (unsigned c = 0; c < kColorCount; ++c) EXPECT_EQ(sender.socket->capacity(Color(c)), 0u);
  EXPECT_TRUE(receiver.puts.empty());
}

TEST(Stub, WaveletSentIntoItIsReported) {
  Sender sender("sender");
  Stub stub("stub");
  sender.socket.bind(stub.in);
  test::elaborate();
  test::ExpectReport expected(Stub::kTrafficId);
  try {
    sender.socket->put(wavelet(5, 0x12), 77);
    FAIL() << "not reported";
  } catch (const sc_core::sc_report& report) {
    EXPECT_THAT(report.get_msg(), AllOf(HasSubstr("stub closes a link"), HasSubstr("C5 data"),
                                        HasSubstr("cycle 77")));
  }
}

TEST(Stub, CreditGivenToItIsReported) {
  Receiver receiver("receiver");
  Stub stub("stub");
  stub.out.bind(receiver.socket);
  test::elaborate();
  test::ExpectReport expected(Stub::kTrafficId);
  try {
    receiver.socket->credit(Color(9), 4);
    FAIL() << "not reported";
  } catch (const sc_core::sc_report& report) {
    EXPECT_THAT(report.get_msg(),
                AllOf(HasSubstr("stub never sends"), HasSubstr("color 9"), HasSubstr("cycle 4")));
  }
}

}  // namespace
}  // namespace tessera::link
