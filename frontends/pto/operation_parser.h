// Operations of PTO text, by the forms of operations.h.
#pragma once

#include <string>

#include "frontends/pto/operations.h"
#include "frontends/pto/type_parser.h"

namespace tessera::pto {

class OperationParser {
 public:
  /// `takes_unknown`: operations without a row are read as text, not refused.
  OperationParser(TokenCursor& cursor, TypeParser& types, bool takes_unknown)
      : cursor_(cursor), types_(types), takes_unknown_(takes_unknown) {}

  /// `{ operations }`.
  Region parse_region();
  /// `(%a: T, %b: T)`, of a function or a block. Names may be missing.
  std::vector<Parameter> parse_parameters();
  /// `loc(..)`, which says nothing to us.
  void skip_location();

 private:
  using Role = Argument::Role;

  Operation parse_operation();
  void parse_results(Operation& op);
  void parse_form(Operation& op, const OperationInfo& info);
  void check_counts(const Operation& op, const OperationInfo& info) const;

  void parse_constant(Operation& op);
  void parse_dense(Operation& op, Argument a);
  void parse_compare(Operation& op);
  void parse_for(Operation& op);
  void parse_if(Operation& op);
  void parse_yield(Operation& op);
  void parse_alloc(Operation& op);
  void parse_view(Operation& op, const char* first, Role first_role, const char* second,
                  Role second_role);
  void parse_tile(Operation& op);
  void parse_tile_view(Operation& op);
  void parse_tile_types(Operation& op);
  void parse_tile_group(Operation& op, Role role);
  void parse_flag(Operation& op);
  void parse_pipe_ids(Operation& op);
  void parse_while(Operation& op);
  void parse_condition(Operation& op);
  void parse_call(Operation& op);
  void parse_group(Operation& op);
  void parse_group_operands(Operation& op);
  void parse_word_attributes(Operation& op);
  void parse_indexed(Operation& op);
  void parse_clean_cache(Operation& op);
  void parse_unknown(Operation& op);
  bool ends_unknown(const Token& before, unsigned depth) const;

  void parse_value(Operation& op, Role role);
  void parse_value_or_integer(Operation& op, Role role);
  void parse_values(Operation& op, Role role);
  void parse_list(Operation& op, Role role);
  void parse_word(Operation& op, Role role, const std::string& what, bool bare);
  static void add_word(Operation& op, Role role, const Place& place, std::string text);
  void parse_pipe(Operation& op, bool bare);
  void parse_one_pipe(Operation& op);
  bool at_pipe() const;
  std::string parse_bracketed_word(const std::string& what);
  void parse_colon_types(Operation& op);
  void parse_result_types(Operation& op);
  void parse_attributes_if(Operation& op);

  TokenCursor& cursor_;
  TypeParser& types_;
  const bool takes_unknown_;
  unsigned depth_ = 0;
};

}  // namespace tessera::pto
