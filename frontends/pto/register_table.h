// The operations of the register level of A5: on physical registers (pto.vadd), on logical ones
// (pto.vmi.vadd), and those that move bytes between buffers or work on them as a whole (pto.mte_gm_ub).
#pragma once

#include <string>
#include <vector>

#include "frontends/pto/operations.h"
#include "models/cluster/program/program.h"

namespace tessera::pto {

/// How operands become a RegisterOperation. register_lowering.cpp has a function for each.
enum class RegisterShape : std::uint8_t {
  kPlain,    ///< operands are registers, numbers and a mask
  kMemory,   ///< one of them is a pointer with an index
  kMask,     ///< a pattern or a count gives a mask
  kCompare,  ///< two operands, or one and a number, give a mask
  kReduce,   ///< groups of lanes give one lane each
  kPair,     ///< two results
  kParts,    ///< several registers from one, or one from several
  kState,    ///< no effect on values: alignment of streams, barriers
};

struct RegisterRow {
  std::string name;
  RegisterShape shape;
  cluster::RegisterFunction function;
  cluster::RegisterUnit unit;
  Arithmetic arithmetic;
};

const std::vector<RegisterRow>& register_rows();
const RegisterRow& register_row(const std::string& name);

/// A copy between buffers, a product, or a state of the core.
struct RawRow {
  const char* name;
  Opcode opcode;  ///< kEnd: a state, or a value that is read from one
  Pipe pipe;
};

const std::vector<RawRow>& raw_rows();
const RawRow& raw_row(const std::string& name);

}  // namespace tessera::pto
