// Random programs twice: with the short steps of the main thread and of operations (compute_engine_core.h), and in full
// steps only. Scalar instructions, operations on memory and queues, data and control tasks on channels that are blocked and
// unblocked, disturbed in the same way. Compared: events with their cycles, memory, who waits for what, what
// waits are accounted, and how they fail.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/observe/wait_book.h"
#include "tests/models/pe/bench.h"
#include "tests/models/pe/property_random.h"
#include "tests/models/pe/waits_in_words.h"

namespace tessera::pe::test {
namespace {

constexpr unsigned kDataTask = 1;  // queues
constexpr unsigned kOpen = 2;
constexpr unsigned kRead = 3;

class Text {
 public:
  explicit Text(Random& random) : random_(random) {}

  std::string program() {
    std::string text = R"(data v: u32[16]
data w: u32[16]
data h: u16[16]
queue i1 input 1 color=1
queue i2 input 2 color=2 unblocked
queue i3 input 3 color=3
queue o4 output 4 color=14
dsd in3 fabin i3 extent=3
dsd in2 fabin i2 extent=2
dsd out4 fabout o4 extent=3
dsd mv mem1d v extent=8
dsd mw mem1d w extent=7
dsd mh mem1d h extent=9
dsr dds0 mw
dsr s1ds0 mv
dsr s0ds0 mw
dsr dds1 mv
dsr s1ds1 in3
dsr dds2 out4
dsr dds3 mh
dsr s1ds3 mh
dsr s1ds4 in2
)";
    text += "task recv data i1" + std::string(random_.chance(30) ? " blocked\n" : "\n") + body(3) +
            "    end\n";
    text += "task ctl control 40\n" + body(3) + "    end\n";
    text += "task done local 9\n" + body(4) + "    end\n";
    text += "task main local 20 active\n" + body(14) + "    end\n";
    for (unsigned f = 0; f < 2; ++f)
      text += "fn f" + std::to_string(f) + "\n" + body(8) + "    ret\n";
    return text;
  }

 private:
  std::string reg() { return "r" + std::to_string(random_.below(8)); }
  std::string pair() { return "d" + std::to_string(2 * random_.below(4)); }
  std::string body(unsigned most) {
    std::string text;
    for (unsigned i = 1 + random_.below(most); i > 0; --i) text += piece();
    return text;
  }
  std::string one_of(const std::vector<std::string>& names) {
    return names[random_.below(static_cast<unsigned>(names.size()))];
  }
  std::string scalar() {
    switch (random_.below(9)) {
    case 0:
      return "    movri " + reg() + ", " + std::to_string(random_.below(60000)) + "\n";
    case 1:
      return "    " +
             one_of({"add16", "sub16", "and16", "xor16", "sll16", "slr16", "imul16", "faddh",
                     "fmulh"}) +
             " " + reg() + ", " + reg() + ", " + reg() + "\n";
    case 2:
      return "    " +
             one_of({"add32", "sub32", "or32", "imul32", "fadds", "fmuls", "fdivs", "sll32"}) +
             " " + pair() + ", " + pair() + ", " + pair() + "\n";
    case 3:
      return "    " + one_of({"addc16", "sel16"}) + " " + reg() + ", " + reg() + ", " + reg() +
             "\n";
    case 4:
      return "    " + one_of({"eq16", "lt16", "ltu16", "flth"}) + " " + reg() + ", " + reg() + "\n";
    case 5:
      return "    ld32 " + pair() + ", [v + " + std::to_string(4 * random_.below(12)) + "]\n";
    case 6:
      return "    st16 [h + " + std::to_string(2 * random_.below(12)) + "], " + reg() + "\n";
    case 7:
      return "    st32 [w + " + std::to_string(4 * random_.below(12)) + "], " + pair() + "\n";
    default:
      return random_.chance(4) ? "    ld16 r1, [r" + std::to_string(random_.below(8)) + "]\n"
                               : "    tsc d2, r4\n";
    }
  }
  std::string piece() {
    const unsigned kind = random_.below(30);
    const std::string label = "l" + std::to_string(labels_++);
    switch (kind) {
    case 0:
      return "    movri r8, " + std::to_string(1 + random_.below(4)) + "\n" + label + ":\n" +
             scalar() + scalar() + "    sub16 r8, r8, 1\n    eq16 r8, 0\n    jmpf " + label + "\n";
    case 1:
      return "    " + one_of({"jmpt ", "jmpf ", "jmp "}) + label + "\n" + scalar() + label + ":\n" +
             scalar();
    case 2:
      return "    fadds dds0, s1ds0, s0ds0\n";
    case 3:
      return "    faddh dds3, s1ds3, r2\n";
    case 4:
      return "    fadds d0, d0, s1ds0\n";
    case 5:
      return "    mov32 dds1, s1ds1 async" +
             std::string(random_.chance(50) ? " activate=done\n" : "\n");
    case 6:
      return "    mov32 dds2, s1ds0 async" +
             std::string(random_.chance(50) ? " unblock=recv\n" : "\n");
    case 7:
      return "    " + one_of({"setdsa s1ds0, v\n", "setdsl s1ds0, 5\n", "incdsa s1ds0, 1\n",
                              "getdsa r3, s1ds0\n"});
    case 8:
      return "    lddsr s1ds0, mv\n";
    case 9:
      return "    " + one_of({"blk", "ublk"}) + " " + one_of({"recv", "i2", "done"}) + "\n";
    case 10:
      return "    actvt done\n";
    case 11:
      return random_.chance(30) ? "    mov32 dds1, s1ds4 async on_control=terminate\n" : scalar();
    case 12:
      return random_.chance(30) ? "    setmtp " + std::to_string(random_.below(4)) + "\n"
                                : scalar();
    default:
      return scalar();
    }
  }

  Random& random_;
  unsigned labels_ = 0;
};

class Pair {
 public:
  explicit Pair(std::uint32_t seed)
      : random_(seed), image_(assembled(Text(random_).program())), timing_(timing()),
        short_(image_, timing_), full_(image_, timing_), short_waits_(1, nullptr),
        full_waits_(1, nullptr), accounts_(random_.chance(50)) {
    full_.core.set_steps_fully(true);
    if (!accounts_) return;
    short_.core.set_waits(&short_waits_.open(0, 0));
    full_.core.set_waits(&full_waits_.open(0, 0));
  }

  /// What differs; "": nothing.
  std::string difference() {
    Cycle now = 0;
    for (unsigned look = 0; look < 25 && end_.empty(); ++look) {
      disturb(now);
      now += 1 + random_.below(random_.chance(20) ? 150 : 25);
      end_ = outcome(full_, now);
      const std::string end = outcome(short_, now);
      const std::string where = "up to cycle " + std::to_string(now) + ": ";
      if (end != end_) return where + "it ends with '" + end + "' and not with '" + end_ + "'";
      if (short_.events != full_.events) return where + "other events";
      if (words_of(short_, now) != words_of(full_, now) && end_.empty())
        return where + "others wait";
      for (const char* name : {"v", "w", "h"}) {
        if (short_.contents(name) != full_.contents(name)) return where + "another " + name;
      }
    }
    if (!accounts_ || !end_.empty()) return "";
    const std::string account = account_of(short_, short_waits_, now + 1);
    const std::string full = account_of(full_, full_waits_, now + 1);
    return account == full ? "" : "waits\n" + account + "and not\n" + full;
  }
  bool failed() const { return !end_.empty(); }
  std::size_t events() const { return full_.events.size(); }

 private:
  PeTiming timing() {
    PeTiming timing = wse3_timing();
    timing.issue = random_.chance(50) ? IssueRule::kRotation : IssueRule::kLowestThread;
    timing.picker = random_.chance(50) ? PickerRule::kLowestId : PickerRule::kRoundRobin;
    timing.float_latency = 1 + random_.below(3);
    timing.branch_taken = 1 + random_.below(4);
    timing.vector_overlap = random_.chance(70);
    timing.microthread_priority = static_cast<Priority>(random_.below(3));
    return timing;
  }
  template <class Action>
  void both(Action&& action) {
    action(short_);
    action(full_);
  }
  void arrive(unsigned queue, const link::Wavelet& w, Cycle at) {
    both([&](Bench& bench) {
      if (at > last_[queue]) bench.queues.arrive(queue, w, at);
    });
    last_[queue] = std::max(last_[queue], at);  // they come in the order of their cycles
  }
  void disturb(Cycle now) {
    const Cycle at = now + 1 + random_.below(20);
    if (random_.chance(15)) short_.wake(at);  // for nothing
    if (random_.chance(30)) {
      const std::string name = "f" + std::to_string(random_.below(2));
      both([&](Bench& bench) { bench.launch(name, {}, at); });
    }
    // After a command of the host a tile is accounted as idle until its next step, whatever that is for.
    if (!accounts_ && random_.chance(10)) both([&](Bench& bench) { bench.access(3, at); });
    if (random_.chance(4)) both([&](Bench& bench) { bench.teardown(Color(3), at); });
    for (unsigned i = random_.below(4); i > 0; --i) {
      const Cycle when = now + 1 + random_.below(25);
      const unsigned entry = random_.chance(70) ? 31 : 40;  // 31: no task
      const unsigned queue = one_of(kDataTask, kOpen, kRead);
      if (queue != kRead && random_.chance(40))
        arrive(queue, control_wavelet(entry_payload(entry)), when);
      else if (queue != kOpen || random_.chance(20))
        arrive(queue, data_wavelet(random_.bits()), when);
    }
  }
  unsigned one_of(unsigned a, unsigned b, unsigned c) {
    const unsigned n = random_.below(3);
    return n == 0 ? a : n == 1 ? b : c;
  }
  static std::string outcome(Bench& bench, Cycle last) try {
    bench.run(last);
    return "";
  } catch (const std::exception& e) {
    return "cycle " + std::to_string(bench.now()) + ": " + e.what();
  }

  Random random_;
  const Image image_;
  const PeTiming timing_;
  Bench short_;
  Bench full_;
  observe::WaitBook short_waits_;
  observe::WaitBook full_waits_;
  const bool accounts_;
  std::array<Cycle, kMaxQueues> last_{};
  std::string end_;
};

TEST(PeStepProperty, NobodyCanTellShortStepsFromFullOnes) {
  unsigned failed = 0;
  std::size_t events = 0;
  for (std::uint32_t number = 0; number < 4000; ++number) {
    Pair pair(number);
    Random random(number);
    ASSERT_EQ(pair.difference(), "") << "program " << number << "\n" << Text(random).program();
    failed += pair.failed() ? 1 : 0;
    events += pair.events();
  }
  EXPECT_LT(failed, 2400u);  // most programs go on to the end
  EXPECT_GT(events, 400000u);
}

}  // namespace
}  // namespace tessera::pe::test
