#include "frontends/csl/codegen/passes.h"

#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "frontends/csl/ir/print.h"
#include "frontends/csl/ir/snapshot.h"
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

/// Which passes would change nothing: those that have changed nothing when they ran, while the code is as it was then. A
/// pass does the same to the same code; what registers there are beside those that it names does not matter to it.
class IdlePasses {
 public:
  explicit IdlePasses(Function& function) : f_(function) { before_.take(f_); }

  /// Runs `step`, the pass `which`, if it may change something.
  template <class Which, class Step>
  void run(Which* which, bool verifies, const char* name, Step step) {
    std::size_t& idle_at = entry(reinterpret_cast<Pass>(which));
    if (idle_at == changes_) {
      if (verifies) expect_idle(name, step);
      return;
    }
    const std::size_t registers = f_.registers.size();
    step(f_);
    if (before_.take(f_)) {
      ++changes_;
    } else if (f_.registers.size() == registers) {
      idle_at = changes_;
    }
  }

 private:
  using Pass = void (*)();
  static constexpr std::size_t kNever = ~std::size_t{0};

  std::size_t& entry(Pass pass) {
    for (auto& [which, idle_at] : idle_) {
      if (which == pass) return idle_at;
    }
    return idle_.emplace_back(pass, kNever).second;
  }

  template <class Step>
  void expect_idle(const char* name, Step step) const {
    Function copy = f_;
    step(copy);
    Snapshot after = before_;
    if (after.take(copy) || copy.registers.size() != f_.registers.size())
      throw std::logic_error(std::string(name) + " changes code that it has left as it was before");
  }

  Function& f_;
  Snapshot before_;
  std::size_t changes_ = 0;                         ///< how often the code has become another
  std::vector<std::pair<Pass, std::size_t>> idle_;  ///< `changes_` when the pass changed nothing
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
      : p_(program), half_(program.module.settings.half), id_(id), idle_(function),
        after_(program, function) {}

  void run() {
    pass("thread_jumps", thread_jumps);
    pass("promote_locals", promote_locals, Locals::kRegisters);
    pass("coalesce_copies", coalesce_copies);
    pass("split_webs", split_webs);
    pass("fuse_compares", fuse_compares);
    pass("divide_as_unsigned", divide_as_unsigned);
    clean();
    pass("merge_loads", merge_loads);
    clean();
    pass("decide_known_branches", decide_known_branches);
    pass("join_cases", join_cases);
    pass("thread_jumps", thread_jumps);
    for (unsigned round = 0; round < kMostRounds; ++round) {
      straighten();
      if (!unroll()) break;
      pass("promote_locals", promote_locals, Locals::kRegisters);
      pass("split_webs", split_webs);
      clean();
    }
    if (p_.style == Style::kVendor)
      run("pass_records", pass_records, [&](Function& f) { pass_records(p_.module, id_, f); });
    if (p_.style == Style::kVendor) pass("share_copies", share_copies);
    pass("coalesce_copies", coalesce_copies);
    pass("split_webs", split_webs);
    clean();
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
    pass("fuse_compares", fuse_compares);
    pass("decide_known_branches", decide_known_branches);
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
    bool has_gone = false;
    while (p_.unrolls && unroll_one()) has_gone = true;
    after_("unroll_loops");
    return has_gone;
  }
  bool unroll_one() {
    bool is_unrolled = false;
    idle_.run(unroll_loops, p_.verifies, "unroll_loops",
              [&](Function& f) { is_unrolled = unroll_loops(f, half_, p_.style); });
    return is_unrolled;
  }

  void lower() {
    pass("lower_addresses", lower_addresses);
    clean();
    pass("join_products", join_products);
    clean();
    pass("share_expressions", share_expressions);
    clean();
    pass("choose_load_widths", choose_load_widths);
    pass("reuse_records", reuse_records);
    pass("fold_records", fold_records);
    pass("remove_dead_stores", remove_dead_stores);
    clean();
    if (p_.style == Style::kVendor) pass("pass_globals", pass_globals);
    pass("fuse_compares", fuse_compares);
    pass("fuse_selects", fuse_selects);
    pass("propagate_copies", propagate_copies);
    pass("thread_jumps", thread_jumps);
    pass("remove_dead_code", remove_dead_code);
    pass("balance_cases", balance_cases);
    pass("lay_out_blocks", lay_out_blocks);
  }

  template <class Which, class Step>
  void run(const char* name, Which* which, Step step) {
    idle_.run(which, p_.verifies, name, step);
    after_(name);
  }
  void pass(const char* name, void (*step)(Function&)) { run(name, step, step); }
  void pass(const char* name, void (*step)(Function&, pe::HalfFormat), pe::HalfFormat half) {
    run(name, step, [=](Function& f) { step(f, half); });
  }
  void pass(const char* name, void (*step)(const Module&, FunctionId, Function&, Locals),
            Locals where) {
    run(name, step, [&](Function& f) { step(p_.module, id_, f, where); });
  }
  void pass(const char* name,
            void (*step)(const Module&, const OpenVariables&, FunctionId, Function&)) {
    run(name, step, [&](Function& f) { step(p_.module, p_.open, id_, f); });
  }
  void pass(const char* name,
            void (*step)(const Module&, const OpenVariables&, FunctionId, Function&, Questions&)) {
    run(name, step, [&](Function& f) { step(p_.module, p_.open, id_, f, p_.questions); });
  }

  const Program& p_;
  const pe::HalfFormat half_;
  const FunctionId id_;
  IdlePasses idle_;
  const AfterPass after_;
};

}  // namespace

const std::vector<std::string>& pass_names() {
  static const std::vector<std::string> kNames = {
      "thread_jumps",  "promote_locals",      "coalesce_copies",
      "split_webs",    "fuse_compares",       "divide_as_unsigned",
      "join_cases",    "keep_loop_variables", "hoist_invariants",
      "simplify",      "propagate_copies",    "remove_dead_code",
      "forward_loads", "convert_ifs",         "share_expressions",
      "rotate_loops",  "lower_addresses",     "choose_load_widths",
      "reuse_records", "fold_records",        "remove_dead_stores",
      "fuse_selects",  "lay_out_blocks",      "order_blocks",
      "unroll_loops",  "join_products",       "pass_records",
      "pass_globals",  "balance_cases",       "decide_known_branches",
      "merge_loads",   "share_copies"};
  return kNames;
}

void optimize(const Program& program, FunctionId id, Function& function) {
  if (program.style == Style::kPlain) return optimize_plainly(program, id, function);
  FullOptimizer(program, id, function).run();
}

}  // namespace tessera::csl::codegen
