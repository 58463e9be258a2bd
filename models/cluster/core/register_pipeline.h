// The pipeline of the vector unit of A5 inside one vector function (reference ascend_2.md 4): cycle by cycle.
//
// Five instructions a cycle are dispatched in order, as long as there are registers (of 68 under 32 names) and, for
// instructions that compute or store, places in the shared queue (58). Loads and stores leave their queue when their sources
// are there, together two in a cycle, of them one store; loads go first while registers are left. What computes starts
// when its sources are forwarded to it, on one of two units, each of which keeps a distance between starts that depends on
// both instructions.
//
// Registers of a program have one name for each value; a compiler gives 32 names. Here the name that was not used longest
// is taken for a new value. The numbers were fitted by their author to the vendor's simulator, not to silicon.
#pragma once

#include <cstdint>
#include <vector>

#include "models/cluster/program/register_operation.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::cluster {

/// One instruction on registers of 256 bytes.
struct PipelineStep {
  RegisterUnit unit = RegisterUnit::kNone;
  bool is_half = false;       ///< elements of 16 bits
  bool is_splat = false;      ///< a duplicate (VDUP), on the first unit
  bool is_selection = false;  ///< VSEL, or VCMP if not
  bool is_store = false, is_load = false;
  bool has_result = false;
  bool after_fence = false;              ///< a mem_bar stands before it
  bool opens_loop = false;               ///< the first one after the end of a loop
  std::uint32_t name = 0;                ///< register of the result
  std::vector<std::uint32_t> producers;  ///< numbers of earlier steps
};

/// Cycles from the start of the function until its last result is there.
Cycle pipeline_cycles(const std::vector<PipelineStep>& steps);

}  // namespace tessera::cluster
