#include "tests/scenario/directive_reader.h"

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::scenario {

DirectiveReader::DirectiveReader(std::string file, unsigned line, std::string_view text,
                                 std::size_t begin)
    : file_(std::move(file)), line_(line) {
  constexpr std::string_view kBlank = " \t\r";
  std::size_t at = begin;
  while (at < text.size() && text[at] != ';') {  // ; starts a remark
    if (kBlank.find(text[at]) != std::string_view::npos) {
      ++at;
    } else if (text[at] == '"') {
      at = read_quoted(text, at);
    } else if (text[at] == ',' || text[at] == '=') {
      tokens_.push_back({std::string(1, text[at]), at + 1, false});
      ++at;
    } else {
      const std::size_t end = std::min(text.find_first_of(" \t\r,=;\"", at), text.size());
      tokens_.push_back({std::string(text.substr(at, end - at)), at + 1, false});
      at = end;
    }
  }
  end_column_ = at + 1;
}

std::size_t DirectiveReader::read_quoted(std::string_view text, std::size_t at) {
  const std::size_t end = text.find('"', at + 1);
  if (end == std::string_view::npos) fail_at(at + 1, "the text in quotes has no end");
  if (end == at + 1) fail_at(at + 1, "the text in quotes is empty");
  tokens_.push_back({std::string(text.substr(at + 1, end - at - 1)), at + 1, true});
  return end + 1;
}

std::string_view DirectiveReader::peek() const {
  if (at_end() || tokens_[next_].quoted) return {};
  return tokens_[next_].text;
}

std::string DirectiveReader::word(const std::string& what) {
  const bool punctuation = peek() == "," || peek() == "=";
  if (peek().empty() || punctuation) fail("expected " + what + ", found " + found());
  return tokens_[next_++].text;
}

std::string DirectiveReader::quoted(const std::string& what) {
  if (!next_is_quoted()) fail("expected " + what + " in quotes, found " + found());
  return tokens_[next_++].text;
}

bool DirectiveReader::accept(std::string_view text) {
  if (peek() != text) return false;
  ++next_;
  return true;
}

void DirectiveReader::expect(std::string_view text) {
  if (!accept(text)) fail("expected '" + std::string(text) + "', found " + found());
}

void DirectiveReader::end() {
  if (!at_end()) fail("expected the end of the line, found " + found());
}

std::string DirectiveReader::found() const {
  return at_end() ? "the end of the line" : "'" + tokens_[next_].text + "'";
}

void DirectiveReader::fail(const std::string& problem) const {
  fail_at(at_end() ? end_column_ : tokens_[next_].column, problem);
}

void DirectiveReader::fail_last(const std::string& problem) const {
  fail_at(next_ == 0 ? end_column_ : tokens_[next_ - 1].column, problem);
}

void DirectiveReader::fail_at(std::size_t column, const std::string& problem) const {
  throw UserError(file_, std::to_string(line_) + ":" + std::to_string(column), problem);
}

}  // namespace tessera::scenario
