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

}  // namespace tessera::test
