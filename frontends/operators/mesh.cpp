#include "frontends/operators/mesh.h"

#include <algorithm>

namespace tessera::operators {

std::size_t Mesh::node_count() const {
  std::size_t count = 1;
  for (const int n : size) count *= static_cast<std::size_t>(n);
  return count;
}

Coordinates Mesh::at(NodeIndex node) const {
  Coordinates at{};
  auto rest = static_cast<int>(node);
  for (unsigned d = 0; d < kMaxRank; ++d) {
    at[d] = rest % size[d];
    rest /= size[d];
  }
  return at;
}

NodeIndex Mesh::index(const Coordinates& at) const {
  return static_cast<NodeIndex>(at[0] + size[0] * (at[1] + size[1] * at[2]));
}

bool Mesh::contains(const Coordinates& at) const {
  for (unsigned d = 0; d < kMaxRank; ++d) {
    if (at[d] < 0 || at[d] >= size[d]) return false;
  }
  return true;
}

std::vector<int> Mesh::place(NodeIndex node) const {
  const Coordinates c = at(node);
  return {c.begin(), c.begin() + rank};
}

std::string Mesh::name(NodeIndex node) const {
  std::string text;
  for (const int n : place(node)) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return "(" + text + ")";
}

Nodes Mesh::route(NodeIndex from, NodeIndex to) const {
  Nodes nodes = {from};
  Coordinates here = at(from);
  const Coordinates there = at(to);
  for (unsigned d = 0; d < kMaxRank; ++d) {
    while (here[d] != there[d]) {
      here[d] += here[d] < there[d] ? 1 : -1;
      nodes.push_back(index(here));
    }
  }
  return nodes;
}

std::string listed(const Mesh& mesh, const Nodes& nodes) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(nodes.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + mesh.name(nodes[i]);
  }
  if (nodes.size() > kShown) text += " and " + std::to_string(nodes.size() - kShown) + " more";
  return text.empty() ? "none" : text;
}

}  // namespace tessera::operators
