#include <algorithm>
#include <cstddef>

#include "frontends/csl/codegen/memory_facts.h"
#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Places that an instruction may move up, less one: the code stays in the order of the source but for
/// what fills a wait.
constexpr std::size_t kWindow = 4;
/// 16-bit registers of the 15 that may be busy when one moves up: pairs need room.
constexpr unsigned kMostBusy = 11;

/// Whether what reads the result as the next instruction waits (wse_timing_3.md C3, rule 4).
bool is_late(const Instruction& in) {
  switch (in.op) {
  case Op::kAdd:
  case Op::kSub:
  case Op::kMul:
  case Op::kMultiplyAdd:
  case Op::kMin:
  case Op::kMax:
  case Op::kNeg:
  case Op::kAbs:
  case Op::kScale:
  case Op::kNormalize:
    return is_float(in.type);
  case Op::kConvert:
    return is_float(in.type) || is_float(in.operands[0].type);
  default:
    return false;
  }
}

bool reads(const Instruction& in, RegisterId r) {
  return std::any_of(in.operands.begin(), in.operands.end(),
                     [r](const Value& v) { return v.is_register() && v.number == r; });
}
bool reads_any(const Instruction& in, const std::vector<RegisterId>& registers) {
  return std::any_of(registers.begin(), registers.end(),
                     [&](RegisterId r) { return reads(in, r); });
}
bool writes_any(const Instruction& in, const std::vector<RegisterId>& registers) {
  return std::any_of(in.results.begin(), in.results.end(), [&](RegisterId r) {
    return std::find(registers.begin(), registers.end(), r) != registers.end();
  });
}
bool touches_memory(const Instruction& in) {
  return in.op == Op::kLoad || in.op == Op::kStore;
}

class Ordering {
 public:
  Ordering(const MemoryFacts& facts, Function& function)
      : facts_(facts), f_(function), live_(liveness_of(function)) {}

  void run(BlockId b) {
    std::vector<Instruction>& code = f_.blocks[b].code;
    count(code, b);
    for (std::size_t i = 0; i + 1 < code.size(); ++i) {
      if (i > 0 && waits(code[i - 1], code[i])) fill(code, i);
      pass(code[i]);
    }
  }

 private:
  static bool waits(const Instruction& before, const Instruction& in) {
    return is_late(before) && reads_any(in, before.results);
  }

  /// Moves the first instruction that may stand at `position`, and does not wait there, to it.
  void fill(std::vector<Instruction>& code, std::size_t position) const {
    const std::size_t end = std::min(position + kWindow, code.size() - 1);
    // Calls and operations stay where they are, and nothing passes them.
    const auto stays = [](const Instruction& in) { return in.has_effect() && in.op != Op::kStore; };
    if (stays(code[position])) return;
    for (std::size_t i = position + 1; i < end; ++i) {
      if (stays(code[i])) return;
      if (!may_move(code, position, i)) continue;
      const auto to = code.begin() + static_cast<std::ptrdiff_t>(position);
      const auto from = code.begin() + static_cast<std::ptrdiff_t>(i);
      std::rotate(to, from, from + 1);
      return;
    }
  }

  bool may_move(const std::vector<Instruction>& code, std::size_t position, std::size_t i) const {
    const Instruction& in = code[i];
    // A division by zero stops the run where it stands.
    if (in.op == Op::kDiv || in.op == Op::kRem) return false;
    // Choices stand beside those that share their compare; the counter of a loop beside its test.
    if (in.op == Op::kCompare || in.op == Op::kSelect || in.op == Op::kChoose) return false;
    if (reads_any(code.back(), in.results) || waits(code[position - 1], in)) return false;
    if (!has_room(in)) return false;
    return std::none_of(code.begin() + static_cast<std::ptrdiff_t>(position),
                        code.begin() + static_cast<std::ptrdiff_t>(i),
                        [&](const Instruction& other) { return depend(other, in); });
  }

  /// Whether `in` cannot move in front of `other`.
  bool depend(const Instruction& other, const Instruction& in) const {
    if (reads_any(in, other.results) || reads_any(other, in.results) ||
        writes_any(in, other.results))
      return true;
    if (!touches_memory(in) || !touches_memory(other)) return false;
    if (in.op == Op::kLoad && other.op == Op::kLoad) return false;
    return facts_.may_overlap(facts_.access_of(in), facts_.access_of(other));
  }

  unsigned width(RegisterId r) const { return is_wide(f_.registers[r]) ? 2 : 1; }

  bool has_room(const Instruction& in) const {
    unsigned more = 0;
    for (const RegisterId r : in.results) more += width(r);
    return more == 0 || busy_ + more <= kMostBusy;
  }

  void count(const std::vector<Instruction>& code, BlockId b) {
    reads_left_.assign(f_.registers.size(), 0);
    for (const Instruction& in : code) {
      for (const Value& v : in.operands) {
        if (v.is_register()) ++reads_left_[v.number];
      }
    }
    is_busy_.assign(f_.registers.size(), false);
    busy_ = 0;
    for (RegisterId r = 0; r < f_.registers.size(); ++r) {
      if (live_.out[b][r]) ++reads_left_[r];
      if (live_.in[b][r]) set_busy(r, true);
    }
  }
  void set_busy(RegisterId r, bool busy) {
    if (is_busy_[r] == busy) return;
    is_busy_[r] = busy;
    busy_ = busy ? busy_ + width(r) : busy_ - width(r);
  }
  void pass(const Instruction& in) {
    for (const Value& v : in.operands) {
      if (v.is_register() && --reads_left_[v.number] == 0) set_busy(v.number, false);
    }
    for (const RegisterId r : in.results) set_busy(r, reads_left_[r] != 0);
  }

  const MemoryFacts& facts_;
  Function& f_;
  const Liveness live_;
  std::vector<unsigned> reads_left_;  ///< by register; one more if the block leaves it to others
  std::vector<bool> is_busy_;
  unsigned busy_ = 0;  ///< registers of 16 bits
};

}  // namespace

void order_floats(const Module& module, const OpenVariables& open, FunctionId id,
                  Function& function) {
  const MemoryFacts facts(module, open, id, function);
  Ordering ordering(facts, function);
  for (BlockId b = 0; b < function.blocks.size(); ++b) ordering.run(b);
}

}  // namespace tessera::csl::codegen
