#include "models/cluster/cluster_core.h"

#include <utility>

#include "models/state/archive.h"

namespace tessera::cluster {

struct ClusterCore::CoreBlock : timing::Steppable {
  CoreBlock(ClusterCore& owner, CoreId id, const Attachments& attached)
      : machine(owner), core(owner.config_, owner.launch_, id, attached),
        block(owner.scheduler_.add(*this)) {}
  Cycle step(Cycle now) override;
  void wake(Cycle at) { machine.scheduler_.wake(block, at); }

  ClusterCore& machine;
  AiCore core;
  const timing::BlockId block;
};

/// The sync unit or GM.
template <class Unit>
struct ClusterCore::UnitBlock : timing::Steppable {
  template <class... Parameters>
  explicit UnitBlock(ClusterCore& owner, const Parameters&... parameters)
      : machine(owner), unit(parameters...), block(owner.scheduler_.add(*this)) {}
  Cycle step(Cycle now) override {
    const typename Unit::Step& step = unit.step(now);
    for (const auto& answer : step.answers) machine.deliver(answer.item, answer.due);
    return step.next;
  }

  ClusterCore& machine;
  Unit unit;
  const timing::BlockId block;
};

Cycle ClusterCore::CoreBlock::step(Cycle now) {
  const CoreStep& step = core.step(now);
  for (const auto& ask : step.asks) {
    UnitBlock<SyncUnitCore>& sync = *machine.sync_[machine.launch_.device_of(core.id())];
    sync.unit.ask(ask.item, ask.due);
    machine.scheduler_.wake(sync.block, ask.due);
  }
  for (const auto& move : step.moves) {
    UnitBlock<GmCore>& gm = *machine.gm_[move.item.device];
    gm.unit.start(move.item, move.due);
    machine.scheduler_.wake(gm.block, move.due);
  }
  return step.next;
}

void ClusterCore::deliver(const sync::Answer& answer, Cycle due) {
  CoreBlock& block = *cores_[answer.request.core.index()];
  block.core.answer(answer, due);
  block.wake(due);
}

void ClusterCore::deliver(const transfer::Done& done, Cycle due) {
  CoreBlock& block = *cores_[done.core.index()];
  block.core.done(done, due);
  block.wake(due);
}

ClusterCore::ClusterCore(const ClusterConfig& config, const Launch& launch,
                         const Attachments& attached)
    : config_(config), launch_(launch) {
  check_launch(launch);
  cores_.resize(launch.places());
  for (std::size_t i = 0; i < cores_.size(); ++i)
    if (launch.has(CoreId::at(i)))
      cores_[i] = std::make_unique<CoreBlock>(*this, CoreId::at(i), attached);
  for (unsigned d = 0; d < launch_.devices; ++d) {
    sync_.push_back(
        std::make_unique<UnitBlock<SyncUnitCore>>(*this, config_.core.sync, launch_, d));
    gm_.push_back(std::make_unique<UnitBlock<GmCore>>(*this, config_.core.cost));
  }
}

ClusterCore::~ClusterCore() = default;

void ClusterCore::launch(CoreId core, std::shared_ptr<const Program> program, Cycle at) {
  CoreBlock& block = *cores_[core.index()];
  block.core.launch(std::move(program), at);
  block.wake(at);
}

void ClusterCore::launch(const std::shared_ptr<const Program>& aic,
                         const std::shared_ptr<const Program>& aiv, Cycle at) {
  for (const auto& block : cores_)
    if (block) launch(block->core.id(), block->core.id().is_aic() ? aic : aiv, at);
}

Cycle ClusterCore::step(Cycle now) {
  if (scheduler_.next_due() <= now) {
    now_ = now;
    scheduler_.run_cycle(now);
  }
  return scheduler_.next_due();
}

bool ClusterCore::run(Cycle end) {
  Cycle next = scheduler_.next_due();
  while (next < end) next = step(next);
  return next == kNever;
}

const AiCore* ClusterCore::find(CoreId core) const {
  const bool exists = core.index() < cores_.size() && cores_[core.index()];
  return exists ? &cores_[core.index()]->core : nullptr;
}

const SyncUnitCore& ClusterCore::sync_unit_of(unsigned device) const {
  return sync_[device]->unit;
}
const GmCore& ClusterCore::gm_of(unsigned device) const {
  return gm_[device]->unit;
}

void ClusterCore::visit(state::Archive& archive, Cycle next) {
  for (const auto& block : cores_)
    if (block) archive(block->core);
  for (std::size_t d = 0; d < sync_.size(); ++d) archive(sync_[d]->unit, gm_[d]->unit);
  scheduler_.visit(archive, next);
  if (archive.loading()) now_ = next == 0 ? 0 : next - 1;
}

}  // namespace tessera::cluster
