#include "frontends/tasm/registers.h"

#include <algorithm>
#include <array>

#include "frontends/tasm/lexer.h"
#include "frontends/text/cursor.h"

namespace tessera::tasm {
namespace {

struct File {
  pe::OperandKind kind;
  const char* prefix;
  unsigned count;
};

constexpr std::array<File, 6> kFiles = {{{pe::kReg16, "r", pe::kRegisterCount},
                                         {pe::kReg32, "d", pe::kRegisterCount},
                                         {pe::kDest, "dds", pe::kDsrsPerFile},
                                         {pe::kSrc0, "s0ds", pe::kDsrsPerFile},
                                         {pe::kSrc1, "s1ds", pe::kDsrsPerFile},
                                         {pe::kMicrothread, "ut", kMicrothreadCount}}};

/// nullptr: not a register.
const File* file_of(pe::OperandKind kind) {
  const auto* file =
      std::find_if(kFiles.begin(), kFiles.end(), [kind](const File& f) { return f.kind == kind; });
  return file == kFiles.end() ? nullptr : file;
}

/// Numbers of three digits and more are all the same here: there is no such register.
unsigned number_of(std::string_view digits) {
  constexpr unsigned kTooHigh = 100;
  if (digits.size() > 2) return kTooHigh;
  unsigned number = 0;
  for (const char c : digits) number = number * 10 + static_cast<unsigned>(c - '0');
  return number;
}

/// What is wrong with a register that does not exist, or "" if it exists.
std::string problem_of(const RegisterName& name, std::string_view word) {
  const File& file = *file_of(name.kind);
  const bool exists = name.number < file.count;
  if (name.kind == pe::kReg32) {
    if (exists && name.number % 2 == 0) return "";
    return text::joined("expected a register pair d0, d2 .. d14, found ", quoted(word),
                        exists ? "; a pair starts at an even register" : "");
  }
  if (exists) return "";
  return text::joined("expected a ", name.kind == pe::kMicrothread ? "microthread " : "register ",
                      file.prefix, "0..", file.prefix, file.count - 1, ", found ", quoted(word));
}

}  // namespace

std::optional<RegisterName> register_name(std::string_view text) {
  for (const File& file : kFiles) {
    const std::string_view prefix = file.prefix;
    if (text.substr(0, prefix.size()) != prefix) continue;
    const std::string_view digits = text.substr(prefix.size());
    if (!digits.empty() && std::all_of(digits.begin(), digits.end(), text::is_digit))
      return RegisterName{file.kind, number_of(digits)};
  }
  return std::nullopt;
}

std::optional<RegisterName> accept_register(TokenCursor& cursor) {
  const Token& token = cursor.peek();
  if (token.kind != Token::Kind::kName) return std::nullopt;
  const std::optional<RegisterName> name = register_name(token.text);
  if (!name) return std::nullopt;
  const std::string problem = problem_of(*name, token.text);
  if (!problem.empty()) cursor.fail(token.place, problem);
  cursor.take();
  return name;
}

std::string to_string(pe::OperandKind kind, unsigned number) {
  const File* file = file_of(kind);
  return file == nullptr ? "" : text::joined(file->prefix, number);
}

}  // namespace tessera::tasm
