// How handlers of builtins make code for the running program.
#pragma once

#include <vector>

#include "frontends/csl/builtins/builtins.h"
#include "frontends/csl/lower/tile_code.h"

namespace tessera::csl {

/// What is made as long as it lives is never carried out: only the types of its results count.
class Unreachable {
 public:
  explicit Unreachable(Evaluator& evaluator);
  ~Unreachable();
  Unreachable(const Unreachable&) = delete;
  Unreachable& operator=(const Unreachable&) = delete;

 private:
  FunctionCode* const code_;
  ir::BlockId before_ = 0;
};

ir::Builder& builder_of(const BuiltinCall& call);
/// One instruction without DSRs: values and results in the order of its operands.
std::vector<ir::Value> instruction(const BuiltinCall& call, pe::Opcode op,
                                   const std::vector<ir::Type>& results,
                                   const std::vector<ir::Value>& values);
/// An operand that is an integer, as a value of the type.
ir::Value number_value(const BuiltinCall& call, std::size_t i, const char* type);
/// The same as an operand that may be known.
Result number_as(const BuiltinCall& call, std::size_t i, const char* type);

}  // namespace tessera::csl
