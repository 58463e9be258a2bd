#include <algorithm>
#include <optional>
#include <utility>

#include "frontends/csl/codegen/passes.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Elements between two of which the second is formed from the first: its address has a register.
constexpr unsigned kNear = 8;

/// Makes the addresses of one block as the vendor's code does: the base of an array in a register of
/// its own, and loads and stores without an offset (wse_timing_3.md C3, rule 2).
class Forming {
 public:
  explicit Forming(Function& function) : f_(function) {}

  void run(Block& block) {
    sums_.clear();
    elements_.clear();
    std::vector<Instruction> old = std::move(block.code);
    block.code.clear();
    for (Instruction& in : old) {
      if (in.op == Op::kAdd && in.type == Type::kAddress && !take_neighbor(in))
        take_base(in, block.code);
      if (in.op == Op::kLoad || in.op == Op::kStore) take_offset(in, block.code);
      for (const RegisterId r : in.results) forget(r);
      if (made_ && made_->result != made_->index) elements_.push_back(*made_);
      made_.reset();
      block.code.push_back(std::move(in));
    }
  }

 private:
  struct Sum {
    RegisterId base = 0;
    std::int32_t offset = 0;
    RegisterId result = 0;
  };

  /// The address of an element of an array.
  struct Element {
    RegisterId index = 0;  ///< scaled
    VariableId array = 0;
    std::int32_t offset = 0;
    RegisterId result = 0;
    unsigned position = 0;
  };

  /// An element at a known distance from another is formed from its address, with one addition.
  bool take_neighbor(Instruction& in) {
    if (!in.operands[0].is_register() || !in.operands[1].is_address()) return false;
    const Value array = in.operands[1];
    made_ = Element{in.operands[0].number, array.number, array.offset, in.results[0], ++position_};
    const auto other = std::find_if(elements_.begin(), elements_.end(), [&](const Element& e) {
      return e.index == made_->index && e.array == made_->array && position_ - e.position < kNear;
    });
    if (other == elements_.end()) return false;
    const auto by = static_cast<std::uint32_t>(array.offset - other->offset);
    in.operands = {reg(Type::kAddress, other->result), constant(Type::kAddress, by)};
    return true;
  }

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
    elements_.erase(std::remove_if(elements_.begin(), elements_.end(),
                                   [r](const Element& e) { return e.index == r || e.result == r; }),
                    elements_.end());
  }

  Function& f_;
  std::vector<Sum> sums_;
  std::vector<Element> elements_;
  unsigned position_ = 0;        ///< of the element among those of the function
  std::optional<Element> made_;  ///< by the instruction that comes next
};

}  // namespace

void form_addresses(Function& function) {
  Forming forming(function);
  for (Block& block : function.blocks) forming.run(block);
}

}  // namespace tessera::csl::codegen
