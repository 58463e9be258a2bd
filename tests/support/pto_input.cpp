#include "tests/support/pto_input.h"

#include <memory>
#include <vector>

#include "frontends/pto/lower.h"
#include "frontends/pto/parser.h"
#include "frontends/pto/printer.h"
#include "models/cluster/cluster_config.h"
#include "models/cluster/program/legality.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::test {

namespace {

/// A small number for every scalar argument.
std::map<std::string, std::int64_t> params_of(const pto::Module& module) {
  std::map<std::string, std::int64_t> params;
  for (const pto::Function& f : module.functions)
    for (const pto::Parameter& p : f.parameters)
      if (p.type.kind == pto::Type::Kind::kScalar) params[p.name.substr(1)] = 3;
  return params;
}

/// Operands are resolved without overflow, whatever registers hold.
void resolve_all(const cluster::Program& program) {
  const std::vector<std::int64_t> registers(program.registers, std::int64_t{1} << 62);
  cluster::ResolvedOperation resolved;
  for (const cluster::TileOperation& operation : program.operations)
    cluster::resolve(operation, registers, resolved);
}

}  // namespace

bool lowers(const std::string& text, unsigned choice, std::string& problem) {
  const bool keeps_unknown = choice % 3 == 0;
  const pto::Unknown unknown = keeps_unknown ? pto::Unknown::kKeep : pto::Unknown::kRefuse;
  const bool a5 = choice % 2 == 0;
  try {
    const pto::Module module = pto::parse(text, "k.pto", unknown);
    const std::string printed = pto::print(module);
    if (pto::print(pto::parse(printed, "printed", unknown)) != printed)
      problem = "printed text is read as something else:\n" + printed;
    pto::LowerOptions options{a5 ? cluster::Profile::kA5 : cluster::Profile::kA2A3,
                              params_of(module)};
    if (keeps_unknown) options.unknown = pto::UnknownCost{10, {}};
    const pto::Kernel kernel = pto::lower(module, options);
    const cluster::ClusterConfig config = a5 ? cluster::a5_config() : cluster::a2a3_config();
    const cluster::Launch launch;
    for (const auto& [program, core] : {std::pair(kernel.aic, cluster::CoreId{0, 0}),
                                        std::pair(kernel.aiv, cluster::CoreId{0, 1})}) {
      if (!program) continue;
      resolve_all(*program);
      cluster::check_program(*program, {config, launch, core});
    }
    return true;
  } catch (const UserError&) {
    return false;
  }
}

}  // namespace tessera::test
