// Runs the statements of a function: at compile time, or as code of the tile if the frame has some.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "frontends/csl/sema/evaluator.h"

namespace tessera::csl {

class UnrolledLoop;

/// Names that a statement declares are gone when it ends.
class Scope {
 public:
  explicit Scope(Frame& frame) : frame_(frame), size_(frame.locals.size()) {}
  ~Scope() { frame_.locals.resize(size_); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Frame& frame_;
  const std::size_t size_;
};

class StatementRunner {
 public:
  explicit StatementRunner(Evaluator& evaluator)
      : evaluator_(evaluator), engine_(evaluator.engine()), frame_(evaluator.frame()) {}

  Flow run(const Stmt& s);
  /// Declares a name with a value that may belong to the running program.
  void declare(std::string_view name, Result value, Cell::Kind kind);
  /// Declares a name whose uses follow from a mistake.
  void declare_mistaken(std::string_view name);
  Evaluator& evaluator() const { return evaluator_; }

 private:
  Flow on(const Local& s);
  Flow on(const ExpressionStmt& s);
  Flow on(const Assign& s);
  Location target_of(const Assign& s);
  Flow on(const Return& s);
  Flow on(const Break& s);
  Flow on(const Continue& s);
  Flow on(const BlockStmt& s);
  Flow on(const IfStmt& s);
  Flow on(const While& s);
  Flow on(const For& s);
  Flow on(const SwitchStmt& s);
  Flow on(const ComptimeStmt& s);

  /// What a loop does when its body ends so: nothing means the next iteration.
  std::optional<Flow> after_body(Flow flow, const Name& label);
  Flow over_range(const For& s, const Result& range);
  Flow over_elements(const For& s, const Result& range);
  /// An iteration of a loop that is not one of the running program; nothing: the next one follows.
  template <class Declare>
  std::optional<Flow> iteration(const For& s, UnrolledLoop* unrolled, const Declare& declare_names);

  Evaluator& evaluator_;
  Engine& engine_;
  Frame& frame_;
};

}  // namespace tessera::csl
