#include "frontends/csl/codegen/passes.h"

namespace tessera::csl::codegen {

void optimize(const ir::Module& module, ir::FunctionId id, ir::Function& function, Locals where) {
  thread_jumps(function);
  promote_locals(module, id, function, where);
  coalesce_copies(function);
  forward_loads(module, id, function);
  propagate_copies(function);
  lower_addresses(function);
  propagate_copies(function);
  fuse_compares(function);
  remove_dead_code(function);
  rotate_loops(function);
  thread_jumps(function);
  forward_loads(module, id, function);
  propagate_copies(function);
  thread_jumps(function);
  remove_dead_code(function);
  order_blocks(function);
}

}  // namespace tessera::csl::codegen
