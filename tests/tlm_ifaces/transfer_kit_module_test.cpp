// Transfer kit (docs/protocol-kits.md): tap and checker let correct traffic pass unchanged, the
// checker fails the run under the id of the rule that was broken, the stub stays silent. One TEST a
// process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <systemc>
#include <vector>

#include "tests/support/report_of.h"
#include "tlm_ifaces/transfer/transfer_kit.h"

namespace tessera::transfer {
namespace {

using sync::Pipe;
using test::report_of;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class Core : public sc_core::sc_module, private BackwardIf {
 public:
  InitiatorSocket socket{"socket"};
  std::vector<Cycle> done_at;
  explicit Core(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    socket.bind(static_cast<BackwardIf&>(*this));
  }

 private:
  void done(const Done&, Cycle due) override { done_at.push_back(due); }
};

class Memory : public sc_core::sc_module, private ForwardIf {
 public:
  TargetSocket socket{"socket"};
  std::vector<std::uint64_t> bytes;
  explicit Memory(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    socket.bind(static_cast<ForwardIf&>(*this));
  }

 private:
  void start(const Transfer& t, Cycle) override { bytes.push_back(t.bytes); }
};

Transfer copy(std::uint64_t bytes, Pipe pipe = Pipe::kMte2) {
  Transfer t;
  t.core = {1, 2};
  t.pipe = pipe;
  t.bytes = bytes;
  t.rate_limit = 128 * kRateUnit;
  return t;
}

Done done_on(Pipe pipe) {
  Done d;
  d.core = {1, 2};
  d.pipe = pipe;
  return d;
}

/// Core and memory with a checker between them, in cycle `now`.
struct Checked {
  Cycle now = 10;
  Core core{"core"};
  Checker checker{"checker", [this] { return now; }};
  Memory memory{"memory"};
  Checked() {
    core.socket.bind(checker.in);
    checker.out.bind(memory.socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  void start(const Transfer& t, Cycle due) { core.socket->start(t, due); }
  void done(Pipe pipe, Cycle due) { memory.socket->done(done_on(pipe), due); }
};

TEST(TransferKit, CorrectTrafficPassesUnchanged) {
  Checked c;
  std::vector<Cycle> starts;
  c.checker.on_start([&starts](const Transfer&, Cycle due) { starts.push_back(due); });
  c.start(copy(4096), 11);
  c.start(copy(64, Pipe::kMte3), 12);
  EXPECT_TRUE(c.checker.moves(Pipe::kMte2));
  c.done(Pipe::kMte2, 20);
  EXPECT_FALSE(c.checker.moves(Pipe::kMte2));
  c.start(copy(32), 21);
  EXPECT_THAT(c.memory.bytes, ElementsAre(4096, 64, 32));
  EXPECT_THAT(c.core.done_at, ElementsAre(20));
  EXPECT_THAT(starts, ElementsAre(11, 12, 21));
}

TEST(TransferKit, EffectsInTheCycleOfTheCall) {
  Checked c;
  EXPECT_THAT(report_of("/tessera/transfer/early", [&] { c.start(copy(64), 10); }),
              AllOf(HasSubstr("checker: 64 bytes on MTE2 of AIV1 of cluster 1"),
                    HasSubstr("due in cycle 10")));
  c.start(copy(64), 11);
  report_of("/tessera/transfer/early", [&] { c.done(Pipe::kMte2, 9); });
}

TEST(TransferKit, TransfersThatCannotBe) {
  Checked c;
  report_of("/tessera/transfer/pipe", [&] { c.start(copy(64, Pipe::kAll), 11); });
  Transfer still = copy(64);
  still.rate_limit = 0;
  report_of("/tessera/transfer/rate", [&] { c.start(still, 11); });
  EXPECT_TRUE(c.memory.bytes.empty());
}

TEST(TransferKit, OneTransferAPipe) {
  Checked c;
  c.start(copy(64), 11);
  c.start(copy(64, Pipe::kMte3), 11);  // another pipe
  report_of("/tessera/transfer/double_start", [&] { c.start(copy(32), 12); });
  report_of("/tessera/transfer/unasked", [&] { c.done(Pipe::kFix, 12); });
}

TEST(TransferKit, StubStaysSilent) {
  Core core("core");
  Stub stub("stub");
  Memory memory("memory");
  core.socket.bind(stub.in);
  stub.out.bind(memory.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_THAT(report_of(Stub::kTrafficId, [&] { core.socket->start(copy(64), 5); }),
              HasSubstr("stub closes a side that must stay silent"));
  report_of(Stub::kTrafficId, [&] { memory.socket->done(done_on(Pipe::kMte2), 5); });
}

TEST(TransferKit, OpenSocketIsReported) {
  Core core("core");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_THAT(report_of(kUnboundId, [&] { require_bound(core.socket, "AIC of cluster 0, gm"); }),
              HasSubstr("AIC of cluster 0, gm is not bound: bind a core, a GM"));
}

}  // namespace
}  // namespace tessera::transfer
