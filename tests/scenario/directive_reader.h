// The words of one directive line of a scenario, and complaints about them with file, line and
// column.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::scenario {

class DirectiveReader {
 public:
  /// `text` is the whole line; the directive starts at `begin`.
  DirectiveReader(std::string file, unsigned line, std::string_view text, std::size_t begin);

  unsigned line() const { return line_; }
  bool at_end() const { return next_ == tokens_.size(); }
  /// The word that comes next, "" if none does (or a quoted text). `,` and `=` are words.
  std::string_view peek() const;
  bool next_is_quoted() const { return !at_end() && tokens_[next_].quoted; }
  /// Takes the next word; `what` says what it should be.
  std::string word(const std::string& what);
  std::string quoted(const std::string& what);
  /// Takes the next word if it is `text`.
  bool accept(std::string_view text);
  void expect(std::string_view text);
  /// Nothing may follow.
  void end();
  /// Throws UserError at the next word, or at the one taken last.
  [[noreturn]] void fail(const std::string& problem) const;
  [[noreturn]] void fail_last(const std::string& problem) const;

 private:
  struct Token {
    std::string text;
    std::size_t column = 0;
    bool quoted = false;
  };
  std::size_t read_quoted(std::string_view text, std::size_t at);
  [[noreturn]] void fail_at(std::size_t column, const std::string& problem) const;
  std::string found() const;

  std::string file_;
  unsigned line_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  std::size_t end_column_ = 1;
};

}  // namespace tessera::scenario
