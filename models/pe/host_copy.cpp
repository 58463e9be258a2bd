#include "models/pe/host_copy.h"

namespace tessera::pe {

const Symbol* symbol_at(const Image& image, std::uint32_t address) {
  for (const Symbol& found : image.symbols) {
    if (address >= found.address && address - found.address < found.count * bytes_of(found.type))
      return &found;
  }
  return nullptr;
}

// Memory that the program has not declared has no end.
bool HostCopy::is_beyond_array(const Image& image, std::uint32_t address) const {
  const Symbol* const found = symbol_at(image, address);
  return found != nullptr &&
         bytes() > found->address + found->count * bytes_of(found->type) - address;
}

}  // namespace tessera::pe
