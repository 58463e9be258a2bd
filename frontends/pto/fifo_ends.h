// Compares both ends of the pipes between cube and vector (ascend.md 3.5): both cores of a cluster have
// to open a pipe with the same attributes, and to pop the tiles that the other core pushes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontends/pto/ast.h"
#include "models/cluster/program/program.h"

namespace tessera::pto {

/// kToAiv: cube to vector; kToAic: vector to cube.
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
  std::int64_t id = 0;  ///< the id of pto.aic_initialize_pipe; a handle has none
  std::int64_t directions = 0, slots = 0, slot_bytes = 0, flag = 0;
  bool through_gm = false;
  std::optional<bool> nosplit;              ///< unknown without an attribute and an operation
  std::array<cluster::Operand, 2> buffers;  ///< of the consumers, indexed by FifoDirection
  std::vector<PipeTile> pushed, popped;
};

/// Compares the pipes of a kernel that has programs for both kinds of core. Throws UserError for the
/// first difference between the ends of a pipe; the message names both lines.
void check_pipe_ends(const std::vector<PipeEnd>& aic, const std::vector<PipeEnd>& aiv,
                     const Diagnostics& diagnostics);

/// The number of bytes from the first to the last valid element of a tile, whose rows lie one behind
/// the other. A size that is not known counts in full.
std::int64_t extent_of(const Type& tile, unsigned bits);

}  // namespace tessera::pto
