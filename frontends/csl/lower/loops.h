// Loops of the running program and what leaves them (csl.md 6). Statements give kNext, or kLeft if
// nothing goes on after them.
#pragma once

#include <cstdint>
#include <string_view>

#include "frontends/csl/lower/control.h"

namespace tessera::csl {

Flow run_while(StatementRunner& runner, const While& s);
/// Loops that the running program carries out: over a range or an array of it.
Flow run_for_range(StatementRunner& runner, const For& s, const Result& range);
Flow run_for_array(StatementRunner& runner, const For& s, const Result& array);
Flow run_break(StatementRunner& runner, const Break& s);
Flow run_continue(StatementRunner& runner, const Continue& s);

/// A loop that is unrolled: pass each iteration, then the end.
class UnrolledLoop {
 public:
  /// `most`: iterations that may follow; 0: any number.
  UnrolledLoop(Evaluator& evaluator, std::string_view label, std::uint64_t most);
  ~UnrolledLoop();
  UnrolledLoop(const UnrolledLoop&) = delete;
  UnrolledLoop& operator=(const UnrolledLoop&) = delete;
  /// Whether another iteration may follow.
  bool after_body(Flow flow, const Node& at);
  /// `goes_on`: the last iteration ended without a jump out of the loop.
  Flow end(bool goes_on);

 private:
  Evaluator& evaluator_;
  JumpTarget target_;
  const std::uint64_t most_;
  std::uint64_t count_ = 0;
};

}  // namespace tessera::csl
