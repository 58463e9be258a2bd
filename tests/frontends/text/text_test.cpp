// The room that all front-ends stand on: places of characters and tokens, wording of messages, and
// precedence of operators.
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frontends/text/cursor.h"
#include "frontends/text/diagnostics.h"
#include "frontends/text/precedence_parser.h"
#include "frontends/text/token_cursor.h"

namespace tessera::text {
namespace {

TEST(TextCursor, KnowsLineAndColumnOfTheNextCharacter) {
  Cursor cursor("ab\n  c");
  EXPECT_EQ(cursor.take_while(is_letter), "ab");
  EXPECT_EQ(to_string(cursor.place()), "1:3");
  cursor.take_while(is_space);
  EXPECT_EQ(to_string(cursor.place()), "2:3");
  EXPECT_FALSE(cursor.accept("cd"));
  EXPECT_TRUE(cursor.accept("c"));
  EXPECT_TRUE(cursor.at_end());
  EXPECT_EQ(cursor.peek(), '\0');
  EXPECT_EQ(to_string(cursor.place()), "2:4");
}

TEST(TextCursor, MayBeginAnywhereInAFile) {
  Cursor cursor("x", {7, 12});
  EXPECT_EQ(to_string(cursor.place()), "7:12");
}

TEST(TextWording, QuotesWhatIsPrintableAndShort) {
  EXPECT_EQ(in_quotes("a\tb"), "'a\\x09b'");
  EXPECT_EQ(text::in_quotes(std::string(49, 'a')), "'" + std::string(48, 'a') + "...'");
  EXPECT_EQ(shown("a\nb"), "a?b");
}

TEST(TextExcerpt, IsTheLineWithACaretBelowThePlace) {
  EXPECT_EQ(line_with_caret("ab\n  cd\n", {2, 4}), "\n    cd\n     ^");
  EXPECT_EQ(line_with_caret("ab\r\n", {1, 3}), "\n  ab\n    ^");
  EXPECT_EQ(line_with_caret("\ta\tb\x01", {1, 4}), "\n  \ta\tb?\n  \t \t^");
  EXPECT_EQ(line_with_caret("\xc3\xa9x", {1, 3}), "\n  \xc3\xa9x\n   ^");
  EXPECT_EQ(line_with_caret(std::string(200, 'a'), {1, 200}),
            "\n  " + std::string(96, 'a') + "\n  " + std::string(95, ' ') + "^");
}

TEST(TextExcerpt, IsEmptyWithoutTheLine) {
  EXPECT_EQ(line_with_caret("", {1, 1}), "");
  EXPECT_EQ(line_with_caret("a\n\nb", {2, 1}), "");
  EXPECT_EQ(line_with_caret("a", {3, 1}), "");
}

TEST(TextExcerpt, EndsMessagesOfAFileWhoseTextIsKnown) {
  const auto message = [](const Diagnostics& diagnostics) -> std::string {
    try {
      diagnostics.fail({1, 3}, "no ", 2);
    } catch (const UserError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message(Diagnostics("f")), "f:1:3: no 2");
  EXPECT_EQ(message(Diagnostics("f", "abcd")), "f:1:3: no 2\n  abcd\n    ^");
}

TEST(TextWording, ListsAndSuggests) {
  EXPECT_EQ(listed({}), "none");
  EXPECT_EQ(listed(std::vector<std::string>(18, "a")).substr(46), " and 2 more");
  EXPECT_EQ(alternatives({"a", "b", "c"}), "a, b or c");
  EXPECT_EQ(suggestion("colr", {"color", "rect"}, "keys"),
            "; did you mean 'color'? keys: color, rect");
  EXPECT_EQ(suggestion("zzz", {"color", "rect"}, "keys"), "; keys: color, rect");
}

struct Word {
  enum class Kind { kWord, kEnd };
  Kind kind = Kind::kWord;
  std::string text;
  Place place;
  bool is(std::string_view mark) const { return kind == Kind::kWord && text == mark; }
  bool is_word(std::string_view word) const { return is(word); }
};
std::string found(const Word& word) {
  return word.kind == Word::Kind::kEnd ? "the end" : text::in_quotes(word.text);
}

TEST(TextTokenCursor, SaysWhatWasExpectedAndWhere) {
  const Diagnostics diagnostics("f.csl");
  TokenCursor<Word> cursor({{Word::Kind::kWord, "fn", {1, 1}}, {Word::Kind::kEnd, "", {2, 3}}},
                           diagnostics);
  EXPECT_FALSE(cursor.accept("var"));
  EXPECT_TRUE(cursor.accept_word("fn"));
  EXPECT_EQ(cursor.last().text, "fn");
  EXPECT_TRUE(cursor.at_end());
  EXPECT_EQ(cursor.take().kind, Word::Kind::kEnd);  // and stays there
  try {
    cursor.expect("(");
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "f.csl:2:3: expected '(', found the end");
  }
}

/// Writes an expression of one-letter operands with all its parentheses.
class Parentheses {
 public:
  using Value = std::string;
  static constexpr std::array<OperatorSpelling, 3> kOperators = {
      {{"==", Operator::kEqual, 0}, {"+", Operator::kAdd, 1}, {"*", Operator::kMultiply, 2}}};
  static constexpr unsigned kLevels = 3;
  static constexpr std::array<OperatorSpelling, 1> kPrefixes = {{{"-", Operator::kNegate, 0}}};

  explicit Parentheses(const std::string& text) : cursor_(text) {}

  Place place() const { return cursor_.place(); }
  bool accept(const char* op) { return cursor_.accept(op); }
  static Value binary(const PlacedOperator& op, const Value& left, const Value& right) {
    return "(" + left + op.text + right + ")";
  }
  static Value prefixed(const PlacedOperator& op, const Value& operand) {
    return "(" + (op.text + operand) + ")";
  }
  Value primary(PrecedenceParser<Parentheses>& parser) {
    if (!cursor_.accept("(")) return std::string(cursor_.take());
    Value inner = parser.parse();
    cursor_.take();  // ")"
    return inner;
  }

 private:
  Cursor cursor_;
};

std::string grouped(const std::string& text) {
  Parentheses language(text);
  return PrecedenceParser<Parentheses>(language).parse();
}

TEST(TextPrecedence, OperatorsOfOneLevelGroupFromTheLeft) {
  EXPECT_EQ(grouped("a+b+c"), "((a+b)+c)");
}
TEST(TextPrecedence, HigherLevelsBindTighter) {
  EXPECT_EQ(grouped("a==b+c*d"), "(a==(b+(c*d)))");
  EXPECT_EQ(grouped("a*b+c==d"), "(((a*b)+c)==d)");
}
TEST(TextPrecedence, SignsBindTightestAndParenthesesOverride) {
  EXPECT_EQ(grouped("--a*b"), "((-(-a))*b)");
  EXPECT_EQ(grouped("-(a+b)*c"), "((-(a+b))*c)");
}

}  // namespace
}  // namespace tessera::text
