#include "models/cluster/machine_view.h"

#include <algorithm>

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

}  // namespace tessera::cluster
