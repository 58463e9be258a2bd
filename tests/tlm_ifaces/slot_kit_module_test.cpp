// Slot kit (docs/protocol-kits.md): the checker lets correct traffic pass unchanged and fails the
// run under the id of the rule that was broken. Tap and stub: models/scheduled/module_test.cpp. One
// TEST a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <systemc>
#include <vector>

#include "tests/support/report_of.h"
#include "tlm_ifaces/slot/slot_kit.h"

namespace tessera::slot {
namespace {

using test::report_of;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

struct Sender : sc_core::sc_module, private BackwardIf {
  InitiatorSocket socket{"socket"};
  explicit Sender(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    socket.bind(static_cast<BackwardIf&>(*this));
  }
};

struct Receiver : sc_core::sc_module, private ForwardIf {
  TargetSocket socket{"socket"};
  bool accepts = true;
  std::vector<std::uint32_t> data;
  explicit Receiver(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    socket.bind(static_cast<ForwardIf&>(*this));
  }

 private:
  bool offer(const Word& word, bool, Cycle) override {
    if (accepts) data.push_back(word.data);
    return accepts;
  }
};

Word word(std::uint32_t sequence, std::uint32_t stream = 0, std::uint32_t epoch = 0) {
  Word w;
  w.data = 100 * stream + sequence;
  w.stream = stream;
  w.sequence = sequence;
  w.epoch = epoch & 0x7FFFFFFFU;
  return w;
}

/// The two sides of a link with a checker between them.
struct Checked {
  explicit Checked(bool numbered = true)
      : checker(
            "checker", [this] { return now; }, numbered) {
    sender.socket.bind(checker.in);
    checker.out.bind(receiver.socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  /// Offers `w` in the present cycle, then time passes.
  bool offer(const Word& w) {
    const bool accepted = sender.socket->offer(w, false, now);
    ++now;
    return accepted;
  }
  Cycle now = 10;
  Sender sender{"sender"};
  Checker checker;
  Receiver receiver{"receiver"};
};

TEST(SlotChecker, CorrectTrafficPassesUnchanged) {
  Checked c;
  EXPECT_TRUE(c.offer(word(0)));
  c.receiver.accepts = false;
  EXPECT_FALSE(c.offer(word(1)));
  EXPECT_FALSE(c.offer(word(1)));
  EXPECT_FALSE(c.offer(word(0, 1)));  // another stream has its own slots
  c.receiver.accepts = true;
  EXPECT_TRUE(c.offer(word(1)));
  EXPECT_TRUE(c.offer(word(0, 1)));
  EXPECT_TRUE(c.offer(word(0, 0, 1)));  // the next phase counts anew
  EXPECT_THAT(c.receiver.data, ElementsAre(0, 1, 100, 0));
  EXPECT_EQ(c.checker.words(), 4u);
}

TEST(SlotChecker, OfferForAnotherCycle) {
  Checked c;
  EXPECT_THAT(report_of("/tessera/slot/cycle", [&] { c.sender.socket->offer(word(0), false, 11); }),
              AllOf(HasSubstr("checker: word 0x0 number 0 of stream 0"),
                    HasSubstr("the present cycle is 10")));
}

TEST(SlotChecker, TwoWordsInOneCycle) {
  Checked c;
  c.sender.socket->offer(word(0), false, 10);
  report_of("/tessera/slot/twice", [&] { c.sender.socket->offer(word(0, 1), false, 10); });
}

TEST(SlotChecker, WordThatIsHandedOverTwice) {
  Checked c;
  c.offer(word(0));
  EXPECT_THAT(report_of("/tessera/slot/again", [&] { c.offer(word(0)); }),
              HasSubstr("it has been accepted"));
}

TEST(SlotChecker, WordsWithoutNumbersAreNotFollowed) {
  Checked c(false);
  EXPECT_TRUE(c.offer(word(0)));
  EXPECT_TRUE(c.offer(word(0)));
}

}  // namespace
}  // namespace tessera::slot
