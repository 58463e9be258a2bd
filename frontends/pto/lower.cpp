#include "frontends/pto/lower.h"

#include <algorithm>
#include <vector>

#include "frontends/pto/function_lowering.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto {

namespace {

using cluster::CoreKind;
using cluster::Profile;

struct Uses {
  bool cube_section = false, vector_section = false;
  bool cube_tile = false;
};

void collect(const Region& region, Uses& uses) {
  for (const Operation& op : region.operations) {
    const Meaning meaning = find_operation(op.name)->meaning;
    uses.cube_section |= meaning == Meaning::kCubeSection;
    uses.vector_section |= meaning == Meaning::kVectorSection;
    for (const Type& type : op.types)
      uses.cube_tile |= type.kind == Type::Kind::kTile && type.location != "vec";
    for (const Region& inner : op.regions) collect(inner, uses);
  }
}

bool runs_on(const Function& function, CoreKind kind, const Diagnostics& diagnostics) {
  if (const Attribute* a = find(function.attributes, "pto.kernel_kind")) {
    const bool cube = a->value == "#pto.kernel_kind<cube>";
    if (!cube && a->value != "#pto.kernel_kind<vector>")
      diagnostics.fail(a->place, "expected #pto.kernel_kind<cube> or #pto.kernel_kind<vector>, "
                                 "found " +
                                     tasm::quoted(a->value));
    return cube == (kind == CoreKind::kAic);
  }
  Uses uses;
  collect(function.body, uses);
  if (uses.cube_section || uses.vector_section)
    return kind == CoreKind::kAic ? uses.cube_section : uses.vector_section;
  return uses.cube_tile == (kind == CoreKind::kAic);
}

std::shared_ptr<const cluster::Program> lower_for(const Module& module, CoreKind kind,
                                                  const LowerOptions& options,
                                                  std::vector<cluster::GmArray>& arrays) {
  const Diagnostics diagnostics(module.file);
  const Function* chosen = nullptr;
  for (const Function& function : module.functions) {
    if (!function.has_body || !runs_on(function, kind, diagnostics)) continue;
    if (chosen != nullptr)
      diagnostics.fail(function.place, "@" + function.name + " and @" + chosen->name +
                                           " both run on " + to_string(kind) +
                                           ", expected one function for each kind of core");
    chosen = &function;
  }
  if (chosen == nullptr) return nullptr;
  return std::make_shared<const cluster::Program>(
      FunctionLowering(module, options, kind, arrays).run(*chosen));
}

void check_params(const Module& module, const LowerOptions& options) {
  std::vector<std::string> names;
  for (const Function& f : module.functions)
    for (const Parameter& p : f.parameters)
      if (f.has_body && p.type.kind == Type::Kind::kScalar) names.push_back(p.name.substr(1));
  for (const auto& [name, value] : options.params)
    if (std::count(names.begin(), names.end(), name) == 0)
      throw UserError(module.file, "--param " + name,
                      "no function has a scalar argument %" + name +
                          tasm::nearest_hint(name, names));
}

}  // namespace

std::optional<Profile> profile_of(const Module& module) {
  const Attribute* arch = find(module.attributes, "pto.target_arch");
  const Attribute* device = find(module.attributes, "pto.device-spec");
  const Diagnostics diagnostics(module.file);
  if (arch != nullptr) {
    if (arch->value == "\"a5\"") return Profile::kA5;
    if (arch->value == "\"a2a3\"" || arch->value == "\"a3\"" || arch->value == "\"a2\"")
      return Profile::kA2A3;
    diagnostics.fail(arch->place,
                     "expected \"a2a3\", \"a3\" or \"a5\", found " + tasm::quoted(arch->value));
  }
  if (device == nullptr) return std::nullopt;
  if (device->value.rfind("\"Ascend950", 0) == 0) return Profile::kA5;
  if (device->value.rfind("\"Ascend910", 0) == 0) return Profile::kA2A3;
  diagnostics.fail(device->place, "expected a device Ascend910.. or Ascend950.., found " +
                                      tasm::quoted(device->value));
}

Kernel lower(const Module& module, const LowerOptions& options) {
  check_params(module, options);
  Kernel kernel;
  kernel.aic = lower_for(module, CoreKind::kAic, options, kernel.arrays);
  kernel.aiv = lower_for(module, CoreKind::kAiv, options, kernel.arrays);
  if (!kernel.aic && !kernel.aiv) Diagnostics(module.file).fail("no function with a body");
  return kernel;
}

}  // namespace tessera::pto
