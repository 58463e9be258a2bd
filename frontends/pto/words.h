// Words of the text and what they mean: element types, places of tiles, attributes of operations.
// What has a place in the text throws UserError there if the word means nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "frontends/pto/ast.h"
#include "models/cluster/program.h"

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

/// Bits that an element takes in a tile; those of i1 have a byte.
unsigned bits_of(const std::string& element);

/// What the costs of a tile of this type depend on.
cluster::DataType data_type_of(const Type& type, const Diagnostics& diagnostics);
cluster::Element element_of(const Type& type, const Diagnostics& diagnostics);
/// The buffer that a tile lies in.
cluster::Location location_of(const Type& tile, const Diagnostics& diagnostics);

/// "hard" of "#pto.sync_all_mode<hard>", "#pto<sync_all_mode hard>", "\"hard\"" and "hard".
std::string word_of(const Attribute& attribute);

/// Rounding, saturation, comparison, activation and pattern, as far as the operation has them.
void set_options(const Operation& op, cluster::TileOperation& operation,
                 const Diagnostics& diagnostics);
/// pad = 0 to 3 of a tile type.
cluster::Pad pad_of(const Type& type, const Diagnostics& diagnostics);

}  // namespace tessera::pto
