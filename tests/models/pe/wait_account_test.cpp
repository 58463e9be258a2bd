// What an engine does with its cycles, by reason, thread and line (docs/waits.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "models/observe/wait_book.h"
#include "tests/models/pe/bench.h"

namespace tessera::pe::test {
namespace {

using observe::WaitReason;

/// A bench whose engine accounts its waits.
class Account : private observe::WaitListener {
 public:
  /// `listens`: `spans` gets every wait when it ends, so nothing is put off to the end of an operation.
  explicit Account(const std::string& code, Bench::Stepping how = Bench::Stepping::kWhenDue,
                   bool listens = true)
      : bench(assembled(with_queues(code)), wse3_timing(), how),
        book_(1, listens ? this : nullptr) {
    bench.core.set_waits(&book_.open(0, 0));
  }
  /// Cycles 0 to `cycles` - 1.
  void run(Cycle cycles) {
    bench.run(cycles - 1);
    bench.core.finish_waits(cycles);
    book_.finish(cycles, cycles);
  }
  std::uint64_t tile(WaitReason reason) const { return book_.total(reason); }
  std::uint64_t all() const {
    std::uint64_t sum = 0;
    for (unsigned r = 0; r < observe::kWaitReasonCount; ++r)
      sum += tile(static_cast<WaitReason>(r));
    return sum;
  }
  std::uint64_t line(const std::string& label, unsigned thread, WaitReason reason,
                     unsigned number = 0) const {
    for (const auto& entry : book_.lines(0).entries()) {
      if (entry.pc == bench.pc(label) && entry.thread == thread && entry.reason == reason &&
          entry.number == number)
        return entry.cycles;
    }
    return 0;
  }
  /// Every line that there is.
  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    for (const auto& entry : book_.lines(0).entries()) {
      all.push_back(std::to_string(entry.pc) + " thread " + std::to_string(entry.thread) + " " +
                    std::string(observe::info(entry.reason).name) + " " +
                    std::to_string(entry.number) + ": " + std::to_string(entry.cycles));
    }
    return all;
  }
  std::uint64_t slots_used() const {
    std::uint64_t used = 0;
    for (const observe::Event& e : bench.events) {
      used += e.kind == EventKind::kIssue ||
              (e.kind == EventKind::kCompute && e.a >> 8 != observe::kStepOfMain);
    }
    return used;
  }

  Bench bench;
  std::vector<observe::WaitSpan> spans;

 private:
  void on_wait(const observe::WaitSpan& span) override { spans.push_back(span); }
  observe::WaitBook book_;
};

const char* const kWaitsForQueue = R"(task main local 8 active
    lddsr s1ds0, in1
    lddsr dds0, mv
copy: mov32 dds0, s1ds0
    end
)";

TEST(PeWaitAccount, MissingWaveletsAreChargedToTheirQueueAndLine) {
  Account account(kWaitsForQueue);
  account.bench.queues.arrive(1, 0, 0);
  for (unsigned i = 1; i < 8; ++i) account.bench.queues.arrive(1, i, 100);
  account.run(200);
  EXPECT_EQ(account.all(), 200u);
  EXPECT_EQ(account.tile(WaitReason::kBusy), account.slots_used());
  const std::vector<Cycle> groups = account.bench.cycles(EventKind::kCompute);
  ASSERT_GE(groups.size(), 2u);
  EXPECT_EQ(groups[1], 100u);
  EXPECT_EQ(account.tile(WaitReason::kWavelet), 100 - groups[0] - 1);
  EXPECT_EQ(account.line("copy", kMainThread, WaitReason::kWavelet, 1), 100 - groups[0] - 1);
  EXPECT_GT(account.line("copy", kMainThread, WaitReason::kStart), 0u);
  EXPECT_GT(account.tile(WaitReason::kTaskStart), 0u);
  EXPECT_GT(account.tile(WaitReason::kIdle), 0u);
}

TEST(PeWaitAccount, ASpanIsToldWhenItEnds) {
  Account account(kWaitsForQueue);
  account.bench.queues.fill(1, 1);
  account.run(50);  // the operation still waits: its wait ends with the run
  ASSERT_FALSE(account.spans.empty());
  const observe::WaitSpan& last = account.spans.back();
  EXPECT_EQ(last.reason, WaitReason::kWavelet);
  EXPECT_EQ(last.number, 1u);
  EXPECT_EQ(last.thread, kMainThread);
  EXPECT_EQ(last.pc, account.bench.pc("copy"));
  EXPECT_EQ(last.to, 50u);
  for (const observe::WaitSpan& span : account.spans) EXPECT_LT(span.from, span.to);
}

TEST(PeWaitAccount, RoomInAnOutputQueue) {
  Account account(R"(task main local 8 active
    lddsr dds0, out4
send: mov32 dds0, 1 async ut=3
    end
)");
  account.bench.queues.sink(4, 5, kNever);
  account.run(300);
  EXPECT_EQ(account.all(), 300u);
  EXPECT_GT(account.line("send", 3, WaitReason::kRoom, 4), 200u);
  EXPECT_EQ(account.tile(WaitReason::kRoom), account.line("send", 3, WaitReason::kRoom, 4));
}

TEST(PeWaitAccount, ThreadsThatShareTheSlotWaitForTheirTurn) {
  Account account(R"(task main local 8 active
    lddsr s1ds0, in1
    lddsr dds0, mv
    lddsr s1ds1, in2
    lddsr dds1, mw
one: mov32 dds0, s1ds0 async ut=0
two: mov32 dds1, s1ds1 async ut=1
    end
)");
  account.bench.queues.fill(1, 8);
  account.bench.queues.fill(2, 8);
  account.run(100);
  EXPECT_EQ(account.all(), 100u);
  EXPECT_EQ(account.tile(WaitReason::kBusy), account.slots_used());
  EXPECT_GT(account.line("one", 0, WaitReason::kTurn) + account.line("two", 1, WaitReason::kTurn),
            0u);
  EXPECT_EQ(account.tile(WaitReason::kTurn), 0u);  // somebody used the slot
  EXPECT_EQ(account.line("one", 0, WaitReason::kBusy), account.bench.groups_of(0).size());
  EXPECT_EQ(account.line("two", 1, WaitReason::kBusy), account.bench.groups_of(1).size());
}

TEST(PeWaitAccount, IntervalOfAnOperation) {
  Account account(R"(task main local 8 active
    lddsr dds0, mv
    lddsr s0ds0, mv
    lddsr s1ds0, mw
add: fadds dds0, s0ds0, s1ds0
    end
)");
  account.run(100);
  EXPECT_EQ(account.all(), 100u);
  const std::size_t groups = account.bench.groups_of(kMainThread).size();
  ASSERT_GT(groups, 1u);
  EXPECT_EQ(account.line("add", kMainThread, WaitReason::kInterval),
            groups - 1);  // one in 2 cycles
  EXPECT_EQ(account.line("add", kMainThread, WaitReason::kBankConflict), 0u);
}

TEST(PeWaitAccount, OpenChannelAndBlockedTask) {
  Account open("task recv data i1\n    end\n");
  open.run(60);
  EXPECT_EQ(open.tile(WaitReason::kTask), 60u);
  Account blocked("task stuck local 9 active blocked\n    end\n");
  blocked.run(60);
  EXPECT_EQ(blocked.tile(WaitReason::kTaskBlocked), 60u);
}

TEST(PeWaitAccount, HowOftenTheEngineIsSteppedDoesNotMatter) {
  const auto totals_of = [](Bench::Stepping how) {
    Account account(R"(task main local 8 active
    lddsr s1ds0, in1
    lddsr dds0, mv
    lddsr dds1, mw
    lddsr s0ds1, mw
    lddsr s1ds1, mw
    mov32 dds0, s1ds0 async ut=2
    fadds dds1, s0ds1, s1ds1
    mov16 r1, 3
    end
)",
                    how);
    for (unsigned i = 0; i < 8; ++i) account.bench.queues.arrive(1, i, 17 + 9 * i);
    account.run(150);
    std::vector<std::uint64_t> totals;
    for (unsigned r = 0; r < observe::kWaitReasonCount; ++r)
      totals.push_back(account.tile(static_cast<WaitReason>(r)));
    EXPECT_EQ(account.all(), 150u);
    return totals;
  };
  const auto expected = totals_of(Bench::Stepping::kEveryCycle);
  EXPECT_EQ(totals_of(Bench::Stepping::kWhenDue), expected);
  EXPECT_EQ(totals_of(Bench::Stepping::kEveryGroup), expected);
}

TEST(PeWaitAccount, WhatIsCountedIsWhatAListenerHears) {
  const auto run = [](Account&& account, Cycle cycles) {
    Bench& bench = account.bench;
    for (unsigned i = 0; i < 8; ++i) {
      bench.queues.arrive(1, i, 17 + 9 * i);
      bench.queues.arrive(2, i, 40 + i);
    }
    bench.queues.sink(4, 2, 60);
    account.run(cycles);
    return account.lines();
  };
  const char* const code = R"(task main local 8 active
    lddsr s1ds0, in1
    lddsr dds0, mv
    lddsr s1ds2, in2
    lddsr dds2, out4
    lddsr dds1, mw
    lddsr s0ds1, mw
    lddsr s1ds1, mw
    mov32 dds0, s1ds0 async ut=2
    mov32 dds2, s1ds2 async ut=5
    fadds dds1, s0ds1, s1ds1
    mov16 r1, 3
    end
)";
  for (const Cycle cycles : {20, 33, 45, 57, 70, 200}) {  // operations in progress at the end, too
    const auto heard = run(Account(code), cycles);
    EXPECT_GT(heard.size(), 5u);
    EXPECT_EQ(run(Account(code, Bench::Stepping::kWhenDue, false), cycles), heard) << cycles;
  }
}

}  // namespace
}  // namespace tessera::pe::test
