// Whether a Program is one that the models can run: every number names something, slots do not
// collide inside a node, no link leaves the mesh; and what SkewPolicy::kCheck refuses (reference
// numesh.md 4.4, 4.5).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/scheduled/program.h"

namespace tessera::scheduled {

/// Throws std::invalid_argument that names node, schedule and problem: "node 3, schedule 'a': a slot
/// names no transfer".
void validate(const Program& program);
/// `program`, if it is valid and SkewPolicy::kCheck does not refuse it; throws as validate() and
/// refuse_collisions().
const Program& checked(const Program& program);

/// While neighbours are in consecutive phases, a word of one phase may enter a stream of the other.
/// It can when the slots in which the one offers on a link and the other listens on it are equal
/// modulo the greatest common divisor of the two lengths.
struct Collision {
  NodeId from = 0;
  Port port = Port::kXMinus;  ///< of `from`
  StreamId sent = 0;
  std::uint32_t sent_epoch = 0;
  std::uint32_t sent_slot = 0;
  NodeId to = 0;
  StreamId taken_for = 0;
  std::uint32_t taken_epoch = 0;
  std::uint32_t taken_slot = 0;
};

inline constexpr const char* kCollisionId = "/tessera/scheduled/phase_collision";

/// All of them, between turns of neighbours whose epochs follow each other in either order.
/// Continuing streams do not collide with themselves.
std::vector<Collision> find_collisions(const Program& program);
std::string text(const Program& program, const Collision& collision);
/// Throws IllegalBehaviour (kCollisionId) naming the first.
void refuse_collisions(const Program& program);

}  // namespace tessera::scheduled
