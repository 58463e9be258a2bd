// What the analysis finds out about an expression once and for all: it holds for every module instance of
// the file and whenever the expression is evaluated. Layouts of large grids evaluate the same few expressions
// millions of times.
#pragma once

#include <memory>

#include "frontends/csl/sema/value.h"

namespace tessera::csl {

struct BuiltinRow;

struct NodeFacts {
  bool is_resolved = false;    ///< of a name: `item` and `type` are known
  const Item* item = nullptr;  ///< of a name: what the file declares; nullptr: nothing
  /// Of a name that the file does not declare: the type that it is the word for. Of a literal: the struct
  /// that it was when it was evaluated last.
  const Type* type = nullptr;
  const BuiltinRow* row = nullptr;         ///< of a builtin
  std::unique_ptr<const Result> constant;  ///< of a number or text
};

}  // namespace tessera::csl
