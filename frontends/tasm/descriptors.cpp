#include "frontends/tasm/assembly.h"
#include "frontends/tasm/options.h"

namespace tessera::tasm {
namespace {

void resolve(Assembly& a, const InitialLoadStatement& s) {
  for (const pe::InitialLoad& other : a.image.initial_loads) {
    if (!(other.dsr == s.dsr)) continue;
    a.diagnostics.fail(s.reg.place, "expected each DSR once, found " + quoted(s.reg.text) +
                                        " again; line " + std::to_string(other.line) + " loads it");
  }
  const Entity& entity = a.names.require(s.dsd, {NameKind::kDsd}, "the name of a dsd");
  pe::InitialLoad load;
  load.dsr = s.dsr;
  load.dsd = static_cast<std::uint32_t>(entity.index);
  load.config = encode_load_options(a, s.options, s.dsr, a.image.dsds[entity.index], s.dsd.place);
  load.line = s.reg.place.line;
  a.image.initial_loads.push_back(load);
}

}  // namespace

void resolve_dsds(Assembly& a, const std::vector<Statement>& statements) {
  for_each<DsdStatement>(statements, [&](const DsdStatement& s, std::size_t index) {
    const auto resolve_dsd = is_memory(s.kind) ? resolve_memory_dsd : resolve_fabric_dsd;
    resolve_dsd(a, s, a.image.dsds[index]);
  });
}

void resolve_initial_loads(Assembly& a, const std::vector<Statement>& statements) {
  for_each<InitialLoadStatement>(
      statements, [&](const InitialLoadStatement& s, std::size_t) { resolve(a, s); });
}

}  // namespace tessera::tasm
