// Translates words of the text: element types, buffers of tiles, attributes of operations. Functions
// that take Diagnostics throw UserError, at the place of the word, if they do not know it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "frontends/pto/ast.h"
#include "models/cluster/program/program.h"

namespace tessera::pto {

/// Joins the parts of a message: text and whole numbers.
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

/// An entry of a table of words.
template <class T>
struct Word {
  std::string_view text;
  T meaning;
};

/// Looks a word up. Returns nothing if the table does not have it.
template <class T, std::size_t N>
std::optional<T> meaning_of(const Word<T> (&table)[N], std::string_view text) {
  for (const Word<T>& word : table)
    if (word.text == text) return word.meaning;
  return std::nullopt;
}

/// Throws UserError "expected WHAT, found 'FOUND'".
[[noreturn]] inline void fail_expected(const Diagnostics& diagnostics, Place place,
                                       const std::string& what, const std::string& found) {
  diagnostics.fail(place, "expected " + what + ", found " + text::quoted(found));
}

/// Looks a word up. Throws UserError if the table does not have it; `what` is expected.
template <class T, std::size_t N>
T require_word(const Word<T> (&table)[N], const std::string& text, Place place,
               const std::string& what, const Diagnostics& diagnostics) {
  const std::optional<T> meaning = meaning_of(table, text);
  if (!meaning) fail_expected(diagnostics, place, what, text);
  return *meaning;
}

/// The number of bits that an element takes in a tile; an i1 takes a byte.
unsigned bits_of(const std::string& element);

/// The element type that the cost of an operation on the tile depends on.
cluster::DataType data_type_of(const Type& type, const Diagnostics& diagnostics);
cluster::Element element_of(const Type& type, const Diagnostics& diagnostics);
/// The buffer that a tile of this type lies in.
cluster::Location location_of(const Type& tile, const Diagnostics& diagnostics);

/// The last word of an attribute: "hard" for "#pto.sync_all_mode<hard>", "#pto<sync_all_mode hard>", "\"hard\"" and "hard".
std::string word_of(const Attribute& attribute);

/// Copies rounding, saturation, comparison, activation and pattern from the attributes of `op`.
void set_options(const Operation& op, cluster::TileOperation& operation,
                 const Diagnostics& diagnostics);
/// The padding value of a tile type: pad = 0 to 3.
cluster::Pad pad_of(const Type& type, const Diagnostics& diagnostics);

}  // namespace tessera::pto
