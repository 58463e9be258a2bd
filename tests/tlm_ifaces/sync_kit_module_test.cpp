// Sync kit (docs/protocol-kits.md): tap and checker let correct traffic pass unchanged, the checker
// fails the run under the id of the rule that was broken, the stub stays silent. One TEST a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <systemc>
#include <vector>

#include "tests/support/report_of.h"
#include "tlm_ifaces/sync/sync_kit.h"

namespace tessera::sync {
namespace {

using test::report_of;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class Core : public sc_core::sc_module, private BackwardIf {
 public:
  InitiatorSocket socket{"socket"};
  std::vector<Verdict> verdicts;
  explicit Core(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    socket.bind(static_cast<BackwardIf&>(*this));
  }

 private:
  void answer(const Answer& a, Cycle) override { verdicts.push_back(a.verdict); }
};

class Unit : public sc_core::sc_module, private ForwardIf {
 public:
  TargetSocket socket{"socket"};
  std::vector<std::string> asked;
  explicit Unit(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    socket.bind(static_cast<ForwardIf&>(*this));
  }

 private:
  void ask(const Request& r, Cycle due) override {
    std::ostringstream text;
    text << r << " @" << due;
    asked.push_back(text.str());
  }
};

Request request(Operation operation, unsigned id, Mode mode = Mode::kCluster,
                Pipe pipe = Pipe::kFix) {
  Request r;
  r.operation = operation;
  r.mode = mode;
  r.pipe = pipe;
  r.id = static_cast<std::uint8_t>(id);
  r.core = {2, 1};
  return r;
}

/// Core and sync unit with a checker between them, in cycle `now`.
struct Checked {
  Cycle now = 10;
  Core core{"core"};
  Checker checker{"checker", [this] { return now; }};
  Unit unit{"unit"};
  Checked() {
    core.socket.bind(checker.in);
    checker.out.bind(unit.socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  void ask(const Request& r, Cycle due) { core.socket->ask(r, due); }
  void answer(Verdict verdict, const Request& r, Cycle due) {
    unit.socket->answer({verdict, Reason::kNone, r}, due);
  }
};

TEST(SyncKit, CorrectTrafficPassesUnchanged) {
  Checked c;
  std::vector<Cycle> seen;
  c.checker.on_ask([&seen](const Request&, Cycle due) { seen.push_back(due); });
  c.ask(request(Operation::kSet, 3), 11);
  const Request wait = request(Operation::kWait, 31, Mode::kIntraBlock, Pipe::kV);
  c.ask(wait, 12);
  EXPECT_TRUE(c.checker.waits(Pipe::kV));
  c.answer(Verdict::kWaits, wait, 13);
  c.answer(Verdict::kGranted, wait, 20);
  EXPECT_FALSE(c.checker.waits(Pipe::kV));
  c.answer(Verdict::kIllegal, request(Operation::kSet, 3), 20);
  EXPECT_THAT(c.unit.asked, ElementsAre("set id 3 mode 2 on FIX of AIV0 of cluster 2 @11",
                                        "wait id 31 mode 4 on V of AIV0 of cluster 2 @12"));
  EXPECT_THAT(c.core.verdicts, ElementsAre(Verdict::kWaits, Verdict::kGranted, Verdict::kIllegal));
  EXPECT_THAT(seen, ElementsAre(11, 12));
}

TEST(SyncKit, RequestDueInTheCycleOfTheCall) {
  Checked c;
  EXPECT_THAT(report_of("/tessera/sync/early", [&] { c.ask(request(Operation::kSet, 3), 10); }),
              AllOf(HasSubstr("checker: set id 3 mode 2 on FIX of AIV0 of cluster 2"),
                    HasSubstr("due in cycle 10")));
}

TEST(SyncKit, AnswerDueInTheCycleOfTheCall) {
  Checked c;
  const Request wait = request(Operation::kWait, 3);
  c.ask(wait, 11);
  report_of("/tessera/sync/early", [&] { c.answer(Verdict::kGranted, wait, 10); });
}

TEST(SyncKit, IdsBeyondTheRangeOfTheirMode) {
  Checked c;
  report_of("/tessera/sync/id", [&] { c.ask(request(Operation::kSet, 16), 11); });
  report_of("/tessera/sync/id",
            [&] { c.ask(request(Operation::kSet, 32, Mode::kIntraBlock), 11); });
  EXPECT_TRUE(c.unit.asked.empty());
}

TEST(SyncKit, RequestOnAll) {
  Checked c;
  report_of("/tessera/sync/pipe",
            [&] { c.ask(request(Operation::kSet, 1, Mode::kCluster, Pipe::kAll), 11); });
}

TEST(SyncKit, SecondWaitOfAPipe) {
  Checked c;
  c.ask(request(Operation::kWait, 1), 11);
  c.ask(request(Operation::kWait, 2, Mode::kAll, Pipe::kS), 11);  // another pipe
  report_of("/tessera/sync/double_wait", [&] { c.ask(request(Operation::kWait, 2), 11); });
}

TEST(SyncKit, AnswersThatNobodyAskedFor) {
  Checked c;
  report_of("/tessera/sync/unasked",
            [&] { c.answer(Verdict::kGranted, request(Operation::kWait, 1), 11); });
  report_of("/tessera/sync/unasked",
            [&] { c.answer(Verdict::kGranted, request(Operation::kSet, 1), 11); });
}

TEST(SyncKit, StubStaysSilent) {
  Core core("core");
  Stub stub("stub");
  Unit unit("unit");
  core.socket.bind(stub.in);
  stub.out.bind(unit.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_THAT(
      report_of(Stub::kTrafficId, [&] { core.socket->ask(request(Operation::kSet, 1), 5); }),
      HasSubstr("stub closes a side that must stay silent"));
}

TEST(SyncKit, OpenSocketIsReported) {
  Core core("core");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_THAT(report_of(kUnboundId, [&] { require_bound(core.socket, "AIC of cluster 0"); }),
              HasSubstr("AIC of cluster 0 is not bound"));
}

}  // namespace
}  // namespace tessera::sync
