#include "models/cluster/core/ai_core_module.h"

#include <algorithm>

namespace tessera::cluster {

AiCoreModule::AiCoreModule(sc_core::sc_module_name name, timing::ClockDomain& domain,
                           const ClusterConfig& config, const Launch& launch, CoreId core,
                           const Attachments& attached)
    : sc_core::sc_module(name), domain_(domain), block_(domain.add(*this)),
      core_(config, launch, core, attached) {
  sync.bind(static_cast<sync::BackwardIf&>(*this));
  gm.bind(static_cast<transfer::BackwardIf&>(*this));
}

void AiCoreModule::end_of_elaboration() {
  sync::require_bound(sync, to_string(core_.id()) + ", sync");
  transfer::require_bound(gm, to_string(core_.id()) + ", gm");
}

void AiCoreModule::launch(std::shared_ptr<const Program> program, Cycle at) {
  const Cycle start = std::max(at, domain_.next_free_cycle());
  core_.launch(std::move(program), start);
  domain_.wake(block_, start);
}

void AiCoreModule::answer(const sync::Answer& answer, Cycle due) {
  core_.answer(answer, due);
  domain_.wake(block_, due);
}

void AiCoreModule::done(const transfer::Done& done, Cycle due) {
  core_.done(done, due);
  domain_.wake(block_, due);
}

Cycle AiCoreModule::step(Cycle now) {
  const CoreStep& step = core_.step(now);
  for (const CoreStep::Ask& ask : step.asks) sync->ask(ask.request, ask.due);
  for (const CoreStep::Move& move : step.moves) gm->start(move.transfer, move.due);
  return step.next;
}

}  // namespace tessera::cluster
