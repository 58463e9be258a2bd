#include "frontends/csl/codegen/passes.h"

#include <stdexcept>
#include <string>

#include "frontends/csl/ir/verify.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Rounds of the passes that make work for each other: a loop that was unrolled may leave one around it.
constexpr unsigned kMostRounds = 4;

void optimize_plainly(const Program& program, FunctionId id, Function& function) {
  const Module& module = program.module;
  thread_jumps(function);
  promote_locals(module, id, function, program.locals);
  coalesce_copies(function);
  forward_loads(module, program.open, id, function);
  propagate_copies(function);
  lower_addresses(function);
  propagate_copies(function);
  fuse_compares(function);
  remove_dead_code(function);
  rotate_loops(function);
  thread_jumps(function);
  forward_loads(module, program.open, id, function);
  propagate_copies(function);
  thread_jumps(function);
  remove_dead_code(function);
  order_blocks(function);
}

class FullOptimizer {
 public:
  FullOptimizer(const Program& program, FunctionId id, Function& function)
      : p_(program), half_(program.module.settings.half), id_(id), f_(function) {}

  void run() {
    pass(thread_jumps);
    pass(promote_locals, Locals::kRegisters);
    pass(coalesce_copies);
    pass(split_webs);
    pass(fuse_compares);
    pass(divide_as_unsigned);
    clean();
    pass(join_cases);
    pass(thread_jumps);
    for (unsigned round = 0; round < kMostRounds; ++round) {
      straighten();
      if (!unroll()) break;
      pass(promote_locals, Locals::kRegisters);
      pass(split_webs);
      clean();
    }
    pass(keep_loop_variables);
    pass(coalesce_copies);
    clean();
    pass(hoist_invariants);
    clean();
    lower();
  }

 private:
  void clean() {
    for (int round = 0; round < 2; ++round) {
      pass(simplify, half_);
      pass(propagate_copies);
    }
    pass(thread_jumps);
    pass(remove_dead_code);
  }

  /// Code without jumps becomes long, and each value is computed once.
  void straighten() {
    share();
    pass(forward_loads);
    pass(propagate_copies);
    pass(convert_ifs);
    pass(split_webs);
    clean();
    share();
  }
  void share() {
    pass(forward_loads);
    pass(propagate_copies);
    pass(share_expressions);
    clean();
  }

  /// Whether a loop went.
  bool unroll() {
    pass(rotate_loops);
    pass(thread_jumps);
    pass(fuse_compares);
    pass(split_webs);
    clean();
    unsigned count = 0;
    while (p_.unrolls && unroll_loops(f_, half_, p_.style)) ++count;
    verify();
    return count != 0;
  }

  void lower() {
    pass(lower_addresses);
    clean();
    pass(share_expressions);
    clean();
    pass(choose_load_widths);
    pass(reuse_records);
    pass(fold_records);
    pass(remove_dead_stores);
    clean();
    pass(fuse_compares);
    pass(fuse_selects);
    pass(propagate_copies);
    pass(thread_jumps);
    pass(remove_dead_code);
    pass(lay_out_blocks);
  }

  void verify() const {
    if (!p_.verifies) return;
    for (const std::string& problem : problems_of(p_.module, f_)) throw std::logic_error(problem);
  }
  void pass(void (*step)(Function&)) {
    step(f_);
    verify();
  }
  void pass(void (*step)(Function&, pe::HalfFormat), pe::HalfFormat half) {
    step(f_, half);
    verify();
  }
  void pass(void (*step)(const Module&, FunctionId, Function&, Locals), Locals where) {
    step(p_.module, id_, f_, where);
    verify();
  }
  void pass(void (*step)(const Module&, const OpenVariables&, FunctionId, Function&)) {
    step(p_.module, p_.open, id_, f_);
    verify();
  }

  const Program& p_;
  const pe::HalfFormat half_;
  const FunctionId id_;
  Function& f_;
};

}  // namespace

void optimize(const Program& program, FunctionId id, Function& function) {
  if (program.style == Style::kPlain) return optimize_plainly(program, id, function);
  FullOptimizer(program, id, function).run();
}

}  // namespace tessera::csl::codegen
