#include "models/scheduled/mesh_view.h"

#include <algorithm>

#include "models/scheduled/describe.h"

namespace tessera::scheduled {

bool MeshView::finished() const {
  for (NodeId n = 0; n < size(); ++n)
    if (!processor(n).finished()) return false;
  return true;
}

Cycle MeshView::finished_at() const {
  Cycle last = 0;
  for (NodeId n = 0; n < size(); ++n) last = std::max(last, processor(n).finished_at());
  return last;
}

std::uint64_t MeshView::words_in_network() const {
  std::uint64_t words = 0;
  for (NodeId n = 0; n < size(); ++n) {
    words += router(n).words();
    for (const InterfaceQueue& queue : interface(n).inputs) words += queue.size();
  }
  return words;
}

void MeshView::describe_waits(const Program& program, observe::Waits& waits, Cycle now) const {
  for (NodeId n = 0; n < size(); ++n) processor(n).describe_waits(waits, now);
  const auto routers = [this](NodeId n) -> const RouterCore& { return router(n); };
  for (NodeId n = 0; n < size(); ++n) describe_words(program, n, routers, waits);
}

}  // namespace tessera::scheduled
