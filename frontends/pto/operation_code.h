// One operation as instructions, for a front-end that knows its operands as values instead of text.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frontends/pto/ast.h"
#include "frontends/pto/scope.h"

namespace tessera::pto {

/// Instructions whose operations, registers and jumps count from the begin of this code.
struct OperationCode {
  std::vector<Instruction> code;
  std::vector<TileOperation> operations;
  unsigned registers = 0;  ///< number of registers that it uses, with those of its operands
  std::vector<cluster::RegisterOperation> register_operations = {};
};

/// Where the code runs, and the registers that its operands may be in.
struct OperationSite {
  Profile profile = Profile::kA2A3;
  CoreKind core = CoreKind::kAiv;
  unsigned registers = 0;
  std::string file;
  unsigned vector_registers = 0;  ///< the first one for results
};

/// Lowers an operation whose operands are `values`, by name. Throws UserError.
OperationCode lower_operation(const Operation& op,
                              const std::vector<std::pair<std::string, Value>>& values,
                              const OperationSite& site);

}  // namespace tessera::pto
