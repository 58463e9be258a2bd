#include <algorithm>
#include <map>
#include <vector>

#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// What registers are copies of. Of those of a whole function by register, kNone for one that is no copy.
using Copies = std::map<RegisterId, Value>;
using CopyOfRegister = std::vector<Value>;

const Value* source_of(const Copies& copies, RegisterId r) {
  const auto found = copies.find(r);
  return found == copies.end() ? nullptr : &found->second;
}
const Value* source_of(const CopyOfRegister& copies, RegisterId r) {
  return copies[r].kind == Value::Kind::kNone ? nullptr : &copies[r];
}

/// Replaces an operand by the value it is a copy of, read as the operand was.
template <class All>
void replace(Value& operand, const All& copies) {
  while (operand.is_register()) {
    const Value* const source = source_of(copies, operand.number);
    if (source == nullptr) return;
    if (!source->is_constant() && !same_bits(source->type, operand.type)) return;
    operand = source->is_constant() ? constant(operand.type, source->number)
                                    : read_as(operand.type, *source);
  }
}

bool is_copy(const Instruction& in) {
  return in.op == Op::kCopy &&
         !(in.operands[0].is_register() && in.operands[0].number == in.results[0]);
}

/// Copies between registers that are assigned once hold wherever the copy has a value.
CopyOfRegister lasting_copies(const Function& function) {
  const std::vector<unsigned> counts = definition_counts(function);
  CopyOfRegister copies(function.registers.size());
  for (const Block& block : function.blocks) {
    for (const Instruction& in : block.code) {
      if (!is_copy(in) || counts[in.results[0]] != 1) continue;
      const Value& source = in.operands[0];
      if (!source.is_register() || counts[source.number] == 1) copies[in.results[0]] = source;
    }
  }
  return copies;
}

void forget(Copies& copies, RegisterId changed) {
  if (copies.empty()) return;
  copies.erase(changed);
  for (auto c = copies.begin(); c != copies.end();) {
    const bool reads = c->second.is_register() && c->second.number == changed;
    c = reads ? copies.erase(c) : std::next(c);
  }
}

void propagate_in(Block& block) {
  Copies copies;
  for (Instruction& in : block.code) {
    for (Value& operand : in.operands) replace(operand, copies);
    for (const RegisterId r : in.results) forget(copies, r);
    if (is_copy(in)) copies[in.results[0]] = in.operands[0];
  }
}

}  // namespace

void propagate_copies(Function& function) {
  const CopyOfRegister lasting = lasting_copies(function);
  for (Block& block : function.blocks) {
    for (Instruction& in : block.code) {
      for (Value& operand : in.operands) replace(operand, lasting);
    }
    propagate_in(block);
    const auto is_idle = [](const Instruction& in) { return in.op == Op::kCopy && !is_copy(in); };
    block.code.erase(std::remove_if(block.code.begin(), block.code.end(), is_idle),
                     block.code.end());
  }
}

}  // namespace tessera::csl::codegen
