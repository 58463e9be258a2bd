#include "models/cluster/machine_view.h"

#include <algorithm>

#include "models/cluster/deadlock.h"

namespace tessera::cluster {

std::vector<const AiCore*> MachineView::cores() const {
  std::vector<const AiCore*> list;
  for (std::size_t i = 0; i < sync_unit().launch().places(); ++i)
    if (const AiCore* core = find(CoreId::at(i))) list.push_back(core);
  return list;
}

bool MachineView::finished() const {
  const auto all = cores();
  return std::all_of(all.begin(), all.end(), [](const auto* core) { return core->finished(); });
}

Cycle MachineView::finished_at() const {
  Cycle last = 0;
  for (const AiCore* core : cores()) last = std::max(last, core->finished_at());
  return last;
}

std::string MachineView::describe_waits(observe::Waits& waits) const {
  return cluster::describe_waits(
      cores(), sync_unit(), [this](CoreId core) { return find(core); }, waits);
}

}  // namespace tessera::cluster
