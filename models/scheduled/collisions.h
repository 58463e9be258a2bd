// What SkewPolicy::kCheck looks for (reference numesh.md 4.4, 4.5): while neighbours are in
// consecutive phases, a word of one phase that enters a stream of the other. It can when the slots
// in which the one offers on a link and the other listens on it are equal modulo the greatest
// common divisor of the two lengths.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/scheduled/program.h"

namespace tessera::scheduled {

inline constexpr const char* kCollisionId = "/tessera/scheduled/phase_collision";

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

/// All of them, between turns of neighbours whose epochs follow each other in either order.
/// Continuing streams do not collide with themselves.
std::vector<Collision> find_collisions(const Program& program);
std::string text(const Program& program, const Collision& collision);
/// Throws IllegalBehaviour (kCollisionId) naming the first.
void refuse_collisions(const Program& program);

}  // namespace tessera::scheduled
