// Trees and messages of small CSL texts.
#pragma once

#include <string>

#include "frontends/csl/syntax/dump.h"
#include "frontends/csl/syntax/lexer.h"
#include "frontends/csl/syntax/parser.h"
#include "tests/frontends/csl/message_id.h"
#include "tests/support/csl_input.h"

namespace tessera::csl {

/// A text and the tree it becomes, as dump() writes it.
struct Case {
  const char* text;
  const char* tree;
};

/// What is wrong with printing the text; "" if it is printed and read again as the same tree.
inline std::string print_problem(const std::string& text) {
  std::string problem;
  test::parses_csl(text, problem, true);
  return problem;
}

/// The declarations of a file, one a line.
inline std::string tree_of(const std::string& text) {
  return dump(*parse(text, "a.csl"));
}

/// The value of a constant.
inline std::string expression_tree(const std::string& text) {
  const auto file = parse("const x = " + text + ";", "a.csl");
  return dump(*as<Global>(*file->items().front()).variable.value);
}

/// The body of a function, without the head of the block.
inline std::string statement_tree(const std::string& text) {
  const auto file = parse("fn f() void { " + text + "\n}", "a.csl");
  const std::string tree = dump(*as<Function>(*file->items().front()).body);
  const std::string head = "(block - [";
  return tree.substr(head.size(), tree.size() - head.size() - 2);
}

/// The whole message; "" if the text is accepted.
inline std::string message_of(const std::string& text) {
  try {
    parse(text, "a.csl");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

/// The same without the id.
inline std::string error_of(const std::string& text) {
  const std::string message = message_of(text);
  return message.empty() ? "" : without_ids(message);
}

}  // namespace tessera::csl
