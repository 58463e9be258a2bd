// Programs of a scheduled mesh drawn from a seed, for comparing structures: streams and trees at
// random slots, several phases, loops of them, skews, barriers, interrupts. They need not make
// sense: words may be stranded, misrouted and stuck.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/support/scheduled_builder.h"

namespace tessera::scheduled::test {

class RandomPrograms {
 public:
  explicit RandomPrograms(std::uint64_t seed) : random_(seed) {}

  Program draw() {
    const unsigned nodes = pick(2, 8);
    Builder b(nodes);
    Rules& rules = b.program.rules;
    rules.vfsm_buffer = pick(1, 3);
    rules.output_depth = pick(1, 3);
    rules.input_depth = pick(1, 3);
    rules.io_per_cycle = pick(1, 2);
    rules.vfsms_per_cycle = pick(1, 2);
    rules.switch_cost = pick(0, 1) * pick(0, 9);
    rules.load_cycles = pick(0, 1) * pick(0, 40);
    rules.skew = static_cast<SkewPolicy>(pick(0, 1) != 0 ? 0 : pick(2, 3));
    rules.slot_clock = pick(0, 9) == 0 ? SlotClock::kSinceSwitch : SlotClock::kGlobal;
    std::vector<NodeId> all;
    for (NodeId n = 0; n < nodes; ++n) all.push_back(n);
    b.program.extents = {all};
    const unsigned phases = pick(1, 3);
    for (unsigned p = 0; p < phases; ++p) add_phase(b, p);
    rules.schedule_memory = pick(2, 3);
    rules.suspend_interrupts = pick(0, 3) != 0;
    const unsigned rounds = pick(0, 1) * pick(1, 2);
    for (Node& node : b.program.nodes) {
      for (unsigned i = 0; i < rounds * phases; ++i)
        node.turns.push_back({static_cast<Index>(i % phases), phases + i});
      Cycle at = 0;
      for (unsigned i = pick(0, 1) * pick(0, 4); i > 0; --i) {
        at += pick(0, 120);
        node.interrupts.push_back({at, pick(1, 80)});
      }
    }
    return b.program;
  }

 private:
  unsigned pick(unsigned low, unsigned high) {
    return std::uniform_int_distribution<unsigned>(low, high)(random_);
  }

  /// Chains between random nodes at slots that are free; every end has a task.
  void add_phase(Builder& b, unsigned number) {
    const unsigned nodes = static_cast<unsigned>(b.program.nodes.size());
    const unsigned length = pick(3, 12);
    const Index in = b.schedule(length, "s" + std::to_string(number));
    std::vector<std::vector<Task>> tasks(nodes);
    const unsigned streams = pick(1, 4);
    for (unsigned i = 0; i < streams; ++i) {
      const NodeId from = pick(0, nodes - 1), to = pick(0, nodes - 1);
      if (from == to) continue;
      std::vector<NodeId> path;
      for (NodeId n = from; n != to; n = n < to ? n + 1 : n - 1) path.push_back(n);
      path.push_back(to);
      const auto slot = free_slot(b, in, path, length);
      if (slot == length) continue;
      const StreamId s =
          b.stream("s" + std::to_string(number) + "_" + std::to_string(i), from, pick(0, 4) == 0);
      Index out = b.output(from), input = b.input(to);
      // Now and then addresses and VFSMs that another stream has too.
      if (pick(0, 3) == 0) out = 0;
      if (pick(0, 3) == 0) input = 0;
      b.chain(in, s, path, {slot}, out, input, vfsms(b, in, path));
      const unsigned words = pick(1, 20);
      tasks[from].push_back(
          task("w" + std::to_string(i), pick(0, 60), {block(words, {write(out, s)})}));
      tasks[to].push_back(
          task("r" + std::to_string(i), pick(0, 60), {block(words, {read(input, s, pick(1, 4))})}));
    }
    for (NodeId n = 0; n < nodes; ++n) {
      for (Task& t : tasks[n]) {
        t.technique = static_cast<Technique>(pick(0, 1) != 0 ? 0 : pick(0, 4));
        t.delay = pick(0, 30);
      }
      NodePhase& phase = b.turn(n, in, std::move(tasks[n]), number);
      phase.delay = pick(0, 20);
      phase.not_before = pick(0, 1) * pick(0, 200);
      // A barrier must have all nodes: all or none.
      for (Task& t : phase.tasks)
        if (t.technique == Technique::kBarrier) t.technique = Technique::kReturn;
      phase.barrier = number == 1;
    }
  }

  bool is_free(const Builder& b, Index in, NodeId node, unsigned time) const {
    const std::vector<Slot>& slots = b.program.nodes[node].schedules[in].slots;
    return std::none_of(slots.begin(), slots.end(),
                        [&](const Slot& slot) { return slot.time == time; });
  }
  unsigned free_slot(const Builder& b, Index in, const std::vector<NodeId>& path, unsigned length) {
    const unsigned first = pick(0, length - 1);
    for (unsigned i = 0; i < length; ++i) {
      const unsigned slot = (first + i) % length;
      bool fits = true;
      for (std::size_t k = 0; k < path.size(); ++k)
        fits = fits && is_free(b, in, path[k], (slot + static_cast<unsigned>(k)) % length);
      if (fits) return slot;
    }
    return length;
  }
  /// VFSMs of earlier phases are used again where this one has not taken them.
  std::vector<Index> vfsms(Builder& b, Index in, const std::vector<NodeId>& path) {
    std::vector<Index> all;
    for (const NodeId n : path) {
      const Schedule& schedule = b.program.nodes[n].schedules[in];
      Index chosen = 0;
      while (chosen < b.program.nodes[n].vfsms.size() &&
             std::any_of(schedule.transfers.begin(), schedule.transfers.end(),
                         [&](const Transfer& t) { return t.vfsm == chosen; }))
        ++chosen;
      all.push_back(chosen < b.program.nodes[n].vfsms.size() ? chosen : b.vfsm(n));
    }
    return all;
  }

  std::mt19937_64 random_;
};

}  // namespace tessera::scheduled::test
