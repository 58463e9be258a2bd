// Loads of words of which only some bits are kept.
#pragma once

#include <cstdint>

namespace tessera::pe {

struct Image;

/// Whether a load only fetches the bits that lie beside those which a store to the same word changes, as compilers do
/// for bytes and fields of bits: load, mask, or, store. Nothing else uses them, so that nobody need have written them.
bool only_merges(const Image& image, std::uint32_t pc);

}  // namespace tessera::pe
