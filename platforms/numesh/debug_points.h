// The points of a communication program at which a node can be stopped: it comes to an operator, or to work, when it enters a phase in
// which it takes part in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platforms/debug/target.h"
#include "platforms/numesh/compiled_program.h"

namespace tessera::numesh {

class DebugPoints {
 public:
  /// `program` outlives the object. Its file is read again, for the lines of operators.
  explicit DebugPoints(const CompiledProgram& program);

  /// One for each region of the program; a point is an instruction.
  const std::vector<debug::ProgramText>& texts() const { return texts_; }
  /// No value: the node has no part in the program.
  std::optional<std::uint32_t> region_of(std::uint32_t node) const;
  /// The points of turn `turn` of a node that it takes part in.
  std::vector<std::uint32_t> points(std::uint32_t node, std::size_t turn) const;
  /// "east", "work".
  std::string name_of(std::uint32_t region, std::uint32_t point) const;
  const std::string& phase_of(std::uint32_t region, std::uint32_t point) const;

 private:
  struct Point {
    std::size_t turn = 0;
    operators::Use use;
  };
  struct Region {
    std::vector<Point> points;
    std::vector<std::uint32_t> first;  // by turn; and the number of points
  };
  void add_region(std::size_t number, const std::string& file);
  void add_point(Region& region, const Point& point, debug::ProgramText& text) const;
  const std::string& place_of(const operators::Use& use) const;
  bool takes_part(std::uint32_t node, const operators::Use& use) const;

  const CompiledProgram& program_;
  std::map<std::string, std::uint32_t> lines_;
  std::vector<debug::ProgramText> texts_;
  std::vector<Region> regions_;
  std::vector<std::int32_t> region_of_node_;    // -1: none
  std::vector<std::vector<bool>> of_operator_;  // by operator, then node
  std::vector<std::vector<bool>> of_work_;      // by work, then node
};

}  // namespace tessera::numesh
