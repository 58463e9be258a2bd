// The 48 KB memory of a tile (reference wse.md 6.2). Byte addresses, 16-bit words, little endian. A
// page is allocated at its first write; until then it reads as the initial memory does. A tile
// costs the host the pages that it has written, and a byte for every page up to the last of them.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "models/pe/program.h"

namespace tessera::pe {

class Sram {
 public:
  static constexpr std::uint32_t kPageBytes = 256;

  /// All zeros.
  Sram() = default;
  /// As `initial`, whose pages it reads until it writes them; `initial` must outlive it and not
  /// change.
  explicit Sram(const Sram* initial) : initial_(initial) {}

  /// Whether an access of `bytes` (2 or 4) at `address` is possible: inside the memory and on a
  /// 16-bit word boundary.
  static bool accepts(std::uint32_t address, unsigned bytes) {
    return address % 2 == 0 && address <= kSramBytes - bytes;
  }
  /// Little-endian value of 2 or 4 bytes. Requires accepts(address, bytes).
  std::uint32_t read(std::uint32_t address, unsigned bytes) const {
    assert(accepts(address, bytes));
    if (bytes == 4 && is_across_pages(address)) return read_across(address);
    const std::uint8_t* const at = find(address);
    if (at == nullptr) return 0;
    const std::uint32_t low = at[0] | static_cast<std::uint32_t>(at[1]) << 8;
    if (bytes == 2) return low;
    return low | static_cast<std::uint32_t>(at[2]) << 16 | static_cast<std::uint32_t>(at[3]) << 24;
  }
  /// Requires accepts(address, bytes).
  void write(std::uint32_t address, unsigned bytes, std::uint32_t value) {
    assert(accepts(address, bytes));
    if (bytes == 4 && is_across_pages(address)) return write_across(address, value);
    std::uint8_t* const at = find_or_take(address);
    at[0] = static_cast<std::uint8_t>(value);
    at[1] = static_cast<std::uint8_t>(value >> 8);
    if (bytes == 2) return;
    at[2] = static_cast<std::uint8_t>(value >> 16);
    at[3] = static_cast<std::uint8_t>(value >> 24);
  }
  /// Copies of a host. Require that all bytes lie inside the memory.
  void read_bytes(std::uint32_t address, std::uint32_t count, std::byte* to) const;
  void write_bytes(std::uint32_t address, std::uint32_t count, const std::byte* from);
  /// All kSramBytes in sequence, for a host that wants a pointer. It is valid as long as this
  /// memory. Allocates all pages.
  std::byte* in_one_piece();
  /// Becomes what `other` is, which has the same initial memory; that of this one stays in use.
  void take_over(Sram&& other);
  /// What was written last, and probably is again, is on its way into the cache of the host.
  [[gnu::always_inline]] void prefetch() const {
    if (last_page_ != kNoPage) __builtin_prefetch(&pages_[last_number_][last_offset_], 1);
  }
  /// Bytes of the pages that are allocated.
  std::uint32_t allocated_bytes() const { return pages_used_ * kPageBytes; }

 private:
  using Page = std::array<std::uint8_t, kPageBytes>;
  static_assert(kSramBytes / kPageBytes < 0xFF, "numbers of pages are bytes");
  static constexpr std::uint8_t kNoPage = 0xFF;
  static bool is_across_pages(std::uint32_t address) {
    return address % kPageBytes == kPageBytes - 2;
  }
  std::uint32_t read_across(std::uint32_t address) const;
  void write_across(std::uint32_t address, std::uint32_t value);
  bool has(std::uint32_t page) const { return page < numbers_size_ && numbers_[page] != 0; }
  /// The byte at `address`; nullptr: its page was never written.
  std::uint8_t* find_own(std::uint32_t address) const {
    const std::uint32_t page = address / kPageBytes;
    if (page == last_page_) return &pages_[last_number_][address % kPageBytes];
    return has(page) ? &pages_[numbers_[page] - 1U][address % kPageBytes] : nullptr;
  }
  /// The same in this memory or else in the initial one.
  const std::uint8_t* find(std::uint32_t address) const {
    const std::uint8_t* const own = find_own(address);
    return own != nullptr || initial_ == nullptr ? own : initial_->find_own(address);
  }
  std::uint8_t* find_or_take(std::uint32_t address) {
    last_offset_ = static_cast<std::uint8_t>(address % kPageBytes);
    if (address / kPageBytes == last_page_) return &pages_[last_number_][last_offset_];
    return find_elsewhere(address);
  }
  std::uint8_t* find_elsewhere(std::uint32_t address);
  void take(std::uint32_t page);
  void make_room(unsigned numbers, unsigned pages);

  const Sram* initial_ = nullptr;
  // By page: 1 + its index in pages_; 0: never written.
  std::unique_ptr<std::uint8_t[]> numbers_;
  std::unique_ptr<Page[]> pages_;  // in the order in which they were first written, then unused
  std::uint8_t numbers_size_ = 0;
  std::uint8_t pages_size_ = 0;
  std::uint8_t pages_used_ = 0;
  // The page that was written last: where it is needs no look into numbers_.
  std::uint8_t last_page_ = kNoPage;
  std::uint8_t last_number_ = 0;  // its index in pages_
  std::uint8_t last_offset_ = 0;  // offset of the last write in it
};

}  // namespace tessera::pe
