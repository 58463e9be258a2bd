// Translates words of the text: element types, buffers of tiles, attributes of operations.
// Functions that take Diagnostics throw UserError, at the place of the word, if they do not know
// it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "frontends/pto/ast.h"
#include "frontends/pto/operations.h"

namespace tessera::pto {

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

inline bool is_one_of(std::initializer_list<std::string_view> words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// Throws UserError "expected WHAT, found 'FOUND'".
[[noreturn]] inline void fail_expected(const Diagnostics& diagnostics, Place place,
                                       const std::string& what, const std::string& found) {
  diagnostics.fail(place, "expected " + what + ", found " + text::in_quotes(found));
}

/// Looks a word up. Throws UserError if the table does not have it; `what` is expected.
template <class T, std::size_t N>
T require_word(const Word<T> (&table)[N], const std::string& text, Place place,
               const std::string& what, const Diagnostics& diagnostics) {
  const std::optional<T> meaning = meaning_of(table, text);
  if (!meaning) fail_expected(diagnostics, place, what, text);
  return *meaning;
}

/// The number that is all of `text`. Returns nothing if it is none, or does not fit in 64 bits.
std::optional<std::int64_t> whole_number(std::string_view text, int base = 10);

/// The number of bits that an element takes in a tile; an i1 takes a byte.
unsigned bits_of(const std::string& element);
/// The number of bits that a column of the tile has room for: in UB it is a pair of elements of f4E2M1x2, which counts
/// columns in bytes.
unsigned room_bits_of(const Type& tile);

/// The integers of a type: i8, si8, ui8, i1, index. A word that is no integer type: 64 bits.
IntegerType integer_type_of(const std::string& element);
/// Whether the type has the number, or bits that are written as an unsigned number.
bool fits(std::int64_t number, IntegerType type);
/// The float of a type that is nearest to a number; types that the scalar unit has no floats of keep it.
double float_of_type(double number, const std::string& element);
/// How a conversion to a float of this type says what its result is (cluster::calculate).
IntegerType float_bits_of(const std::string& element);
/// Whether a float of a type is near the number: false where only an infinite one is, and the number is finite.
bool fits_float(double number, const std::string& element);

/// The element type that the cost of an operation on the tile depends on.
DataType data_type_of(const Type& type, const Diagnostics& diagnostics);
Element element_of(const Type& type, const Diagnostics& diagnostics);
/// The buffer that a tile of this type lies in.
inline bool has_part(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}
/// Where a pointer of this type points to: !pto.ptr<f32>, !pto.ptr<f32, gm> and a memref without an address
/// space to GM, !pto.ptr<f32, ub> to UB.
Location space_of(const Type& pointer);
Location location_of(const Type& tile, const Diagnostics& diagnostics);

/// The last word of an attribute: "hard" for "#pto.sync_all_mode<hard>", "#pto<sync_all_mode
/// hard>", "\"hard\"" and "hard".
std::string word_of(const Attribute& attribute);

/// The value that an argument of a kernel has by its role in a launch, which its name or an attribute
/// tells: `%__pypto_spmd_block_idx`. Nothing: it has no such role.
std::optional<SpecialValue> role_of(const Parameter& parameter);

/// Copies rounding, saturation, comparison, activation and pattern from the attributes of `op`.
void set_options(const Operation& op, TileOperation& operation, const Diagnostics& diagnostics);
/// The padding value of a tile type: pad = 0 to 3.
/// Whether an atomicType adds; it may say that nothing is atomic. Throws UserError at `place` for what is not modelled.
bool is_addition(const Attribute& atomic, Place place, const Diagnostics& diagnostics);
cluster::Pad pad_of(const Type& type, const Diagnostics& diagnostics);

/// The number of an attribute such as `slot_size = 1024 : i32`; `otherwise` if there is none.
std::int64_t number_of(const Operation& op, const char* key, std::int64_t otherwise,
                       const Diagnostics& diagnostics);
/// The text of an attribute without quotes and @; "" if there is none.
std::string text_of(const Operation& op, const char* key);

}  // namespace tessera::pto
