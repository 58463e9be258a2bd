// Words of the text and what they mean, as tables.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "frontends/pto/ast.h"

namespace tessera::pto {

/// A sentence of its parts: text and whole numbers.
template <class... Parts>
std::string joined(const Parts&... parts) {
  std::string text;
  const auto append = [&text](const auto& part) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>)
      text += std::to_string(part);
    else
      text += part;
  };
  (append(parts), ...);
  return text;
}

template <class T>
struct Word {
  std::string_view text;
  T meaning;
};

/// Nothing: the table does not have the word.
template <class T, std::size_t N>
std::optional<T> meaning_of(const Word<T> (&table)[N], std::string_view text) {
  for (const Word<T>& word : table)
    if (word.text == text) return word.meaning;
  return std::nullopt;
}

/// "expected WHAT, found 'FOUND'".
[[noreturn]] inline void fail_expected(const Diagnostics& diagnostics, Place place,
                                       const std::string& what, const std::string& found) {
  diagnostics.fail(place, "expected " + what + ", found " + tasm::quoted(found));
}

/// The same as meaning_of for a word that must be there: throws UserError with `what` is expected.
template <class T, std::size_t N>
T require_word(const Word<T> (&table)[N], const std::string& text, Place place,
               const std::string& what, const Diagnostics& diagnostics) {
  const std::optional<T> meaning = meaning_of(table, text);
  if (!meaning) fail_expected(diagnostics, place, what, text);
  return *meaning;
}

}  // namespace tessera::pto
