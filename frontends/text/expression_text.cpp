#include "frontends/text/expression_text.h"

#include "frontends/text/wording.h"

namespace tessera::text {

std::string problem_in(const std::string& expression, const ExpressionError& error,
                       const std::string& where) {
  return "in \"" + shown(expression) + "\" at character " + std::to_string(error.position()) +
         where + ": " + error.what();
}

void ExpressionText::close(std::size_t open) {
  if (accept(")")) return;
  fail_found("\")\" was expected for the \"(\" at character " + std::to_string(open));
}

bool ExpressionText::accept(const char* text) {
  if (!cursor_.accept(text)) return false;
  cursor_.take_while(is_space);
  return true;
}

std::string ExpressionText::name() {
  const std::string name(cursor_.take_while(is_name_part));
  cursor_.take_while(is_space);
  return name;
}

void ExpressionText::take_number(std::size_t size) {
  cursor_.take(size);
  if (is_name_part(peek()) || peek() == '.') fail(found() + " inside a number");
  cursor_.take_while(is_space);
}

void ExpressionText::fail_found(const std::string& expected) const {
  fail(found() + " where " + expected);
}

std::string ExpressionText::found() const {
  return cursor_.at_end() ? "found the end" : "found \"" + std::string(1, peek()) + "\"";
}

}  // namespace tessera::text
