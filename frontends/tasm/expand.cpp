// include, macro, repeat and if, on the tokens of their lines.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "frontends/tasm/assembly.h"
#include "frontends/tasm/parser.h"

namespace tessera::tasm {
namespace {

/// How many macros, repeats, ifs and includes may stand inside each other.
constexpr unsigned kMostLevels = 64;
/// How many words and lines expansions may write in all.
constexpr std::size_t kMostExpanded = 1000000;

/// Its last token is of the kind kEnd.
using Line = std::vector<Token>;
using Lines = std::vector<Line>;
/// What names of the lines of a block stand for: no kEnd token.
using Values = std::map<std::string, Line>;

struct Macro {
  Place place;
  std::vector<std::string> parameters;
  Lines body;
};

Token token_of(Token::Kind kind, const std::string& text, std::int64_t integer = 0) {
  Token token;
  token.kind = kind;
  token.text = text;
  token.integer = integer;
  return token;
}

std::string unquoted(const Token& string) {
  return string.text.substr(1, string.text.size() - 2);
}

bool is_label(const Line& line) {
  return line.front().kind == Token::Kind::kName && line[1].is(":");
}

/// The word that starts the line, "" before the name of a label.
std::string word_of(const Line& line) {
  return line.front().kind == Token::Kind::kName && !is_label(line) ? line.front().text : "";
}

bool opens(const std::string& word) {
  return word == "macro" || word == "repeat" || word == "if";
}

/// In `extent=extent` only the second word is a value; a const or param has no options.
bool is_option_word(const Line& line, std::size_t i) {
  const bool has_options = !line[0].is_word("const") && !line[0].is_word("param");
  return has_options && i + 1 < line.size() && line[i + 1].is("=");
}

/// The line with values for names, and a#b as one name. Every token stands where the name stood,
/// `lines_down`.
Line substituted(const Line& line, const Values& values, unsigned lines_down) {
  Line result;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const Token& token = line[i];
    const auto value = is_option_word(line, i) ? values.end() : values.find(token.text);
    Line words = value == values.end() ? Line{token} : value->second;
    words.front().spaced = token.spaced;
    for (Token& word : words) word.place = {token.place.line + lines_down, token.place.column};
    const Token::Kind kind = words.front().kind;
    const bool is_part = kind == Token::Kind::kName || kind == Token::Kind::kInteger;
    if (is_part && result.size() > 1 && result.back().is("#") &&
        result[result.size() - 2].kind == Token::Kind::kName) {
      result.pop_back();
      result.back().text += words.front().text;
      words.erase(words.begin());
    }
    result.insert(result.end(), words.begin(), words.end());
  }
  return result;
}

class Expander {
 public:
  Expander(Assembly& a, Diagnostics& diagnostics)
      : a_(a), diagnostics_(diagnostics),
        included_{std::filesystem::path(diagnostics.file()).lexically_normal().string()} {}

  std::vector<Statement> read(std::string_view text) {
    const Lines lines = lex(text);
    process(lines, 0, lines.size());
    return std::move(statements_);
  }

 private:
  /// Lines that are not empty, with the next free numbers.
  Lines lex(std::string_view text) {
    Lines lines;
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      lines.push_back(lex_line(line, next_line_++, diagnostics_));
      if (lines.back().size() == 1) lines.pop_back();
    }
    return lines;
  }

  void process(const Lines& lines, std::size_t first, std::size_t end) {
    if (first == end) return;
    if (++level_ > kMostLevels) {
      a_.fail(lines[first].front().place, "expected at most ", kMostLevels,
              " macros, repeats, ifs and includes inside each other, found more");
    }
    while (first < end) first = process_line(lines, first);
    --level_;
  }

  /// Returns the index of the line after those that it has processed.
  std::size_t process_line(const Lines& lines, std::size_t i) {
    const std::string word = word_of(lines[i]);
    TokenCursor cursor(lines[i], diagnostics_);
    if (opens(word)) {
      const std::size_t otherwise = end_of(lines, i, i + 1, word == "if" ? "else" : "");
      const std::size_t end =
          word_of(lines[otherwise]) == "else" ? end_of(lines, i, otherwise + 1, "") : otherwise;
      require_alone(lines[end]);
      require_alone(lines[otherwise]);
      if (word == "macro") define(cursor, Lines(&lines[i] + 1, &lines[end]));
      if (word == "repeat") repeat(cursor, Lines(&lines[i] + 1, &lines[end]));
      if (word == "if" && holds(cursor))
        process(lines, i + 1, otherwise);
      else if (word == "if")
        process(lines, std::min(otherwise + 1, end), end);
      return end + 1;
    }
    const auto macro = macros_.find(word);
    const bool names_line = word == "line" && lines[i][1].kind == Token::Kind::kString;
    const bool ends_named = word == "line" && lines[i].size() == 2 && macro == macros_.end();
    if (word == "include") {
      include(cursor);
    } else if (names_line) {
      name_line(cursor);
    } else if (ends_named) {
      named_ = {};
    } else if (macro != macros_.end()) {
      use(cursor, macro->first, macro->second);
    } else {
      statements_.push_back(parse_line(cursor));
      a_.named_lines.push_back(named_);
    }
    return i + 1;
  }

  /// line "FILE" expr
  void name_line(TokenCursor& cursor) {
    cursor.take();
    const std::string file = unquoted(cursor.take());
    const ExpressionPtr line = parse_expression(cursor, "the number of a line");
    cursor.expect_end();
    const auto number =
        known_value(*line, "the number of a line", 1, std::numeric_limits<std::uint32_t>::max());
    named_ = {a_.file_number({file, ""}), static_cast<std::uint32_t>(number)};
  }

  /// The line from `i` on that ends the block of line `first`, or before that its line `other`.
  std::size_t end_of(const Lines& lines, std::size_t first, std::size_t i,
                     const std::string& other) const {
    std::vector<std::size_t> open = {first};
    for (; i < lines.size(); ++i) {
      const std::string word = word_of(lines[i]);
      const Token& opener = lines[open.back()].front();
      if (opens(word)) open.push_back(i);
      if (open.size() == 1 && word == other && !other.empty()) return i;
      const bool second_else = word == "else" && open.size() == 1 && opener.is_word("if");
      if (!second_else && (word.rfind("end", 0) != 0 || !opens(word.substr(3)))) continue;
      if (word != "end" + opener.text) {
        a_.fail(lines[i].front().place, "expected end", opener.text, " for the ", opener.text,
                " of line ", diagnostics_.line_text(opener.place.line), ", found ",
                in_quotes(word));
      }
      open.pop_back();
      if (open.empty()) return i;
    }
    const Token& opener = lines[open.back()].front();
    a_.fail(opener.place, "expected end", opener.text, " below, found the end of the text");
  }

  /// else, endif and so on have nothing after them.
  void require_alone(const Line& line) const {
    if (line.size() > 2)
      a_.fail(line[1].place, "expected the end of the line, found ", in_quotes(line[1].text));
  }

  void include(TokenCursor& cursor) {
    cursor.take();
    const Token name = cursor.expect_kind(Token::Kind::kString, "the name of a file in quotes");
    cursor.expect_end();
    const std::filesystem::path folder =
        std::filesystem::path(diagnostics_.where(name.place).first).parent_path();
    const std::string path = (folder / unquoted(name)).lexically_normal().string();
    if (!included_.insert(path).second) return;
    const auto kind = std::filesystem::status(path).type();
    if (kind == std::filesystem::file_type::fifo || kind == std::filesystem::file_type::character)
      a_.fail(name.place, "expected a file, found the device or pipe ", path);
    std::string text;
    try {
      text = text::read_file(path, "tile assembly file");
    } catch (const UserError& e) {
      diagnostics_.fail(name.place, e.what());
    }
    diagnostics_.add({next_line_, path, 1, name.place, "included"});
    const Lines lines = lex(text);
    const NamedLine outside = std::exchange(named_, {});
    process(lines, 0, lines.size());
    named_ = outside;
  }

  void define(TokenCursor& cursor, Lines body) {
    cursor.take();
    if (pe::find_opcode(cursor.peek().text) != nullptr)
      cursor.fail_expected("the name of a macro", ", which is an instruction");
    const Name name = parse_new_name(cursor, "a macro");
    Macro macro{name.place, {}, std::move(body)};
    while (!cursor.at_end()) {
      if (!macro.parameters.empty()) cursor.expect(",", "',' or the end of the line");
      const Name parameter = parse_new_name(cursor, "a parameter");
      if (std::count(macro.parameters.begin(), macro.parameters.end(), parameter.text) != 0)
        a_.fail(parameter.place, "expected each parameter once, found ", in_quotes(parameter.text),
                " again");
      macro.parameters.push_back(parameter.text);
    }
    const auto [other, is_new] = macros_.emplace(name.text, std::move(macro));
    if (is_new) return;
    a_.fail(name.place, "expected a new name, found ", in_quotes(name.text),
            ", which is the macro of line ", diagnostics_.line_text(other->second.place.line));
  }

  void use(TokenCursor& cursor, const std::string& name, const Macro& macro) {
    const Place place = cursor.take().place;
    const std::vector<Line> arguments = arguments_of(cursor);
    if (arguments.size() != macro.parameters.size()) {
      a_.fail(place, "expected ", text::plural(macro.parameters.size(), "argument"), " of macro ",
              in_quotes(name), " of line ", diagnostics_.line_text(macro.place.line), ", found ",
              arguments.size());
    }
    if (macro.body.empty()) return;
    Values values;
    for (std::size_t i = 0; i < arguments.size(); ++i) values[macro.parameters[i]] = arguments[i];
    const unsigned line = macro.body.front().front().place.line;
    const unsigned count = macro.body.back().front().place.line - line + 1;
    diagnostics_.add({next_line_, "", line, place, "in macro " + in_quotes(name) + ", used"});
    const unsigned lines_down = next_line_ - line;
    spend(place, count);
    next_line_ += count;
    expand(macro.body, std::move(values), lines_down, place);
  }

  /// The arguments, each in parentheses if it is an expression of several words.
  std::vector<Line> arguments_of(TokenCursor& cursor) const {
    std::vector<Line> arguments;
    while (!cursor.at_end()) {
      if (!arguments.empty()) cursor.expect(",");
      Line argument;
      for (int depth = 0; !cursor.at_end() && (depth > 0 || !cursor.next_is(","));) {
        if (cursor.next_is("(") || cursor.next_is("[")) ++depth;
        if (cursor.next_is(")") || cursor.next_is("]")) --depth;
        argument.push_back(cursor.take());
      }
      if (argument.empty()) cursor.fail_expected("an argument");
      if (argument.size() > 1 && !argument.front().is("[")) {
        argument.insert(argument.begin(), token_of(Token::Kind::kMark, "("));
        argument.push_back(token_of(Token::Kind::kMark, ")"));
      }
      arguments.push_back(std::move(argument));
    }
    return arguments;
  }

  void repeat(TokenCursor& cursor, const Lines& body) {
    const Place place = cursor.take().place;
    const ExpressionPtr count = parse_expression(cursor, "the number of repetitions");
    std::string counter;
    if (!cursor.at_end()) counter = parse_new_name(cursor, "the counter").text;
    cursor.expect_end();
    const std::int64_t times = known_value(*count, "a number of repetitions", 0, kMostExpanded);
    for (std::int64_t i = 0; i < times; ++i) {
      Values values;
      if (!counter.empty())
        values[counter] = {token_of(Token::Kind::kInteger, std::to_string(i), i)};
      expand(body, std::move(values), 0, place);
    }
  }

  bool holds(TokenCursor& cursor) {
    cursor.take();
    const ExpressionPtr condition = parse_expression(cursor, "a condition");
    cursor.expect_end();
    return known_value(*condition, "a condition", std::numeric_limits<std::int64_t>::min(),
                       std::numeric_limits<std::int64_t>::max()) != 0;
  }

  std::int64_t known_value(const Expression& e, const char* expected, std::int64_t low,
                           std::int64_t high) {
    declare_numbers_above(a_, statements_);
    return a_.integer(e, expected, low, high);
  }

  /// The lines of a block, once. Its labels get names of their own.
  void expand(const Lines& body, Values values, unsigned lines_down, Place place) {
    add_labels(body, values);
    Lines lines;
    spend(place, 1);
    for (const Line& line : body) {
      lines.push_back(substituted(line, values, lines_down));
      spend(lines.back().front().place, lines.back().size());
    }
    process(lines, 0, lines.size());
  }

  /// Labels of repeats and macros inside the block are not its own.
  void add_labels(const Lines& body, Values& values) {
    unsigned inside = 0;
    std::vector<std::string> labels;
    for (const Line& line : body) {
      const std::string word = word_of(line);
      if (word == "repeat" || word == "macro") ++inside;
      if (word == "endrepeat" || word == "endmacro") --inside;
      if (inside == 0 && is_label(line) && values.count(line.front().text) == 0)
        labels.push_back(line.front().text);
    }
    if (!labels.empty()) ++expansions_;
    for (const std::string& label : labels)
      values[label] = {token_of(Token::Kind::kName, label + "__" + std::to_string(expansions_))};
  }

  void spend(Place place, std::size_t words) {
    expanded_ += words;
    if (expanded_ <= kMostExpanded) return;
    a_.fail(place, "expected at most ", kMostExpanded,
            " words and lines from macros and repeats, found more");
  }

  Assembly& a_;
  Diagnostics& diagnostics_;
  std::vector<Statement> statements_;
  std::map<std::string, Macro> macros_;
  std::set<std::string> included_;
  NamedLine named_;
  unsigned next_line_ = 1;
  unsigned level_ = 0;
  unsigned expansions_ = 0;  // expansions with labels
  std::size_t expanded_ = 0;
};

}  // namespace

std::vector<Statement> read_statements(std::string_view text, Assembly& a,
                                       Diagnostics& diagnostics) {
  return Expander(a, diagnostics).read(text);
}

}  // namespace tessera::tasm
