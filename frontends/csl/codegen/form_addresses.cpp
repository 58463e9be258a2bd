#include <algorithm>
#include <utility>

#include "frontends/csl/codegen/passes.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Makes the addresses of one block as the vendor's code does: the base of an array in a register of
/// its own, and loads and stores without an offset (wse_timing_3.md C3, rule 2).
class Forming {
 public:
  explicit Forming(Function& function) : f_(function) {}

  void run(Block& block) {
    sums_.clear();
    std::vector<Instruction> old = std::move(block.code);
    block.code.clear();
    for (Instruction& in : old) {
      if (in.op == Op::kAdd && in.type == Type::kAddress) take_base(in, block.code);
      if (in.op == Op::kLoad || in.op == Op::kStore) take_offset(in, block.code);
      for (const RegisterId r : in.results) forget(r);
      block.code.push_back(std::move(in));
    }
  }

 private:
  struct Sum {
    RegisterId base = 0;
    std::int32_t offset = 0;
    RegisterId result = 0;
  };

  Instruction make(Op op, const Instruction& origin, std::vector<Value> operands) {
    Instruction in;
    in.op = op;
    in.type = Type::kAddress;
    in.results = {f_.new_register(Type::kAddress)};
    in.operands = std::move(operands);
    in.place = origin.place;
    return in;
  }

  void take_base(Instruction& in, std::vector<Instruction>& out) {
    for (Value& v : in.operands) {
      if (!v.is_address()) continue;
      out.push_back(make(Op::kCopy, in, {v}));
      v = reg(Type::kAddress, out.back().results[0]);
    }
  }

  void take_offset(Instruction& in, std::vector<Instruction>& out) {
    if (!in.operands[0].is_register() || in.offset == 0) return;
    const RegisterId base = in.operands[0].number;
    const auto same = std::find_if(sums_.begin(), sums_.end(), [&](const Sum& s) {
      return s.base == base && s.offset == in.offset;
    });
    RegisterId sum = 0;
    if (same != sums_.end()) {
      sum = same->result;
    } else {
      const auto by = static_cast<std::uint32_t>(in.offset);
      out.push_back(make(Op::kAdd, in, {in.operands[0], constant(Type::kAddress, by)}));
      sum = out.back().results[0];
      sums_.push_back({base, in.offset, sum});
    }
    in.operands[0] = reg(Type::kAddress, sum);
    in.offset = 0;
  }

  void forget(RegisterId r) {
    sums_.erase(
        std::remove_if(sums_.begin(), sums_.end(), [r](const Sum& s) { return s.base == r; }),
        sums_.end());
  }

  Function& f_;
  std::vector<Sum> sums_;
};

}  // namespace

void form_addresses(Function& function) {
  Forming forming(function);
  for (Block& block : function.blocks) forming.run(block);
}

}  // namespace tessera::csl::codegen
