// Operations of PTO text with their regions.
#pragma once

#include <vector>

#include "frontends/pto/operand_parser.h"
#include "frontends/pto/operations.h"

namespace tessera::pto {

class OperationParser {
 public:
  /// `takes_unknown`: operations without a row in operations.h are kept as text, not refused.
  OperationParser(TokenCursor& cursor, TypeParser& types, bool takes_unknown)
      : cursor_(cursor), types_(types), takes_unknown_(takes_unknown) {}

  /// `{ operations }`.
  Region parse_region();
  /// `(%a: T, %b: T)`, of a function or a block. Names may be missing.
  std::vector<Parameter> parse_parameters();
  /// `loc(..)`, which says nothing to us.
  void skip_location();

 private:
  Operation parse_operation();
  void parse_results(Operation& op);
  /// Forms with regions. False: `form` has none.
  bool parse_regions(OperandParser& p, Form form);
  void parse_for(OperandParser& p);
  void parse_if(OperandParser& p);
  void parse_while(OperandParser& p);
  void check_counts(const Operation& op, const OperationInfo& info) const;

  TokenCursor& cursor_;
  TypeParser& types_;
  const bool takes_unknown_;
  unsigned depth_ = 0;
};

}  // namespace tessera::pto
