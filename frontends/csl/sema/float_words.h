// Floats of the analyser and their words on the machine. A value of any floating-point type is a double here, which has all
// numbers of the types exactly, and a NaN with its sign and fraction.
#pragma once

#include <cstdint>

#include "frontends/csl/sema/types.h"

namespace tessera::csl {

/// The word of a float of a type with 16 or 32 bits; of a number that the type does not have, the nearest one's.
std::uint32_t word_of(const Type& type, double value);
/// The number of a word. A NaN keeps sign and fraction, so that `word_of` gives the word back.
double number_of(const Type& type, std::uint32_t word);
/// A number rounded once to a floating-point type. A NaN becomes the one that operations of the machine give.
double rounded(const Type& type, double value);

}  // namespace tessera::csl
