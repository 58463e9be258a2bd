// Reads the options after a declaration: `word`, `word=VALUE`, in any order, each once. Which
// there are is said first, then they are read:
//
//   OptionReader().value("extent", s.extent).flag("control", s.control).read(cursor);
//
// Throws UserError "expected extent=, control or the end of the line, found 'x'; did
// you mean 'y'?".
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontends/tasm/syntax.h"
#include "frontends/tasm/words.h"

namespace tessera::tasm {

/// The index of the one of `known` that comes next; throws "expected a, b or c" + `behind`.
std::size_t expect_one_of(TokenCursor& cursor, const std::vector<std::string>& known,
                          const std::string& behind = "");

template <class T, std::size_t N>
T expect_word(TokenCursor& cursor, const std::array<T, N>& words, const std::string& behind = "") {
  return words[expect_one_of(cursor, texts_of(words), behind)];
}

/// The register or expression that comes next; `expected` names the expression for messages.
OperandSyntax parse_register_or_value(TokenCursor& cursor, const std::string& expected);

class OptionReader {
 public:
  /// `behind`: what the options follow, for messages where the list of them would be too long.
  explicit OptionReader(std::string behind = "") : behind_(std::move(behind)) {}

  OptionReader& flag(const char* word, std::optional<Place>& to);
  OptionReader& value(const char* word, ExpressionPtr& to);
  /// word=expr[,expr ..], at most `most`.
  OptionReader& values(const char* word, std::size_t most, std::vector<ExpressionPtr>& to);
  /// word=REGISTER or word=expr.
  OptionReader& register_or_value(const char* word, std::optional<OperandSyntax>& to);
  OptionReader& name(const char* word, const char* expected, std::optional<Name>& to);
  template <class T, std::size_t N>
  OptionReader& choice(const char* word, const std::array<T, N>& words,
                       std::optional<Choice<T>>& to) {
    return add(word, true, [word, &words, &to](TokenCursor& cursor, Place) {
      const Place place = cursor.place();
      to = Choice<T>{expect_word(cursor, words, std::string(" after ") + word + "="), place};
    });
  }

  /// Up to the end of the line, or up to `mark` if there is one.
  void read(TokenCursor& cursor, const char* mark = nullptr) const;

 private:
  /// The cursor stands after the word and, if it has a value, '='; `place` is that of the word.
  using Read = std::function<void(TokenCursor& cursor, Place place)>;
  struct Option {
    const char* word;
    bool has_value;
    Read read;
  };

  OptionReader& add(const char* word, bool has_value, Read read);
  [[noreturn]] void fail_unknown(const TokenCursor& cursor, const char* mark) const;

  std::vector<Option> options_;
  std::string behind_;
};

}  // namespace tessera::tasm
