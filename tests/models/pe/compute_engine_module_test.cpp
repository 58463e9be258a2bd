// Compute engine as a module: it adds sockets and wake-ups to the core and no behaviour
// (docs/architecture.md#core-and-module). One TEST a process.
#include "models/pe/compute_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "tests/models/pe/bench.h"
#include "tests/support/sc_reports.h"

namespace tessera::pe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// An input queue whose wavelets were put in before the run.
class WaveletSource : public sc_core::sc_module, private queue::ReadIf {
 public:
  queue::ReadTargetSocket socket{"socket"};
  explicit WaveletSource(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    socket.bind(static_cast<queue::ReadIf&>(*this));
  }
  void arrive(std::uint32_t payload, Cycle due) {
    link::Wavelet w;
    w.payload = payload;
    wavelets_.push_back({due, w});
    socket->arrived(due);
  }

 private:
  struct Entry {
    Cycle due;
    link::Wavelet wavelet;
  };
  Cycle ready_at() const override { return wavelets_.empty() ? kNever : wavelets_.front().due; }
  unsigned available(Cycle now) const override {
    unsigned n = 0;
    while (n < wavelets_.size() && wavelets_[n].due <= now) ++n;
    return n;
  }
  const link::Wavelet& front() const override { return wavelets_.front().wavelet; }
  void pop(Cycle) override { wavelets_.pop_front(); }
  std::deque<Entry> wavelets_;
};

/// An output queue that takes `room` wavelets and forgets nothing.
class WaveletSink : public sc_core::sc_module, private queue::WriteIf {
 public:
  queue::WriteTargetSocket socket{"socket"};
  std::vector<std::uint32_t> payloads;
  std::vector<Cycle> cycles;
  unsigned places = 100;
  explicit WaveletSink(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    socket.bind(static_cast<queue::WriteIf&>(*this));
  }
  void make_room(unsigned more, Cycle due) {
    places += more;
    socket->room_made(due);
  }

 private:
  unsigned room(Cycle) const override { return places; }
  void push(const link::Wavelet& w, Cycle now) override {
    --places;
    payloads.push_back(w.payload);
    cycles.push_back(now);
  }
};

class EventList : public observe::Sink {
 public:
  std::vector<observe::Event> events;
  void on_event(const observe::Event& e) override { events.push_back(e); }
};

/// A tile of clock domain, engine, input queue 1 and output queue 4, if the program declares them; all other queues stay
/// unbound.
struct Tile {
  PeTiming timing = wse3_timing();
  EventList sink;
  timing::ClockDomain domain{"domain", 1176};
  ComputeEngine engine;
  WaveletSource source{"source"};
  WaveletSink out{"out"};
  explicit Tile(const std::string& program)
      : engine("engine", domain, {3, 2}, std::make_shared<const Image>(assembled(program)), timing,
               observe::Probe(&sink, Bench::kPlace)) {
    if (engine.input.find(1) != nullptr) engine.input[1].bind(source.socket);
    if (engine.output.find(4) != nullptr) engine.output[4].bind(out.socket);
  }
};

const std::string kForward = R"(
queue i1 input 1 color=1
queue o4 output 4 color=14
dsd in1 fabin i1 extent=4
dsd out4 fabout o4 extent=4
task main local 8 active
    lddsr s1ds0, in1
    lddsr dds0, out4
    mov32 dds0, s1ds0 async activate=done
    end
task done local 9
    end
)";

TEST(ComputeEngine, HasTheEventsOfItsCore) {
  Tile tile(kForward);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (unsigned i = 0; i < 4; ++i) tile.source.arrive(i, 20 + 3 * i);
  sc_core::sc_start();
  Bench bench(assembled(kForward));
  for (unsigned i = 0; i < 4; ++i) bench.queues.arrive(1, i, 20 + 3 * i);
  bench.run();
  EXPECT_EQ(tile.sink.events, bench.events);
  EXPECT_THAT(tile.out.payloads, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(tile.out.cycles, ElementsAre(20, 23, 26, 29));
}

TEST(ComputeEngine, SleepsWhileNothingIsDue) {
  Tile tile(kForward);
  sc_core::sc_start();
  EXPECT_LT(tile.domain.now(), 20u);
  EXPECT_TRUE(tile.domain.idle());
}

TEST(ComputeEngine, RoomWakesIt) {
  Tile tile(kForward);
  tile.out.places = 1;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (unsigned i = 0; i < 4; ++i) tile.source.arrive(i, 20);
  sc_core::sc_start();
  ASSERT_THAT(tile.out.cycles, ElementsAre(20));
  tile.out.make_room(2, 500);
  sc_core::sc_start();
  EXPECT_THAT(tile.out.cycles, ElementsAre(20, 500, 501));
}

TEST(ComputeEngine, HasSocketsOfTheQueuesThatTheProgramDeclares) {
  Tile tile(kForward);
  for (unsigned q = 0; q < kMaxQueues; ++q) {
    EXPECT_EQ(tile.engine.input.find(q) != nullptr, q == 1) << q;
    EXPECT_EQ(tile.engine.output.find(q) != nullptr, q == 4) << q;
  }
  try {
    tile.engine.output[5].bind(tile.out.socket);
    ADD_FAILURE() << "a queue that the program does not declare has a socket";
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(), "there is no socket output_5");
  }
}

TEST(ComputeEngine, LaunchRunsAtItsCycle) {
  Tile tile(R"(
data v: u32[1]
fn f
    st32 [v], d0
    ret
)");
  tile.engine.launch(*tile.engine.core().image().find_function("f"), {42}, 100);
  sc_core::sc_start();
  EXPECT_EQ(tile.sink.events.at(0).kind, EventKind::kTaskStart);
  EXPECT_EQ(tile.sink.events.at(0).cycle, 100u);
  EXPECT_EQ(tile.engine.core().launches_open(), 0u);
  const Symbol* v = tile.engine.core().image().find_symbol("v");
  EXPECT_EQ(tile.engine.core().sram().read(v->address, 4), 42u);
}

TEST(ComputeEngine, LaunchAfterTheRunStartsInTheNextCycle) {
  Tile tile(R"(
task main local 8 active
    end
fn f
    ret
)");
  sc_core::sc_start();
  const Cycle last = tile.domain.now();
  tile.engine.launch(*tile.engine.core().image().find_function("f"), {}, 0);
  sc_core::sc_start();
  EXPECT_EQ(tile.sink.events.back().a, 64u);
  EXPECT_GT(tile.sink.events.back().cycle, last);
  EXPECT_EQ(tile.engine.core().launches_open(), 0u);
}

TEST(ComputeEngine, IllegalBehaviourEndsTheRunWithAReport) {
  tessera::test::ExpectReport expected(timing::kIllegalBehaviourId);
  Tile tile("task main local 8 active\n    mov32 dds0, 1\n    end\n");
  try {
    sc_core::sc_start();
    FAIL() << "sc_start() returned as if nothing had happened";
  } catch (const sc_core::sc_report& report) {
    EXPECT_THAT(report.get_msg(), HasSubstr("cycle 3: PE (3, 2), test.tasm:2 (task main): a DSR"));
  }
}

}  // namespace
}  // namespace tessera::pe::test
