// A scheduled mesh of modules and in one module: the same events in the same cycles, in any order
// of steps. One TEST a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/observe/event_stream.h"
#include "models/scheduled/mesh.h"
#include "tests/models/scheduled/programs.h"
#include "tests/support/sc_reports.h"
#include "tlm_ifaces/slot/slot_kit.h"

namespace tessera::scheduled::test {
namespace {

using testing::HasSubstr;

struct Outcome {
  std::string digest;
  bool finished = false;
  std::uint64_t words = 0;
  std::uint64_t findings = 0;
  std::string waits;
};

template <class View>
Outcome outcome_of(const View& view, const Program& program, const observe::EventStream& events,
                   const WordChecker& checker) {
  Outcome o;
  o.digest = events.digest().hex();
  o.finished = view.finished();
  o.words = view.words_in_network();
  o.findings = checker.total();
  observe::Waits waits;
  view.describe_waits(program, waits, 1000000);
  for (const observe::Wait& wait : waits) o.waits += wait.who + wait.what + "\n";
  return o;
}

/// One program in modules or in one module, in a clock domain of its own.
struct Machine {
  Machine(const std::string& name, const Program& p, bool modules, std::uint64_t shuffle)
      : program(p), domain((name + "_clock").c_str(), 1000), events(8, 1, false), checker(program) {
    if (shuffle != 0) domain.shuffle_step_order(shuffle);
    if (modules)
      nodes = std::make_unique<NodeMesh>(name.c_str(), domain, program, &events, &checker);
    else
      mesh = std::make_unique<Mesh>(name.c_str(), domain, program, &events, &checker);
  }
  Outcome outcome() const {
    return nodes ? outcome_of<MeshView>(*nodes, program, events, checker)
                 : outcome_of<MeshView>(mesh->core(), program, events, checker);
  }
  Program program;
  timing::ClockDomain domain;
  observe::EventStream events;
  WordChecker checker;
  std::unique_ptr<NodeMesh> nodes;
  std::unique_ptr<Mesh> mesh;
};

TEST(scheduled_module, structures_and_step_orders_give_the_same_events) {
  constexpr unsigned kPrograms = 60;
  RandomPrograms random(20240817);
  std::vector<std::unique_ptr<Machine>> machines;
  for (unsigned i = 0; i < kPrograms; ++i) {
    const Program program = random.draw();
    const std::string name = "m" + std::to_string(i);
    machines.push_back(std::make_unique<Machine>(name + "_dense", program, false, 0));
    machines.push_back(std::make_unique<Machine>(name + "_modules", program, true, 0));
    machines.push_back(std::make_unique<Machine>(name + "_shuffled", program, true, i + 1));
  }
  sc_core::sc_start();
  unsigned finished = 0, stuck = 0, with_findings = 0, busy = 0;
  for (unsigned i = 0; i < kPrograms; ++i) {
    const Outcome dense = machines[3 * i]->outcome();
    for (unsigned other = 1; other < 3; ++other) {
      const Outcome modules = machines[3 * i + other]->outcome();
      EXPECT_EQ(modules.digest, dense.digest) << "program " << i;
      EXPECT_EQ(modules.finished, dense.finished);
      EXPECT_EQ(modules.words, dense.words);
      EXPECT_EQ(modules.findings, dense.findings);
      EXPECT_EQ(modules.waits, dense.waits);
    }
    ++(dense.finished ? finished : stuck);
    with_findings += dense.findings != 0;
    busy += dense.digest != std::string(16, '0');
  }
  // The programs are of all sorts.
  EXPECT_GE(finished, 10U);
  EXPECT_GE(stuck, 10U);
  EXPECT_GE(with_findings, 10U);
  EXPECT_GE(busy, 50U);
}

/// Two nodes with software routers; node 0 forwards the last of its messages after its only task,
/// which just hands them over, has returned. Interruptions of it before, in and after that time.
Program late_interrupts(Cycle at) {
  Builder b(2);
  const Index in = b.schedule(4);
  for (NodeId n = 0; n < 2; ++n) {
    const StreamId s = b.stream("link", n, true);
    const auto [out, input] = b.chain(in, s, {n, 1 - n}, {2 * n});
    OnlineRouter& here = b.program.nodes[n].online;
    here.enabled = true;
    here.outputs[index(Builder::towards(n, 1 - n))] = out;
    here.streams[index(Builder::towards(n, 1 - n))] = s;
    b.program.nodes[1 - n].online.inputs[index(Builder::towards(1 - n, n))] = input;
  }
  Step message;
  message.kind = Step::Kind::kSend;
  message.peer = 1;
  message.words = 10;
  b.turn(0, in, {task("send", 0, {block(3, {message})})});
  message.kind = Step::Kind::kReceive;
  b.turn(1, in, {task("receive", 0, {block(3, {message})})});
  b.program.nodes[0].interrupts = {{at, 7}, {at + 3, 40}, {at + 100, 1}};
  return b.program;
}

TEST(scheduled_module, interrupts_of_a_finished_node_count_from_their_own_time) {
  constexpr Cycle kStep = 7, kLast = 400;
  std::vector<std::unique_ptr<Machine>> machines;
  for (Cycle at = 0; at < kLast; at += kStep) {
    const Program program = late_interrupts(at);
    const std::string name = "i" + std::to_string(at);
    machines.push_back(std::make_unique<Machine>(name + "_dense", program, false, 0));
    machines.push_back(std::make_unique<Machine>(name + "_modules", program, true, 0));
  }
  sc_core::sc_start();
  for (std::size_t i = 0; i < machines.size(); i += 2) {
    EXPECT_TRUE(machines[i]->outcome().finished);
    EXPECT_EQ(machines[i]->outcome().digest, machines[i + 1]->outcome().digest) << i / 2 * kStep;
  }
}

TEST(scheduled_module, link_that_a_schedule_uses_must_be_bound) {
  Builder b(2);
  const Index in = b.schedule(4);
  b.chain(in, b.stream("s", 0), {0, 1}, {0});
  for (NodeId n = 0; n < 2; ++n) b.turn(n, in, {});
  timing::ClockDomain domain("clock", 1000);
  Barriers barriers(b.program);
  Standstill standstill(100);
  NodeModule alone("alone", domain, b.program, 0, barriers, standstill, nullptr, nullptr);
  const ::tessera::test::ExpectReport expected(slot::kUnboundId);
  try {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    FAIL() << "nothing was reported";
  } catch (const sc_core::sc_report& report) {
    EXPECT_THAT(report.get_msg(), HasSubstr("node 0, +x output is not bound"));
  }
}

/// Two nodes bound by hand.
struct ByHand {
  ByHand() : b(2), barriers(b.program), standstill(100), domain("clock", 1000) {
    const Index in = b.schedule(4);
    s = b.stream("s", 0);
    b.chain(in, s, {0, 1}, {0});
    b.turn(0, in, {task("w", 0, {block(6, {write(0, s)})})});
    b.turn(1, in, {task("r", 20, {block(6, {read(0, s)})})});
    standstill.set_wake([this](NodeId node, Cycle cycle) { nodes[node]->wake(cycle); });
    for (NodeId n = 0; n < 2; ++n)
      nodes.push_back(std::make_unique<NodeModule>(("node" + std::to_string(n)).c_str(), domain,
                                                   b.program, n, barriers, standstill, nullptr,
                                                   nullptr));
  }
  Builder b;
  StreamId s;
  Barriers barriers;
  Standstill standstill;
  timing::ClockDomain domain;
  std::vector<std::unique_ptr<NodeModule>> nodes;
};

TEST(scheduled_module, a_tap_shows_offers_and_changes_nothing) {
  ByHand hand;
  slot::Tap tap("tap");
  std::vector<std::string> offers;
  tap.on_offer([&](const slot::Word& word, bool accepted, Cycle now) {
    offers.push_back(std::to_string(now) + ":" + std::to_string(word.sequence) +
                     (accepted ? "" : " refused"));
  });
  hand.nodes[0]->out[index(Port::kXPlus)].bind(tap.in);
  tap.out.bind(hand.nodes[1]->in[index(Port::kXMinus)]);
  sc_core::sc_start();
  // Two words fit into the queue of node 1, one into its VFSM, until it reads from 20 on.
  EXPECT_THAT(offers, testing::ElementsAre("5:0", "9:1", "13:2", "17:3 refused", "21:3 refused",
                                           "25:3", "29:4", "33:5"));
  EXPECT_TRUE(hand.nodes[1]->core().processor.finished());
}

/// As NodeMesh, with a checker on every link.
struct CheckedMesh {
  CheckedMesh(const std::string& name, const Program& p)
      : program(p), barriers(program), standstill(longest_standstill(program)),
        domain((name + "_clock").c_str(), 1000), events(8, 1, false), words(program) {
    for (NodeId n = 0; n < program.nodes.size(); ++n)
      nodes.push_back(std::make_unique<NodeModule>((name + "_" + std::to_string(n)).c_str(), domain,
                                                   program, n, barriers, standstill, &events,
                                                   &words));
    for (NodeId n = 0; n < program.nodes.size(); ++n)
      for (unsigned port = 0; port < kPortCount; ++port) bind(name, n, static_cast<Port>(port));
    barriers.set_release([this](std::uint32_t extent, Cycle cycle) {
      for (const NodeId member : program.extents[extent]) nodes[member]->wake(cycle);
    });
    standstill.set_wake([this](NodeId node, Cycle cycle) { nodes[node]->wake(cycle); });
  }
  void bind(const std::string& name, NodeId n, Port port) {
    const NodeId peer = program.topology.neighbour(n, port);
    if (peer == kNone) return;
    links.push_back(std::make_unique<slot::Checker>(
        (name + "_link" + std::to_string(links.size())).c_str(), [this] { return domain.now(); }));
    nodes[n]->out[index(port)].bind(links.back()->in);
    links.back()->out.bind(nodes[peer]->in[index(opposite(port))]);
  }
  Program program;
  Barriers barriers;
  Standstill standstill;
  timing::ClockDomain domain;
  observe::EventStream events;
  WordChecker words;
  std::vector<std::unique_ptr<NodeModule>> nodes;
  std::vector<std::unique_ptr<slot::Checker>> links;
};

TEST(scheduled_module, nodes_keep_the_rules_of_the_slot_protocol) {
  constexpr unsigned kPrograms = 60;
  RandomPrograms random(20240818);
  std::vector<std::unique_ptr<Machine>> plain;
  std::vector<std::unique_ptr<CheckedMesh>> checked;
  for (unsigned i = 0; i < kPrograms; ++i) {
    const Program program = random.draw();
    plain.push_back(std::make_unique<Machine>("p" + std::to_string(i), program, true, 0));
    checked.push_back(std::make_unique<CheckedMesh>("c" + std::to_string(i), program));
  }
  sc_core::sc_start();
  std::uint64_t words = 0;
  for (unsigned i = 0; i < kPrograms; ++i) {
    EXPECT_EQ(checked[i]->events.digest().hex(), plain[i]->outcome().digest) << "program " << i;
    for (const auto& link : checked[i]->links) words += link->words();
  }
  EXPECT_GT(words, 1000U);
}

TEST(scheduled_module, a_stub_accepts_nothing_and_the_nodes_go_to_sleep) {
  ByHand hand;
  slot::Stub right("right"), left("left");
  hand.nodes[0]->out[index(Port::kXPlus)].bind(right.in);
  left.out.bind(hand.nodes[1]->in[index(Port::kXMinus)]);
  sc_core::sc_start();
  EXPECT_EQ(hand.nodes[0]->core().processor.words_written(), 3U);
  EXPECT_EQ(hand.nodes[0]->core().router.words(), 3U);
  EXPECT_FALSE(hand.nodes[1]->core().processor.finished());
  EXPECT_LT(hand.domain.now(), 200U);
}

}  // namespace
}  // namespace tessera::scheduled::test
