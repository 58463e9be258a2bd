// Random communication programs, as text: up to 8 operators of any kind on up to 64 nodes in 1, 2
// or 3 dimensions, grouped at random, with random starts of the nodes and a random machine.
#pragma once

#include <cstdint>
#include <string>

#include "frontends/operators/termination.h"

namespace tessera::test {

struct RandomProgram {
  std::string text;
  operators::Target target;
};

/// The same for equal seeds.
RandomProgram random_program(std::uint64_t seed);

/// Programs with everything that a program can have: nested groups and loops, work, continuing
/// operators, regions, subsets, online messages, techniques, ways to combine, lengths and slots that
/// are asked for, interruptions, schedule memories of 2 to 4. Many are refused.
RandomProgram random_mixed_program(std::uint64_t seed);

}  // namespace tessera::test
