#include "models/cluster/core/core_context.h"

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::cluster {

std::string CoreContext::at(std::uint32_t pc) const {
  return to_string(code(pc)) + " at " + program->where(pc);
}

void CoreContext::illegal(std::uint32_t pc, const std::string& text, const char* id) const {
  throw IllegalBehaviour(
      program->where(pc) + ": " + to_string(core) + ", " + to_string(code(pc)) + ": " + text, id);
}

}  // namespace tessera::cluster
