// Link kit (docs/protocol-kits.md): a tap sees everything and changes nothing. One TEST a process.
#include "tlm_ifaces/link/link_kit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/tlm_ifaces/link_test_sides.h"

namespace tessera::link {
namespace {

using test::Receiver;
using test::Sender;
using test::wavelet;
using testing::ElementsAre;
using testing::Pair;

struct TappedLink {
  Sender sender{"sender"};
  Tap tap{"tap"};
  Receiver receiver{"receiver"};
  TappedLink() {
    sender.socket.bind(tap.in);
    tap.out.bind(receiver.socket);
  }
};

Wavelet control_wavelet() {
  Wavelet w = wavelet(23, 0xDEADBEEF);
  w.control = true;
  w.ident = 0x0000'0002'0000'0009;
  return w;
}

TEST(Tap, WithoutObserversItPassesEverythingUnchanged) {
  TappedLink link;
  link.receiver.room.at(23) = 5;
  test::elaborate();
  EXPECT_EQ(link.sender.socket->capacity(Color(23)), 5u);
  EXPECT_EQ(link.sender.socket->capacity(Color(22)), 0u);
  link.sender.socket->put(control_wavelet(), 17);
  link.receiver.socket->credit(Color(23), 19);
  EXPECT_THAT(link.receiver.puts, ElementsAre(Pair(control_wavelet(), 17)));
  EXPECT_THAT(link.sender.credits, ElementsAre(Pair(Color(23), 19)));
}

TEST(Tap, ObserversSeeEveryPutAndCreditInOrder) {
  TappedLink link;
  std::vector<test::Put> puts;
  std::vector<test::Credit> credits;
  link.tap.on_put([&](const Wavelet& w, Cycle due) { puts.emplace_back(w, due); });
  link.tap.on_credit([&](Color color, Cycle due) { credits.emplace_back(color, due); });
  test::elaborate();
  for (unsigned i = 0; i < 4; ++i) {
    link.sender.socket->put(wavelet(i, 100 + i), 10 + i);
    link.receiver.socket->credit(Color(i), 20 + i);
  }
  EXPECT_EQ(puts.size(), 4u);
  EXPECT_EQ(puts, link.receiver.puts);
  EXPECT_EQ(credits.size(), 4u);
  EXPECT_EQ(credits, link.sender.credits);
}

TEST(Tap, TapsCanBeChained) {
  Sender sender("sender");
  Tap first("first");
  Tap second("second");
  Receiver receiver("receiver");
  receiver.room.at(4) = 2;
  std::vector<int> order;
  first.on_put([&](const Wavelet&, Cycle) { order.push_back(1); });
  second.on_put([&](const Wavelet&, Cycle) { order.push_back(2); });
  first.on_credit([&](Color, Cycle) { order.push_back(3); });
  second.on_credit([&](Color, Cycle) { order.push_back(4); });
  sender.socket.bind(first.in);
  first.out.bind(second.in);
  second.out.bind(receiver.socket);
  test::elaborate();
  EXPECT_EQ(sender.socket->capacity(Color(4)), 2u);
  sender.socket->put(wavelet(4), 1);
  receiver.socket->credit(Color(4), 2);
  EXPECT_THAT(order, ElementsAre(1, 2, 4, 3));
  EXPECT_EQ(receiver.puts.size(), 1u);
  EXPECT_EQ(sender.credits.size(), 1u);
}

}  // namespace
}  // namespace tessera::link
