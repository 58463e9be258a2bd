#include "frontends/tasm/registers.h"

#include <algorithm>
#include <array>

#include "frontends/tasm/lexer.h"

namespace tessera::tasm {
namespace {

struct File {
  pe::OperandKind kind;
  std::string_view prefix;
};

constexpr std::array<File, 6> kFiles = {{{pe::kReg16, "r"},
                                         {pe::kReg32, "d"},
                                         {pe::kDest, "dds"},
                                         {pe::kSrc0, "s0ds"},
                                         {pe::kSrc1, "s1ds"},
                                         {pe::kMicrothread, "ut"}}};

unsigned count_of(pe::OperandKind kind) {
  if (kind == pe::kMicrothread) return kMicrothreadCount;
  return kind == pe::kReg16 ? pe::kRegisterCount : pe::kDsrsPerFile;
}

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Numbers of three digits and more are all the same here: there is no such register.
unsigned number_of(std::string_view digits) {
  constexpr unsigned kTooHigh = 100;
  if (digits.size() > 2) return kTooHigh;
  unsigned number = 0;
  for (const char c : digits) number = number * 10 + static_cast<unsigned>(c - '0');
  return number;
}

}  // namespace

std::optional<RegisterName> register_name(std::string_view text) {
  for (const File& file : kFiles) {
    if (text.substr(0, file.prefix.size()) != file.prefix) continue;
    const std::string_view digits = text.substr(file.prefix.size());
    if (is_number(digits)) return RegisterName{file.kind, number_of(digits)};
  }
  return std::nullopt;
}

std::string problem_of(const RegisterName& name, std::string_view text) {
  const std::string prefix(text.substr(0, text.find_last_not_of("0123456789") + 1));
  if (name.kind == pe::kReg32) {
    if (name.number < pe::kRegisterCount && name.number % 2 == 0) return "";
    return "expected a register pair d0, d2 .. d14, found " + quoted(text) +
           (name.number < pe::kRegisterCount ? "; a pair starts at an even register" : "");
  }
  const unsigned count = count_of(name.kind);
  if (name.number < count) return "";
  const std::string what = name.kind == pe::kMicrothread ? "a microthread " : "a register ";
  return "expected " + what + prefix + "0.." + prefix + std::to_string(count - 1) + ", found " +
         quoted(text);
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
  const auto* file =
      std::find_if(kFiles.begin(), kFiles.end(), [kind](const File& f) { return f.kind == kind; });
  return file == kFiles.end() ? "" : std::string(file->prefix) + std::to_string(number);
}

}  // namespace tessera::tasm
