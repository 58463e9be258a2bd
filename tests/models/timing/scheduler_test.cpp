// Scheduler (docs/architecture.md#time): every wake-up leads to exactly one step of its block in its
// cycle, and the order of steps inside a cycle cannot be seen in the result of blocks that obey the
// one-cycle rule.
#include "models/timing/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tessera::timing {
namespace {

/// A block whose behaviour a test writes down as a function.
class Scripted : public Steppable {
 public:
  explicit Scripted(std::function<Cycle(Cycle)> on_step) : on_step_(std::move(on_step)) {}
  Cycle step(Cycle now) override {
    steps.push_back(now);
    return on_step_(now);
  }
  std::vector<Cycle> steps;

 private:
  std::function<Cycle(Cycle)> on_step_;
};

Cycle sleep(Cycle) {
  return kNever;
}

void run_to_end(Scheduler& scheduler, Cycle last = kNever - 1) {
  while (scheduler.next_due() <= last) scheduler.run_cycle(scheduler.next_due());
}

TEST(Scheduler, BlockThatNobodyWakesIsNotStepped) {
  Scheduler scheduler;
  Scripted block(sleep);
  scheduler.add(block);
  EXPECT_EQ(scheduler.next_due(), kNever);
  EXPECT_EQ(scheduler.steps(), 0u);
}

TEST(Scheduler, BlockIsSteppedWhereItAskedToBe) {
  Scheduler scheduler;
  Scripted block([](Cycle now) { return now < 1000 ? now + 333 : kNever; });
  scheduler.wake(scheduler.add(block), 1);
  run_to_end(scheduler);
  EXPECT_EQ(block.steps, (std::vector<Cycle>{1, 334, 667, 1000}));
  EXPECT_EQ(scheduler.steps(), 4u);
}

TEST(Scheduler, ManyWakeUpsForOneCycleAreOneStep) {
  Scheduler scheduler;
  Scripted block(sleep);
  const BlockId id = scheduler.add(block);
  for (int i = 0; i < 5; ++i) scheduler.wake(id, 9);
  run_to_end(scheduler);
  EXPECT_EQ(block.steps, std::vector<Cycle>{9});
  EXPECT_EQ(scheduler.steps(), 1u);
}

TEST(Scheduler, EarlierWakeUpDoesNotReplaceALaterOne) {
  // The lost wake-up of a scheduler that keeps one cycle a block.
  Scheduler scheduler;
  Scripted block(sleep);
  const BlockId id = scheduler.add(block);
  scheduler.wake(id, 500);
  scheduler.wake(id, 20);
  run_to_end(scheduler);
  EXPECT_EQ(block.steps, (std::vector<Cycle>{20, 500}));
}

TEST(Scheduler, LaterWakeUpDoesNotReplaceAnEarlierOne) {
  Scheduler scheduler;
  Scripted block(sleep);
  const BlockId id = scheduler.add(block);
  scheduler.wake(id, 20);
  scheduler.wake(id, 500);
  run_to_end(scheduler);
  EXPECT_EQ(block.steps, (std::vector<Cycle>{20, 500}));
}

TEST(Scheduler, AskingToSleepDoesNotCancelAWakeUpFromANeighbour) {
  Scheduler scheduler;
  Scripted sleeper(sleep);
  const BlockId id = scheduler.add(sleeper);
  Scripted waker([&](Cycle now) {
    scheduler.wake(id, now + 1);
    return kNever;
  });
  const BlockId waker_id = scheduler.add(waker);
  scheduler.wake(waker_id, 3);
  scheduler.wake(
      id, 3);  // the sleeper answers kNever in the very cycle in which it is woken for the next
  run_to_end(scheduler);
  EXPECT_EQ(sleeper.steps, (std::vector<Cycle>{3, 4}));
}

TEST(Scheduler, BlockMayWakeItselfBesideItsAnswer) {
  Scheduler scheduler;
  BlockId id = 0;
  Scripted block([&](Cycle now) {
    if (now == 0) scheduler.wake(id, 5);
    return now == 0 ? Cycle{2} : kNever;
  });
  id = scheduler.add(block);
  scheduler.wake(id, 0);
  run_to_end(scheduler);
  EXPECT_EQ(block.steps, (std::vector<Cycle>{0, 2, 5}));
}

TEST(Scheduler, AFailureEndsTheCycleInTheSameWayInEveryOrder) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Scheduler scheduler;
    Scripted first(sleep);
    Scripted second([](Cycle) -> Cycle { throw std::runtime_error("second"); });
    Scripted third([](Cycle) -> Cycle { throw std::runtime_error("third"); });
    for (Scripted* block : {&first, &second, &third}) scheduler.wake(scheduler.add(*block), 4);
    scheduler.shuffle_step_order(seed);
    std::string heard;
    try {
      scheduler.run_cycle(4);
    } catch (const std::runtime_error& e) {
      heard = e.what();
    }
    EXPECT_EQ(heard, "second") << seed;
    EXPECT_EQ(scheduler.steps(), 3u) << seed;
  }
}

/// A block of add_early(): it notes what happened in which order.
class Early : public Scripted {
 public:
  Early(std::string name, std::vector<std::string>& log)
      : Scripted([this](Cycle now) {
          log_.push_back("step " + name_ + " " + std::to_string(now));
          return kNever;
        }),
        name_(std::move(name)), log_(log) {}
  void begin(Cycle now) noexcept override {
    log_.push_back("begin " + name_ + " " + std::to_string(now));
  }

 private:
  const std::string name_;
  std::vector<std::string>& log_;
};

TEST(Scheduler, AnEarlyBlockBeginsBeforeOthersAndIsSteppedBehindThem) {
  Scheduler scheduler;
  std::vector<std::string> log;
  Early early("A", log);
  const auto note = [&log](Cycle) {
    log.push_back("other");
    return kNever;
  };
  Scripted first(note);
  Scripted second(note);
  const BlockId first_id = scheduler.add(first);
  const BlockId early_id = scheduler.add_early(early);
  const BlockId second_id = scheduler.add(second);
  // it stands twice in the calendar of cycle 3
  for (const auto& [id, at] : std::vector<std::pair<BlockId, Cycle>>{
           {early_id, 3}, {first_id, 3}, {early_id, 4}, {early_id, 3}, {second_id, 3}})
    scheduler.wake(id, at);
  run_to_end(scheduler);
  // in cycle 4 there is nothing that it could begin beside
  EXPECT_EQ(log, (std::vector<std::string>{"begin A 3", "other", "other", "step A 3", "step A 4"}));
}

TEST(Scheduler, EarlyBlocksBeginInEveryOrderOfSteps) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Scheduler scheduler;
    std::vector<std::string> log;
    Early a("A", log);
    Early b("B", log);
    Scripted other(sleep);
    const BlockId a_id = scheduler.add_early(a);
    const BlockId b_id = scheduler.add_early(b);
    for (BlockId id : {a_id, b_id, scheduler.add(other)}) scheduler.wake(id, 7);
    scheduler.shuffle_step_order(seed);
    run_to_end(scheduler);
    ASSERT_EQ(log.size(), 4U) << seed;
    EXPECT_EQ(log[0], "begin A 7") << seed;
    EXPECT_EQ(log[1], "begin B 7") << seed;
    EXPECT_EQ(other.steps.size(), 1U) << seed;
  }
}

TEST(Scheduler, ABlockAddedDuringAStepCanBeWoken) {
  Scheduler scheduler;
  Scripted late(sleep);
  Scripted adder([&](Cycle now) {
    scheduler.wake(scheduler.add(late), now + 1);
    return kNever;
  });
  scheduler.wake(scheduler.add(adder), 0);
  run_to_end(scheduler);
  EXPECT_EQ(late.steps, std::vector<Cycle>{1});
}

TEST(Scheduler, RandomWakeUpsAreSteppedExactlyOnceEach) {
  Scheduler scheduler;
  std::mt19937_64 random(7);
  std::set<std::pair<Cycle, BlockId>> wanted;
  std::set<std::pair<Cycle, BlockId>> stepped;
  std::vector<std::unique_ptr<Scripted>> blocks;
  constexpr BlockId kBlocks = 20;
  constexpr Cycle kLast = 20'000;
  const auto want = [&](BlockId block, Cycle at) { wanted.insert({at, block}); };
  for (BlockId id = 0; id < kBlocks; ++id) {
    blocks.push_back(std::make_unique<Scripted>([&, id](Cycle now) {
      EXPECT_TRUE(stepped.insert({now, id}).second) << "block " << id << " twice in " << now;
      if (now > kLast) return kNever;
      for (int i = 0; i < 2; ++i) {
        const auto other = static_cast<BlockId>(random() % kBlocks);
        const Cycle at = now + 1 + random() % 400;
        scheduler.wake(other, at);
        want(other, at);
      }
      if (random() % 2 == 0) return kNever;
      const Cycle next = now + 1 + random() % 3000;
      want(id, next);
      return next;
    }));
    scheduler.add(*blocks.back());
  }
  scheduler.wake(0, 0);
  want(0, 0);
  run_to_end(scheduler);
  EXPECT_EQ(stepped, wanted);
  EXPECT_EQ(scheduler.steps(), wanted.size());
  EXPECT_GT(wanted.size(), 10'000u);
}

/// A node of a small network. It mixes what has arrived into its state and passes it on; what it
/// hands over is seen at the earliest one cycle later, so the order of steps inside a cycle must
/// not matter.
class Node : public Steppable {
 public:
  using Log = std::vector<std::pair<Cycle, BlockId>>;
  Node(Scheduler& scheduler, Log& log) : scheduler_(scheduler), log_(log) {
    id_ = scheduler.add(*this);
  }
  void connect(Node& left, Node& right) {
    left_ = &left;
    right_ = &right;
  }
  void receive(std::uint64_t value, Cycle due) {
    inbox_[due].insert(value);
    scheduler_.wake(id_, due);
  }
  Cycle step(Cycle now) override {
    log_.push_back({now, id_});
    const auto due = inbox_.find(now);
    if (due == inbox_.end()) return kNever;
    for (const std::uint64_t value : due->second) {
      state_ = (state_ ^ value) * 0x9E3779B97F4A7C15 + now;
      if (value == 0) continue;
      left_->receive(value - 1, now + 1);
      if (value % 3 == 0) right_->receive(value / 2, now + 1 + state_ % 3);
    }
    inbox_.erase(due);
    return kNever;
  }
  std::uint64_t state() const { return state_; }

 private:
  Scheduler& scheduler_;
  Log& log_;
  BlockId id_ = 0;
  Node* left_ = nullptr;
  Node* right_ = nullptr;
  std::map<Cycle, std::multiset<std::uint64_t>> inbox_;
  std::uint64_t state_ = 1;
};

struct NetworkRun {
  std::vector<std::uint64_t> states;
  Node::Log log;
};

NetworkRun run_network(const std::uint64_t* shuffle_seed) {
  NetworkRun run;
  Scheduler scheduler;
  if (shuffle_seed != nullptr) scheduler.shuffle_step_order(*shuffle_seed);
  std::vector<std::unique_ptr<Node>> nodes;
  constexpr std::size_t kNodes = 8;
  for (std::size_t i = 0; i < kNodes; ++i)
    nodes.push_back(std::make_unique<Node>(scheduler, run.log));
  for (std::size_t i = 0; i < kNodes; ++i) {
    nodes[i]->connect(*nodes[(i + kNodes - 1) % kNodes], *nodes[(i + 1) % kNodes]);
    nodes[i]->receive(20 + i, 0);
  }
  run_to_end(scheduler, 300);
  for (const auto& node : nodes) run.states.push_back(node->state());
  return run;
}

TEST(Scheduler, ShuffledStepOrderGivesTheSameResult) {
  const NetworkRun plain = run_network(nullptr);
  for (const std::uint64_t seed : {1ULL, 2ULL, 3ULL, 4ULL, 5ULL}) {
    EXPECT_EQ(run_network(&seed).states, plain.states) << "seed " << seed;
  }
}

TEST(Scheduler, ShuffledStepOrderReallyDiffersInsideCyclesOnly) {
  const NetworkRun plain = run_network(nullptr);
  const std::uint64_t seed = 1;
  NetworkRun shuffled = run_network(&seed);
  EXPECT_NE(shuffled.log, plain.log);
  // Over cycles the order is the same: sorted inside each cycle, both logs are equal.
  Node::Log expected = plain.log;
  std::sort(expected.begin(), expected.end());
  EXPECT_TRUE(std::is_sorted(shuffled.log.begin(), shuffled.log.end(),
                             [](const auto& a, const auto& b) { return a.first < b.first; }));
  std::sort(shuffled.log.begin(), shuffled.log.end());
  EXPECT_EQ(shuffled.log, expected);
}

TEST(Scheduler, EqualSeedsGiveEqualOrders) {
  const std::uint64_t seed = 42;
  const std::uint64_t other = 43;
  EXPECT_EQ(run_network(&seed).log, run_network(&seed).log);
  EXPECT_NE(run_network(&seed).log, run_network(&other).log);
}

}  // namespace
}  // namespace tessera::timing
