// Compute engine of a PE as a module: the core, a read socket for each input queue and a write
// socket for each output queue that the program declares.
#pragma once

#include <systemc>

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "models/pe/compute_engine_core.h"
#include "models/timing/clock_domain.h"
#include "tlm_ifaces/config/config_kit.h"
#include "tlm_ifaces/kit/broken_rule.h"
#include "tlm_ifaces/kit/numbered_sockets.h"
#include "tlm_ifaces/queue/queue_kit.h"

namespace tessera::pe {

/// What stands around the compute engine of a tile. ComputeEngine is ours; a module of a user that
/// derives from this stands in its place (docs/rtl-in-the-loop.md).
class EnginePorts : public sc_core::sc_module {
 public:
  kit::NumberedSockets<queue::ReadInitiatorSocket> input;    ///< [queue id], receivers too
  kit::NumberedSockets<queue::WriteInitiatorSocket> output;  ///< [queue id]
  /// Registers of the tile's router. May stay unbound if the program does not touch them.
  config_space::InitiatorSocket config{"config"};

  /// The host starts `function` in cycle `at`.
  virtual void launch(const Function& function, const std::vector<std::uint32_t>& arguments,
                      Cycle at) = 0;
  /// For a deadlock report.
  virtual void describe_waits(observe::Waits& waits, Cycle now) const = 0;
  /// As at the start: the machine is reset, and its clock domain counts from cycle 0 again. Without it a
  /// reset is reported as kit::kNoRestartId.
  virtual void restart() { kit::report_no_restart(name()); }
  /// When all blocks have been reset; also called at the start of the simulation.
  virtual void start() {}

 protected:
  /// A derived class binds its objects to all sockets. `inputs`, `outputs`: the queues that have one.
  explicit EnginePorts(sc_core::sc_module_name name, kit::Numbers inputs = kit::kAllNumbers,
                       kit::Numbers outputs = kit::kAllNumbers)
      : sc_core::sc_module(name), input("input", kMaxReceivers, inputs),
        output("output", kMaxQueues, outputs) {}
  void start_of_simulation() override { start(); }
};

class ComputeEngine : public EnginePorts,
                      public timing::Steppable,
                      private PeQueues,
                      private PeConfig,
                      private queue::ReadNotifyIf,
                      private queue::WriteNotifyIf,
                      private config_space::ConfigNotifyIf {
 public:
  /// A queue that the program declares is not bound.
  static constexpr const char* kUnboundId = "/tessera/pe/unbound";

  /// `domain` must outlive the module. The engine is stepped from cycle 0 on. Engines that run one image
  /// share its decoded form.
  ComputeEngine(sc_core::sc_module_name name, timing::ClockDomain& domain, TileCoord at,
                std::shared_ptr<const DecodedImage> program, observe::Probe probe);
  /// An engine with an image of its own. `timing` must outlive the module.
  ComputeEngine(sc_core::sc_module_name name, timing::ClockDomain& domain, TileCoord at,
                std::shared_ptr<const Image> image, const PeTiming& timing, observe::Probe probe);

  Cycle step(Cycle now) override { return core_->step(now); }
  /// As built with these parameters; it is to be stepped from cycle 0 on (start()). `memory` takes the
  /// place of the SRAM that the image begins with; nullptr: there is none. The program declares no other
  /// queues than the first one.
  void reset(std::shared_ptr<const DecodedImage> program, observe::Probe probe, Sram* memory);
  void start() override;
  /// Runs `function` from cycle `at` on (ComputeEngineCore::launch).
  void launch(const Function& function, const std::vector<std::uint32_t>& arguments,
              Cycle at) override;
  /// ComputeEngineCore::access.
  void access(HostAccess access, Cycle at) {
    core_->access(std::move(access), at);
    wake(at);
  }

  void describe_waits(observe::Waits& waits, Cycle now) const override {
    core_->describe_waits(waits, now);
  }
  /// For checkpoints (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(*core_);
  }
  ComputeEngineCore& core() { return *core_; }
  const ComputeEngineCore& core() const { return *core_; }

 private:
  // Queues call these when a wavelet or room has come.
  void arrived(Cycle due) override { wake(due); }
  void room_made(Cycle due) override { wake(due); }
  void teardown(Color color, Cycle due) override {
    core_->teardown(color, due);
    wake(due);
  }
  std::uint16_t read_config(config_space::Address address, Cycle now) const override {
    return config->read(address, now);
  }
  std::string why_illegal(config_space::Address address, std::uint16_t value) const override {
    return config->why_illegal(address, value);
  }
  void write_config(config_space::Address address, std::uint16_t value, Cycle due) override {
    config->write(address, value, due);
  }
  void wake(Cycle at) { domain_.wake(block_, at); }
  void end_of_elaboration() override;

  Cycle ready_at(QueueId q) const override { return readable_[q.value()]->ready_at(); }
  unsigned available(QueueId q, Cycle now) const override {
    return readable_[q.value()]->available(now);
  }
  link::Wavelet front(QueueId q) const override { return readable_[q.value()]->front(); }
  link::Wavelet take(QueueId q, Cycle now) override {
    const link::Wavelet w = front(q);
    readable_[q.value()]->pop(now);
    return w;
  }
  unsigned room(QueueId q, Cycle now) const override { return writable_[q.value()]->room(now); }
  void push(QueueId q, const link::Wavelet& w, Cycle now) override {
    writable_[q.value()]->push(w, now);
  }

  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  const TileCoord at_;
  // Interfaces behind the sockets, looked up once: a call through a socket would cost more than the
  // called function.
  std::array<queue::ReadIf*, kMaxReceivers> readable_{};
  std::array<queue::WriteIf*, kMaxQueues> writable_{};
  std::optional<ComputeEngineCore> core_;  // always there; made anew by reset()
};

}  // namespace tessera::pe
