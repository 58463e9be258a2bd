// Where the part of a tensor that a copy moves lies in GM, for the contents of L2.
#pragma once

#include <cstdint>
#include <string>

#include "models/cluster/program/tile_operation.h"
#include "tlm_ifaces/transfer/transfer.h"

namespace tessera::cluster {

/// Arrays of one name are one array, in whatever program. They lie far apart.
std::uint64_t array_base(const std::string& name);

/// `operand` is in GM. Runs of neighbouring elements that do not lie at one distance from each other
/// have no place (`rows` 0).
transfer::Place place_of(const ResolvedOperand& operand, std::uint64_t array_base);

/// Rows start at blocks of 32 bytes, the unit of MTE2; others cost more (4.4, unaligned). What has no
/// place counts as aligned.
bool is_aligned(const transfer::Place& place);

}  // namespace tessera::cluster
