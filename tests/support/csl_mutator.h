// CSL programs with a few tokens changed, so that many of them still compile: a number, a name, a type or an operator becomes
// another one, a token, a line or a field goes, comes twice or moves. The same random numbers give the same program.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace tessera::test {

class CslMutator {
 public:
  explicit CslMutator(unsigned seed) : random_(seed) {}

  /// One to three changes.
  std::string mutate(std::string text);

 private:
  enum class Kind { kNumber, kName, kBuiltin, kField, kOperator };
  struct Token {
    Kind kind;
    std::size_t begin, bytes;
  };

  std::size_t below(std::size_t n) { return random_() % n; }
  static std::vector<Token> tokens_of(const std::string& text);
  void change(std::string& text);
  std::string other(const std::string& text, const std::vector<Token>& tokens, const Token& token);
  void change_line(std::string& text);

  std::mt19937 random_;
};

}  // namespace tessera::test
