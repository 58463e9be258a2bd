// "params", "mesh", "sets" and "arrays".
#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "frontends/operators/reader_parts.h"

namespace tessera::operators {
namespace {

/// Names that expressions of arrays know.
const std::vector<std::string> kExpressionNames = {"node", "x", "y", "z", "k"};

void read_params(const Node& root, const ParamOverrides& overrides, Program& program) {
  const std::optional<Node> section = root.find("params");
  const std::vector<std::string> declared = section ? section->keys() : std::vector<std::string>{};
  text::check_overrides(overrides, declared, program.file, "the program");
  for (const std::string& name : declared) {
    const Node node = section->at(name);
    text::check_name(node, name, "a parameter");
    if (std::find(kExpressionNames.begin(), kExpressionNames.end(), name) != kExpressionNames.end())
      node.fail("\"", name, "\" cannot be the name of a parameter; expressions of arrays use ",
                text::listed(kExpressionNames), " themselves");
    const auto given = overrides.find(name);
    program.params[name] = given != overrides.end() ? given->second : node.integer(program.params);
  }
}

/// A node written as coordinates: 3 or [3] in one dimension, [3, 1] in two.
NodeIndex read_coordinates(const Node& node, const Program& program) {
  const Mesh& mesh = program.mesh;
  std::vector<Node> items = {node};
  if (node.is_array()) items = node.items();
  if (items.size() != mesh.rank) {
    node.fail("a node of this mesh has ", mesh.rank, " coordinates, but ", items.size(),
              " are given");
  }
  Coordinates at{};
  for (std::size_t d = 0; d < items.size(); ++d) {
    at[d] = items[d].integer_in<int>(program.params, 0, mesh.size[d] - 1,
                                     std::string("the coordinate ") + "xyz"[d]);
  }
  return mesh.index(at);
}

struct Box {
  Coordinates from{};
  Coordinates size = {1, 1, 1};
};

Box read_box(const Node& node, const Program& program) {
  const Mesh& mesh = program.mesh;
  const std::vector<Node> items = node.items();
  if (items.size() != 2 * mesh.rank) {
    node.fail("a box of this mesh has ", 2 * mesh.rank,
              " values, its first node and its size, but ", items.size(), " are given");
  }
  Box box;
  for (unsigned d = 0; d < mesh.rank; ++d) {
    box.from[d] =
        items[d].integer_in<int>(program.params, 0, mesh.size[d] - 1, "the first node of the box");
    box.size[d] = items[mesh.rank + d].integer_in<int>(
        program.params, 1, mesh.size[d] - box.from[d], "the size of the box");
  }
  return box;
}

/// The box that a set is, if it is one.
std::optional<Box> find_box(const Node& node, const Program& program) {
  if (node.is_string() && node.text("") == "all") return Box{{}, program.mesh.size};
  if (!node.is_object()) return std::nullopt;
  node.allow_keys({"box"});
  return read_box(node.at("box"), program);
}

Nodes nodes_of(const Box& box, const Mesh& mesh) {
  Nodes nodes;
  for (int z = 0; z < box.size[2]; ++z) {
    for (int y = 0; y < box.size[1]; ++y) {
      for (int x = 0; x < box.size[0]; ++x)
        nodes.push_back(mesh.index({box.from[0] + x, box.from[1] + y, box.from[2] + z}));
    }
  }
  return nodes;
}

bool is_list_of_nodes(const Node& node, const Mesh& mesh) {
  if (!node.is_array()) return false;
  if (mesh.rank == 1) return true;
  const std::vector<Node> items = node.items();
  return !items.empty() && items.front().is_array();
}

Nodes read_list(const Node& node, const Program& program) {
  Nodes nodes;
  std::set<NodeIndex> known;
  for (const Node& item : node.items()) {
    const NodeIndex index = read_coordinates(item, program);
    if (!known.insert(index).second)
      item.fail("the node ", program.mesh.name(index), " is already in this set");
    nodes.push_back(index);
  }
  if (nodes.empty()) node.fail("the set has no nodes; it needs at least one");
  return nodes;
}

/// Mistakes should be known before the run: words of the first and the last node.
void check_init(const Program& program, const Array& array) {
  const InitialWords words(program, array);
  std::uint32_t word = 0;
  words.fill(0, 0, 1, &word);
  words.fill(static_cast<NodeIndex>(program.mesh.node_count() - 1), array.words - 1, 1, &word);
}

}  // namespace

void read_mesh(const Node& root, const ParamOverrides& overrides, Program& program) {
  read_params(root, overrides, program);
  const Node node = root.at("mesh");
  const std::vector<Node> sizes = node.items();
  if (sizes.empty() || sizes.size() > kMaxRank)
    node.fail("a mesh has 1 to 3 dimensions, but ", sizes.size(), " are given");
  program.mesh.rank = static_cast<unsigned>(sizes.size());
  std::int64_t count = 1;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::int64_t size =
        sizes[d].integer_in(program.params, 1, kMaxNodes, "the size of the mesh");
    program.mesh.size[d] = static_cast<int>(size);
    count *= size;
    if (count > kMaxNodes)
      node.fail("the mesh has more than ", kMaxNodes, " nodes, the most that are allowed");
  }
}

Nodes read_nodes(const Node& node, const Reading& reading) {
  const Program& program = reading.program;
  if (const std::optional<Box> box = find_box(node, program)) return nodes_of(*box, program.mesh);
  if (node.is_string()) {
    const std::string name = node.text("");
    const auto set = reading.sets.find(name);
    if (set != reading.sets.end()) return set->second;
    std::vector<std::string> known = {"all"};
    for (const auto& [known_name, nodes] : reading.sets) known.push_back(known_name);
    // In one dimension a node may be an expression, such as "N - 1".
    const bool is_name = text::is_identifier(name) && program.params.count(name) == 0;
    if (program.mesh.rank > 1 || is_name)
      node.fail("unknown set \"", text::shown(name), "\"", text::suggestion(name, known, "sets"));
  }
  if (is_list_of_nodes(node, program.mesh)) return read_list(node, program);
  return {read_coordinates(node, program)};
}

NodeIndex read_place(const Node& node, const Reading& reading) {
  const Nodes nodes = read_nodes(node, reading);
  if (nodes.size() == 1) return nodes.front();
  node.fail("one node is expected here, but the set has ", nodes.size());
}

std::vector<Nodes> read_lines(const Node& set, const Node& axis, const Reading& reading) {
  const Program& program = reading.program;
  const std::optional<Box> box = find_box(set, program);
  if (!box) set.fail("lines along an axis can only be cut from \"all\" or a {\"box\": [..]}");
  std::vector<std::string> axes = {"x", "y", "z"};
  axes.resize(program.mesh.rank);
  const std::size_t along = axis.word(axes, "axis");
  Box starts = *box;
  starts.size[along] = 1;
  std::vector<Nodes> lines;
  for (const NodeIndex start : nodes_of(starts, program.mesh)) {
    Box line;
    line.from = program.mesh.at(start);
    line.size[along] = box->size[along];
    lines.push_back(nodes_of(line, program.mesh));
  }
  return lines;
}

void read_sets(const Node& root, Reading& reading) {
  for (const auto& [name, node] : root.members_of("sets")) {
    text::check_name(node, name, "a set");
    if (name == "all") node.fail("\"all\" is the set of all nodes and cannot be another one");
    reading.sets[name] = read_nodes(node, reading);
  }
}

InitialWords::InitialWords(const Program& program, const Array& array)
    : program_(program), array_(array) {
  if (array.init.empty()) return;
  try {
    value_ = text::Expression::parse(array.init, program.params, kExpressionNames);
  } catch (const text::ExpressionError& error) {
    fail(error, "");
  }
}

void InitialWords::fill(NodeIndex node, std::uint32_t first, std::uint32_t count,
                        std::uint32_t* words) const {
  const Coordinates at = program_.mesh.at(node);
  std::array<std::int64_t, 5> values = {node, at[0], at[1], at[2], first};
  std::int64_t& k = values.back();
  try {
    for (; k < std::int64_t{first} + count; ++k) {
      const std::int64_t value = value_.evaluate(values.data());
      if (value < std::numeric_limits<std::int32_t>::min() ||
          value > std::numeric_limits<std::uint32_t>::max())
        program_.fail(array_.place, "'" + array_.init + "' is " + std::to_string(value) +
                                        " for word " + std::to_string(k) + " of node " +
                                        program_.mesh.name(node) + ", which 32 bits do not hold");
      *words++ = static_cast<std::uint32_t>(value);
    }
  } catch (const text::ExpressionError& error) {
    fail(error, ", for word " + std::to_string(k) + " of node " + program_.mesh.name(node));
  }
}

void InitialWords::fail(const text::ExpressionError& error, const std::string& where) const {
  program_.fail(array_.place, text::problem_in(array_.init, error, where));
}

void read_arrays(const Node& root, Program& program) {
  for (const auto& [name, node] : root.members_of("arrays")) {
    node.allow_keys({"words", "init"});
    text::check_name(node, name, "an array");
    Array array;
    array.name = name;
    array.place = node.place();
    array.words = node.at("words").integer_in<std::uint32_t>(program.params, 1, kMaxWords,
                                                             "the number of words");
    if (const std::optional<Node> init = node.find("init")) {
      array.init = init->is_integer() ? std::to_string(init->integer(program.params))
                                      : init->text("an integer or an expression in quotes");
      array.place = init->place();
      check_init(program, array);
    }
    program.arrays.push_back(std::move(array));
  }
}

}  // namespace tessera::operators
