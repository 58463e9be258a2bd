#include "models/cluster/program/program.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "models/cluster/program/thread_function.h"
#include "tlm_ifaces/vocabulary/float16.h"

namespace tessera::cluster {

const char* to_string(Opcode op) {
  static constexpr std::array<const char*, kOpcodeCount> kNames = {
      // Tile operations.
      "mad", "load_a", "load_b", "load_table", "l1_to_ub", "ub_to_l1", "copy_in", "copy_out",
      "fix_out", "fix_local", "vector", "busy", "vector_function",
      // Sync operations.
      "set_flag", "wait_flag", "pipe_barrier", "get_buf", "rls_buf", "set_cross_core",
      "wait_flag_dev", "set_intra_block", "wait_intra_core", "set_ffts",
      // Scalar instructions.
      "set", "add", "sub", "mul", "div", "rem", "and", "or", "xor", "min", "max", "shift_left",
      "shift_right", "ceil_div", "floor_div", "to_integer", "to_real", "mul_size", "compare",
      "select", "get_element", "set_element", "get", "jump", "branch", "gm_load", "gm_store",
      "gm_add", "load_scalar", "store_scalar", "dcci", "data_barrier", "print", "register", "trap",
      "end"};
  return kNames[static_cast<unsigned>(op)];
}

std::string Program::where(std::uint32_t pc) const {
  const std::uint32_t line = pc < code.size() ? code[pc].line : 0;
  if (line == 0) return name + ", instruction " + std::to_string(pc);
  if (const auto other = other_files.find(pc); other != other_files.end())
    return other->second + ":" + std::to_string(line);
  return file + ":" + std::to_string(line);
}

std::string to_string(const Instruction& i) {
  const std::string text = to_string(i.op), pipe = to_string(i.pipe);
  const std::string id =
      (i.id.is_register ? ", id in register " : ", id ") + std::to_string(i.id.value);
  if (is_thread_function(i)) return "threads";
  if (i.op == Opcode::kBarrier || i.op == Opcode::kBusy) return text + "(" + pipe + ")";
  if (is_tile_operation(i.op) || i.op >= Opcode::kSetFfts) return text;
  if (i.op == Opcode::kSetFlag || i.op == Opcode::kWaitFlag)
    return text + "(" + pipe + ", " + to_string(i.to) + id + ")";
  if (i.op == Opcode::kSetCrossCore)
    return text + "(" + pipe + ", mode " + std::to_string(i.mode) + id + ")";
  return text + "(" + pipe + id + ")";
}

namespace {

using Int = std::int64_t;

std::uint64_t bits(Int value) {
  return static_cast<std::uint64_t>(value);
}
Int whole(std::uint64_t bits) {
  return static_cast<Int>(bits);
}

Int divide(Int a, Int b) {
  return b == -1 ? whole(0 - bits(a)) : a / b;
}
Int remainder(Int a, Int b) {
  return b == -1 ? 0 : a % b;
}
// A division that rounds up (direction 1) or down (-1) instead of towards zero.
template <int direction>
Int divide_to(Int a, Int b) {
  const bool exact = remainder(a, b) == 0;
  const bool positive = (a < 0) == (b < 0);
  return exact || positive != (direction > 0) ? divide(a, b) : divide(a, b) + direction;
}

/// Towards zero; what 64 bits do not hold becomes 0.
Int to_integer(double value) {
  constexpr double kLimit = 9223372036854775808.0;
  return value >= -kLimit && value < kLimit ? static_cast<Int>(value) : 0;
}

/// The real number of a float of these bits: those of f64, f32 and f16; one without a sign is bf16.
double rounded_to(IntegerType type, double value) {
  if (type.bits == 32) return static_cast<float>(value);
  if (type.bits != 16) return value;
  const float16::Layout layout = type.is_unsigned ? float16::kBfloat16 : float16::kBinary16;
  return float16::value_of(float16::bits_of(value, layout), layout);
}

/// A whole number as a float, rounded once: what a double drops of it stays as its lowest bit until then.
double to_real(bool is_negative, std::uint64_t magnitude, IntegerType type) {
  constexpr unsigned kDoubleBits = 53;
  unsigned dropped = 0;
  while (dropped < 64 - kDoubleBits && magnitude >> dropped >> kDoubleBits != 0) ++dropped;
  const bool rounds_again = type.bits < 64;
  const std::uint64_t kept = magnitude >> dropped << dropped;
  if (rounds_again && kept != magnitude) magnitude = kept | std::uint64_t{1} << dropped;
  const double value = rounded_to(type, static_cast<double>(magnitude));
  return is_negative ? -value : value;
}

Int multiply_sizes(Int a, Int b) {
  if (a < 0 || b < 0) return a < 0 ? a : b;
  constexpr Int kMost = std::numeric_limits<Int>::max();
  return b != 0 && a > kMost / b ? kMost : a * b;
}

/// By opcode, from kSet to kMulSize.
constexpr std::array<Int (*)(Int, Int), 18> kFunctions = {
    [](Int a, Int) { return a; },
    [](Int a, Int b) { return whole(bits(a) + bits(b)); },
    [](Int a, Int b) { return whole(bits(a) - bits(b)); },
    [](Int a, Int b) { return whole(bits(a) * bits(b)); },
    divide,
    remainder,
    [](Int a, Int b) { return a & b; },
    [](Int a, Int b) { return a | b; },
    [](Int a, Int b) { return a ^ b; },
    [](Int a, Int b) { return std::min(a, b); },
    [](Int a, Int b) { return std::max(a, b); },
    [](Int a, Int b) { return b < 0 || b > 63 ? 0 : whole(bits(a) << b); },
    [](Int a, Int b) { return a >> (b < 0 || b > 63 ? 63 : b); },
    divide_to<1>,
    divide_to<-1>,
    [](Int a, Int) { return to_integer(real_of(a)); },
    [](Int a, Int) { return bits_of_real(static_cast<double>(a)); },
    multiply_sizes,
};

}  // namespace

bool holds(Predicate predicate, std::int64_t a, std::int64_t b) {
  const std::array<bool, 6> results = {a == b, a != b, a<b, a <= b, a> b, a >= b};
  return results[static_cast<unsigned>(predicate)];
}

std::int64_t calculate(Opcode op, std::int64_t a, std::int64_t b) {
  return kFunctions[static_cast<unsigned>(op) - static_cast<unsigned>(Opcode::kSet)](a, b);
}

namespace {

/// `a OP b` of numbers from 0 to 2^64 - 1, where that differs from signed ones.
Int calculate_unsigned(Opcode op, Int a, Int b) {
  const std::uint64_t x = bits(a), y = bits(b);
  switch (op) {
  case Opcode::kDiv:
  case Opcode::kFloorDiv:
    return whole(x / y);
  case Opcode::kRem:
    return whole(x % y);
  case Opcode::kCeilDiv:
    return whole(x / y + (x % y == 0 ? 0 : 1));
  case Opcode::kMin:
    return whole(std::min(x, y));
  case Opcode::kMax:
    return whole(std::max(x, y));
  case Opcode::kShiftRight:
    return y > 63 ? 0 : whole(x >> y);
  default:
    return calculate(op, a, b);
  }
}

}  // namespace

Int calculate(Opcode op, Int a, Int b, IntegerType operands, IntegerType result) {
  if (op == Opcode::kToInteger) return result.of(calculate(op, a, b));
  a = operands.of(a);
  b = operands.of(b);
  if (op == Opcode::kToReal) {
    const bool is_negative = !operands.is_unsigned && a < 0;
    return bits_of_real(to_real(is_negative, is_negative ? 0 - bits(a) : bits(a), result));
  }
  return result.of(operands.is_unsigned ? calculate_unsigned(op, a, b) : calculate(op, a, b));
}

bool holds(Predicate predicate, Int a, Int b, IntegerType operands) {
  // Unsigned numbers are ordered as signed ones are when their highest bit is turned over.
  const Int turn = operands.is_unsigned ? std::numeric_limits<Int>::min() : 0;
  return holds(predicate, operands.of(a) ^ turn, operands.of(b) ^ turn);
}

// --- banks of UB ---

namespace {

constexpr std::int64_t kBlock = 32, kGroups = 16, kRepeat = 256;
constexpr std::int64_t kBank = 64 * 1024;  // addresses that share a bank in each group
constexpr std::int64_t kBlocks = kRepeat / kBlock;

/// Groups from one to the other, the shorter way round.
std::int64_t distance(std::int64_t a, std::int64_t b) {
  const std::int64_t way = std::abs(a / kBlock - b / kBlock) % kGroups;
  return std::min(way, kGroups - way);
}

}  // namespace

BankConflict bank_conflict(const std::vector<std::int64_t>& sources, std::int64_t destination) {
  BankConflict worst = BankConflict::kNone;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::int64_t a = sources[i];
    for (std::size_t k = 0; k < i; ++k) {
      const std::int64_t b = sources[k];
      if (a == b || distance(a, b) >= kBlocks) continue;
      if (std::abs(a - b) >= kRepeat) return BankConflict::kReadRead;
      if (worst == BankConflict::kNone) worst = BankConflict::kNeighbour;
    }
    const std::int64_t apart = distance(a, destination);
    if (a / kBank == destination / kBank && apart > 0 && apart < kBlocks)
      worst = BankConflict::kReadWrite;
  }
  return worst;
}

}  // namespace tessera::cluster
