// The parts that operations of PTO text are made of: values, numbers, words, types and attributes.
#pragma once

#include <string>
#include <vector>

#include "frontends/pto/operations.h"
#include "frontends/pto/type_parser.h"

namespace tessera::pto {

/// "1 operand", "2 operands".
inline std::string plural(std::size_t n, const char* noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

/// Reads the parts of one operation into it.
struct OperandParser {
  using Role = Argument::Role;

  TokenCursor& cursor;
  TypeParser& types;
  Operation& op;

  /// %a.
  void value(Role role);
  void value_or_integer(Role role);
  /// One or more, with commas between.
  void values(Role role);
  /// [%a, 1].
  void list(Role role);
  /// %a = %b { , %a = %b }: carried values and what they begin with.
  void carried();
  /// An argument that is a word.
  void add_word(Role role, Place place, std::string text);
  /// A word in the brackets of an attribute; if `bare`, it may stand for itself.
  void word(Role role, const std::string& what, bool bare);
  /// <PIPE_V>, #pto.pipe<PIPE_V>, #pto<pipe PIPE_V>, "PIPE_V": PIPE_V.
  std::string bracketed_word(const std::string& what);
  void pipe(bool bare);
  bool at_bracketed_word() const;

  /// One type.
  void type();
  /// { : T, T }.
  void colon_types();
  /// (T, T), which may be empty.
  void type_list();
  /// { -> T } or { -> (T, T) }.
  void result_types();
  /// Attributes, if any come next.
  void attributes();
};

/// All of an operation of `form` behind its name, unless it has regions.
void parse_form(OperandParser& p, Form form);

/// An operation without a row in operations.h, kept as text. Values in ins(..) and outs(..) are
/// kept as operands.
void parse_unknown(TokenCursor& cursor, Operation& op);

}  // namespace tessera::pto
