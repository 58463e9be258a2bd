// Link kit (docs/protocol-kits.md): the checker lets a correct link pass, and fails the run under
// the id of the rule that was broken. One TEST a process.
#include "tlm_ifaces/link/link_kit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/sc_reports.h"
#include "tests/tlm_ifaces/link_test_sides.h"

namespace tessera::link::link_checker_module_test {
namespace {

using test::Receiver;
using test::Sender;
using test::wavelet;
using testing::AllOf;
using testing::HasSubstr;

/// Room for two wavelets of color 1 and one of color 2, in cycle `now`.
struct CheckedLink {
  Cycle now = 10;
  Sender sender{"sender"};
  Checker checker{"checker", [this] { return now; }};
  Receiver receiver{"receiver"};
  CheckedLink() {
    sender.socket.bind(checker.in);
    checker.out.bind(receiver.socket);
    receiver.room.at(1) = 2;
    receiver.room.at(2) = 1;
    test::elaborate();
  }
  void put(unsigned color, Cycle due) { sender.socket->put(wavelet(color, 0xABC), due); }
  void credit(unsigned color, Cycle due) { receiver.socket->credit(Color(color), due); }
};

/// Runs `action`, which must be reported under `/tessera/link/<rule>`; answers the text of the
/// report.
template <class Action>
std::string report_of(const std::string& rule, Action action) {
  test::ExpectReport expected("/tessera/link/" + rule);
  try {
    action();
  } catch (const sc_core::sc_report& report) {
    EXPECT_EQ(report.get_msg_type(), "/tessera/link/" + rule);
    EXPECT_EQ(report.get_severity(), sc_core::SC_ERROR);
    return report.get_msg();
  }
  ADD_FAILURE() << "rule " << rule << " was broken and nothing was reported";
  return "";
}

TEST(Checker, CorrectTrafficPassesUnchanged) {
  CheckedLink link;
  link.put(1, 11);
  link.put(1, 12);
  link.put(2, 13);
  EXPECT_EQ(link.checker.outstanding(Color(1)), 2u);
  link.now = 12;
  link.credit(1, 13);
  link.credit(2, 13);  // credits of several colors may be due together
  link.now = 13;
  link.put(1, 14);
  link.credit(1, 14);
  link.credit(1, 14);
  EXPECT_EQ(link.receiver.puts.size(), 4u);
  EXPECT_EQ(link.sender.credits.size(), 4u);
  EXPECT_EQ(link.checker.outstanding(Color(1)), 0u);
  EXPECT_EQ(link.checker.outstanding(Color(2)), 0u);
}

TEST(Checker, PutBeyondTheRoomOfItsColor) {
  CheckedLink link;
  link.put(2, 11);
  const std::string text = report_of("no_credit", [&] { link.put(2, 12); });
  EXPECT_THAT(text, AllOf(HasSubstr("checker: C2 data 0x00000abc"), HasSubstr("cycle 12"),
                          HasSubstr("room for 1 of this color")));
  EXPECT_EQ(link.receiver.puts.size(), 1u);  // what broke the rule went no further
}

TEST(Checker, PutOfAColorWithoutRoom) {
  CheckedLink link;
  EXPECT_THAT(report_of("no_credit", [&] { link.put(3, 11); }),
              HasSubstr("room for 0 of this color"));
}

TEST(Checker, CreditMayNotBeUsedBeforeItsDueCycle) {
  // link_kit.h: "the sender may use it from cycle `due` on".
  CheckedLink link;
  link.put(2, 11);
  link.now = 12;
  link.credit(2, 20);
  link.now = 13;
  report_of("no_credit", [&] { link.put(2, 14); });
}

TEST(Checker, CreditThatIsDueMayBeUsed) {
  CheckedLink link;
  link.put(2, 11);
  link.now = 12;
  link.credit(2, 20);
  link.now = 20;
  link.put(2, 21);
  EXPECT_EQ(link.receiver.puts.size(), 2u);
}

TEST(Checker, CreditForRoomThatWasNeverTaken) {
  CheckedLink link;
  link.put(1, 11);
  EXPECT_THAT(report_of("extra_credit", [&] { link.credit(2, 11); }),
              AllOf(HasSubstr("C2"), HasSubstr("no wavelet of this color is outstanding")));
  EXPECT_TRUE(link.sender.credits.empty());
}

TEST(Checker, WaveletDueInTheCycleOfTheCall) {
  CheckedLink link;
  EXPECT_THAT(report_of("early", [&] { link.put(1, 10); }),
              HasSubstr("in or before the cycle of the call, 10"));
}

TEST(Checker, CreditDueInTheCycleOfTheCall) {
  CheckedLink link;
  link.put(1, 11);
  link.now = 11;
  report_of("early", [&] { link.credit(1, 11); });
}

TEST(Checker, WaveletsOfAColorThatGoBackwards) {
  CheckedLink link;
  link.put(1, 15);
  EXPECT_THAT(report_of("order", [&] { link.put(1, 14); }),
              HasSubstr("earlier wavelet is due in cycle 15"));
}

TEST(Checker, CreditsOfAColorThatGoBackwards) {
  CheckedLink link;
  link.put(1, 11);
  link.put(1, 12);
  link.credit(1, 15);
  EXPECT_THAT(report_of("order", [&] { link.credit(1, 14); }),
              HasSubstr("earlier credit is due in cycle 15"));
}

TEST(Checker, CreditsOfDifferentColorsAreInNoOrder) {
  CheckedLink link;
  link.put(1, 11);
  link.put(2, 12);
  link.credit(1, 15);
  link.credit(2, 14);
  EXPECT_EQ(link.sender.credits.size(), 2u);
}

TEST(Checker, TwoWaveletsInOneCycle) {
  // wse.md 11: a link carries one wavelet a cycle, shared by all colors.
  CheckedLink link;
  link.put(1, 11);
  EXPECT_THAT(report_of("rate", [&] { link.put(2, 11); }), HasSubstr("same cycle"));
}

TEST(Checker, WaveletOfAColorThatDoesNotExist) {
  // wse.md 1.2: colors 0..23.
  CheckedLink link;
  EXPECT_THAT(report_of("color", [&] { link.put(24, 11); }),
              AllOf(HasSubstr("C24"), HasSubstr("outside 0..23")));
}

TEST(Checker, CreditOfAColorThatDoesNotExist) {
  CheckedLink link;
  report_of("color", [&] { link.credit(31, 11); });
}

}  // namespace
}  // namespace tessera::link::link_checker_module_test
