// Copies of the host into and out of the memory of a PE: which memory they may touch (csl.md 11).
#pragma once

#include <cstdint>
#include <vector>

#include "models/pe/program.h"
#include "models/pe/sram.h"

namespace tessera::pe {

/// The variable of a program in which an address lies; nullptr: none.
const Symbol* symbol_at(const Image& image, std::uint32_t address);

/// Words between the host and the array at an exported pointer, without who sends them: `elements` of 2 or 4 bytes.
struct HostCopy {
  std::uint32_t pointer = 0;  ///< where the address of the array lies
  std::uint32_t elements = 0;
  unsigned element_bytes = 4;
  bool into_pe = false;

  std::uint32_t bytes() const { return elements * element_bytes; }
  /// Whether the elements lie in the memory of a PE.
  bool is_in_memory(std::uint32_t address) const {
    return address % 2 == 0 && address <= kSramBytes && bytes() <= kSramBytes - address;
  }
  /// The variable at `address` ends before the elements do.
  bool is_beyond_array(const Image& image, std::uint32_t address) const;
  /// Published host programs read more than their arrays have; what would be overwritten is refused.
  bool may_be_made(const Image& image, std::uint32_t address) const {
    return is_in_memory(address) && !(into_pe && is_beyond_array(image, address));
  }
};

}  // namespace tessera::pe
