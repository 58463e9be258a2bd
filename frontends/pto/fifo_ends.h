// Both ends of the pipes between cube and vector (ascend.md 3.5): what one core says of a pipe and what
// it pushes and pops has to agree with what the other core of the cluster says.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontends/pto/ast.h"
#include "models/cluster/program/program.h"

namespace tessera::pto {

/// Cube to vector, and vector to cube.
enum class FifoDirection : std::uint8_t { kToAiv, kToAic };

/// A push or a pop.
struct PipeTile {
  Place place;
  FifoDirection direction = FifoDirection::kToAiv;
  Type type;
  std::int64_t split = 0;
};

/// A pipe as one core opens it.
struct PipeEnd {
  Place place;
  bool is_handle = false;
  std::int64_t id = 0;  ///< of pto.aic_initialize_pipe; handles have none
  std::int64_t directions = 0, slots = 0, slot_bytes = 0, flag = 0;
  bool through_gm = false;
  std::optional<bool> nosplit;              ///< nothing: neither an attribute nor an operation says
  std::array<cluster::Operand, 2> buffers;  ///< of the consumers, by FifoDirection
  std::vector<PipeTile> pushed, popped;
};

/// Throws UserError with both lines for the first difference between the ends of a pipe. Only for
/// programs of both cores: with one alone there is nothing to compare.
void check_pipe_ends(const std::vector<PipeEnd>& aic, const std::vector<PipeEnd>& aiv,
                     const Diagnostics& diagnostics);

/// Bytes from the first to behind the last valid element of a tile whose rows lie behind each other;
/// of sizes that only a register knows all of them.
std::int64_t extent_of(const Type& tile, unsigned bits);

}  // namespace tessera::pto
