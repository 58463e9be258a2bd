// The nodes of a scheduled mesh: a lattice of 1, 2 or 3 dimensions (numesh.md 1.1), and the routes
// through it that streams take: dimension by dimension, x first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::operators {

/// Linear index of a node: x + X * (y + Y * z).
using NodeIndex = std::uint32_t;
using Nodes = std::vector<NodeIndex>;

inline constexpr unsigned kMaxRank = 3;
using Coordinates = std::array<int, kMaxRank>;

struct Mesh {
  unsigned rank = 1;
  Coordinates size = {1, 1, 1};  ///< dimensions beyond the rank are 1

  std::size_t node_count() const;
  Coordinates at(NodeIndex node) const;
  NodeIndex index(const Coordinates& at) const;
  bool contains(const Coordinates& at) const;
  /// "(2)", "(2, 0)": as many coordinates as the mesh has dimensions.
  std::string name(NodeIndex node) const;
  /// The coordinates that belong to the mesh, for reports.
  std::vector<int> place(NodeIndex node) const;

  /// Nodes from `from` to `to`, both included. Routes from one node form a tree.
  Nodes route(NodeIndex from, NodeIndex to) const;
};

/// "(0), (1), (3)"; of many nodes the first few and how many follow.
std::string listed(const Mesh& mesh, const Nodes& nodes);

}  // namespace tessera::operators
