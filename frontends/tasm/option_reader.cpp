#include "frontends/tasm/option_reader.h"

#include <algorithm>
#include <utility>

namespace tessera::tasm {

std::size_t expect_one_of(TokenCursor& cursor, const std::vector<std::string>& known,
                          const std::string& behind) {
  const std::string& text = cursor.peek().text;
  const auto it = std::find(known.begin(), known.end(), text);
  if (it == known.end())
    cursor.fail_expected(text::alternatives(known) + behind, did_you_mean(text, known));
  cursor.take();
  return static_cast<std::size_t>(it - known.begin());
}

OperandSyntax parse_register_or_value(TokenCursor& cursor, const std::string& expected) {
  OperandSyntax operand;
  operand.place = cursor.place();
  if (const std::optional<RegisterName> reg = accept_register(cursor)) {
    operand.kind = OperandSyntax::Kind::kRegister;
    operand.reg = *reg;
  } else {
    operand.expression = parse_expression(cursor, expected);
  }
  operand.text = cursor.text_from(operand.place);
  return operand;
}

OptionReader& OptionReader::flag(const char* word, std::optional<Place>& to) {
  return add(word, false, [&to](const TokenCursor&, Place place) { to = place; });
}

OptionReader& OptionReader::value(const char* word, ExpressionPtr& to) {
  return add(word, true, [word, &to](TokenCursor& cursor, Place) {
    to = parse_expression(cursor, std::string("the value of ") + word);
  });
}

OptionReader& OptionReader::values(const char* word, std::size_t most,
                                   std::vector<ExpressionPtr>& to) {
  return add(word, true, [word, most, &to](TokenCursor& cursor, Place) {
    const std::string values = std::string(" of ") + word;
    do {
      if (to.size() == most)
        cursor.fail_expected("at most " + std::to_string(most) + " values" + values, ", one more");
      to.push_back(parse_expression(cursor, "a value" + values));
    } while (cursor.accept(","));
  });
}

OptionReader& OptionReader::register_or_value(const char* word, std::optional<OperandSyntax>& to) {
  return add(word, true, [word, &to](TokenCursor& cursor, Place) {
    to = parse_register_or_value(cursor, std::string("the value of ") + word);
  });
}

OptionReader& OptionReader::name(const char* word, const char* expected, std::optional<Name>& to) {
  return add(word, true,
             [expected, &to](TokenCursor& cursor, Place) { to = cursor.expect_name(expected); });
}

void OptionReader::read(TokenCursor& cursor, const char* mark) const {
  std::vector<const char*> given;
  while (!cursor.at_end() && (mark == nullptr || !cursor.next_is(mark))) {
    const auto option = std::find_if(options_.begin(), options_.end(), [&](const Option& o) {
      return cursor.peek().is_word(o.word);
    });
    if (option == options_.end()) fail_unknown(cursor, mark);
    if (std::find(given.begin(), given.end(), option->word) != given.end())
      cursor.fail_expected("each option once", " again");
    given.push_back(option->word);
    const Place place = cursor.take().place;
    if (option->has_value) cursor.expect("=", std::string("'=' after ") + option->word);
    option->read(cursor, place);
  }
}

OptionReader& OptionReader::add(const char* word, bool has_value, Read read) {
  options_.push_back({word, has_value, std::move(read)});
  return *this;
}

void OptionReader::fail_unknown(const TokenCursor& cursor, const char* mark) const {
  std::vector<std::string> expected;
  std::vector<std::string> known;
  for (const Option& option : options_) {
    expected.push_back(option.word + std::string(option.has_value ? "=" : ""));
    known.emplace_back(option.word);
  }
  if (!behind_.empty()) expected = {"an option"};
  if (mark != nullptr) expected.push_back(std::string("'") + mark + "'");
  expected.push_back("the end of the line" + (behind_.empty() ? "" : " after " + behind_));
  cursor.fail_expected(text::alternatives(expected), did_you_mean(cursor.peek().text, known));
}

}  // namespace tessera::tasm
