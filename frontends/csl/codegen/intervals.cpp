#include "frontends/csl/codegen/intervals.h"

#include <algorithm>

#include "frontends/csl/codegen/allocation.h"
#include "frontends/csl/ir/flow.h"
#include "frontends/csl/ir/loops.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

class Scan {
 public:
  explicit Scan(const Function& f) : f_(f), found_(f.registers.size()) {
    for (RegisterId r = 0; r < found_.size(); ++r) {
      found_[r].reg = r;
      found_[r].is_wide = is_wide(f.registers[r]);
    }
  }

  std::vector<Interval> run() {
    const Liveness live = liveness_of(f_);
    for (std::size_t i = 0; i < f_.parameters.size(); ++i) {
      extend(f_.parameters[i], 1);
      found_[f_.parameters[i]].hint = static_cast<int>(arrival_of(f_, i));
    }
    const std::vector<double> weights = block_weights();
    unsigned k = 1;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      weight_ = weights[b];
      extend_all(live.in[b], 2 * k);
      for (const Instruction& in : f_.blocks[b].code) visit(in, k++);
      extend_all(live.out[b], 2 * k - 1);
    }
    return result();
  }

 private:
  void extend(RegisterId r, unsigned point) {
    Interval& i = found_[r];
    if (i.end == 0) i.start = point;
    i.start = std::min(i.start, point);
    i.end = std::max(i.end, point);
  }
  void extend_all(const RegisterSet& set, unsigned point) {
    for (RegisterId r = 0; r < set.size(); ++r) {
      if (set[r]) extend(r, point);
    }
  }

  std::vector<double> block_weights() const {
    std::vector<double> weights(f_.blocks.size(), 1);
    for (const Loop& loop : loops_of(f_, Dominators(f_))) {
      for (BlockId b = 0; b < weights.size(); ++b) weights[b] *= loop.inside[b] ? kLoopWeight : 1;
    }
    return weights;
  }

  /// Between 16 and 32 bits of integers: one is the low half of the other.
  static bool converts_halves(const Instruction& in) {
    if (in.op != Op::kConvert || !in.operands[0].is_register()) return false;
    const Type from = in.operands[0].type;
    return !is_float(in.type) && !is_float(from) && is_wide(in.type) != is_wide(from);
  }

  void visit(const Instruction& in, unsigned k) {
    for (std::size_t i = 0; i < in.operands.size(); ++i) {
      if (!in.operands[i].is_register()) continue;
      found_[in.operands[i].number].weight += weight_;
      extend(in.operands[i].number, 2 * k);
      if (in.op == Op::kCall || in.op == Op::kReturn)
        found_[in.operands[i].number].hint = static_cast<int>(2 * i);
    }
    for (const RegisterId r : in.results) {
      extend(r, 2 * k + 1);
      found_[r].weight += weight_;
      if (in.op == Op::kCall) found_[r].hint = 0;
      if (in.op == Op::kCopy && in.operands[0].is_register())
        found_[r].copied_from = static_cast<int>(in.operands[0].number);
      if (converts_halves(in)) {
        found_[r].copied_from = static_cast<int>(in.operands[0].number);
        if (is_wide(in.type)) found_[in.operands[0].number].is_widened = true;
      }
    }
    if (in.op == Op::kCall) calls_.push_back(2 * k);
  }

  std::vector<Interval> result() {
    std::vector<Interval> all;
    for (Interval& i : found_) {
      if (i.end == 0) continue;
      // What begins where the call reads came into its block, of which the call is the first instruction.
      for (const unsigned call : calls_)
        i.crosses_call = i.crosses_call || (i.start <= call && i.end > call);
      all.push_back(i);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Interval& a, const Interval& b) { return a.start < b.start; });
    return all;
  }

  const Function& f_;
  std::vector<Interval> found_;
  std::vector<unsigned> calls_;
  double weight_ = 1;  ///< of the block that is visited
};

}  // namespace

std::vector<Interval> intervals_of(const Function& function) {
  return Scan(function).run();
}

}  // namespace tessera::csl::codegen
