#include "models/scheduled/mesh_core.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace tessera::scheduled {

MeshCore::MeshCore(const Program& program, observe::EventStream* events, WordChecker* checker)
    : program_(checked(program)), barriers_(program), interfaces_(program.nodes.size()),
      routers_(program.nodes.size()), processors_(program.nodes.size()),
      routers_awake_((program.nodes.size() + 63) / 64), processors_due_(routers_awake_.size()),
      processors_next_(routers_awake_.size()), patience_(longest_standstill(program)) {
  const auto count = static_cast<NodeId>(program.nodes.size());
  for (NodeId n = 0; n < count; ++n) interfaces_.emplace_back(program.nodes[n], program.rules);
  for (NodeId n = 0; n < count; ++n)
    routers_.emplace_back(program, n, interfaces_[n], events, checker,
                          RouterMemory{&vfsm_memory_, &table_memory_});
  for (NodeId n = 0; n < count; ++n) {
    processors_.emplace_back(program, n, interfaces_[n], routers_[n], barriers_,
                             observe::Probe(events, n));
    if (!program.nodes[n].turns.empty()) set(processors_next_, n);
  }
  const std::ptrdiff_t x = 1, y = program.topology.x, z = y * program.topology.y;
  strides_ = {-x, x, -y, y, -z, z};
  barriers_.set_release([this](std::uint32_t extent, Cycle cycle) {
    for (const NodeId member : program_.extents[extent]) timers_.insert(member, cycle);
  });
}

/// Steps a router; returns whether it wants to be stepped again.
bool MeshCore::step_router(NodeId at, Cycle now) {
  RouterCore& router = routers_[at];
  const RouterCore::Result result =
      router.step(now, [&](Port port, const slot::Word& word, bool parity) {
        const std::ptrdiff_t stride = strides_[index(port)];  // no link leaves the mesh: program.h
        if (!(&router + stride)->take(opposite(port), word, parity, now)) return false;
        set(routers_awake_, static_cast<NodeId>(at + stride));
        return true;
      });
  if (result.moved) {
    last_progress_ = now;
    ++moves_;
  }
  if (result.interface_moved) set(processors_next_, at);
  return result.busy;
}

void MeshCore::step_routers(Cycle now) {
  for (std::size_t w = 0; w < routers_awake_.size(); ++w) {
    // A router that is given a word after it was stepped stays awake: it is busy, or its bit is set
    // again.
    for (std::uint64_t bits = routers_awake_[w]; bits != 0; bits &= bits - 1) {
      const std::uint64_t bit = bits & -bits;
      routers_awake_[w] &= ~bit;
      const auto at = static_cast<NodeId>(w * 64 + static_cast<unsigned>(__builtin_ctzll(bits)));
      if (step_router(at, now)) routers_awake_[w] |= bit;
    }
  }
}

void MeshCore::step_processors(Cycle now) {
  if (timers_.next_due() <= now) {
    timers_.take(now, due_);
    for (const NodeId node : due_) set(processors_due_, node);
  }
  for (std::size_t w = 0; w < processors_due_.size(); ++w) {
    std::uint64_t bits = processors_due_[w];
    processors_due_[w] = 0;
    for (; bits != 0; bits &= bits - 1) {
      const auto at = static_cast<NodeId>(w * 64 + static_cast<unsigned>(__builtin_ctzll(bits)));
      const ProcessorCore::Result result = processors_[at].step(now);
      if (result.progress) last_progress_ = now;
      if (result.wrote) set(routers_awake_, at);
      if (result.next == now + 1) {
        set(processors_next_, at);
      } else if (result.next != kNever) {
        timers_.insert(at, result.next);
      }
    }
  }
}

Cycle MeshCore::step(Cycle now) {
  processors_due_.swap(processors_next_);  // what routers and processors wake now is due next
  step_routers(now);
  step_processors(now);
  now_ = now + 1;
  return next_due();
}

Cycle MeshCore::next_due() const {
  const auto any = [](const Bits& bits) {
    return std::any_of(bits.begin(), bits.end(), [](std::uint64_t word) { return word != 0; });
  };
  const bool may_move = now_ - 1 - last_progress_ <= patience_ && any(routers_awake_);
  return may_move || any(processors_next_) ? now_ : timers_.next_due();
}

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

MeshCore::Status MeshCore::run(Cycle end) {
  for (Cycle at = now_; at < end;) {
    at = step(at);
    if (at == kNever) return finished() ? Status::kFinished : Status::kDeadlock;
  }
  return Status::kLimit;
}

namespace {

const Transfer* transfer_of(const Schedule& schedule, Index vfsm) {
  const auto found = std::find_if(schedule.transfers.begin(), schedule.transfers.end(),
                                  [&](const Transfer& t) { return t.vfsm == vfsm; });
  return found == schedule.transfers.end() ? nullptr : &*found;
}

std::string slots_of(const Schedule& schedule, const Transfer& transfer, unsigned branch) {
  const auto number = static_cast<Index>(&transfer - schedule.transfers.data());
  std::string text;
  for (const Slot& slot : schedule.slots)
    if (slot.transfer == number && slot.branch == branch)
      text += (text.empty() ? "" : ", ") + std::to_string(slot.time);
  return text;
}

/// The streams that `schedule` listens for on `port`, with their slots.
std::string listeners(const Program& program, const Schedule& schedule, Port port) {
  std::string text;
  for (const Transfer& t : schedule.transfers)
    if (t.source == End::link(port))
      text += (text.empty() ? "" : ", ") + stream_name(program, t.stream) + " in slot " +
              slots_of(schedule, t, 0) + " of " + std::to_string(schedule.length);
  return text;
}

/// The transfer of `to` that listens on `in` in a slot in which `branch` of `out` is offered there.
const Transfer* listener_of(const Schedule& from, const Transfer& out, unsigned branch,
                            const Schedule& to, Port in) {
  const auto number = static_cast<Index>(&out - from.transfers.data());
  const std::uint32_t gcd = std::gcd(from.length, to.length);
  for (const Slot& a : from.slots) {
    if (a.transfer != number || a.branch != branch) continue;
    for (const Slot& b : to.slots) {
      const Transfer& t = to.transfers[b.transfer];
      if (b.branch == 0 && t.source == End::link(in) && (a.time + 1) % gcd == b.time % gcd)
        return &t;
    }
  }
  return nullptr;
}

/// Why the neighbour behind `port` does not take the word.
std::string why_refused(const Program& program, NodeId node, const RouterCore& router,
                        const Transfer& transfer, unsigned branch, const MeshView& mesh) {
  const auto port = static_cast<Port>(transfer.branches[branch].index);
  const NodeId peer = program.topology.neighbour(node, port);
  const RouterCore& other = mesh.router(peer);
  const std::string who = node_name(program, peer) + " behind " + to_string(port);
  if (program.nodes[peer].turns.empty()) return who + " runs no schedule";
  const std::string phase = phase_name(program, peer, other.epoch());
  const Schedule& from = program.nodes[node].schedules[router.schedule()];
  const Schedule& to = program.nodes[peer].schedules[other.schedule()];
  std::string text;
  if (const Transfer* listener = listener_of(from, transfer, branch, to, opposite(port))) {
    text = who + " has no room in VFSM " + std::to_string(listener->vfsm) + " in " + phase;
  } else {
    const std::string all = listeners(program, to, opposite(port));
    text = who + " does not listen in that slot in " + phase +
           (all.empty() ? "" : "; it listens there for " + all);
  }
  if (other.epoch() != router.epoch())
    text += "; the phases do not match: " + phase_name(program, node, router.epoch()) + " here, " +
            phase + " there";
  return text;
}

/// A line for every VFSM of `node` that holds words, and why they do.
void describe_words(const Program& program, NodeId node, const MeshView& mesh,
                    observe::Waits& waits) {
  const RouterCore& router = mesh.router(node);
  for (const RouterCore::Held& held : router.held()) {
    const std::string who = node_name(program, node) + ", VFSM " + std::to_string(held.vfsm) +
                            " with word " + std::to_string(held.oldest->sequence) + " of " +
                            stream_name(program, held.oldest->stream) + ", written in " +
                            phase_name(program, node, held.oldest->epoch);
    const Schedule& schedule = program.nodes[node].schedules[router.schedule()];
    const Transfer* transfer = transfer_of(schedule, held.vfsm);
    const std::string here = phase_name(program, node, router.epoch());
    std::string what = "a schedule that runs this VFSM: " + here + " does not";
    if (transfer != nullptr && held.branch < transfer->branches.size()) {
      const End to = transfer->branches[held.branch];
      if (to.kind == End::Kind::kLink)
        what = "slot " + slots_of(schedule, *transfer, held.branch) + " of " +
               std::to_string(schedule.length) + " in " + here + ": " +
               why_refused(program, node, router, *transfer, held.branch, mesh);
      if (to.kind == End::Kind::kInput)
        what = "room in input " + std::to_string(to.index) + ": nobody reads it";
      if (to.kind == End::Kind::kVfsm)
        what = "room in VFSM " + std::to_string(to.index) + " of the node";
    }
    waits.push_back(
        {node, who, what, false, false, std::string::npos, node_name(program, node).size() + 2});
  }
}

}  // namespace

Cycle MeshView::finished_at() const {
  Cycle last = 0;
  for (NodeId n = 0; n < size(); ++n) last = std::max(last, processor(n).finished_at());
  return last;
}

bool MeshView::is_ending() const {
  for (NodeId n = 0; n < size(); ++n)
    if (!processor(n).is_ending()) return false;
  return words_in_network() == 0;
}

std::uint64_t MeshView::words_in_network() const {
  std::uint64_t words = 0;
  for (NodeId n = 0; n < size(); ++n) {
    words += router(n).words();
    for (const InterfaceQueue& queue : interface(n).inputs) words += queue.size();
  }
  return words;
}

void MeshView::describe_waits(const Program& program, observe::Waits& waits, Cycle now) const {
  for (NodeId n = 0; n < size(); ++n) processor(n).describe_waits(waits, now);
  for (NodeId n = 0; n < size(); ++n) describe_words(program, n, *this, waits);
}

}  // namespace tessera::scheduled
