#include "models/scheduled/mesh_core.h"

#include <algorithm>

#include "models/scheduled/standstill.h"
#include "models/scheduled/validate.h"

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

/// Whether it wants to be stepped again.
bool MeshCore::step_router(NodeId at, Cycle now) {
  RouterCore& router = routers_[at];
  const RouterCore::Result result =
      router.step(now, [&](Port port, const slot::Word& word, bool parity) {
        const std::ptrdiff_t stride = strides_[index(port)];  // no link leaves the mesh: validate.h
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
  const auto any = [](const Bits& bits) {
    return std::any_of(bits.begin(), bits.end(), [](std::uint64_t word) { return word != 0; });
  };
  const bool may_move = now - last_progress_ <= patience_ && any(routers_awake_);
  return may_move || any(processors_next_) ? now + 1 : timers_.next_due();
}

MeshCore::Status MeshCore::run(Cycle end) {
  for (Cycle at = now_; at < end;) {
    at = step(at);
    if (at == kNever) return finished() ? Status::kFinished : Status::kDeadlock;
  }
  return Status::kLimit;
}

}  // namespace tessera::scheduled
