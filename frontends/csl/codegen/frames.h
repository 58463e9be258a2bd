// Static frames: every function has one place for its locals, spilled registers and return address.
// Functions that are never active at the same time share memory: the frame of a function begins
// after those of all its callers, but those of a cycle of calls (cycles.h) follow each other. Tasks run to
// their end, so that all frames of tasks begin at 0.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "frontends/csl/codegen/cycles.h"
#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

struct Frames {
  std::uint32_t bytes = 0;
  std::vector<std::uint32_t> variables;             ///< by VariableId: offsets of locals
  std::vector<std::optional<std::uint32_t>> links;  ///< by FunctionId: offset of the return address
};

std::vector<ir::FunctionId> callees_of(const ir::Function& function);
/// Functions that tasks and exported functions reach, callers in front of callees, but in cycles.
std::vector<ir::FunctionId> reachable_functions(const ir::Module& module);

/// `functions`: in the order of `reachable_functions`. Locals that no instruction names get no
/// memory.
Frames lay_out_frames(const ir::Module& module, const std::vector<ir::FunctionId>& functions,
                      const Cycles& cycles);
/// What a function of a cycle keeps on the stack: words of its frame, in steps of 2 bytes from
/// `base`, the offset 0 of a frame of its own.
struct OwnFrame {
  std::vector<ir::VariableId> variables;
  bool has_link = false;
  std::uint32_t bytes = 0;
};
OwnFrame own_frame(const ir::Module& module, ir::FunctionId f, const Cycles& cycles);

bool has_call(const ir::Function& function);

}  // namespace tessera::csl::codegen
