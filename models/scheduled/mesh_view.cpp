#include "models/scheduled/mesh_view.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace tessera::scheduled {

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

bool meets(const Schedule& from, const Transfer& out, unsigned branch, const Schedule& to, Port in,
           const Transfer** listener) {
  const auto number = static_cast<Index>(&out - from.transfers.data());
  const std::uint32_t gcd = std::gcd(from.length, to.length);
  for (const Slot& a : from.slots) {
    if (a.transfer != number || a.branch != branch) continue;
    for (const Slot& b : to.slots) {
      const Transfer& t = to.transfers[b.transfer];
      if (b.branch != 0 || !(t.source == End::link(in)) || (a.time + 1) % gcd != b.time % gcd)
        continue;
      *listener = &t;
      return true;
    }
  }
  return false;
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
  const Transfer* listener = nullptr;
  const bool listens = meets(from, transfer, branch, to, opposite(port), &listener);
  std::string text;
  if (listens) {
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
    waits.push_back({node, who, what, false, false});
  }
}

}  // namespace

bool MeshView::finished() const {
  for (NodeId n = 0; n < size(); ++n)
    if (!processor(n).finished()) return false;
  return true;
}

Cycle MeshView::finished_at() const {
  Cycle last = 0;
  for (NodeId n = 0; n < size(); ++n) last = std::max(last, processor(n).finished_at());
  return last;
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
