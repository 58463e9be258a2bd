// The 48 KB memory of a tile (reference wse.md 6.2). Byte addresses, 16-bit words, little endian.
// Pages are allocated when first written; what was never written reads as zero.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "models/pe/program.h"

namespace tessera::pe {

class Sram {
 public:
  static constexpr std::uint32_t kPageBytes = 1024;

  /// Whether an access of `bytes` (2 or 4) at `address` is possible: inside the memory and on a
  /// 16-bit word boundary.
  static bool accepts(std::uint32_t address, unsigned bytes) {
    return address % 2 == 0 && address <= kSramBytes - bytes;
  }
  /// Little-endian value of 2 or 4 bytes. Requires accepts(address, bytes).
  std::uint32_t read(std::uint32_t address, unsigned bytes) const;
  /// Requires accepts(address, bytes).
  void write(std::uint32_t address, unsigned bytes, std::uint32_t value);
  /// The same for a number of bytes, as a host copies them; all of them lie inside the memory.
  void read_bytes(std::uint32_t address, std::uint32_t count, std::byte* to) const;
  void write_bytes(std::uint32_t address, std::uint32_t count, const std::byte* from);
  /// Bytes of memory that this tile has taken from the host so far.
  std::uint32_t allocated_bytes() const;

 private:
  using Page = std::array<std::uint8_t, kPageBytes>;
  std::uint16_t read16(std::uint32_t address) const;
  void write16(std::uint32_t address, std::uint16_t value);
  std::array<std::unique_ptr<Page>, kSramBytes / kPageBytes> pages_;
};

}  // namespace tessera::pe
