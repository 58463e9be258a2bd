// The machine behind a handle of tessera.h: an accelerator with a SystemC simulation of its own.
#pragma once

#include <systemc>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/timing/scheduler.h"
#include "platforms/capi/machine_debugger.h"
#include "platforms/capi/tessera.h"
#include "platforms/report/report.h"
#include "platforms/run/run_control.h"
#include "platforms/vp/accelerator.h"
#include "platforms/vp/options.h"
#include "platforms/wse/command_stream.h"
#include "platforms/wse/csl_options.h"

namespace tessera::capi {

/// A SystemC simulation: SystemC elaborates once in each sc_simcontext, so each machine has one.
class Simulation {
 public:
  Simulation() : context_(std::make_unique<sc_core::sc_simcontext>()) {}

  /// Makes it the present simulation while it lives.
  class Entered {
   public:
    explicit Entered(Simulation& simulation)
        : current_(sc_core::sc_curr_simcontext), global_(sc_core::sc_default_global_context) {
      sc_core::sc_curr_simcontext = simulation.context_.get();
      sc_core::sc_default_global_context = simulation.context_.get();
    }
    ~Entered() {
      sc_core::sc_curr_simcontext = current_;
      sc_core::sc_default_global_context = global_;
    }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;

   private:
    sc_core::sc_simcontext* const current_;
    sc_core::sc_simcontext* const global_;
  };

 private:
  std::unique_ptr<sc_core::sc_simcontext> context_;
};

/// What tessera_create() accepts: the options of vp_platform's accelerators and of CSL programs.
struct Options : vp::Options {
  Options() { own_groups.push_back(csl.group()); }
  wse::CslOptions csl;
};

class Machine : private host::DeviceListener {
 public:
  /// Throws UserError, IllegalBehaviour.
  Machine(const std::string& kind, const std::string& program,
          const std::vector<std::string>& options);
  ~Machine() override;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  Simulation& simulation() { return simulation_; }
  host::Device& device() { return accelerator_->device(); }
  const host::DeviceInfo& info() const { return accelerator_->device().info(); }
  timing::ClockDomain& domain() { return accelerator_->domain(); }
  const timing::ClockDomain& domain() const { return accelerator_->domain(); }

  void reset(bool keep_memory);
  /// Writes the state between two cycles, and becomes what was written (docs/checkpoints.md). Throw UserError.
  void save(const std::string& path);
  void restore(const std::string& path);
  /// Answers a request of the Debug Adapter Protocol: a JSON list of messages. Throws UserError for a machine without a
  /// debugger.
  std::string debug(const std::string& request);
  /// Throws IllegalBehaviour when the machine has failed.
  tessera_stop run(Cycle limit);
  /// Whether the listener is being called.
  bool is_running() const { return is_running_; }
  /// Carries out a command of the host of a CSL program. Throws UserError, and IllegalBehaviour for one that
  /// cannot be completed.
  void csl(const std::function<void(wse::CommandStream&)>& command);
  /// A launch, which a debugger may hold: run() goes on with it.
  struct Call {
    std::string function;
    std::vector<std::uint32_t> arguments;
  };
  void csl_launch(const std::function<Call()>& call);
  layout::Rect csl_rectangle() const;
  /// JSON: functions that the program exports, with the types of their parameters.
  std::string csl_functions() const;
  void set_listener(tessera_listener listener, void* user);
  void launch(const std::string& function, host::LaunchRequest request);
  std::uint32_t open_launches() const { return open_launches_; }
  /// Throws UserError for an edge or a color that there is not.
  void require_channel(std::uint32_t edge, std::uint32_t color) const;
  /// Bytes of memory of a place. Throws UserError if it has none.
  std::uint32_t memory_bytes(std::uint32_t place) const;
  std::uint32_t receive(std::uint32_t edge, Color color, std::uint32_t* words, std::uint32_t count);
  tessera_symbol find_symbol(TileCoord tile, const std::string& name) const;
  /// JSON.
  std::string report() { return report::to_json(describe()); }
  std::string waits() { return report::stuck_to_json(describe()); }

 private:
  struct CslHost {
    explicit CslHost(vp::Accelerator& accelerator);
    run::RunControl control;
    std::unique_ptr<wse::CommandStream> stream;
  };

  // host::DeviceListener
  void launch_ended(Cycle now) override;
  void stream_completed(Cycle now) override { notify(TESSERA_STREAM_DONE, now); }
  void came_to_rest(Cycle now) override { notify(TESSERA_CAME_TO_REST, now); }

  /// A cycle in which nothing happens.
  struct Passage final : timing::Steppable {
    Cycle step(Cycle) override { return kNever; }
  };

  void notify(tessera_notice notice, Cycle now);
  run::CheckpointHeader saved_header() const;
  void visit(state::Archive& archive, Cycle next);
  /// Lets time pass up to cycle `next` in a machine that has been restored.
  void pass_to(Cycle next);
  /// Everything is built and has started, and nothing has been stepped.
  void start();
  void settle();
  void open_csl();
  void supervise();
  bool is_held_after(Cycle now);
  tessera_stop go_on_with_launch(Cycle limit);
  report::Report describe();
  /// Nothing moves any more, and somebody waits who is no service (docs/running.md).
  bool is_stuck(const observe::Waits& waits) const;
  void require_working() const;
  /// Lets the machine run; the listener cannot use it meanwhile.
  void carry_out(const std::function<void()>& work);
  void advance(Cycle limit);
  bool must_return() const { return stop_asked_ || is_held_; }

  Simulation simulation_;
  Options options_;
  std::unique_ptr<vp::Accelerator> accelerator_;
  std::unique_ptr<CslHost> csl_;  // nullptr: no command since the last reset
  tessera_listener listener_ = nullptr;
  void* user_ = nullptr;
  bool started_ = false;
  bool stop_asked_ = false;
  bool is_running_ = false;
  bool is_launched_ = false;    // since the last reset
  std::string listener_error_;  // what it threw
  std::uint32_t open_launches_ = 0;
  Passage passage_;
  std::optional<timing::BlockId> passage_id_;
  bool is_restoring_ = false;  // nobody is told of anything
  std::unique_ptr<MachineDebugger> debugger_;
  bool is_held_ = false;     // at a stop of the debugger
  std::string held_launch_;  // of CSL, which is under way
  Cycle launch_limit_ = kNever;
  std::vector<std::size_t> taken_;  // wavelets that receive() has given, by edge and color
};

}  // namespace tessera::capi

/// The handle.
struct tessera_machine : tessera::capi::Machine {
  using Machine::Machine;
};
