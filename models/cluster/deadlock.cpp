#include "models/cluster/deadlock.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tessera::cluster {

namespace {

/// More than these are only counted.
constexpr std::size_t kMostNamed = 4;

std::string mode_text(Mode mode) {
  return "mode " + std::to_string(static_cast<unsigned>(mode));
}

/// A wait does not say in which mode it expects to be set; what the programs do, does.
bool is_used(Mode mode, const sync::Request& wait, const SyncUnitCore& unit,
             const CoreLookup& core_of) {
  const Launch& launch = unit.launch();
  for (unsigned cluster = 0; cluster < launch.clusters; ++cluster) {
    for (unsigned u = 0; u < 3; ++u) {
      const CoreId id{static_cast<std::uint16_t>(cluster), static_cast<std::uint16_t>(u)};
      const bool same_kind = id.is_aic() == wait.core.is_aic();
      if (same_kind != (mode != Mode::kCluster)) continue;
      if (mode != Mode::kAll && cluster != wait.core.cluster) continue;
      const AiCore* core = core_of(id);
      if (core != nullptr && core->has_signal(mode, wait.id)) return true;
    }
  }
  return false;
}

}  // namespace

AiCore::Wanted explain_wait(const sync::Request& wait, const SyncUnitCore& unit,
                            const CoreLookup& core_of) {
  AiCore::Wanted wanted{"id " + std::to_string(wait.id) + " of " + to_string(wait.core), {}};
  std::string& text = wanted.why.text;
  bool& never = wanted.why.never;
  if (!unit.launch().mix) {
    wanted.why = {"the kernel is not of MIX type, so there is no scheduling module to count sets",
                  true};
    return wanted;
  }
  std::vector<SyncUnitCore::Missing> missing = unit.missing(wait);
  missing.erase(std::remove_if(missing.begin(), missing.end(),
                               [&](const SyncUnitCore::Missing& m) {
                                 return m.mode != Mode::kIntraBlock &&
                                        !is_used(m.mode, wait, unit, core_of);
                               }),
                missing.end());
  std::size_t named = 0;
  for (const SyncUnitCore::Missing& m : missing) {
    const AiCore* core = core_of(m.core);
    const AiCore::Reason reason = core == nullptr
                                      ? AiCore::Reason{"it is not part of the launch", true}
                                      : core->why_no_signal(m.mode, m.id);
    never |= reason.never;
    if (++named > kMostNamed) continue;
    if (named > 1) text += "; ";
    text += to_string(m.core) + " has to set id " + std::to_string(m.id) + " (" +
            mode_text(m.mode) + "): " + reason.text;
  }
  if (named > kMostNamed) text += "; and " + std::to_string(named - kMostNamed) + " more";
  if (unit.blocks_not_resident() > 0 && is_used(Mode::kAll, wait, unit, core_of)) {
    never = true;
    text += (named > 0 ? "; " : "") + std::to_string(unit.blocks_not_resident()) +
            " blocks of the kernel are not resident and cannot set it (mode 0)";
  } else if (named == 0) {
    never = true;
    text += "no core that could set it has a set of it in its program";
  }
  return wanted;
}

std::string describe_waits(const std::vector<const AiCore*>& cores, const SyncUnitCore& unit,
                           const CoreLookup& core_of, observe::Waits& waits) {
  std::vector<AiCore::BlockedPipe> all;
  for (const AiCore* core : cores)
    for (AiCore::BlockedPipe& blocked : core->blocked_pipes(
             [&](const sync::Request& wait) { return explain_wait(wait, unit, core_of); }))
      all.push_back(std::move(blocked));
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.distance < b.distance; });
  std::string cause;
  if (!all.empty() && !all.front().cause.empty())
    cause = all.front().cause + "; " + all.front().wait.who + " waits for it";
  for (AiCore::BlockedPipe& blocked : all) waits.push_back(std::move(blocked.wait));
  return cause;
}

}  // namespace tessera::cluster
