// Code generation: the IR of one tile to the program that the tile runs. Assembling the
// disassembled image again gives the same image (frontends/tasm/disassembler.h).
//
// The calling convention is what the launch of a function and the start of a data task deliver:
// the first four parameters arrive in d0, d2, d4 and d6 (16 bits in the even register), further
// ones in the frame of the callee; a task finds its wavelet in d0. A result comes in d0. A callee
// may change every register.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

struct Options {
  Locals locals = Locals::kMemory;
  bool optimize = true;  ///< false: only what the machine needs, for tests
};

/// Where functions and variables are in the image.
struct Symbols {
  std::map<ir::FunctionId, std::string> functions;  ///< names
  std::vector<std::uint32_t> addresses;             ///< by VariableId
  std::map<ir::VariableId, std::string> variables;  ///< their names
};

/// Throws UserError if functions call each other in a circle or the program does not fit into SRAM,
/// std::logic_error if the module breaks a rule of the IR.
pe::Image generate(ir::Module module, const Options& options = {}, Symbols* symbols = nullptr);

}  // namespace tessera::csl::codegen
