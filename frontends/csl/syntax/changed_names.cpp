#include "frontends/csl/syntax/changed_names.h"

#include <vector>

#include "frontends/csl/syntax/lexer.h"

namespace tessera::csl {

namespace {

/// `=`, `+=`, `<<=` .., and not a comparison.
bool is_assignment(const Token& token) {
  const std::string_view mark = token.text;
  return token.kind == Token::Kind::kMark && mark.back() == '=' && mark != "==" && mark != "!=" &&
         mark != "<=" && mark != ">=";
}

}  // namespace

std::unordered_set<std::string_view> changed_names(const SourceFile& file) {
  const std::vector<Token> tokens = tokenize(file.text(), file.diagnostics());
  std::unordered_set<std::string_view> names;
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    const Token& before = tokens[i - 1];
    if (tokens[i].kind != Token::Kind::kName || before.is(".")) continue;
    const bool is_declared = before.is_word("var") || before.is_word("const");
    if (before.is("&") || (is_assignment(tokens[i + 1]) && !is_declared))
      names.insert(tokens[i].text);
  }
  return names;
}

}  // namespace tessera::csl
