// The host of a CSL program without a script: arrays of --input to the PEs, then the functions of
// --launch, then arrays of --output from the PEs. Arrays lie over the whole rectangle: one of shape
// (h, w, l), or any other with as many elements, has l elements for each PE.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/data/host_array.h"
#include "platforms/run/driver.h"
#include "platforms/wse/command_stream.h"
#include "platforms/wse/csl_options.h"

namespace tessera::wse {

class CslHost final : public run::Program {
 public:
  /// Reads the input files. Throws UserError. All arguments must outlive the host.
  CslHost(const cli::MachineOptions& options, const CslOptions& csl,
          const compiled::Program& program, const Workload& workload, const WseConfig& config,
          ObservedMachine& observed);

  run::Stop drive(run::RunControl& control) override;
  /// The host runs the machine through `checkpoints`, which outlives it, and begins where one of them was saved.
  void set_checkpoints(Checkpoints& checkpoints) { checkpoints_ = &checkpoints; }
  bool is_done(run::Stop, const observe::Waits&) override { return failure_.empty(); }
  std::string describe_stop(const std::string&, const report::Report&) const override {
    return failure_;
  }
  std::string remark(const observe::Waits& waits) const override;
  void finish(report::Report& report) override;

 private:
  struct Input {
    std::string name;
    Region region;
    std::vector<std::uint32_t> words;
  };
  struct Output {
    std::string name;
    data::HostArray values;
  };
  struct Launch {
    std::string function;
    std::vector<std::uint32_t> arguments;
  };

  Input read(const std::string& name, const std::string& file) const;
  Launch parse(const std::string& text) const;
  const compiled::Export& data_named(const std::string& name, const std::string& option) const;
  Region whole(const compiled::Export& data, std::size_t elements) const;
  Output fetch(CommandStream& commands, const std::string& name) const;
  void run_commands(CommandStream& commands, bool is_restored) const;
  /// Throws UserError if nothing has begun, though there are functions to launch.
  void require_work(const report::Report& report) const;

  const cli::MachineOptions& options_;
  const compiled::Program& program_;
  const Workload& workload_;
  const WseConfig& config_;
  ObservedMachine& observed_;
  Checkpoints* checkpoints_ = nullptr;
  std::vector<Input> inputs_;
  std::vector<Launch> launches_;
  std::vector<Output> outputs_;
  std::string failure_;
};

}  // namespace tessera::wse
