// Text of commands and answers.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace tessera::debug {

/// Without spaces at both ends.
inline std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// "(3, 0)".
inline std::string in_parentheses(const std::vector<int>& at) {
  std::string text;
  for (const int n : at) text += (text.empty() ? "(" : ", ") + std::to_string(n);
  return text + ")";
}

inline std::string hexadecimal(std::uint64_t number) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(number));
  return text.data();
}

}  // namespace tessera::debug
