#include "models/cluster/cluster_core.h"

#include <string>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::cluster {

struct ClusterCore::CoreBlock : timing::Steppable {
  CoreBlock(ClusterCore& owner, CoreId id, observe::Probe probe)
      : machine(owner), core(owner.config_, owner.launch_, id, probe),
        block(owner.scheduler_.add(*this)) {}
  Cycle step(Cycle now) override;
  void wake(Cycle at) { machine.scheduler_.wake(block, at); }

  ClusterCore& machine;
  AiCore core;
  const timing::BlockId block;
};

struct ClusterCore::SyncBlock : timing::Steppable {
  explicit SyncBlock(ClusterCore& owner)
      : machine(owner), unit(owner.config_.core.sync, owner.launch_),
        block(owner.scheduler_.add(*this)) {}
  Cycle step(Cycle now) override {
    const SyncUnitCore::Step& step = unit.step(now);
    for (const SyncUnitCore::Answer& a : step.answers) {
      CoreBlock& core = *machine.cores_[a.answer.request.core.index()];
      core.core.answer(a.answer, a.due);
      core.wake(a.due);
    }
    return step.next;
  }
  ClusterCore& machine;
  SyncUnitCore unit;
  const timing::BlockId block;
};

struct ClusterCore::GmBlock : timing::Steppable {
  explicit GmBlock(ClusterCore& owner)
      : machine(owner), gm(owner.config_.core.cost), block(owner.scheduler_.add(*this)) {}
  Cycle step(Cycle now) override {
    const GmCore::Step& step = gm.step(now);
    for (const GmCore::Answer& a : step.answers) {
      CoreBlock& core = *machine.cores_[a.done.core.index()];
      core.core.done(a.done, a.due);
      core.wake(a.due);
    }
    return step.next;
  }
  ClusterCore& machine;
  GmCore gm;
  const timing::BlockId block;
};

Cycle ClusterCore::CoreBlock::step(Cycle now) {
  const AiCore::Step& step = core.step(now);
  for (const AiCore::Ask& ask : step.asks) {
    machine.sync_->unit.ask(ask.request, ask.due);
    machine.scheduler_.wake(machine.sync_->block, ask.due);
  }
  for (const AiCore::Move& move : step.moves) {
    machine.gm_->gm.start(move.transfer, move.due);
    machine.scheduler_.wake(machine.gm_->block, move.due);
  }
  return step.next;
}

void check_launch(const Launch& launch) {
  if (launch.clusters >= 1 && launch.clusters <= kMaxClusters) return;
  throw UserError("", "clusters",
                  std::to_string(launch.clusters) + ", expected 1.." +
                      std::to_string(kMaxClusters));
}

ClusterCore::ClusterCore(const ClusterConfig& config, const Launch& launch, observe::Sink* sink,
                         ClusterData* data)
    : config_(config), launch_(launch) {
  check_launch(launch);
  cores_.resize(std::size_t{launch.clusters} * 3);
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    const CoreId id{static_cast<std::uint16_t>(i / 3), static_cast<std::uint16_t>(i % 3)};
    if (!launch.has(id)) continue;
    cores_[i] =
        std::make_unique<CoreBlock>(*this, id, observe::Probe(sink, static_cast<std::uint32_t>(i)));
    if (data != nullptr) cores_[i]->core.attach(*data);
  }
  sync_ = std::make_unique<SyncBlock>(*this);
  gm_ = std::make_unique<GmBlock>(*this);
}

ClusterCore::~ClusterCore() = default;

void ClusterCore::launch(CoreId core, std::shared_ptr<const Program> program, Cycle at) {
  CoreBlock& block = *cores_[core.index()];
  block.core.launch(std::move(program), at);
  block.wake(at);
}

void ClusterCore::launch(std::shared_ptr<const Program> aic, std::shared_ptr<const Program> aiv,
                         Cycle at) {
  for (const auto& block : cores_)
    if (block) launch(block->core.id(), block->core.id().is_aic() ? aic : aiv, at);
}

void ClusterCore::watch_hazards() {
  hazards_ = std::make_unique<HazardWatch>(launch_);
  for (const auto& block : cores_)
    if (block) block->core.watch(hazards_->of(block->core.id()));
}

bool ClusterCore::run(Cycle end) {
  while (scheduler_.next_due() < end) {
    now_ = scheduler_.next_due();
    scheduler_.run_cycle(now_);
  }
  return scheduler_.next_due() == kNever;
}

const AiCore* ClusterCore::find(CoreId core) const {
  const bool exists = core.index() < cores_.size() && cores_[core.index()];
  return exists ? &cores_[core.index()]->core : nullptr;
}

const SyncUnitCore& ClusterCore::sync_unit() const {
  return sync_->unit;
}
const GmCore& ClusterCore::gm() const {
  return gm_->gm;
}

}  // namespace tessera::cluster
