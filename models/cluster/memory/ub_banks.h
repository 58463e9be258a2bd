// Banks of the UB of A2/A3 (reference ascend.md 1.3, 4.3): blocks of 32 bytes go round 16 groups; a
// group has three banks, one for each 64 KB. A vector operation reads and writes eight blocks, one
// behind the other, for each repeat. A group has one read and one write port.
#pragma once

#include <cstdint>
#include <vector>

#include "models/cluster/program/program.h"

namespace tessera::cluster {

/// How the operands of an operation that goes through all of them block by block lie: bytes from the
/// begin of UB, where each begins. The worst conflict there is counts.
///
/// kReadRead: two sources want one group for other blocks; sources at one address are read once.
/// kNeighbour: the same, and the second one begins inside the repeat of the first. kReadWrite: a source
/// and the destination want one bank, not aligned to each other.
BankConflict bank_conflict(const std::vector<std::int64_t>& sources, std::int64_t destination);

}  // namespace tessera::cluster
