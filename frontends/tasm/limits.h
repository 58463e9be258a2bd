// What a generation has of each resource (wse.md 2.1, 2.2, 3.1).
#pragma once

#include <cstdint>

#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::tasm {

struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

constexpr Range queue_ids(Generation generation, bool input) {
  return {0, std::int64_t{queue_count(generation, input)} - 1};
}

/// wse.md 3.1: local tasks have ids up to 30 (the machine activates 29 and 30); on WSE-3 the ids of
/// the input queues lie below.
constexpr Range local_task_ids(Generation generation) {
  return {generation == Generation::kWse2 ? 0 : 8, 30};
}

/// wse.md 5.2, 5.8: elements of a descriptor, apart from the endless length 0x7FFF.
inline constexpr std::int64_t kMostElements = 32766;
/// Elements of all loops of a mem4d: more than SRAM could hold several times over.
inline constexpr std::int64_t kMostLoopElements = 262143;

}  // namespace tessera::tasm
