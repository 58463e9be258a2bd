#include <algorithm>

#include "frontends/csl/codegen/memory_facts.h"
#include "frontends/csl/codegen/passes.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

bool covers(const Access& later, const Access& store) {
  return later.base == store.base && later.offset <= store.offset &&
         store.offset + static_cast<std::int32_t>(store.bytes) <=
             later.offset + static_cast<std::int32_t>(later.bytes);
}

/// Whether what the store at `position` writes is written again before anything may read it.
bool is_overwritten(const MemoryFacts& facts, const Block& block, std::size_t position) {
  const Access store = facts.access_of(block.code[position]);
  if (!store.variable) return false;
  for (std::size_t i = position + 1; i < block.code.size(); ++i) {
    const Instruction& in = block.code[i];
    if (in.op == Op::kStore && covers(facts.access_of(in), store)) return true;
    if (in.op == Op::kLoad && facts.may_overlap(facts.access_of(in), store)) return false;
    if (in.op != Op::kLoad && in.op != Op::kStore && in.has_effect() && facts.may_read(in, store))
      return false;
    for (const RegisterId r : in.results) {
      if (store.base.is_register() && store.base.number == r) return false;
    }
  }
  return false;
}

/// Locals whose address is only where stores go.
std::vector<bool> written_only(const Module& module, FunctionId id, const Function& function) {
  std::vector<bool> found(module.variables.size());
  for (VariableId v = 0; v < found.size(); ++v) found[v] = module.variables[v].owner == id;
  for (const Descriptor& d : module.descriptors) {
    if (d.array) found[*d.array] = false;
  }
  for (const Block& block : function.blocks) {
    for (const Instruction& in : block.code) {
      for (std::size_t i = 0; i < in.operands.size(); ++i) {
        const Value& v = in.operands[i];
        if (v.is_address() && !(in.op == Op::kStore && i == 0)) found[v.number] = false;
      }
    }
  }
  for (const Variable& v : module.variables) {
    for (const Variable::Address& a : v.addresses) found[a.variable] = false;
  }
  return found;
}

}  // namespace

void remove_dead_stores(const Module& module, const OpenVariables& open, FunctionId id,
                        Function& function) {
  const MemoryFacts facts(module, open, id, function);
  const std::vector<bool> unread = written_only(module, id, function);
  for (Block& block : function.blocks) {
    for (std::size_t i = block.code.size(); i-- > 0;) {
      const Instruction& in = block.code[i];
      if (in.op != Op::kStore) continue;
      const bool is_unread = in.operands[0].is_address() && unread[in.operands[0].number];
      if (is_unread || is_overwritten(facts, block, i))
        block.code.erase(block.code.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

}  // namespace tessera::csl::codegen
