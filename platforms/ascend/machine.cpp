#include "platforms/ascend/machine.h"

#include "models/cluster/cluster.h"
#include "models/cluster/modular_cluster.h"
#include "models/state/archive.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::ascend {

Machine::Machine(const std::string& structure, const cluster::ClusterConfig& config,
                 const cluster::Launch& launch, const cluster::Attachments& attached)
    : config_(config), launch_(launch), attached_(attached),
      domain_("clock", config.clock_period_ps()) {
  if (structure == "modules" && launch.devices > 1)
    throw UserError("", "--structure modules",
                    "several devices (launch.devices) are there with --structure dense only");
  if (structure == "modules") {
    modules_ =
        std::make_unique<cluster::ModularCluster>("cluster", domain_, config, launch, attached);
    view_ = modules_.get();
  } else {
    dense_ = std::make_unique<cluster::Cluster>("cluster", domain_, config, launch, attached);
    view_ = &dense_->core();
  }
}

Machine::~Machine() = default;

void Machine::reset() {
  domain_.reset();
  if (attached_.sink != nullptr) attached_.sink->on_reset(domain_.origin());
  if (modules_) return modules_->reset(config_, launch_, attached_);
  dense_->reset(config_, launch_, attached_);
  if (shuffle_seed_) dense_->shuffle_step_order(*shuffle_seed_);
}

void Machine::shuffle_step_order(std::uint64_t seed) {
  shuffle_seed_ = seed;
  domain_.shuffle_step_order(seed);
  if (dense_) dense_->shuffle_step_order(seed);
}

void Machine::launch(const std::shared_ptr<const cluster::Program>& aic,
                     const std::shared_ptr<const cluster::Program>& aiv, Cycle at) {
  // An instruction that may not stand where it does is a mistake of the program, not of its text.
  try {
    dense_ ? dense_->launch(aic, aiv, at) : modules_->launch(aic, aiv, at);
  } catch (const UserError& e) {
    throw IllegalBehaviour(e.what());
  }
}

void Machine::visit(state::Archive& archive, Cycle next) {
  dense_ ? dense_->visit(archive, next) : modules_->visit(archive, next);
  archive.same(attached_.hazards != nullptr ? 1 : 0, "the search for hazards");
  if (attached_.hazards != nullptr) archive(*attached_.hazards);
  if (attached_.data != nullptr) attached_.data->visit(archive, next);
}

}  // namespace tessera::ascend
