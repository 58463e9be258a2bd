#include <algorithm>
#include <optional>

#include "frontends/csl/codegen/memory_facts.h"
#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"
#include "frontends/csl/ir/loops.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Registers of 16 bits that a loop may give to what does not change in it: fewer than half of all.
constexpr unsigned kMostRegisters = 6;

class Hoisting {
 public:
  Hoisting(const Module& module, const OpenVariables& open, FunctionId id, Function& function)
      : module_(module), f_(function), facts_(module, open, id, function),
        counts_(definition_counts(function)) {}

  /// Moves what does not change in the loop in front of it.
  void run(const Loop& loop, const Dominators& dominators) {
    changed_.assign(f_.registers.size(), false);
    std::vector<Instruction> moved;
    unsigned registers = 0;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      if (!loop.inside[b]) continue;
      for (const Instruction& in : f_.blocks[b].code) {
        for (const RegisterId r : in.results) changed_[r] = true;
      }
    }
    for (bool again = true; again;) {
      again = false;
      for (BlockId b = 0; b < f_.blocks.size(); ++b) {
        if (!loop.inside[b]) continue;
        const bool is_certain = std::all_of(loop.latches.begin(), loop.latches.end(),
                                            [&](BlockId l) { return dominators.dominates(b, l); });
        std::vector<Instruction>& code = f_.blocks[b].code;
        for (std::size_t i = 0; i < code.size(); ++i) {
          const unsigned words = is_wide(code[i].type) ? 2 : 1;
          if (registers + words > kMostRegisters || !may_move(code[i], loop, b, is_certain))
            continue;
          registers += words;
          changed_[code[i].results[0]] = false;
          moved.push_back(std::move(code[i]));
          code.erase(code.begin() + static_cast<std::ptrdiff_t>(i--));
          again = true;
        }
      }
    }
    if (moved.empty()) return;
    std::vector<Instruction>& front = f_.blocks[preheader_of(f_, loop)].code;
    front.insert(front.end() - 1, moved.begin(), moved.end());
  }

 private:
  bool may_move(const Instruction& in, const Loop& loop, BlockId b, bool is_certain) const {
    if (in.has_effect() || in.results.size() != 1 || counts_[in.results[0]] != 1) return false;
    if (in.op == Op::kCopy && !in.operands[0].is_register()) return false;
    if (in.op == Op::kCompare) return false;  // it stays beside what reads the flag
    for (const Value& v : in.operands) {
      if (v.is_register() && changed_[v.number]) return false;
    }
    const bool divides = (in.op == Op::kDiv || in.op == Op::kRem) && !is_float(in.type);
    if (divides && !in.operands[1].is_constant()) return false;
    return in.op != Op::kLoad || is_kept(in, loop, b, is_certain);
  }

  /// Whether a load gives the same in all trips, and may run when none takes it.
  bool is_kept(const Instruction& load, const Loop& loop, BlockId b, bool is_certain) const {
    const Access a = facts_.access_of(load);
    if (!a.variable) return false;
    const bool is_inside =
        a.is_plain() && a.offset >= 0 &&
        static_cast<std::uint32_t>(a.offset) + a.bytes <= module_.variables[*a.variable].bytes();
    if (!is_inside && !(is_certain && b == loop.header)) return false;
    for (BlockId other = 0; other < f_.blocks.size(); ++other) {
      if (!loop.inside[other]) continue;
      for (const Instruction& in : f_.blocks[other].code) {
        if (in.op == Op::kStore && facts_.may_overlap(facts_.access_of(in), a)) return false;
        if (in.op != Op::kStore && in.has_effect() && facts_.may_change(in, a)) return false;
      }
    }
    return true;
  }

  const Module& module_;
  Function& f_;
  MemoryFacts facts_;
  const std::vector<unsigned> counts_;
  std::vector<bool> changed_;  ///< by register: the loop assigns it
};

}  // namespace

void hoist_invariants(const Module& module, const OpenVariables& open, FunctionId id,
                      Function& function) {
  // A loop that gets a block in front of it renumbers the others.
  for (std::size_t n = 0;; ++n) {
    const Dominators dominators(function);
    const std::vector<Loop> loops = loops_of(function, dominators);
    if (n >= loops.size()) return;
    if (loops[n].header != 0) Hoisting(module, open, id, function).run(loops[n], dominators);
  }
}

}  // namespace tessera::csl::codegen
