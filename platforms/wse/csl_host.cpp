#include "platforms/wse/csl_host.h"

#include <sstream>
#include <utility>

#include "frontends/text/diagnostics.h"
#include "platforms/data/npy.h"
#include "platforms/wse/argument_words.h"
#include "platforms/wse/checkpoints.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::wse {

CslHost::CslHost(const cli::MachineOptions& options, const CslOptions& csl,
                 const compiled::Program& program, const Workload& workload,
                 const WseConfig& config, ObservedMachine& observed)
    : options_(options), program_(program), workload_(workload), config_(config),
      observed_(observed) {
  for (const auto& [name, file] : options.inputs) inputs_.push_back(read(name, file));
  for (const std::string& launch : csl.launches) launches_.push_back(parse(launch));
  for (const auto& [name, file] : options.outputs) data_named(name, "--output");
}

const compiled::Export& CslHost::data_named(const std::string& name,
                                            const std::string& option) const {
  const compiled::Export* const found = program_.find_export(name);
  if (found != nullptr && found->element) return *found;
  std::vector<std::string> names;
  for (const compiled::Export& e : program_.exports) {
    if (e.element) names.push_back(e.name);
  }
  throw UserError("", option,
                  "'" + name + "' is no data that " + program_.file + " exports" +
                      did_you_mean(name, names));
}

Region CslHost::whole(const compiled::Export& data, std::size_t elements) const {
  Region region;
  region.rect = {0, 0, program_.rectangle.w, program_.rectangle.h};
  region.elements = elements;
  region.narrow = pe::bytes_of(*data.element) == 2;
  return region;
}

CslHost::Input CslHost::read(const std::string& name, const std::string& file) const {
  const compiled::Export& data = data_named(name, "--input");
  const data::HostArray array =
      data::converted(data::read_npy(file), data::dtype_of(*data.element), file, name);
  const std::size_t pes = program_.rectangle.tile_count();
  if (array.size() == 0)
    throw UserError(file, "",
                    "an array of shape " + data::to_string(array.shape) +
                        " has no elements, so that nothing would be copied to " + name);
  if (array.size() % pes != 0)
    throw UserError(file, "",
                    "an array of shape " + data::to_string(array.shape) +
                        " cannot be cut into equal pieces for " + report::plural(pes, "PE"));
  Input input{name, whole(data, array.size() / pes), {}};
  for (std::size_t i = 0; i < array.size(); ++i)
    input.words.push_back(static_cast<std::uint32_t>(array.bits(i)));
  return input;
}

CslHost::Launch CslHost::parse(const std::string& text) const {
  const std::size_t colon = text.find(':');
  Launch launch{text.substr(0, colon), {}};
  const compiled::Export* const found = program_.find_export(launch.function);
  if (found == nullptr || !found->is_function) {
    std::vector<std::string> names;
    for (const compiled::Export& e : program_.exports) {
      if (e.is_function) names.push_back(e.name);
    }
    throw UserError("", "--launch",
                    "'" + launch.function + "' is no function that " + program_.file + " exports" +
                        did_you_mean(launch.function, names));
  }
  std::stringstream arguments(colon == std::string::npos ? "" : text.substr(colon + 1));
  for (std::string argument; std::getline(arguments, argument, ',');) {
    const std::size_t i = launch.arguments.size();
    const std::string type = i < found->parameters.size() ? found->parameters[i] : "u32";
    launch.arguments.push_back(argument_word(argument, type, "--launch " + text));
  }
  return launch;
}

// Outputs are copied when the program has ended: a function may return before its operations are complete.
run::Stop CslHost::drive(run::RunControl& control) {
  CommandStream commands(program_, workload_, config_, observed_, control, checkpoints_);
  bool is_restored = false;
  if (checkpoints_ != nullptr) {
    checkpoints_->attach(saved(
        observed_, [&commands](state::Archive& archive) { commands.visit(archive); },
        [&commands] { return commands.saved_from(); }));
    is_restored = checkpoints_->begin(control);
  }
  const Checkpoints::Ended ended(checkpoints_);
  try {
    run_commands(commands, is_restored);
    const std::string waits =
        commands.finish(launches_.empty() ? observe::Help::kNone : observe::Help::kHost);
    if (!waits.empty()) throw CommandError(run::Stop::kIdle, waits);
    for (const auto& [name, file] : options_.outputs) outputs_.push_back(fetch(commands, name));
  } catch (const CommandError& e) {
    failure_ = e.what();
    return e.stop;
  }
  return run::Stop::kCondition;
}

void CslHost::require_work(const report::Report& report) const {
  const bool is_idle = report.status == report::Status::kFinished && report.cycles == 0;
  if (!launches_.empty() || !is_idle) return;
  std::vector<std::string> functions;
  for (const compiled::Export& e : program_.exports)
    if (e.is_function) functions.push_back(e.name);
  if (functions.empty()) return;
  throw UserError("", "--launch",
                  "is missing, and nothing has begun: no task is active at the start, and " +
                      program_.file + " exports " + text::alternatives(functions) +
                      " for the host");
}

// Restored, the first ones are complete, and the next one, if it is a launch, is under way.
void CslHost::run_commands(CommandStream& commands, bool is_restored) const {
  const std::size_t first = commands.completed();
  for (std::size_t i = first; i < inputs_.size(); ++i)
    commands.copy_to(inputs_[i].name, inputs_[i].region, inputs_[i].words);
  const std::size_t first_launch = first > inputs_.size() ? first - inputs_.size() : 0;
  for (std::size_t i = first_launch; i < launches_.size(); ++i) {
    if (is_restored && i == first_launch)
      commands.complete_launch(launches_[i].function);
    else
      commands.launch(launches_[i].function, launches_[i].arguments);
  }
}

CslHost::Output CslHost::fetch(CommandStream& commands, const std::string& name) const {
  const compiled::Export& data = *program_.find_export(name);
  const layout::Rect& rect = program_.rectangle;
  const Region region = whole(data, commands.elements_behind(name, {rect.x, rect.y}));
  const std::vector<std::uint32_t> words = commands.copy_from(name, region);
  const auto size = [](int n) { return static_cast<std::size_t>(n); };
  data::HostArray values = data::HostArray::zeros(data::dtype_of(*data.element),
                                                  {size(rect.h), size(rect.w), region.elements});
  for (std::size_t i = 0; i < words.size(); ++i) values.set_bits(i, words[i]);
  return {name, std::move(values)};
}

std::string CslHost::remark(const observe::Waits& waits) const {
  return observed_.unread(waits);
}

void CslHost::finish(report::Report& report) {
  require_work(report);
  for (const Output& output : outputs_) {
    const std::string& file = options_.outputs.at(output.name);
    data::write_npy(file, output.values);
    report.outputs.push_back(
        {output.name, data::to_string(output.values.dtype), output.values.shape, file});
  }
}

}  // namespace tessera::wse
