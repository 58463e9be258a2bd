#include "models/scheduled/mesh.h"

#include <algorithm>
#include <string>

#include "models/scheduled/word_checker.h"
#include "models/state/archive.h"

namespace tessera::scheduled {

namespace {

constexpr std::array<const char*, kPortCount> kPortNames = {"xminus", "xplus",  "yminus",
                                                            "yplus",  "zminus", "zplus"};

bool uses(const Node& node, Port port, bool output) {
  const auto leads = [&](End end) { return end == End::link(port); };
  for (const Schedule& schedule : node.schedules)
    for (const Transfer& t : schedule.transfers)
      if (output ? std::any_of(t.branches.begin(), t.branches.end(), leads) : leads(t.source))
        return true;
  return false;
}

/// Cycle `at` of the domain in the count of a program that began in `origin`; 0 before that.
Cycle since_origin(Cycle at, Cycle origin) {
  return at - std::min(at, origin);
}

}  // namespace

NodeModule::NodeModule(sc_core::sc_module_name name, timing::ClockDomain& domain,
                       const Program& program, NodeId at, Barriers& barriers,
                       Standstill& standstill, observe::EventStream* events, WordChecker* checker,
                       Start start)
    : sc_core::sc_module(name), domain_(domain), block_(domain.add(*this)), program_(program),
      at_(at), barriers_(barriers), standstill_(standstill), events_(events), checker_(checker),
      start_(start) {
  core_.emplace(program, at, barriers, events, checker);
  in.init(kPortCount, [](const char*, std::size_t i) {
    return new slot::TargetSocket((std::string(kPortNames[i]) + "_in").c_str());
  });
  out.init(kPortCount, [](const char*, std::size_t i) {
    return new slot::InitiatorSocket((std::string(kPortNames[i]) + "_out").c_str());
  });
  for (unsigned p = 0; p < kPortCount; ++p) {
    ports_[p].node = this;
    ports_[p].port = static_cast<Port>(p);
    in[p].bind(static_cast<slot::ForwardIf&>(ports_[p]));
    out[p].bind(static_cast<slot::BackwardIf&>(ports_[p]));
  }
}

void NodeModule::end_of_elaboration() {
  const Node& node = program_.nodes[at_];
  for (unsigned p = 0; p < kPortCount; ++p) {
    const auto port = static_cast<Port>(p);
    const std::string where = node_name(program_, at_) + ", " + to_string(port);
    if (uses(node, port, true)) slot::require_bound(out[p], where + " output");
    if (uses(node, port, false)) slot::require_bound(in[p], where + " input");
  }
}

void NodeModule::start_of_simulation() {
  for (unsigned p = 0; p < kPortCount; ++p)
    if (out[p].size() > 0) receivers_[p] = out[p][0];
  if (start_ == Start::kAtOnce) start(0);
}

void NodeModule::renew(bool keep_memory) {
  std::vector<std::uint32_t> kept = std::move(memory());
  core_.emplace(program_, at_, barriers_, events_, checker_);
  if (keep_memory) memory() = std::move(kept);
}

void NodeModule::start(Cycle origin) {
  origin_ = origin;
  if (!program_.nodes[at_].turns.empty()) wake(0);
}

bool NodeModule::PortSide::offer(const slot::Word& word, bool parity, Cycle now) {
  if (!node->core_->router.take(port, word, parity, now)) return false;
  node->wake(now + 1);
  return true;
}

Cycle NodeModule::step(Cycle cycle) {
  if (cycle < origin_) return origin_;  // a wake-up of the run before
  const Cycle now = cycle - origin_;
  const RouterCore::Result router =
      core_->router.step(now, [&](Port port, const slot::Word& word, bool parity) {
        return receivers_[index(port)]->offer(word, parity, now);
      });
  const ProcessorCore::Result processor = core_->processor.step(now);
  if (router.moved || processor.progress) standstill_.progress(now);
  if (router.interface_moved || processor.wrote) return cycle + 1;
  if (router.busy && !standstill_.may_sleep(at_, now)) return cycle + 1;
  return processor.next == kNever ? kNever : processor.next + origin_;
}

NodeMesh::NodeMesh(sc_core::sc_module_name name, timing::ClockDomain& domain,
                   const Program& program, observe::EventStream* events, WordChecker* checker,
                   Start start)
    : sc_core::sc_module(name), domain_(domain), start_(start), barriers_(checked(program)),
      standstill_(longest_standstill(program)) {
  nodes_.init(program.nodes.size(), [&](const char* node_name, std::size_t n) {
    return new NodeModule(node_name, domain, program, static_cast<NodeId>(n), barriers_,
                          standstill_, events, checker, start);
  });
  for (NodeId n = 0; n < program.nodes.size(); ++n) {
    for (unsigned p = 0; p < kPortCount; ++p) {
      const auto port = static_cast<Port>(p);
      const NodeId peer = program.topology.neighbour(n, port);
      if (peer != kNone) nodes_[n].out[p].bind(nodes_[peer].in[index(opposite(port))]);
    }
  }
  barriers_.set_release([this, &program](std::uint32_t extent, Cycle cycle) {
    for (const NodeId member : program.extents[extent]) nodes_[member].wake(cycle);
  });
  standstill_.set_wake([this](NodeId node, Cycle cycle) { nodes_[node].wake(cycle); });
}

void NodeMesh::renew(bool keep_memory) {
  barriers_.reset();
  standstill_.reset();
  for (NodeModule& node : nodes_) node.renew(keep_memory);
}

void NodeMesh::start(Cycle origin) {
  origin_ = origin;
  for (NodeModule& node : nodes_) node.start(origin);
}

void Mesh::make_core() {
  core_.emplace(program_, events_, checker_);
  core_->set_end([this](Cycle cycle) {
    if (end_) end_(cycle + origin_);
  });
}

void Mesh::renew(bool keep_memory) {
  std::vector<std::vector<std::uint32_t>> kept;
  for (NodeId node = 0; keep_memory && node < program_.nodes.size(); ++node)
    kept.push_back(std::move(memory(node)));
  make_core();
  for (NodeId node = 0; node < kept.size(); ++node) memory(node) = std::move(kept[node]);
}

// --- checkpoints: state.cpp

void Mesh::visit(state::Archive& archive, Cycle next) {
  core_->visit(archive, since_origin(next, origin_));
  if (archive.saving()) return;
  domain_.go_on_at(next);
  const Cycle due = core_->next_due();
  if (due != kNever) domain_.wake(block_, due + origin_);
}

void NodeModule::visit(state::Archive& archive) {
  archive(core_->interface, core_->router, core_->processor);
}

/// Of nodes; the domain has no other blocks.
std::vector<std::pair<Cycle, NodeId>> NodeMesh::wake_ups() const {
  const timing::BlockId first = nodes_[0].block();
  std::vector<std::pair<Cycle, NodeId>> due;
  for (const auto& [at, block] : domain_.wake_ups()) {
    if (block < first || block - first >= size())
      state::Archive::fail("the mesh shares its clock with others");
    due.emplace_back(since_origin(at, origin_), static_cast<NodeId>(block - first));
  }
  std::sort(due.begin(), due.end());
  due.erase(std::unique(due.begin(), due.end()), due.end());
  return due;
}

// As MeshCore::visit: either can go on with the state of the other.
void NodeMesh::visit(state::Archive& archive, Cycle next) {
  archive.same(size(), "the number of nodes");
  archive(barriers_);
  for (NodeModule& node : nodes_) node.visit(archive);
  Cycle last = standstill_.last();
  std::vector<std::pair<Cycle, NodeId>> due;
  if (archive.saving()) due = wake_ups();
  archive(last, due);
  if (archive.saving()) return;
  domain_.go_on_at(next);
  const Cycle from = since_origin(next, origin_);
  for (const auto& [at, node] : due) {
    if (at < from || node >= size()) state::Archive::fail("it wakes what is not there");
    nodes_[node].wake(at);
  }
  standstill_.go_on(last, from, static_cast<NodeId>(size()),
                    [this](NodeId node) { return router(node).is_awake(); });
}

}  // namespace tessera::scheduled
