#include "platforms/vp/accelerator.h"

#include "frontends/text/files_read.h"
#include "models/state/archive.h"
#include "platforms/vp/wse_device.h"
#include "platforms/wse/checkpoints.h"
#include "platforms/wse/debug_target.h"
#include "platforms/wse/observed_machine.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::vp {

namespace {

wse::WseConfig config_of(const Options& options) {
  const bool is_named = !options.preset.empty() || !options.config_file.empty();
  return wse::load_wse_config(is_named ? options.preset : "wse3", options.config_file,
                              options.sets);
}

/// A WSE fabric: the machine of a layout. Its tiles, programs, routes and streams count; its "host"
/// steps do not, but for the edges that the streams name.
class WseAccelerator final : public Accelerator {
 public:
  WseAccelerator(const Options& options, const DeviceStatement& device, const wse::CslOptions* csl)
      : options_(options), csl_(csl), config_(config_of(options)),
        compiled_(
            csl != nullptr && wse::is_csl(device.file)
                ? std::make_unique<const compiled::Program>(wse::load_csl(options, *csl, config_))
                : nullptr),
        workload_(compiled_ ? wse::Workload(*compiled_, config_)
                            : wse::Workload(device.file, options.whole_params(), config_)),
        observed_(options, options.fabric, config_, workload_),
        device_(workload_, observed_.machine(), observed_.events()) {
    for (const std::string& file : device.others) {
      others_.push_back(
          std::make_unique<const wse::Workload>(file, options.whole_params(), config_));
      device_.add_program(*others_.back());
    }
    // A process may read other files later.
    if (text::FilesRead::current() != nullptr) saved_header_ = make_header();
  }

  timing::ClockDomain& domain() override { return observed_.machine().domain(); }
  const char* structure() const override { return observed_.machine().structure(); }
  run::View& view() override { return observed_; }
  host::Device& device() override { return device_; }
  void destroy_with_this() override { observed_.destroy_with_this(); }
  std::unique_ptr<wse::CommandStream> open_commands(run::RunControl& control) override {
    if (compiled_ == nullptr) return Accelerator::open_commands(control);
    return std::make_unique<wse::CommandStream>(*compiled_, workload_, config_, observed_, control);
  }
  std::optional<layout::Rect> csl_rectangle() const override {
    return compiled_ == nullptr ? std::nullopt : std::optional(compiled_->rectangle);
  }
  std::map<std::string, std::vector<std::string>> csl_functions() const override {
    std::map<std::string, std::vector<std::string>> functions;
    if (compiled_ == nullptr) return functions;
    for (const compiled::Export& e : compiled_->exports)
      if (e.is_function) functions[e.name] = e.parameters;
    return functions;
  }
  run::CheckpointHeader saved_header() const override {
    wse::require_saveable(options_.fabric);
    wse::require_restorable(options_.fabric, "save and restore");
    run::CheckpointHeader header = saved_header_;
    header.same["structure"] = structure();  // of "auto", the one that was chosen
    return header;
  }
  void visit(state::Archive& archive, Cycle next) override {
    if (archive.saving()) observed_.catch_up(next);
    observed_.visit(archive, next);
  }
  std::unique_ptr<debug::Target> debug_target() override {
    if (observed_.machine().threads() > 1)
      throw UserError("", "",
                      "a machine with a debugger has one thread; create it with --threads 1");
    return std::make_unique<wse::DebugTarget>(observed_, workload_, compiled_.get());
  }
  const host::DeviceInfo& info_of(std::uint32_t program) const override {
    return device_.info_of(program);
  }
  std::optional<std::uint32_t> find_symbol(TileCoord tile, const std::string& name,
                                           std::uint32_t program) const override {
    const wse::Workload& workload = program == 0 ? workload_ : *others_[program - 1];
    const auto& image = workload.programs.image_of(tile);
    const pe::Symbol* const symbol = image == nullptr ? nullptr : image->find_symbol(name);
    return symbol == nullptr ? std::nullopt : std::optional(symbol->address);
  }

 private:
  run::CheckpointHeader make_header() const {
    report::Run run;
    if (compiled_ == nullptr)
      run.set_params(workload_.layout.params);
    else
      run.set_params(compiled_->params);
    run::CheckpointHeader header = wse::header_of(options_, config_, run, "");
    if (compiled_ != nullptr && csl_ != nullptr) wse::add_code(*csl_, workload_, header);
    return header;
  }

  const Options& options_;
  const wse::CslOptions* const csl_;
  const wse::WseConfig config_;
  const std::unique_ptr<const compiled::Program> compiled_;  // nullptr: a layout
  const wse::Workload workload_;
  std::vector<std::unique_ptr<const wse::Workload>> others_;  // programs that the host may load
  wse::ObservedMachine observed_;
  WseDevice device_;
  run::CheckpointHeader saved_header_;
};

}  // namespace

std::unique_ptr<wse::CommandStream> Accelerator::open_commands(run::RunControl&) {
  throw UserError("", "",
                  "the program is not written in CSL, so it takes no commands of a CSL host");
}

std::unique_ptr<debug::Target> Accelerator::debug_target() {
  throw UserError(
      "", "",
      "only fabrics have a debugger: AI cores and the nodes of a scheduled mesh do not tell where "
      "their programs stand");
}

std::unique_ptr<Accelerator> build_accelerator(const Options& options,
                                               const DeviceStatement& device,
                                               const wse::CslOptions* csl) {
  const std::string found = ", found device '" + device.kind + "'";
  if (device.kind == "wse") {
    options.refuse(Options::kClusterHeading, "only AI-core clusters have it" + found);
    if (csl != nullptr && !csl->launches.empty())
      throw UserError("", "--launch", "the host of this machine launches functions itself");
    return std::make_unique<WseAccelerator>(options, device, csl);
  }
  if (device.kind == "ascend") {
    options.refuse(wse::FabricOptions::kHeading, "only a fabric has it" + found);
    return build_ascend_accelerator(options, device);
  }
  if (device.kind == "numesh") {
    options.refuse(wse::FabricOptions::kHeading, "only a fabric has it" + found);
    options.refuse(Options::kClusterHeading, "only AI-core clusters have it" + found);
    if (!device.others.empty())
      throw UserError(options.program, device.place,
                      "a scheduled mesh has one program, found " +
                          std::to_string(1 + device.others.size()));
    return build_numesh_accelerator(options, device.file);
  }
  throw UserError(options.program, device.place,
                  "expected device 'wse', 'ascend' or 'numesh', found '" + device.kind + "'");
}

}  // namespace tessera::vp
