#include "platforms/numesh/machine.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "models/state/archive.h"

namespace tessera::numesh {

Machine::Machine(const std::string& structure, unsigned clock_period_ps,
                 const scheduled::Program& program, observe::EventStream& events,
                 scheduled::WordChecker& checker, scheduled::Start start)
    : dense_(structure == "auto" ? program.nodes.size() > kAutoModuleNodes : structure == "dense"),
      start_(start), events_(events), checker_(checker), domain_("clock", clock_period_ps),
      started_(start == scheduled::Start::kAtOnce) {
  if (dense_) {
    mesh_ = std::make_unique<scheduled::Mesh>("mesh", domain_, program, &events, &checker, start);
    view_ = &mesh_->core();
  } else {
    nodes_ =
        std::make_unique<scheduled::NodeMesh>("mesh", domain_, program, &events, &checker, start);
    view_ = nodes_.get();
  }
}

Machine::~Machine() = default;

std::vector<std::uint32_t>& Machine::memory(scheduled::NodeId node) {
  return dense_ ? mesh_->memory(node) : nodes_->memory(node);
}

void Machine::set_end(scheduled::Barriers::End end) {
  dense_ ? mesh_->set_end(std::move(end)) : nodes_->set_end(std::move(end));
}

void Machine::renew(bool keep_memory) {
  checker_.reset();
  dense_ ? mesh_->renew(keep_memory) : nodes_->renew(keep_memory);
}

void Machine::start(Cycle at) {
  if (started_) renew(true);
  started_ = true;
  start_cycle_ = std::max(at, domain_.next_free_cycle());
  dense_ ? mesh_->start(start_cycle_) : nodes_->start(start_cycle_);
}

void Machine::reset(bool keep_memory) {
  domain_.reset();
  events_.on_reset(domain_.origin());
  renew(keep_memory);
  started_ = false;
  if (start_ == scheduled::Start::kAtOnce) start(0);
}

void Machine::visit(state::Archive& archive, Cycle next) {
  const bool began_at_once = start_ == scheduled::Start::kAtOnce;
  archive.same(began_at_once ? 1 : 0, "the number of meshes that start by themselves");
  if (!began_at_once) archive(started_, start_cycle_);
  if (!started_) return visit_memories(archive, next);
  if (archive.loading() && !began_at_once)
    dense_ ? mesh_->start(start_cycle_) : nodes_->start(start_cycle_);
  dense_ ? mesh_->visit(archive, next) : nodes_->visit(archive, next);
}

// Nothing else has changed before the first launch.
void Machine::visit_memories(state::Archive& archive, Cycle next) {
  for (scheduled::NodeId node = 0; node < view_->size(); ++node) {
    const std::size_t words = memory(node).size();
    archive(memory(node));
    if (memory(node).size() != words) state::Archive::fail("a memory has another size");
  }
  if (archive.loading()) domain_.go_on_at(next);
}

}  // namespace tessera::numesh
