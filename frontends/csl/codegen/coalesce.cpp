#include <algorithm>

#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

bool mentions(const Instruction& in, RegisterId r) {
  for (const RegisterId result : in.results) {
    if (result == r) return true;
  }
  for (const Value& v : in.operands) {
    if (v.is_register() && v.number == r) return true;
  }
  return false;
}

std::vector<unsigned> use_counts(const Function& function) {
  std::vector<unsigned> counts(function.registers.size());
  for (const Block& block : function.blocks) {
    for (const Instruction& in : block.code) {
      for (const Value& v : in.operands) {
        if (v.is_register()) ++counts[v.number];
      }
    }
  }
  return counts;
}

/// What a copy becomes when its value is made in its place.
bool is_idle(const Instruction& in) {
  return in.op == Op::kCopy && in.operands[0].is_register() &&
         in.operands[0].number == in.results[0];
}

/// The instruction in front of `copy` that makes its value and may as well assign its result.
Instruction* maker_of(Block& block, std::size_t copy) {
  const RegisterId to = block.code[copy].results[0];
  const RegisterId from = block.code[copy].operands[0].number;
  for (std::size_t i = copy; i-- > 0;) {
    Instruction& in = block.code[i];
    if (is_idle(in)) continue;
    if (in.results.size() == 1 && in.results[0] == from) return &in;
    if (mentions(in, to)) return nullptr;
  }
  return nullptr;
}

/// The operands that read `from` behind `copy` in its block, while the target has the same value.
std::vector<Value*> readers_behind(Block& block, std::size_t copy, RegisterId from) {
  const RegisterId to = block.code[copy].results[0];
  std::vector<Value*> readers;
  for (std::size_t i = copy + 1; i < block.code.size(); ++i) {
    Instruction& in = block.code[i];
    if (is_idle(in)) continue;
    for (Value& v : in.operands) {
      if (v.is_register() && v.number == from) readers.push_back(&v);
    }
    if (std::find(in.results.begin(), in.results.end(), to) != in.results.end()) break;
  }
  return readers;
}

}  // namespace

void coalesce_copies(Function& function) {
  // Both are of the function as it is, without copies that are idle.
  std::vector<unsigned> definitions = definition_counts(function);
  std::vector<unsigned> uses = use_counts(function);
  for (Block& block : function.blocks) {
    for (std::size_t i = 0; i < block.code.size(); ++i) {
      Instruction& copy = block.code[i];
      if (copy.op != Op::kCopy || !copy.operands[0].is_register() || is_idle(copy)) continue;
      const RegisterId from = copy.operands[0].number;
      if (definitions[from] != 1 || function.registers[from] != function.registers[copy.results[0]])
        continue;
      const std::vector<Value*> readers = readers_behind(block, i, from);
      if (readers.size() + 1 != uses[from]) continue;
      Instruction* maker = maker_of(block, i);
      if (maker == nullptr) continue;
      for (Value* reader : readers) reader->number = copy.results[0];
      maker->results[0] = copy.results[0];
      copy.operands[0].number = copy.results[0];
      uses[copy.results[0]] += static_cast<unsigned>(readers.size());
      uses[from] = definitions[from] = 0;
    }
    block.code.erase(std::remove_if(block.code.begin(), block.code.end(), is_idle),
                     block.code.end());
  }
}

}  // namespace tessera::csl::codegen
