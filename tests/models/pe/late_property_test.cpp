// Random programs of DSD operations twice: groups late where the engine can (compute_engine_core.h),
// and each in a step of its own. Both are disturbed in the same way - wavelets nobody planned,
// launches, teardowns - and looked at every now and then: events with their cycles, memory, who
// waits for what, and how they fail. Both account what they wait for, the late one when operations end,
// the other one in every step, as a listener hears of it (wait_account.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/observe/wait_book.h"
#include "tests/models/pe/property_print.h"
#include "tests/models/pe/property_run.h"
#include "tests/models/pe/waits_in_words.h"

namespace tessera::pe::test {
namespace {

class Twins : private observe::WaitListener {
 public:
  Twins(const Case& c, const Surroundings& around, Random random)
      : phases_(c.phases), random_(random), late_(c, around, Bench::Stepping::kWhenDue),
        stepped_(c, around, Bench::Stepping::kEveryGroup), late_waits_(1, nullptr),
        stepped_waits_(1, this) {
    late_.bench.core.set_waits(&late_waits_.open(0, 0));
    stepped_.bench.core.set_waits(&stepped_waits_.open(0, 0));
  }

  /// What differs; "": nothing.
  std::string difference() {
    Cycle now = 0;
    for (unsigned look = 0; look < kLooks && end_.empty(); ++look) {
      disturb(now);
      now += 1 + random_.below(random_.chance(20) ? 200 : 30);
      run_to(now);
      const std::string text = compare(now);
      if (!text.empty()) return "up to cycle " + std::to_string(now) + ": " + text;
    }
    return end_.empty() ? difference_of_waits(now + 1) : "";
  }
  unsigned steps_saved() const { return stepped_.bench.steps - late_.bench.steps; }

 private:
  static constexpr unsigned kLooks = 40;

  template <class Action>
  void both(Action&& action) {
    action(late_.bench);
    action(stepped_.bench);
  }
  void disturb(Cycle now) {
    const Cycle at = now + 1 + random_.below(30);
    if (random_.chance(15)) late_.bench.wake(at);  // for nothing
    if (random_.chance(25) || now == 0) {
      const std::string phase = "phase" + std::to_string(random_.below(phases_));
      both([&](Bench& bench) { bench.launch(phase, {}, at); });
    }
    if (random_.chance(10)) {
      const unsigned queue = random_.below(kMaxQueues);
      const link::Wavelet w = data_wavelet(random_.bits());
      both([&](Bench& bench) {
        if (bench.queues.waiting(queue) == 0)  // they come in the order of their cycles
          bench.queues.arrive(queue, w, at);
      });
    }
    if (random_.chance(5)) both([&](Bench& bench) { bench.teardown(Color(3), at); });
  }
  static std::string outcome(Bench& bench, Cycle last) try {
    bench.run(last);
    return "";
  } catch (const std::exception& e) {
    return "cycle " + std::to_string(bench.now()) + ": " + e.what();
  }
  void run_to(Cycle last) {
    end_ = outcome(stepped_.bench, last);
    late_end_ = outcome(late_.bench, last);
  }
  std::string compare(Cycle now) const {
    const Bench& a = late_.bench;
    const Bench& b = stepped_.bench;
    if (late_end_ != end_) return "it ends with '" + late_end_ + "' and not with '" + end_ + "'";
    if (a.events != b.events) return "other events";
    for (std::uint32_t at = kDataBegin; at < kDataBegin + kDataBytes; at += 4) {
      if (a.core.sram().read(at, 4) != b.core.sram().read(at, 4))
        return "other memory at " + std::to_string(at);
    }
    if (!end_.empty()) return "";
    return words_of(a, now) == words_of(b, now) ? "" : "others wait";
  }

  void on_wait(const observe::WaitSpan& /*span*/) override {}
  std::string difference_of_waits(Cycle cycles) {
    const std::string late = account_of(late_.bench, late_waits_, cycles);
    const std::string stepped = account_of(stepped_.bench, stepped_waits_, cycles);
    const std::string sum = "of " + std::to_string(cycles) + " cycles\n";
    if (late.size() < sum.size() || late.substr(late.size() - sum.size()) != sum)
      return "waits do not add up to " + sum + late;
    return late == stepped ? "" : "waits\n" + late + "and not\n" + stepped;
  }

  const unsigned phases_;
  Random random_;
  PropertyRun late_;
  PropertyRun stepped_;
  observe::WaitBook late_waits_;
  observe::WaitBook stepped_waits_;
  std::string end_;
  std::string late_end_;
};

TEST(PeLateProperty, NobodyCanTellWhenGroupsAreExecuted) {
  unsigned steps_saved = 0;
  for (std::uint32_t number = 0; number < 1500; ++number) {
    const Case c = Generator(0xA5A5U + number).draw();
    Twins twins(c, Surroundings(c, Random(c.timing_seed)), Random(number));
    ASSERT_EQ(twins.difference(), "") << "program " << number << "\n" << to_text(c);
    steps_saved += twins.steps_saved();
  }
  EXPECT_GT(steps_saved, 5000u);  // groups were late at all
}

}  // namespace
}  // namespace tessera::pe::test
