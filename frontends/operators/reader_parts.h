// The steps of reading a communication program, one per section of the file, and what they share.
// Each reads its section of the root object and fills its part of the result; params and mesh come
// first, arrays and sets before operators before the program. Included by .cpp files of this folder
// only.
#pragma once

#include <map>
#include <string>

#include "frontends/operators/program.h"
#include "frontends/operators/program_reader.h"
#include "frontends/text/json.h"
#include "frontends/text/diagnostics.h"

namespace tessera::operators {

using text::Node;

/// What the sections share while they are read.
struct Reading {
  Program& program;
  std::map<std::string, Nodes> sets = {};
};

/// Reads "params" and "mesh".
void read_mesh(const Node& root, const ParamOverrides& overrides, Program& program);
/// Reads "sets".
void read_sets(const Node& root, Reading& reading);
/// Reads "arrays".
void read_arrays(const Node& root, Program& program);
/// Reads "operators".
void read_operators(const Node& root, Reading& reading);

/// A set: "all", a name, {"box": [..]}, a node, or a list of nodes. Not empty, no node twice.
Nodes read_nodes(const Node& node, const Reading& reading);
/// The lines of a box along an axis: {"box": [..]} or "all", every line in rising order.
std::vector<Nodes> read_lines(const Node& set, const Node& axis, const Reading& reading);
/// A set of one node.
NodeIndex read_place(const Node& node, const Reading& reading);

/// What the words of an array are before the run.
class InitialWords {
 public:
  /// `program` and `array` outlive it. Throws UserError.
  InitialWords(const Program& program, const Array& array);
  /// Words `first` to `first + count - 1` of `node`. Throws UserError.
  void fill(NodeIndex node, std::uint32_t first, std::uint32_t count, std::uint32_t* words) const;

 private:
  [[noreturn]] void fail(const text::ExpressionError& error, const std::string& where) const;

  const Program& program_;
  const Array& array_;
  text::Expression value_;
};

}  // namespace tessera::operators
