// AI cores, sync unit and GM as modules, in C++20, with checkers in between. An installed example must
// take the same cycles as in ClusterCore, the same machine without modules.
#include <systemc>

#include <concepts>
#include <iostream>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

#include "frontends/pto/lower.h"
#include "frontends/pto/parser.h"
#include "models/cluster/cluster_core.h"
#include "models/cluster/core/ai_core_module.h"
#include "models/cluster/shared_units.h"
#include "models/observe/event_stream.h"
#include "platforms/ascend/ascend_config.h"
#include "platforms/cli/main.h"
#include "tlm_ifaces/sync/sync_kit.h"
#include "tlm_ifaces/transfer/transfer_kit.h"

using namespace tessera;

namespace {

template <class Module>
concept Watches = std::derived_from<Module, sc_core::sc_module> && requires(Module m) {
  m.in;
  m.out;
};

/// Binds `from` to `to` with a watcher in between.
template <Watches Checker>
std::unique_ptr<Checker> watch(const std::string& name, timing::ClockDomain& clock, auto& from,
                               auto& to) {
  auto checker = std::make_unique<Checker>(name.c_str(), [&clock] { return clock.now(); });
  from.bind(checker->in);
  checker->out.bind(to);
  return checker;
}

class Cluster : public sc_core::sc_module {
 public:
  Cluster(sc_core::sc_module_name name, const cluster::ClusterConfig& config,
          const cluster::Launch& launch, observe::Sink* events)
      : sc_core::sc_module(name), sync_unit_("sync_unit", clock_, config.core.sync, launch),
        gm_("gm", clock_, config.core.cost, launch.clusters) {
    for (const unsigned i : std::views::iota(0U, 3U)) {
      const cluster::CoreId id{.cluster = 0, .unit = static_cast<std::uint16_t>(i)};
      const std::string number = std::to_string(i);
      cores_.push_back(std::make_unique<cluster::AiCoreModule>(
          ("core" + number).c_str(), clock_, config, launch, id, cluster::Attachments{events}));
      sync_checkers_.push_back(watch<sync::Checker>("sync_checker" + number, clock_,
                                                    cores_.back()->sync, sync_unit_.cores[i]));
      gm_checkers_.push_back(
          watch<transfer::Checker>("gm_checker" + number, clock_, cores_.back()->gm, gm_.cores[i]));
    }
  }
  void launch(const pto::Kernel& kernel) {
    cores_[0]->launch(kernel.aic, 1);
    for (auto& aiv : cores_ | std::views::drop(1)) aiv->launch(kernel.aiv, 1);
  }
  bool finished() const {
    return std::ranges::all_of(cores_, [](const auto& core) { return core->core().finished(); });
  }

 private:
  timing::ClockDomain clock_{"clock", 1000};
  cluster::SyncUnit sync_unit_;
  cluster::Gm gm_;
  std::vector<std::unique_ptr<cluster::AiCoreModule>> cores_;
  std::vector<std::unique_ptr<sync::Checker>> sync_checkers_;
  std::vector<std::unique_ptr<transfer::Checker>> gm_checkers_;
};

int run() {
  const ascend::AscendConfig config = ascend::load_ascend_config("a2a3", "");
  const pto::Kernel kernel =
      pto::lower(pto::parse_file(EXAMPLES "/ascend/c2v_a2a3.pto"),
                 {.profile = config.machine.profile, .params = {{"TILES", 3}}});
  const cluster::Launch launch{.clusters = 1, .ratio = cluster::LaunchRatio::k1To2};

  observe::EventStream events(3, 1, false);
  Cluster modules("cluster", config.machine, launch, &events);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  modules.launch(kernel);
  sc_core::sc_start();

  observe::EventStream same_events(3, 1, false);
  cluster::ClusterCore machine(config.machine, launch, {&same_events});
  machine.launch(kernel.aic, kernel.aiv, 1);
  machine.run();

  std::cout << "finished at " << machine.finished_at() << ", digest " << events.digest().hex()
            << '\n';
  const bool right = modules.finished() && machine.finished() &&
                     events.digest().hex() == same_events.digest().hex();
  return right ? 0 : 1;
}

}  // namespace

int sc_main(int, char*[]) {
  return cli::run_guarded("my_cluster", run);
}
