#include "models/scheduled/mesh_core.h"

#include <algorithm>
#include <numeric>

#include "models/scheduled/collisions.h"
#include "models/scheduled/describe.h"
#include "models/scheduled/validate.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::scheduled {

namespace {

const Program& checked(const Program& program) {
  validate(program);
  if (program.rules.skew == SkewPolicy::kCheck) refuse_collisions(program);
  return program;
}

}  // namespace

Cycle longest_standstill(const Program& program) {
  constexpr Cycle kMost = Cycle{1} << 24;
  Cycle longest = 1;
  const auto meet = [&](const Node& a, const Node& b) {
    for (const Schedule& x : a.schedules)
      for (const Schedule& y : b.schedules)
        longest = std::max<Cycle>(longest, std::lcm<Cycle>(x.length, y.length));
  };
  for (NodeId n = 0; n < program.nodes.size(); ++n) {
    meet(program.nodes[n], program.nodes[n]);
    for (const Port port : {Port::kXPlus, Port::kYPlus, Port::kZPlus}) {
      const NodeId peer = program.topology.neighbour(n, port);
      if (peer != kNone) meet(program.nodes[n], program.nodes[peer]);
    }
  }
  return std::min(kMost, 2 * longest + 2 + program.rules.switch_cost);
}

MeshCore::MeshCore(const Program& program, observe::Sink* sink, WordChecker* checker)
    : program_(checked(program)), barriers_(program), routers_((program.nodes.size() + 63) / 64),
      processors_(routers_.size()), processors_next_(routers_.size()),
      patience_(longest_standstill(program)) {
  const auto count = static_cast<NodeId>(program.nodes.size());
  for (NodeId n = 0; n < count; ++n) {
    nodes_.emplace_back(program, n, barriers_, sink, checker);
    if (!program.nodes[n].turns.empty()) set(processors_next_, n);
  }
  neighbours_.resize(count);
  neighbour_ids_.resize(count);
  for (NodeId n = 0; n < count; ++n) {
    for (unsigned p = 0; p < kPortCount; ++p) {
      const NodeId peer = program.topology.neighbour(n, static_cast<Port>(p));
      neighbour_ids_[n][p] = peer;
      neighbours_[n][p] = peer == kNone ? nullptr : &nodes_[peer];
    }
  }
  barriers_.set_release([this](std::uint32_t extent, Cycle cycle) {
    for (const NodeId member : program_.extents[extent]) timers_.insert(member, cycle);
  });
}

void MeshCore::step_router(NodeId at, Cycle now) {
  RouterCore& router = nodes_[at].router;
  const RouterCore::Step step = router.step(now);
  ++active_;
  bool moved = step.moved;
  for (const RouterCore::Offer& offer : step.offers) {
    const unsigned port = index(offer.port);
    if (!neighbours_[at][port]->router.take(opposite(offer.port), offer.word, offer.parity, now))
      continue;
    router.accepted(offer, now);
    set(routers_, neighbour_ids_[at][port]);
    moved = true;
  }
  if (moved) {
    last_progress_ = now;
    if (step.interface_moved || router.marker_moved()) set(processors_next_, at);
  }
  if (!step.busy) routers_[at / 64] &= ~(std::uint64_t{1} << (at % 64));
}

void MeshCore::step_routers(Cycle now) {
  for (std::size_t w = 0; w < routers_.size(); ++w) {
    for (std::uint64_t bits = routers_[w]; bits != 0; bits &= bits - 1)
      step_router(static_cast<NodeId>(w * 64 + static_cast<unsigned>(__builtin_ctzll(bits))), now);
  }
}

void MeshCore::step_processors(Cycle now) {
  if (timers_.next_due() <= now) {
    timers_.take(now, due_);
    for (const NodeId node : due_) set(processors_, node);
  }
  for (std::size_t w = 0; w < processors_.size(); ++w) {
    std::uint64_t bits = processors_[w];
    processors_[w] = 0;
    for (; bits != 0; bits &= bits - 1) {
      const auto at = static_cast<NodeId>(w * 64 + static_cast<unsigned>(__builtin_ctzll(bits)));
      const ProcessorCore::Result result = nodes_[at].processor.step(now);
      if (result.progress) last_progress_ = now;
      if (result.wrote) set(routers_, at);
      if (result.next == now + 1) {
        set(processors_next_, at);
      } else if (result.next != kNever) {
        timers_.insert(at, result.next);
      }
    }
  }
}

Cycle MeshCore::step(Cycle now) {
  processors_.swap(processors_next_);  // what routers and processors wake now is due next
  step_routers(now);
  step_processors(now);
  now_ = now + 1;
  const auto any = [](const Bits& bits) {
    return std::any_of(bits.begin(), bits.end(), [](std::uint64_t word) { return word != 0; });
  };
  const bool may_move = now - last_progress_ <= patience_ && any(routers_);
  return may_move || any(processors_next_) ? now + 1 : timers_.next_due();
}

MeshCore::Status MeshCore::run(Cycle end) {
  for (Cycle at = now_; at < end;) {
    at = step(at);
    if (at == kNever) return finished() ? Status::kFinished : Status::kDeadlock;
  }
  return Status::kLimit;
}

// --- looking in

bool MeshCore::finished() const {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [](const NodeCore& node) { return node.processor.finished(); });
}

Cycle MeshCore::finished_at() const {
  Cycle last = 0;
  for (const NodeCore& node : nodes_) last = std::max(last, node.processor.finished_at());
  return last;
}

std::uint64_t MeshCore::words_in_network() const {
  std::uint64_t words = 0;
  for (const NodeCore& node : nodes_) {
    words += node.router.words();
    for (const InterfaceQueue& queue : node.interface.inputs) words += queue.size();
  }
  return words;
}

std::uint64_t MeshCore::moves() const {
  std::uint64_t moves = 0;
  for (const NodeCore& node : nodes_) moves += node.router.moves();
  return moves;
}

void MeshCore::describe_waits(observe::Waits& waits) const {
  const auto router = [this](NodeId n) -> const RouterCore& { return nodes_[n].router; };
  for (const NodeCore& node : nodes_) node.processor.describe_waits(waits, now_);
  for (NodeId n = 0; n < nodes_.size(); ++n) describe_words(program_, n, router, waits);
}

}  // namespace tessera::scheduled
