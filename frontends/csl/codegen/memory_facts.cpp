#include "frontends/csl/codegen/memory_facts.h"

#include <algorithm>

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Whether the result of an operation is an address that counts from the same variable as its operand.
bool keeps_base(const Instruction& in) {
  if (in.results.size() != 1) return false;
  return in.op == Op::kCopy || in.op == Op::kElement || (in.op == Op::kAdd && !is_wide(in.type));
}

/// Operand `i` is only the address of a load or a store.
bool is_address_operand(const Instruction& in, std::size_t i) {
  return (in.op == Op::kLoad || in.op == Op::kStore) && i == 0;
}

bool loads_record(const Instruction& in) {
  return in.op == Op::kMachine && in.machine->op == pe::Opcode::kLddsr;
}

/// The variables that each register may count from.
class Bases {
 public:
  explicit Bases(const Function& function) : of(function.registers.size()) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Block& block : function.blocks) {
        for (const Instruction& in : block.code) {
          if (!keeps_base(in)) continue;
          for (const Value& v : in.operands) changed = add(in.results[0], v) || changed;
        }
      }
    }
  }
  std::vector<ShortList<VariableId, 2>> of;

 private:
  bool add(RegisterId to, const Value& v) {
    if (v.is_address()) return add(to, VariableId{v.number});
    bool is_new = false;
    for (std::size_t i = 0; v.is_register() && i < of[v.number].size(); ++i)
      is_new = add(to, of[v.number][i]) || is_new;
    return is_new;
  }
  bool add(RegisterId to, VariableId v) {
    auto& known = of[to];
    if (std::find(known.begin(), known.end(), v) != known.end()) return false;
    known.push_back(v);
    return true;
  }
};

}  // namespace

OpenVariables::OpenVariables(const Module& module) : open_(module.variables.size()) {
  std::vector<bool> is_named(module.variables.size());
  for (const Descriptor& d : module.descriptors) {
    if (d.array) open_[*d.array] = true;
  }
  for (const Fifo& f : module.fifos) open_[f.array] = true;
  for (const Function& function : module.functions) {
    const Bases bases(function);
    for (const Block& block : function.blocks) {
      for (const Instruction& in : block.code) {
        for (std::size_t i = 0; i < in.operands.size(); ++i) {
          const Value& v = in.operands[i];
          if (v.is_address()) is_named[v.number] = true;
          if (is_address_operand(in, i) || keeps_base(in) || loads_record(in)) continue;
          if (v.is_address()) open_[v.number] = true;
          if (!v.is_register()) continue;
          for (const VariableId b : bases.of[v.number]) open_[b] = true;
        }
      }
    }
  }
  // What a variable points to from the start is open if the program can read the variable.
  for (VariableId v = 0; v < module.variables.size(); ++v) {
    for (const Variable::Address& a : module.variables[v].addresses) {
      if (is_named[v] || open_[v]) open_[a.variable] = true;
    }
  }
}

MemoryFacts::MemoryFacts(const Module& module, const OpenVariables& open, FunctionId id,
                         const Function& function)
    : module_(module), open_(open), id_(id), bases_(function.registers.size()) {
  const Bases bases(function);
  std::vector<bool> is_sum(function.registers.size(), true);
  for (const RegisterId p : function.parameters) is_sum[p] = false;
  for (const Block& block : function.blocks) {
    for (const Instruction& in : block.code) {
      if (keeps_base(in)) {
        // A sum of an address and a register that is loaded, say, still counts from the address.
        const bool some = std::any_of(in.operands.begin(), in.operands.end(), [&](const Value& v) {
          return v.is_address() || (v.is_register() && !bases.of[v.number].empty());
        });
        if (some) continue;
      }
      for (const RegisterId r : in.results) is_sum[r] = false;
    }
  }
  for (RegisterId r = 0; r < bases_.size(); ++r) {
    if (is_sum[r] && bases.of[r].size() == 1) bases_[r] = *bases.of[r].begin();
  }
}

Access MemoryFacts::access_of(const Instruction& in) const {
  Access a;
  a.base = in.operands[0];
  a.offset = in.offset + (a.base.is_address() ? a.base.offset : 0);
  a.base.offset = 0;
  a.bytes = bytes_of(in.type);
  if (a.base.is_address()) a.variable = a.base.number;
  if (a.base.is_register() && a.base.number < bases_.size()) a.variable = bases_[a.base.number];
  return a;
}

bool MemoryFacts::may_overlap(const Access& a, const Access& b) const {
  if (a.variable && b.variable && a.variable != b.variable) return false;
  if (a.base == b.base) {
    return a.offset < b.offset + static_cast<std::int32_t>(b.bytes) &&
           b.offset < a.offset + static_cast<std::int32_t>(a.bytes);
  }
  if (a.variable && b.variable) return true;
  if (a.variable) return open_[*a.variable];
  if (b.variable) return open_[*b.variable];
  return true;
}

bool MemoryFacts::is_private(const Access& a) const {
  return a.variable && !open_[*a.variable] && is_local(*a.variable);
}

bool MemoryFacts::may_change(const Instruction& in, const Access& a) const {
  if (in.op == Op::kCall) return !is_private(a);
  if (in.op != Op::kMachine || loads_record(in)) return false;
  return !a.variable || open_[*a.variable];
}

bool MemoryFacts::may_read(const Instruction& in, const Access& a) const {
  if (in.op == Op::kAssert) return true;  // the run may end here
  if (!loads_record(in)) return may_change(in, a);
  return std::any_of(in.operands.begin(), in.operands.end(), [&](const Value& v) {
    return !v.is_address() || !a.variable || v.number == *a.variable;
  });
}

}  // namespace tessera::csl::codegen
