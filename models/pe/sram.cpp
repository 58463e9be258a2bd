#include "models/pe/sram.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace tessera::pe {

std::uint32_t Sram::read(std::uint32_t address, unsigned bytes) const {
  assert(accepts(address, bytes));
  if (bytes == 2) return read16(address);
  return read16(address) | static_cast<std::uint32_t>(read16(address + 2)) << 16;
}

void Sram::write(std::uint32_t address, unsigned bytes, std::uint32_t value) {
  assert(accepts(address, bytes));
  write16(address, static_cast<std::uint16_t>(value));
  if (bytes == 4) write16(address + 2, static_cast<std::uint16_t>(value >> 16));
}

void Sram::read_bytes(std::uint32_t address, std::uint32_t count, std::byte* to) const {
  assert(address <= kSramBytes && count <= kSramBytes - address);
  while (count > 0) {
    const std::uint32_t at = address % kPageBytes;
    const std::uint32_t part = std::min(count, kPageBytes - at);
    const auto& page = pages_[address / kPageBytes];
    if (page) {
      std::memcpy(to, page->data() + at, part);
    } else {
      std::memset(to, 0, part);
    }
    address += part;
    count -= part;
    to += part;
  }
}

void Sram::write_bytes(std::uint32_t address, std::uint32_t count, const std::byte* from) {
  assert(address <= kSramBytes && count <= kSramBytes - address);
  while (count > 0) {
    const std::uint32_t at = address % kPageBytes;
    const std::uint32_t part = std::min(count, kPageBytes - at);
    auto& page = pages_[address / kPageBytes];
    if (!page) page = std::make_unique<Page>();
    std::memcpy(page->data() + at, from, part);
    address += part;
    count -= part;
    from += part;
  }
}

std::uint16_t Sram::read16(std::uint32_t address) const {
  const auto& page = pages_[address / kPageBytes];
  if (!page) return 0;
  const std::uint32_t at = address % kPageBytes;
  return static_cast<std::uint16_t>((*page)[at] | (*page)[at + 1] << 8);
}

void Sram::write16(std::uint32_t address, std::uint16_t value) {
  auto& page = pages_[address / kPageBytes];
  if (!page) page = std::make_unique<Page>();  // value-initialised: zeros
  const std::uint32_t at = address % kPageBytes;
  (*page)[at] = static_cast<std::uint8_t>(value);
  (*page)[at + 1] = static_cast<std::uint8_t>(value >> 8);
}

std::uint32_t Sram::allocated_bytes() const {
  const auto touched =
      std::count_if(pages_.begin(), pages_.end(), [](const auto& page) { return page != nullptr; });
  return static_cast<std::uint32_t>(touched) * kPageBytes;
}

}  // namespace tessera::pe
