#include "frontends/tasm/assembly.h"

namespace tessera::tasm {

void resolve_dsds(Assembly& a, const std::vector<Statement>& statements) {
  std::size_t next = 0;
  for (const Statement& statement : statements) {
    const auto* s = std::get_if<DsdStatement>(&statement);
    if (s == nullptr) continue;
    pe::Dsd& dsd = a.image.dsds[next++];
    if (is_memory(s->kind)) {
      resolve_memory_dsd(a, *s, dsd);
    } else {
      resolve_fabric_dsd(a, *s, dsd);
    }
  }
}

}  // namespace tessera::tasm
