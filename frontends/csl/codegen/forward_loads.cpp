#include <algorithm>
#include <set>

#include "frontends/csl/codegen/passes.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Locals of the function that no pointer reaches.
std::set<VariableId> private_locals(const Module& module, FunctionId id, const Function& function) {
  std::set<VariableId> found, exposed;
  for (const Descriptor& d : module.descriptors) {
    if (d.array) exposed.insert(*d.array);
  }
  for (const Block& block : function.blocks) {
    for (const Instruction& in : block.code) {
      const bool is_access = in.op == Op::kLoad || in.op == Op::kStore;
      for (std::size_t i = 0; i < in.operands.size(); ++i) {
        const Value& v = in.operands[i];
        if (!v.is_address() || module.variables[v.number].owner != id) continue;
        (is_access && i == 0 ? found : exposed).insert(v.number);
      }
    }
  }
  for (const VariableId v : exposed) found.erase(v);
  return found;
}

class Forwarding {
 public:
  Forwarding(const std::set<VariableId>& locals, Block& block) : locals_(locals), block_(block) {}

  void run() {
    for (Instruction& in : block_.code) {
      const bool is_access = in.op == Op::kLoad || in.op == Op::kStore;
      const bool is_plain = is_access && in.operands[0].is_address();
      Known now;
      if (is_plain) now = {in.operands[0].number, in.operands[0].offset + in.offset, in.type, {}};
      if (is_plain && in.op == Op::kLoad) replace(in, now);
      for (const RegisterId r : in.results) forget_register(r);
      if (in.op == Op::kStore && is_plain) forget_memory(now);
      if ((in.op == Op::kStore && !is_plain) || in.op == Op::kCall || in.op == Op::kMachine)
        forget_exposed();
      if (!is_plain) continue;
      if (in.op == Op::kLoad) now.value = reg(in.type, in.results[0]);
      if (in.op == Op::kStore) now.value = in.operands[1];
      if (in.op != Op::kCopy && now.value.type == in.type) known_.push_back(now);
    }
  }

 private:
  /// What memory holds.
  struct Known {
    VariableId variable = 0;
    std::int32_t offset = 0;
    Type type = Type::kI16;
    Value value;
  };

  void replace(Instruction& in, const Known& wanted) {
    const auto known = std::find_if(known_.begin(), known_.end(), [&wanted](const Known& k) {
      return k.variable == wanted.variable && k.offset == wanted.offset && k.type == wanted.type;
    });
    if (known == known_.end()) return;
    in.op = Op::kCopy;
    in.operands = {known->value};
    in.offset = 0;
  }
  template <class Condition>
  void forget_if(Condition condition) {
    known_.erase(std::remove_if(known_.begin(), known_.end(), condition), known_.end());
  }
  void forget_register(RegisterId r) {
    forget_if([r](const Known& k) { return k.value.is_register() && k.value.number == r; });
  }
  void forget_memory(const Known& stored) {
    forget_if([&stored](const Known& k) {
      return k.variable == stored.variable &&
             k.offset < stored.offset + static_cast<std::int32_t>(bytes_of(stored.type)) &&
             stored.offset < k.offset + static_cast<std::int32_t>(bytes_of(k.type));
    });
  }
  void forget_exposed() {
    forget_if([this](const Known& k) { return locals_.count(k.variable) == 0; });
  }

  const std::set<VariableId>& locals_;
  Block& block_;
  std::vector<Known> known_;
};

}  // namespace

void forward_loads(const Module& module, FunctionId id, Function& function) {
  const std::set<VariableId> locals = private_locals(module, id, function);
  for (Block& block : function.blocks) Forwarding(locals, block).run();
}

}  // namespace tessera::csl::codegen
