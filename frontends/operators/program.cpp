#include "frontends/operators/program.h"

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

scheduled::Port Mesh::port(NodeIndex from, NodeIndex to) const {
  const Coordinates a = at(from);
  const Coordinates b = at(to);
  unsigned d = 0;
  while (d + 1 < kMaxRank && a[d] == b[d]) ++d;
  return static_cast<scheduled::Port>(2 * d + (a[d] < b[d] ? 1 : 0));
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
  for (std::size_t i = 0; i < std::min(nodes.size(), kShown); ++i)
    text += (i == 0 ? "" : ", ") + mesh.name(nodes[i]);
  if (nodes.size() > kShown) text += " and " + std::to_string(nodes.size() - kShown) + " more";
  return text.empty() ? "none" : text;
}

const char* to_string(Technique technique) {
  constexpr std::array<const char*, 6> kNames = {"auto",   "message-bound", "processor-bound",
                                                 "marker", "barrier",       "none"};
  return kNames[static_cast<std::size_t>(technique)];
}

std::uint32_t combined(Combine how, std::uint32_t old, std::uint32_t word) {
  const auto a = static_cast<std::int32_t>(old);
  const auto b = static_cast<std::int32_t>(word);
  switch (how) {
  case Combine::kReplace:
    return word;
  case Combine::kAdd:
    return old + word;
  case Combine::kMax:
    return static_cast<std::uint32_t>(std::max(a, b));
  case Combine::kMin:
    return static_cast<std::uint32_t>(std::min(a, b));
  }
  return word;
}

}  // namespace tessera::operators
