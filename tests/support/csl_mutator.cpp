#include "tests/support/csl_mutator.h"

#include <array>
#include <cctype>

namespace tessera::test {
namespace {

const std::vector<std::string> kNumbers = {
    "0",    "1",    "2",     "3",     "4",   "7",   "8",          "15",         "16",   "17",
    "24",   "31",   "32",    "63",    "255", "256", "32767",      "32768",      "-1",   "-2",
    "-128", "-129", "65535", "65536", "1.5", "0.0", "2147483648", "4294967295", "true", "false"};
const std::vector<std::string> kTypes = {
    "u8",        "i8",          "u16",          "i16",
    "u32",       "i32",         "u64",          "i64",
    "f16",       "f32",         "bool",         "color",
    "void",      "type",        "comptime_int", "comptime_float",
    "mem1d_dsd", "mem4d_dsd",   "[*]u16",       "*i16",
    "[4]f32",    "input_queue", "output_queue", "local_task_id"};
const std::vector<std::string> kOperators = {"+",  "-",  "*",  "/", "%",  "&", "|",  "^",   "<<",
                                             ">>", "==", "!=", "<", "<=", ">", ">=", "and", "or"};

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

std::vector<CslMutator::Token> CslMutator::tokens_of(const std::string& text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char c = text[at++];
    if (c == '"') {
      while (at < text.size() && text[at] != '"' && text[at] != '\n') ++at;
      ++at;
    } else if (c == '/' && at < text.size() && text[at] == '/') {
      while (at < text.size() && text[at] != '\n') ++at;
    } else if (is_name(c) || ((c == '@' || c == '.') && at < text.size() && is_name(text[at]))) {
      while (at < text.size() && is_name(text[at])) ++at;
      const Kind kind = std::isdigit(static_cast<unsigned char>(c)) != 0 ? Kind::kNumber
                        : c == '@'                                       ? Kind::kBuiltin
                        : c == '.'                                       ? Kind::kField
                                                                         : Kind::kName;
      tokens.push_back({kind, begin, at - begin});
    } else if (std::ispunct(static_cast<unsigned char>(c)) != 0) {
      for (const std::string& known : kOperators) {
        if (known.size() == 2 && text.compare(begin, 2, known) == 0) at = begin + 2;
      }
      tokens.push_back({Kind::kOperator, begin, at - begin});
    }
  }
  return tokens;
}

// What stands in place of a token: mostly another one of its kind, from the same text.
std::string CslMutator::other(const std::string& text, const std::vector<Token>& tokens,
                              const Token& token) {
  if (token.kind == Kind::kNumber && below(4) != 0) return kNumbers[below(kNumbers.size())];
  if (token.kind == Kind::kOperator) {
    const std::string now = text.substr(token.begin, token.bytes);
    for (const std::string& known : kOperators) {
      if (known == now) return kOperators[below(kOperators.size())];
    }
  }
  if (token.kind == Kind::kName) {
    const std::string now = text.substr(token.begin, token.bytes);
    for (const std::string& known : kTypes) {
      if (known == now) return kTypes[below(kTypes.size())];
    }
  }
  for (unsigned tries = 0; tries < 30; ++tries) {
    const Token& candidate = tokens[below(tokens.size())];
    if (candidate.kind == token.kind) return text.substr(candidate.begin, candidate.bytes);
  }
  return kNumbers[below(kNumbers.size())];
}

// A line goes, comes twice, or comes a second time elsewhere.
void CslMutator::change_line(std::string& text) {
  const auto line_at = [&text](std::size_t at) {
    const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    const std::size_t end = text.find('\n', begin);
    return std::pair(begin, (end == std::string::npos ? text.size() : end + 1) - begin);
  };
  const auto [begin, bytes] = line_at(below(text.size()));
  const std::string line = text.substr(begin, bytes);
  if (line.rfind("////", 0) == 0) return;
  switch (below(3)) {
  case 0:
    text.erase(begin, bytes);
    return;
  case 1:
    text.insert(begin, line);
    return;
  default:
    text.insert(line_at(below(text.size())).first, line);
  }
}

void CslMutator::change(std::string& text) {
  const std::vector<Token> tokens = tokens_of(text);
  if (tokens.empty()) return;
  const Token& token = tokens[below(tokens.size())];
  const std::size_t way = below(10);
  if (way < 6) {
    const std::string with = other(text, tokens, token);
    text.replace(token.begin, token.bytes, with);
  } else if (way == 6) {
    text.erase(token.begin, token.bytes);
  } else if (way == 7) {
    text.insert(token.begin, text.substr(token.begin, token.bytes) + " ");
  } else {
    change_line(text);
  }
}

std::string CslMutator::mutate(std::string text) {
  const std::size_t changes = 1 + below(3);
  for (std::size_t i = 0; i < changes && !text.empty(); ++i) change(text);
  return text;
}

}  // namespace tessera::test
