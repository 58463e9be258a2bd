#include "frontends/pto/lower.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "frontends/pto/function_lowering.h"
#include "frontends/pto/kinds.h"
#include "frontends/pto/words.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto {

namespace {

using cluster::CoreKind;
using cluster::Profile;

constexpr std::int64_t kMostUnknownCycles = 1'000'000'000;

/// The functions that may start: those with pto.entry, or those that no other function calls.
std::vector<const Function*> roots_of(const Module& module, const FunctionKinds& kinds) {
  std::vector<const Function*> entries, roots;
  for (const Function& f : module.functions) {
    if (!f.has_body) continue;
    if (find(f.attributes, "pto.entry") != nullptr) entries.push_back(&f);
    if (!kinds.is_called(f)) roots.push_back(&f);
  }
  if (entries.empty()) {
    // All functions call each other: lowering the first one reports the recursion.
    for (const Function& f : module.functions)
      if (roots.empty() && f.has_body) roots.push_back(&f);
    return roots;
  }
  return entries;
}

std::shared_ptr<const cluster::Program>
lower_for(const Module& module, CoreKind kind, const FunctionKinds& kinds,
          const LowerOptions& options, const ReservedBuffers& reserved,
          std::vector<cluster::GmArray>& arrays, std::vector<PipeEnd>& pipe_ends) {
  const Diagnostics diagnostics(module.file);
  const Function* chosen = nullptr;
  for (const Function* function : roots_of(module, kinds)) {
    const bool runs =
        kinds.is_neutral(*function) ? kind == CoreKind::kAiv : kinds.runs_on(*function, kind);
    if (!runs) continue;
    if (chosen != nullptr)
      diagnostics.fail(function->place,
                       joined("@", function->name, " and @", chosen->name, " both run on ",
                              to_string(kind), ", expected one function for each kind of core"));
    chosen = function;
  }
  if (chosen == nullptr) return nullptr;
  FunctionLowering lowering(kinds, options, kind, reserved, diagnostics, arrays);
  auto program = std::make_shared<const cluster::Program>(lowering.run(*chosen));
  pipe_ends = lowering.take_pipe_ends();
  return program;
}

void check_params(const Module& module, const FunctionKinds& kinds, const LowerOptions& options) {
  std::vector<std::string> names, floats;
  for (const Function* f : roots_of(module, kinds)) {
    for (const Parameter& p : f->parameters) {
      if (p.type.kind != Type::Kind::kScalar) continue;
      names.push_back(p.name.substr(1));
      if (is_float_argument(p)) floats.push_back(names.back());
    }
  }
  const auto require = [&](const std::string& name, const std::vector<std::string>& list,
                           const std::string& what) {
    if (std::count(list.begin(), list.end(), name) == 0)
      throw UserError(module.file, "--param " + name,
                      "no function has " + what + " %" + name + did_you_mean(name, list));
  };
  for (const auto& [name, value] : options.params) require(name, names, "a scalar argument");
  for (const auto& [name, value] : options.reals)
    require(name, floats, "a floating-point argument");
}

}  // namespace

UnknownCost parse_unknown_cost(const std::string& text) {
  const auto fail = [&text](const std::string& problem) {
    throw UserError("", "--pto-unknown",
                    "'" + text + "': " + problem + "; expected cost:N or cost:N,PIPE");
  };
  if (text.rfind("cost:", 0) != 0) fail("it does not begin with cost:");
  const std::size_t comma = std::min(text.find(','), text.size());
  UnknownCost cost;
  const char* last = text.data() + comma;
  const auto [end, error] = std::from_chars(text.data() + 5, last, cost.cycles);
  if (error != std::errc() || end != last || cost.cycles < 0 || cost.cycles > kMostUnknownCycles)
    fail("the cycles are no number of 0.." + std::to_string(kMostUnknownCycles));
  if (comma == text.size()) return cost;
  for (const cluster::Pipe pipe : sync::kPipes)
    if (pipe != cluster::Pipe::kS && text.substr(comma + 1) == to_string(pipe)) cost.pipe = pipe;
  if (!cost.pipe) fail("the pipe is none of V, MTE1, MTE2, MTE3, M and FIX");
  return cost;
}

std::optional<Profile> profile_of(const Module& module) {
  const Attribute* arch = find(module.attributes, "pto.target_arch");
  const Attribute* device = find(module.attributes, "pto.device-spec");
  const Diagnostics diagnostics(module.file);
  if (arch != nullptr) {
    if (arch->value == "\"a5\"") return Profile::kA5;
    if (arch->value == "\"a2a3\"" || arch->value == "\"a3\"" || arch->value == "\"a2\"")
      return Profile::kA2A3;
    diagnostics.fail(arch->place, joined("expected \"a2a3\", \"a3\" or \"a5\", found ",
                                         text::quoted(arch->value)));
  }
  if (device == nullptr) return std::nullopt;
  if (device->value.rfind("\"Ascend950", 0) == 0) return Profile::kA5;
  if (device->value.rfind("\"Ascend910", 0) == 0) return Profile::kA2A3;
  diagnostics.fail(device->place, joined("expected a device Ascend910.. or Ascend950.., found ",
                                         text::quoted(device->value)));
}

Kernel lower(const Module& module, const LowerOptions& options) {
  const FunctionKinds kinds(module);
  check_params(module, kinds, options);
  const ReservedBuffers reserved(module, cluster::capacities_of(options.profile));
  Kernel kernel;
  std::vector<PipeEnd> of_aic, of_aiv;
  kernel.aic = lower_for(module, CoreKind::kAic, kinds, options, reserved, kernel.arrays, of_aic);
  kernel.aiv = lower_for(module, CoreKind::kAiv, kinds, options, reserved, kernel.arrays, of_aiv);
  if (kernel.aic && kernel.aiv) check_pipe_ends(of_aic, of_aiv, Diagnostics(module.file));
  if (!kernel.aic && !kernel.aiv) Diagnostics(module.file).fail("no function with a body");
  return kernel;
}

}  // namespace tessera::pto
