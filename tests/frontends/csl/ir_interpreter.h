// A reference interpreter of the IR: what a function does, step by step, without registers of the
// machine, frames or code. Every variable has an address of its own.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "frontends/csl/ir/ir.h"
#include "models/pe/half.h"
#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::csl::ir::test {

/// The program takes more steps than a test should.
struct TooLong {};

class Interpreter {
 public:
  explicit Interpreter(const Module& module) : module_(module), memory_(1U << 16) {
    std::uint32_t end = 2048;
    for (const Variable& v : module.variables) {
      end = (end + 3) / 4 * 4;
      addresses_.push_back(end);
      for (std::uint32_t i = 0; i < v.init.size(); ++i)
        write(end + i * bytes_of(v.type), v.init[i], bytes_of(v.type));
      end += v.bytes();
    }
  }

  std::uint32_t run(FunctionId id, const std::vector<std::uint32_t>& arguments) {
    const Function& f = module_.functions[id];
    std::vector<std::uint32_t> registers(f.registers.size());
    for (std::size_t i = 0; i < f.parameters.size(); ++i)
      registers[f.parameters[i]] = narrow(f.registers[f.parameters[i]], arguments[i]);
    Frame frame{f, registers, 0, 0, false};
    while (!frame.done) {
      for (const Instruction& in : f.blocks[frame.block].code) {
        if (++steps_ > kMostSteps) throw TooLong();
        step(frame, in);
      }
    }
    return frame.result;
  }

  std::uint32_t element(VariableId v, std::uint32_t i) const {
    const unsigned bytes = bytes_of(module_.variables[v].type);
    return read(addresses_[v] + i * bytes, bytes);
  }

 private:
  static constexpr unsigned kMostSteps = 20000;

  struct Frame {
    const Function& f;
    std::vector<std::uint32_t>& registers;
    BlockId block;
    std::uint32_t result;
    bool done;
  };

  static std::uint32_t narrow(Type type, std::uint32_t bits) {
    return is_wide(type) ? bits : bits & 0xFFFFU;
  }
  static std::int64_t integer(Type type, std::uint32_t bits) {
    if (type == Type::kI16) return static_cast<std::int16_t>(bits);
    if (type == Type::kI32) return static_cast<std::int32_t>(bits);
    return is_wide(type) ? bits : bits & 0xFFFFU;
  }
  double real(Type type, std::uint32_t bits) const {
    if (type == Type::kSingle) return bit_cast<float>(bits);
    return pe::half_value(static_cast<std::uint16_t>(bits), module_.settings.half);
  }
  std::uint32_t rounded(Type type, double value) const {
    if (type == Type::kSingle) return bit_cast<std::uint32_t>(static_cast<float>(value));
    return pe::half_bits(value, module_.settings.half);
  }

  std::uint32_t value(const Frame& frame, const Value& v) const {
    if (v.is_register()) return frame.registers[v.number];
    if (v.is_constant()) return v.number;
    return (addresses_[v.number] + static_cast<std::uint32_t>(v.offset)) & 0xFFFFU;
  }
  std::uint32_t read(std::uint32_t address, unsigned bytes) const {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &memory_.at(address & 0xFFFFU), bytes);
    return bits;
  }
  void write(std::uint32_t address, std::uint32_t bits, unsigned bytes) {
    std::memcpy(&memory_.at(address & 0xFFFFU), &bits, bytes);
  }

  void step(Frame& frame, const Instruction& in) {
    std::vector<std::uint32_t> x;
    for (const Value& v : in.operands) x.push_back(value(frame, v));
    const auto offset = static_cast<std::uint32_t>(in.offset);
    switch (in.op) {
    case Op::kStore:
      return write(x[0] + offset, x[1], bytes_of(in.type));
    case Op::kCall: {
      const std::uint32_t result = run(in.number, x);
      if (!in.results.empty()) frame.registers[in.results[0]] = result;
      return;
    }
    case Op::kAssert:
      if (!holds(in, x)) throw std::runtime_error("an assertion failed");
      return;
    case Op::kJump:
      frame.block = in.targets[0];
      return;
    case Op::kBranch:
      frame.block = in.targets[holds(in, x) ? 0 : 1];
      return;
    case Op::kReturn:
      if (!x.empty()) frame.result = narrow(in.type, x[0]);
      frame.done = true;
      return;
    case Op::kTrap:
    case Op::kMachine:
      throw std::runtime_error("not interpreted");
    default:
      frame.registers[in.results[0]] = narrow(frame.f.registers[in.results[0]], evaluate(in, x));
    }
  }

  bool holds(const Instruction& in, const std::vector<std::uint32_t>& x) const {
    if (is_float(in.type)) return holds(in.condition, real(in.type, x[0]), real(in.type, x[1]));
    return holds(in.condition, integer(in.type, x[0]), integer(in.type, x[1]));
  }
  template <class T>
  static bool holds(Condition condition, T a, T b) {
    switch (condition) {
    case Condition::kEq:
      return a == b;
    case Condition::kNe:
      return !(a == b);
    case Condition::kLt:
      return a < b;
    case Condition::kLe:
      return a <= b;
    case Condition::kGt:
      return a > b;
    default:
      return a >= b;
    }
  }

  std::uint32_t evaluate(const Instruction& in, const std::vector<std::uint32_t>& x) const {
    switch (in.op) {
    case Op::kCopy:
      return x[0];
    case Op::kConvert:
      return convert(in.type, in.operands[0].type, x[0]);
    case Op::kCompare:
      return holds(in, x) ? 1 : 0;
    case Op::kSelect:
      return x[0] != 0 ? x[1] : x[2];
    case Op::kElement:
      return x[0] + static_cast<std::uint32_t>(integer(in.operands[1].type, x[1])) * in.number +
             static_cast<std::uint32_t>(in.offset);
    case Op::kLoad:
      return read(x[0] + static_cast<std::uint32_t>(in.offset), bytes_of(in.type));
    default:
      return is_float(in.type) ? evaluate_float(in, x) : evaluate_integer(in, x);
    }
  }

  std::uint32_t evaluate_float(const Instruction& in, const std::vector<std::uint32_t>& x) const {
    const Type t = in.type;
    const double a = real(t, x[0]);
    const double b = x.size() > 1 ? real(t, x[1]) : 0;
    switch (in.op) {
    case Op::kAdd:
      return rounded(t, a + b);
    case Op::kSub:
      return rounded(t, a - b);
    case Op::kMul:
      return rounded(t, a * b);
    case Op::kDiv:
      return rounded(t, a / b);
    case Op::kNeg:
      return rounded(t, -a);
    case Op::kAbs:
      return rounded(t, std::fabs(a));
    case Op::kMultiplyAdd:
      return rounded(t, a + real(t, rounded(t, b * real(t, x[2]))));
    default:
      throw std::runtime_error("not interpreted");
    }
  }

  std::uint32_t evaluate_integer(const Instruction& in, const std::vector<std::uint32_t>& x) const {
    const std::int64_t a = integer(in.type, x[0]);
    const std::int64_t b = x.size() > 1 ? integer(in.type, x[1]) : 0;
    switch (in.op) {
    case Op::kAdd:
      return static_cast<std::uint32_t>(a + b);
    case Op::kSub:
      return static_cast<std::uint32_t>(a - b);
    case Op::kMul:
      return x[0] * x[1];
    case Op::kDiv:
      return static_cast<std::uint32_t>(a / b);
    case Op::kRem:
      return static_cast<std::uint32_t>(a % b);
    case Op::kAnd:
      return x[0] & x[1];
    case Op::kOr:
      return x[0] | x[1];
    case Op::kXor:
      return x[0] ^ x[1];
    case Op::kNeg:
      return static_cast<std::uint32_t>(-a);
    default:
      return evaluate_bits(in, a, x);
    }
  }

  std::uint32_t evaluate_bits(const Instruction& in, std::int64_t a,
                              const std::vector<std::uint32_t>& x) const {
    const unsigned width = 8 * bytes_of(in.type);
    unsigned by = 0;
    if (x.size() > 1) by = std::min(narrow(in.operands[1].type, x[1]), 63U);
    switch (in.op) {
    case Op::kShl:
      return by >= width ? 0 : x[0] << by;
    case Op::kShr:
      return static_cast<std::uint32_t>(a >> by);
    case Op::kClz:
      for (unsigned n = 0; n < width; ++n) {
        if ((x[0] >> (width - 1 - n) & 1U) != 0) return n;
      }
      return width;
    case Op::kCtz:
      for (unsigned n = 0; n < width; ++n) {
        if ((x[0] >> n & 1U) != 0) return n;
      }
      return width;
    case Op::kPopcnt: {
      unsigned n = 0;
      for (unsigned i = 0; i < width; ++i) n += x[0] >> i & 1U;
      return n;
    }
    default:
      throw std::runtime_error("not interpreted");
    }
  }

  static std::uint32_t saturated(double v, double low, double high) {
    if (std::isnan(v)) return 0;
    return static_cast<std::uint32_t>(
        static_cast<std::int64_t>(std::trunc(std::fmin(std::fmax(v, low), high))));
  }

  std::uint32_t convert(Type to, Type from, std::uint32_t bits) const {
    if (to == Type::kBool) return is_float(from) ? !(real(from, bits) == 0) : bits != 0;
    if (is_float(from)) {
      const double v = real(from, bits);
      if (is_float(to)) return rounded(to, v);
      constexpr double kTwoTo31 = 2147483648.0;
      if (to == Type::kI16) return saturated(v, -32768, 32767);
      if (to == Type::kU32 && v >= kTwoTo31)
        return saturated(v - kTwoTo31, 0, kTwoTo31 - 1) ^ 0x80000000U;
      return saturated(v, -kTwoTo31, kTwoTo31 - 1);
    }
    const std::int64_t v = integer(from, bits);
    if (to == Type::kSingle) return rounded(to, static_cast<float>(v));
    if (to == Type::kHalf)
      return rounded(to, from == Type::kI16 ? static_cast<double>(v) : static_cast<float>(v));
    return static_cast<std::uint32_t>(v);
  }

  const Module& module_;
  std::vector<std::uint8_t> memory_;
  std::vector<std::uint32_t> addresses_;
  unsigned steps_ = 0;
};

}  // namespace tessera::csl::ir::test
