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
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontends/csl/codegen/function_cache.h"
#include "frontends/csl/codegen/local_places.h"
#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

#ifdef NDEBUG
inline constexpr bool kVerifies = false;
#else
inline constexpr bool kVerifies = true;
#endif

struct Options {
  Style style = Style::kVendor;
  Locals locals = Locals::kMemory;  ///< of Style::kPlain; the others have them in registers
  bool optimize = true;             ///< false: only what the machine needs, for tests
  bool verify = kVerifies;          ///< the rules of the IR are checked after each pass
  PrintedPass printed;
  /// Loops are unrolled and calls expanded in programs that take at most so many bytes then.
  std::uint32_t room = pe::kSramBytes;
  /// Of several programs: what one has made of a function, the others take. May be null.
  std::shared_ptr<FunctionCache> cache;
  /// Variables of sections, each with its name: they lie one after the other from an address on.
  std::map<ir::VariableId, std::pair<std::string, std::uint32_t>> sections;
};

/// Code that stands in place of calls, for debuggers.
struct InlinedCode {
  std::vector<ir::InlinedCall> calls;  ///< of all functions; places have 1 + index
  std::vector<std::uint32_t> by_pc;    ///< the innermost call, 1 + index; 0: none
};

/// Where functions and variables are in the image.
struct Symbols {
  std::map<ir::FunctionId, std::string> functions;  ///< names
  std::vector<std::uint32_t> addresses;             ///< by VariableId
  std::map<ir::VariableId, std::string> variables;  ///< their names
  /// Locals of all functions, in the order of their code.
  std::shared_ptr<const std::vector<PlacedLocal>> locals;
  std::shared_ptr<const InlinedCode> inlined;
};

/// Throws UserError if a function of a cycle of calls passes on the address of a local or the program does not fit into SRAM,
/// std::logic_error if the module breaks a rule of the IR.
pe::Image generate(ir::Module module, const Options& options = {}, Symbols* symbols = nullptr);

}  // namespace tessera::csl::codegen
