// Values of 8 bits in memory, whose words have 16 (csl.md 2): two lie in a word, the first one in its low half.
#pragma once

#include "frontends/csl/lower/tile_code.h"

namespace tessera::csl {

/// A value of a type for which is_byte() holds, from one byte of a word.
ir::Value load_byte(Evaluator& evaluator, const Type& type, const Storage& storage);
/// Changes one byte of a word.
void store_byte(Evaluator& evaluator, const Storage& storage, const ir::Value& value);

}  // namespace tessera::csl
