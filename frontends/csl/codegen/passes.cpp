#include "frontends/csl/codegen/passes.h"

#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <string>

#include "frontends/csl/ir/print.h"
#include "frontends/csl/ir/verify.h"

namespace tessera::csl::codegen {
namespace {

using namespace ir;

/// Rounds of the passes that make work for each other: a loop that was unrolled may leave one around it.
constexpr unsigned kMostRounds = 4;

/// What follows every pass: the rules of the IR, and the text that was asked for.
class AfterPass {
 public:
  AfterPass(const Program& program, const Function& function) : p_(program), f_(function) {}

  void operator()(const char* pass) const {
    if (p_.verifies) {
      const std::vector<std::string>& names = pass_names();
      if (std::find(names.begin(), names.end(), pass) == names.end())
        throw std::logic_error(std::string("pass_names() has no ") + pass);
      for (const std::string& problem : problems_of(p_.module, f_))
        throw std::logic_error(std::string("after ") + pass + ": " + problem);
    }
    if (p_.printed != nullptr && p_.printed->pass == pass)
      *p_.printed->out << "; " << f_.name << " after " << pass << '\n' << print(p_.module, f_);
  }

 private:
  const Program& p_;
  const Function& f_;
};

void optimize_plainly(const Program& program, FunctionId id, Function& function) {
  const Module& module = program.module;
  const AfterPass after(program, function);
  const auto pass = [&](const char* name, auto step) {
    step(function);
    after(name);
  };
  const auto forward = [&](Function& f) { forward_loads(module, program.open, id, f); };
  pass("thread_jumps", thread_jumps);
  pass("promote_locals", [&](Function& f) { promote_locals(module, id, f, program.locals); });
  pass("coalesce_copies", coalesce_copies);
  pass("forward_loads", forward);
  pass("propagate_copies", propagate_copies);
  pass("lower_addresses", lower_addresses);
  pass("propagate_copies", propagate_copies);
  pass("fuse_compares", fuse_compares);
  pass("remove_dead_code", remove_dead_code);
  pass("rotate_loops", rotate_loops);
  pass("thread_jumps", thread_jumps);
  pass("forward_loads", forward);
  pass("propagate_copies", propagate_copies);
  pass("thread_jumps", thread_jumps);
  pass("remove_dead_code", remove_dead_code);
  pass("order_blocks", order_blocks);
}

class FullOptimizer {
 public:
  FullOptimizer(const Program& program, FunctionId id, Function& function)
      : p_(program), half_(program.module.settings.half), id_(id), f_(function),
        after_(program, function) {}

  void run() {
    pass("thread_jumps", thread_jumps);
    pass("promote_locals", promote_locals, Locals::kRegisters);
    pass("coalesce_copies", coalesce_copies);
    pass("split_webs", split_webs);
    pass("fuse_compares", fuse_compares);
    pass("divide_as_unsigned", divide_as_unsigned);
    clean();
    pass("join_cases", join_cases);
    pass("thread_jumps", thread_jumps);
    for (unsigned round = 0; round < kMostRounds; ++round) {
      straighten();
      if (!unroll()) break;
      pass("promote_locals", promote_locals, Locals::kRegisters);
      pass("split_webs", split_webs);
      clean();
    }
    pass("keep_loop_variables", keep_loop_variables);
    pass("coalesce_copies", coalesce_copies);
    clean();
    pass("hoist_invariants", hoist_invariants);
    clean();
    lower();
  }

 private:
  void clean() {
    for (int round = 0; round < 2; ++round) {
      pass("simplify", simplify, half_);
      pass("propagate_copies", propagate_copies);
    }
    pass("thread_jumps", thread_jumps);
    pass("remove_dead_code", remove_dead_code);
  }

  /// Code without jumps becomes long, and each value is computed once.
  void straighten() {
    share();
    pass("forward_loads", forward_loads);
    pass("propagate_copies", propagate_copies);
    pass("convert_ifs", convert_ifs);
    pass("split_webs", split_webs);
    clean();
    share();
  }
  void share() {
    pass("forward_loads", forward_loads);
    pass("propagate_copies", propagate_copies);
    pass("share_expressions", share_expressions);
    clean();
  }

  /// Whether a loop went.
  bool unroll() {
    pass("rotate_loops", rotate_loops);
    pass("thread_jumps", thread_jumps);
    pass("fuse_compares", fuse_compares);
    pass("split_webs", split_webs);
    clean();
    unsigned count = 0;
    while (p_.unrolls && unroll_loops(f_, half_, p_.style)) ++count;
    after_("unroll_loops");
    return count != 0;
  }

  void lower() {
    pass("lower_addresses", lower_addresses);
    clean();
    pass("share_expressions", share_expressions);
    clean();
    pass("choose_load_widths", choose_load_widths);
    pass("reuse_records", reuse_records);
    pass("fold_records", fold_records);
    pass("remove_dead_stores", remove_dead_stores);
    clean();
    pass("fuse_compares", fuse_compares);
    pass("fuse_selects", fuse_selects);
    pass("propagate_copies", propagate_copies);
    pass("thread_jumps", thread_jumps);
    pass("remove_dead_code", remove_dead_code);
    pass("lay_out_blocks", lay_out_blocks);
  }

  void pass(const char* name, void (*step)(Function&)) {
    step(f_);
    after_(name);
  }
  void pass(const char* name, void (*step)(Function&, pe::HalfFormat), pe::HalfFormat half) {
    step(f_, half);
    after_(name);
  }
  void pass(const char* name, void (*step)(const Module&, FunctionId, Function&, Locals),
            Locals where) {
    step(p_.module, id_, f_, where);
    after_(name);
  }
  void pass(const char* name,
            void (*step)(const Module&, const OpenVariables&, FunctionId, Function&)) {
    step(p_.module, p_.open, id_, f_);
    after_(name);
  }

  const Program& p_;
  const pe::HalfFormat half_;
  const FunctionId id_;
  Function& f_;
  const AfterPass after_;
};

}  // namespace

const std::vector<std::string>& pass_names() {
  static const std::vector<std::string> kNames = {
      "thread_jumps",       "promote_locals",     "coalesce_copies",   "split_webs",
      "fuse_compares",      "divide_as_unsigned", "join_cases",        "keep_loop_variables",
      "hoist_invariants",   "simplify",           "propagate_copies",  "remove_dead_code",
      "forward_loads",      "convert_ifs",        "share_expressions", "rotate_loops",
      "lower_addresses",    "choose_load_widths", "reuse_records",     "fold_records",
      "remove_dead_stores", "fuse_selects",       "lay_out_blocks",    "order_blocks",
      "unroll_loops"};
  return kNames;
}

void optimize(const Program& program, FunctionId id, Function& function) {
  if (program.style == Style::kPlain) return optimize_plainly(program, id, function);
  FullOptimizer(program, id, function).run();
}

}  // namespace tessera::csl::codegen
