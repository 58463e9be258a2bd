#include "platforms/ascend/options.h"

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::ascend {

std::vector<cli::OptionGroup> Options::own_groups() {
  cli::Option kind = cli::text("hazards", "KIND", hazards,
                               "two operations on the same bytes that nothing orders: warn, error "
                               "(exit 4), off");
  kind.take = [this](const std::string& wanted) {
    if (wanted != "warn" && wanted != "error" && wanted != "off")
      throw UserError("", "--hazards", "'" + wanted + "' is unknown; allowed: warn, error, off");
    hazards = wanted;
  };
  std::vector<cli::OptionGroup> groups = cli::MachineOptions::own_groups();
  groups.push_back(
      {"AI-core clusters",
       {cli::flag("no-data", no_data, "timing only: tiles and arrays have no contents"),
        cli::text("pto-unknown", "cost:N[,PIPE]", pto_unknown,
                  "run operations that are not known as N cycles of a pipe (default V, on AICs M), "
                  "e.g. --pto-unknown=cost:100,V"),
        kind}});
  return groups;
}

}  // namespace tessera::ascend
