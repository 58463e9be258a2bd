#include <algorithm>
#include <utility>

#include "frontends/csl/codegen/passes.h"
#include "frontends/csl/ir/flow.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Whether something was removed.
bool clean(Block& block, RegisterSet live) {
  auto kept = block.code.rbegin();  // where the next one that stays belongs
  for (auto in = block.code.rbegin(); in != block.code.rend(); ++in) {
    const auto is_read = [&](RegisterId r) { return live[r]; };
    if (!in->has_effect() && std::none_of(in->results.begin(), in->results.end(), is_read))
      continue;
    for (const RegisterId r : in->results) live.erase(r);
    for (const Value& v : in->operands) {
      if (v.is_register()) live.insert(v.number);
    }
    if (kept != in) *kept = std::move(*in);
    ++kept;
  }
  const bool removed = kept != block.code.rend();
  block.code.erase(block.code.begin(), kept.base());
  return removed;
}

}  // namespace

void remove_dead_code(Function& function) {
  remove_unreachable(function);
  for (bool removed = true; removed;) {
    removed = false;
    const Liveness live = liveness_of(function);
    for (BlockId b = 0; b < function.blocks.size(); ++b)
      removed = clean(function.blocks[b], live.out[b]) || removed;
  }
}

}  // namespace tessera::csl::codegen
