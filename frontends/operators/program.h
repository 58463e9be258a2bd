// A communication program as read (docs/numesh-platform.md is the user's page): operators over nodes of a
// mesh, seen processor to processor (numesh.md 2.1), arrays of words that they move, and in which
// order and grouping they are used. All expressions over parameters are evaluated; nothing here
// depends on the configuration of the machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontends/text/diagnostics.h"
#include "models/scheduled/program.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::operators {

/// Linear index of a node: x + X * (y + Y * z).
using NodeIndex = std::uint32_t;
using Nodes = std::vector<NodeIndex>;

inline constexpr unsigned kMaxRank = 3;
using Coordinates = std::array<int, kMaxRank>;

/// The lattice of 1, 2 or 3 dimensions (numesh.md 1.1), and the routes through it that streams take:
/// dimension by dimension, x first.
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

  /// The port of `from` on its neighbour `to`.
  scheduled::Port port(NodeIndex from, NodeIndex to) const;
  /// Nodes from `from` to `to`, both included. Routes from one node form a tree.
  Nodes route(NodeIndex from, NodeIndex to) const;
};

/// "(0), (1), (3)". If there are many nodes, only the first few and how many follow.
std::string listed(const Mesh& mesh, const Nodes& nodes);

/// A share of the cycles of a schedule, 0 < num <= den.
struct Ratio {
  std::uint32_t num = 1;
  std::uint32_t den = 1;
};

enum class Kind : std::uint8_t {
  kStream,
  kBroadcast,
  kShift,  ///< end-off: the words of the last node are dropped
  kCircularShift,
  kReduce,
  kPrefix,
  kOnline,  ///< routed by software, one hop at a time (numesh.md 2.3)
};

using scheduled::Combine;
/// `old` (op) `word`, 32 bits, as the processors of the machine compute it.
std::uint32_t combined(Combine how, std::uint32_t old, std::uint32_t word);

/// How a node knows that an operator is finished, as the program asks for it (numesh.md 3.3 to
/// 3.7).
enum class Technique : std::uint8_t {
  kAuto,       ///< the compiler chooses
  kMessage,    ///< message-bound: long enough, then a delay
  kProcessor,  ///< processor-bound: echo and added branches
  kMarker,     ///< an in-band word after the data
  kBarrier,    ///< nobody goes on before all are finished
  kNone,       ///< switch at return: wrong, to see what happens
};
const char* to_string(Technique technique);

/// Words with a name that every node has, 32 bits each.
struct Array {
  std::string name;
  std::uint32_t words = 0;  ///< number of words at each node
  std::string init;         ///< expression over the parameters, node, x, y, z and k (the word)
  std::string place;        ///< "arrays.u"
  /// Words of all nodes, node by node, instead of `init`. If empty, `init` holds.
  std::vector<std::uint32_t> given = {};
};

struct Message {  // a message of an online-routed operator
  NodeIndex from = 0;
  NodeIndex to = 0;
  std::uint32_t words = 1;
};

/// One operator. Every instance works for itself; instances share no node that reads or writes.
struct Operator {
  std::string name;
  std::string place;  ///< "operators.send"
  Kind kind = Kind::kStream;
  /// Nodes that take part, in order. stream: {from, to}; broadcast: source first; reduce: the root
  /// first; shifts and prefix: along the line.
  std::vector<Nodes> instances;
  std::vector<Message> messages;    ///< messages of a kOnline, which has no instances
  std::uint32_t words = 1;          ///< message length
  std::optional<Ratio> bandwidth;   ///< the most it may use; none: all that is free
  std::uint32_t compute = 0;        ///< cycles a node computes for each word it takes
  Combine how = Combine::kReplace;  ///< what a node does with a word it takes
  std::size_t in = 0;               ///< index in Program::arrays
  std::size_t out = 0;              ///< index in Program::arrays
  Technique technique = Technique::kAuto;
  bool echo_first = false;             ///< the echo before the other branches: wrong on purpose
  std::optional<std::uint32_t> delay;  ///< message-bound delay instead of the computed one
  std::optional<std::uint32_t> slot;   ///< first slot of its streams, instead of the first free one
};

/// Work of the processors between operators; it takes time and no words.
struct Work {
  std::string place;
  Nodes nodes;
  std::uint32_t cycles = 1;
};

/// How the members of a group are grouped in phases (numesh.md 3.8).
enum class PhaseChoice : std::uint8_t { kAuto, kShared, kSeparate };

/// The order of uses (numesh.md 2.1).
struct Group {
  enum class Kind : std::uint8_t { kUse, kWork, kSequential, kParallel, kLoop };
  Kind kind = Kind::kUse;
  std::size_t index = 0;    ///< kUse: index in Program::operators; kWork: index in Program::works
  std::uint32_t times = 1;  ///< kLoop: number of turns
  PhaseChoice phases = PhaseChoice::kAuto;
  std::optional<std::uint32_t> length;  ///< schedule length of its phases, instead of the best one
  std::vector<Group> members;
  std::string place;  ///< "program.sequential[1]"
};

/// Nodes that enter the program late, for skews.
struct Start {
  Nodes nodes;
  Cycle at = 0;
};

/// Something else that takes cycles of the processors of these nodes (numesh.md 3.3).
struct Interruption {
  Nodes nodes;
  Cycle at = 0;
  Cycle length = 0;
};

struct Program {
  std::string file;
  std::map<std::string, std::int64_t> params;
  Mesh mesh;
  std::vector<Array> arrays;
  std::vector<Operator> operators;
  std::vector<Work> works;
  Group group;
  std::vector<Start> starts;
  std::vector<Interruption> interruptions;

  /// Throws UserError at a place of this program.
  template <class... Parts>
  [[noreturn]] void fail(const std::string& place, const Parts&... problem) const {
    throw UserError(file, place, text::joined(problem...));
  }
};

}  // namespace tessera::operators
