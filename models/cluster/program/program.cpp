#include "models/cluster/program/program.h"

#include <algorithm>
#include <limits>

namespace tessera::cluster {

const char* to_string(Opcode op) {
  static constexpr std::array<const char*, kOpcodeCount> kNames = {
      // Tile operations.
      "mad", "load_a", "load_b", "load_table", "l1_to_ub", "ub_to_l1", "copy_in", "copy_out",
      "fix_out", "fix_local", "vector", "busy",
      // Sync operations.
      "set_flag", "wait_flag", "pipe_barrier", "get_buf", "rls_buf", "set_cross_core",
      "wait_flag_dev", "set_intra_block", "wait_intra_core", "set_ffts",
      // Scalar instructions.
      "set", "add", "sub", "mul", "div", "rem", "and", "or", "xor", "min", "max", "shift_left",
      "shift_right", "ceil_div", "floor_div", "mul_size", "compare", "select", "get", "jump",
      "branch", "gm_load", "gm_store", "gm_add", "load_scalar", "store_scalar", "dcci",
      "data_barrier", "trap", "end"};
  return kNames[static_cast<unsigned>(op)];
}

std::string Program::where(std::uint32_t pc) const {
  const std::uint32_t line = pc < code.size() ? code[pc].line : 0;
  if (line == 0) return name + ", instruction " + std::to_string(pc);
  return file + ":" + std::to_string(line);
}

std::string to_string(const Instruction& i) {
  const std::string id =
      (i.id.is_register ? "id in register " : "id ") + std::to_string(i.id.value);
  std::string text = to_string(i.op);
  switch (i.op) {
  case Opcode::kSetFlag:
  case Opcode::kWaitFlag:
    return text + "(" + to_string(i.pipe) + ", " + to_string(i.to) + ", " + id + ")";
  case Opcode::kSetCrossCore:
    return text + "(" + to_string(i.pipe) + ", mode " + std::to_string(i.mode) + ", " + id + ")";
  case Opcode::kBarrier:
  case Opcode::kBusy:
    return text + "(" + to_string(i.pipe) + ")";
  case Opcode::kGetBuf:
  case Opcode::kRlsBuf:
  case Opcode::kWaitFlagDev:
  case Opcode::kSetIntraBlock:
  case Opcode::kWaitIntraCore:
    return text + "(" + to_string(i.pipe) + ", " + id + ")";
  default:
    return text;
  }
}

namespace {

std::uint64_t bits(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

// Rounded up (direction 1) or down (-1) instead of towards zero.
std::int64_t divide(std::int64_t a, std::int64_t b, int direction) {
  const std::int64_t quotient = calculate(Opcode::kDiv, a, b);
  const bool exact = calculate(Opcode::kRem, a, b) == 0;
  const bool positive = (a < 0) == (b < 0);
  return exact || positive != (direction > 0) ? quotient : quotient + direction;
}

}  // namespace

bool holds(Predicate predicate, std::int64_t a, std::int64_t b) {
  switch (predicate) {
  case Predicate::kEqual:
    return a == b;
  case Predicate::kNotEqual:
    return a != b;
  case Predicate::kLess:
    return a < b;
  case Predicate::kLessEqual:
    return a <= b;
  case Predicate::kGreater:
    return a > b;
  default:
    return a >= b;
  }
}

std::int64_t calculate(Opcode op, std::int64_t a, std::int64_t b) {
  switch (op) {
  case Opcode::kAdd:
    return static_cast<std::int64_t>(bits(a) + bits(b));
  case Opcode::kSub:
    return static_cast<std::int64_t>(bits(a) - bits(b));
  case Opcode::kMul:
    return static_cast<std::int64_t>(bits(a) * bits(b));
  case Opcode::kDiv:
    return b == -1 ? static_cast<std::int64_t>(0 - bits(a)) : a / b;
  case Opcode::kRem:
    return b == -1 ? 0 : a % b;
  case Opcode::kAnd:
    return a & b;
  case Opcode::kOr:
    return a | b;
  case Opcode::kXor:
    return a ^ b;
  case Opcode::kMin:
    return std::min(a, b);
  case Opcode::kMax:
    return std::max(a, b);
  case Opcode::kShiftLeft:
    return b < 0 || b > 63 ? 0 : static_cast<std::int64_t>(bits(a) << b);
  case Opcode::kShiftRight:
    return a >> (b < 0 || b > 63 ? 63 : b);
  case Opcode::kCeilDiv:
    return divide(a, b, 1);
  case Opcode::kFloorDiv:
    return divide(a, b, -1);
  case Opcode::kMulSize: {
    if (a < 0 || b < 0) return a < 0 ? a : b;
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    return b != 0 && a > kMost / b ? kMost : a * b;
  }
  default:
    return a;
  }
}

}  // namespace tessera::cluster
