// Arguments of a launched function as words: of 16-bit types they lie in the low half (csl.md 13).
#pragma once

#include <cstdint>
#include <string>

namespace tessera::wse {

/// The word of an argument that is written as text. Throws UserError with `option` as its place if it is no number of
/// the type, which is one of CSL ("i16", "f32", "bool").
std::uint32_t argument_word(const std::string& text, const std::string& type,
                            const std::string& option);

/// The word as code expects it in a register: negative numbers of 8 bits have their sign in the high byte too. Throws
/// UserError, beginning with `what`, if the word has more bits than a value of the type, other than those of its sign:
/// then the function would see another number.
std::uint32_t register_word(std::uint32_t word, const std::string& type, const std::string& what);

}  // namespace tessera::wse
