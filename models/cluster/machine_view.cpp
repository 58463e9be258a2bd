#include "models/cluster/machine_view.h"

#include <algorithm>
#include <utility>

namespace tessera::cluster {

// Deadlock reports: who could release a wait for another core, and what each of those does instead.
namespace {

/// More than these are only counted.
constexpr std::size_t kMostNamed = 4;

/// A wait does not say in which mode it expects to be set; the sets in the programs do.
bool is_used(Mode mode, const sync::Request& wait, const MachineView& machine) {
  for (const AiCore* core : machine.cores()) {
    const CoreId id = core->id();
    const bool same_kind = id.is_aic() == wait.core.is_aic();
    if (same_kind != (mode != Mode::kCluster)) continue;
    if (mode != Mode::kAll && id.cluster != wait.core.cluster) continue;
    const Launch& launch = machine.sync_unit().launch();
    if (launch.device_of(id) != launch.device_of(wait.core)) continue;
    if (core->waits().has_signal(mode, wait.id)) return true;
  }
  return false;
}

/// "AIV1 of cluster 0 has to set id 3 (mode 2): the program of AIV1 of cluster 0 has ended".
CoreWaits::Reason why_not_set(const SyncUnitCore::Missing& missing, const MachineView& machine) {
  const AiCore* core = machine.find(missing.core);
  const unsigned device = machine.sync_unit().launch().device_of(missing.core);
  if (const auto cycle = machine.sync_unit_of(device).arrives(missing))
    return {to_string(missing.core) + " has set id " + std::to_string(missing.id) +
            ", which arrives in cycle " + std::to_string(*cycle)};
  CoreWaits::Reason reason = core == nullptr
                                 ? CoreWaits::Reason{"it is not part of the launch", true}
                                 : core->waits().why_no_signal(missing.mode, missing.id);
  reason.text = to_string(missing.core) + " has to set id " + std::to_string(missing.id) +
                " (mode " + std::to_string(static_cast<unsigned>(missing.mode)) +
                "): " + reason.text;
  return reason;
}

/// "id 3 of AIC of cluster 0", and why nobody has set it.
CoreWaits::Wanted explain_wait(const sync::Request& wait, const MachineView& machine) {
  const Launch& launch = machine.sync_unit().launch();
  const SyncUnitCore& unit = machine.sync_unit_of(launch.device_of(wait.core));
  CoreWaits::Wanted wanted{"id " + std::to_string(wait.id) + " of " + to_string(wait.core), {}};
  std::string& text = wanted.why.text;
  bool& never = wanted.why.never;
  if (!unit.launch().mix) {
    wanted.why = {"the kernel is not of MIX type, so there is no scheduling module to count sets",
                  true};
    return wanted;
  }
  if (!unit.holds(wait)) {
    text = "it has been set, and the answer is under way";
    return wanted;
  }
  if (const auto cycle = unit.comes(wait)) {
    text = "it has been set, which takes effect in cycle " + std::to_string(*cycle);
    return wanted;
  }
  std::size_t named = 0;
  for (const SyncUnitCore::Missing& missing : unit.missing(wait)) {
    if (missing.mode != Mode::kIntraBlock && !is_used(missing.mode, wait, machine)) continue;
    const CoreWaits::Reason reason = why_not_set(missing, machine);
    never |= reason.never;
    if (++named > kMostNamed) continue;
    text += (named > 1 ? "; " : "") + reason.text;
  }
  if (named > kMostNamed) text += "; and " + std::to_string(named - kMostNamed) + " more";
  if (unit.blocks_not_resident() > 0 && is_used(Mode::kAll, wait, machine)) {
    never = true;
    text += (named > 0 ? "; " : "") + std::to_string(unit.blocks_not_resident()) +
            " blocks of the kernel are not resident and cannot set it (mode 0)";
  } else if (named == 0) {
    never = true;
    text += "no core that could set it has a set of it in its program";
  }
  return wanted;
}

}  // namespace

std::vector<const AiCore*> MachineView::cores() const {
  std::vector<const AiCore*> list;
  for (std::size_t i = 0; i < sync_unit().launch().places(); ++i)
    if (const AiCore* core = find(CoreId::at(i))) list.push_back(core);
  return list;
}

std::uint64_t MachineView::gm_bytes_read() const {
  std::uint64_t bytes = 0;
  for (unsigned d = 0; d < sync_unit().launch().devices; ++d) bytes += gm_of(d).bytes_read();
  return bytes;
}

std::uint64_t MachineView::gm_bytes_written() const {
  std::uint64_t bytes = 0;
  for (unsigned d = 0; d < sync_unit().launch().devices; ++d) bytes += gm_of(d).bytes_written();
  return bytes;
}

bool MachineView::finished() const {
  const auto all = cores();
  return std::all_of(all.begin(), all.end(), [](const auto* core) { return core->finished(); });
}

bool MachineView::is_ending() const {
  const auto all = cores();
  return std::all_of(all.begin(), all.end(), [](const auto* core) { return core->is_ending(); });
}

Cycle MachineView::finished_at() const {
  Cycle last = 0;
  for (const AiCore* core : cores()) last = std::max(last, core->finished_at());
  return last;
}

std::string MachineView::describe_waits(observe::Waits& waits) const {
  std::vector<CoreWaits::BlockedPipe> all;
  for (const AiCore* core : cores())
    for (CoreWaits::BlockedPipe& blocked : core->waits().blocked_pipes(
             [this](const sync::Request& wait) { return explain_wait(wait, *this); }))
      all.push_back(std::move(blocked));
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.distance < b.distance; });
  std::string cause;
  if (!all.empty() && !all.front().cause.empty())
    cause = all.front().cause + "; " + all.front().wait.who + " waits for it";
  for (CoreWaits::BlockedPipe& blocked : all) waits.push_back(std::move(blocked.wait));
  return cause;
}

}  // namespace tessera::cluster
