// Control flow of the running program (csl.md 6): branches, and the places where ways through a
// program join.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/csl/lower/tile_code.h"

namespace tessera::csl {

/// Ways that end at one place, each with a value (void: none). Their blocks stay open until they
/// are joined.
class Ends {
 public:
  void add(ir::BlockId block, Result value) { ends_.emplace_back(block, std::move(value)); }
  bool empty() const { return ends_.empty(); }
  /// Goes on after all of them; there is at least one. The values become one of a common type,
  /// or of `type` if it is given.
  Result join(Evaluator& evaluator, const Type* type, const Node& at);
  /// The same without values.
  void join(ir::Builder& builder);

 private:
  std::vector<std::pair<ir::BlockId, Result>> ends_;
};

/// Where `break` and `continue` go while code is made.
struct JumpTarget {
  std::string_view label;
  bool is_loop = true;
  const Type* expected = nullptr;  ///< expected type of the values that leave a block
  Ends breaks;
  Ends continues;
};

/// `break` and `continue` know it as long as it lives.
class WithTarget {
 public:
  WithTarget(Frame& frame, JumpTarget& target) : frame_(frame) { frame.targets.push_back(&target); }
  ~WithTarget() { frame_.targets.pop_back(); }
  WithTarget(const WithTarget&) = delete;
  WithTarget& operator=(const WithTarget&) = delete;

 private:
  Frame& frame_;
};

/// Branches on a condition: nothing, or the value that is known; then no code was made.
std::optional<bool> branch_on(Evaluator& evaluator, const Expr& e, ir::BlockId yes, ir::BlockId no);
/// `and` and `or` as values.
Result logic_operand(Evaluator& evaluator, const Binary& e);
Result if_operand(Evaluator& evaluator, const If& e, const Type* expected);
Result switch_operand(Evaluator& evaluator, const Switch& e, const Type* expected);
Result block_operand(Evaluator& evaluator, const Block& e, const Type* expected);

/// The code around the current place runs under a condition, or many times, as long as it lives.
class UnderCondition {
 public:
  explicit UnderCondition(FunctionCode& code) : code_(code) { ++code.conditions; }
  ~UnderCondition() { --code_.conditions; }
  UnderCondition(const UnderCondition&) = delete;
  UnderCondition& operator=(const UnderCondition&) = delete;

 private:
  FunctionCode& code_;
};

// Statements. They give kNext, or kLeft if nothing goes on after them.

Flow run_if(StatementRunner& runner, const IfStmt& s);
Flow run_switch(StatementRunner& runner, const SwitchStmt& s);
Flow run_return(StatementRunner& runner, const Return& s);
Flow run_block(StatementRunner& runner, const Block& block);

}  // namespace tessera::csl
