#include <algorithm>
#include <utility>

#include "frontends/csl/codegen/constants.h"
#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/loops.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Which signed integers are never negative: constants, what is masked or divided, and counters of loops that a known
/// bound ends.
class NotNegative {
 public:
  explicit NotNegative(const Function& f)
      : f_(f), dominators_(f), loops_(loops_of(f, dominators_)), definitions_(f.registers.size()),
        is_parameter_(f.registers.size()) {
    for (const RegisterId r : f.parameters) is_parameter_[r] = true;
    for (BlockId b = 0; b < f.blocks.size(); ++b) {
      for (const Instruction& in : f.blocks[b].code) {
        for (const RegisterId r : in.results) definitions_[r].push_back({&in, b});
      }
    }
  }

  bool holds(const Value& v, unsigned depth = 6) const {
    if (!is_signed(v.type) || depth == 0) return false;
    if (v.is_constant()) return integer_of(v.type, v.number) >= 0;
    if (!v.is_register() || is_parameter_[v.number] || definitions_[v.number].empty()) return false;
    const Definition* step = nullptr;
    for (const Definition& d : definitions_[v.number]) {
      if (step_of(d, v.number) != 0) {
        if (step != nullptr) return false;
        step = &d;
      } else if (!result_holds(*d.in, depth - 1)) {
        return false;
      }
    }
    return step == nullptr || (definitions_[v.number].size() > 1 && is_bounded(*step, v));
  }

 private:
  struct Definition {
    const Instruction* in;
    BlockId block;
  };

  /// What a definition of `r` adds to it, itself or as a copy of a sum in front of it in its block; 0: it is not of
  /// this kind.
  std::int64_t step_of(const Definition& d, RegisterId r) const {
    const Instruction* in = d.in;
    if (in->op == Op::kCopy && in->operands[0].is_register()) {
      const auto& sums = definitions_[in->operands[0].number];
      if (sums.size() != 1 || sums[0].block != d.block || sums[0].in > d.in) return 0;
      in = sums[0].in;
    }
    if (in->op != Op::kAdd || !is_signed(in->type)) return 0;
    const Value& a = in->operands[0];
    const Value& b = in->operands[1];
    if (!a.is_register() || a.number != r || !b.is_constant()) return 0;
    return std::max<std::int64_t>(integer_of(b.type, b.number), 0);
  }

  bool result_holds(const Instruction& in, unsigned depth) const {
    const auto operand = [&](std::size_t i) { return holds(in.operands[i], depth); };
    switch (in.op) {
    case Op::kCopy:
    case Op::kShr:
    case Op::kRem:
      return operand(0);
    case Op::kConvert: {
      const Type from = in.operands[0].type;
      if (from == Type::kBool || (from == Type::kU16 && is_wide(in.type))) return true;
      return bytes_of(from) <= bytes_of(in.type) && operand(0);  // a narrower one loses the sign
    }
    case Op::kAnd:
      return operand(0) || operand(1);
    case Op::kDiv:
      return operand(0) && operand(1);
    default:
      return false;
    }
  }

  /// Whether a compare with a constant stands in front of every step, and so the counter cannot overflow.
  bool is_bounded(const Definition& step, const Value& counter) const {
    const std::int64_t most = (std::int64_t{1} << (8 * bytes_of(counter.type) - 1)) - 1;
    const std::int64_t by = step_of(step, counter.number);
    for (const Definition& d : definitions_[counter.number]) {
      if (d.in == step.in) continue;
      const Value& first = d.in->operands[0];
      if (d.in->op != Op::kCopy || !first.is_constant()) return false;
      if (integer_of(first.type, first.number) > most - by) return false;
    }
    const auto around = std::find_if(loops_.begin(), loops_.end(),
                                     [&step](const Loop& loop) { return loop.inside[step.block]; });
    if (around == loops_.end()) return false;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      const bool in_front = b != step.block && dominators_.dominates(b, step.block);
      if (in_front && around->inside[b] && ends_at(*around, b, counter, most - by)) return true;
    }
    return false;
  }

  /// Whether the loop goes on behind block `b` only while the counter is below a bound of at most `most`. If `b` is
  /// in front of a step, and no loop inside this one has the step, the counter was below the bound at each step.
  bool ends_at(const Loop& loop, BlockId b, const Value& counter, std::int64_t most) const {
    const Instruction& branch = f_.blocks[b].last();
    if (branch.op != Op::kBranch || branch.type != counter.type) return false;
    const bool is_less = branch.condition == Condition::kLt;
    if (!is_less && branch.condition != Condition::kGe) return false;
    const Value& bound = branch.operands[1];
    if (!(branch.operands[0] == counter) || !bound.is_constant()) return false;
    if (integer_of(bound.type, bound.number) > most) return false;
    return !loop.inside[branch.targets[is_less ? 1 : 0]];
  }

  const Function& f_;
  const Dominators dominators_;
  const std::vector<Loop> loops_;
  std::vector<std::vector<Definition>> definitions_;
  std::vector<bool> is_parameter_;
};

Instruction made(const Instruction& like, Op op, Type type, RegisterId result,
                 std::vector<Value> operands) {
  Instruction in;
  in.op = op;
  in.type = type;
  in.results = {result};
  in.operands = std::move(operands);
  in.place = like.place;
  return in;
}

}  // namespace

void divide_as_unsigned(Function& function) {
  std::vector<std::pair<BlockId, std::size_t>> found;
  const NotNegative not_negative(function);
  for (BlockId b = 0; b < function.blocks.size(); ++b) {
    for (std::size_t i = 0; i < function.blocks[b].code.size(); ++i) {
      const Instruction& in = function.blocks[b].code[i];
      if ((in.op != Op::kDiv && in.op != Op::kRem) || !is_signed(in.type)) continue;
      const bool by_constant = in.operands[1].is_constant() && in.operands[1].number != 0;
      if (by_constant && not_negative.holds(in.operands[1]) && not_negative.holds(in.operands[0]))
        found.emplace_back(b, i);
    }
  }
  for (auto it = found.rbegin(); it != found.rend(); ++it) {
    std::vector<Instruction>& code = function.blocks[it->first].code;
    const Instruction in = code[it->second];
    const Type type = is_wide(in.type) ? Type::kU32 : Type::kU16;
    const RegisterId dividend = function.new_register(type);
    const RegisterId result = function.new_register(type);
    code[it->second] = made(in, Op::kCopy, in.type, in.results[0], {reg(type, result)});
    const auto at = code.begin() + static_cast<std::ptrdiff_t>(it->second);
    const Instruction divide =
        made(in, in.op, type, result, {reg(type, dividend), constant(type, in.operands[1].number)});
    code.insert(code.insert(at, divide), made(in, Op::kCopy, type, dividend, {in.operands[0]}));
  }
}

}  // namespace tessera::csl::codegen
