// The 48 KB memory of a tile (reference wse.md 6.2). Byte addresses, 16-bit words, little endian. A
// page is allocated at its first write; until then it reads as the initial memory does. A tile
// costs the host the pages that it has written, and a byte for every page up to the last of them.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "models/pe/program.h"
#include "models/state/fwd.h"

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
    const std::uint8_t* const own = find_own(address);
    if (own != nullptr) last_read_ = window_of(own, address);
    const std::uint8_t* const at = own == nullptr ? find_initial(address) : own;
    return at == nullptr ? 0 : value_at(at, bytes);
  }
  /// Requires accepts(address, bytes).
  void write(std::uint32_t address, unsigned bytes, std::uint32_t value) {
    assert(accepts(address, bytes));
    if (bytes == 4 && is_across_pages(address)) return write_across(address, value);
    set_value(find_or_take(address), bytes, value);
  }
  /// As read() and write() where `address`, whatever it is, lies in the page that was written last, or that
  /// read() was about last; false: nothing was done.
  [[gnu::always_inline]] bool read_near(std::uint32_t address, unsigned bytes,
                                        std::uint32_t& value) const {
    const Window* window = &last_written_;
    if (!window->has(address, words_of_windows_)) window = &last_read_;
    if (!window->has(address, words_of_windows_)) return false;
    value = value_at(pages_.get() + window->place_of(address), bytes);
    return true;
  }
  [[gnu::always_inline]] bool write_near(std::uint32_t address, unsigned bytes,
                                         std::uint32_t value) {
    if (!last_written_.has(address, words_of_windows_)) return false;
    last_offset_ = static_cast<std::uint8_t>(address);
    set_value(pages_.get() + last_written_.place_of(address), bytes, value);
    return true;
  }
  /// The same of a page that was ever written: for scalars, which change from page to page.
  [[gnu::always_inline]] bool read_own(std::uint32_t address, unsigned bytes,
                                       std::uint32_t& value) const {
    if (!is_row(address, address, bytes)) return false;
    const std::uint8_t* const at = find_own(address);
    if (at == nullptr) return false;
    value = value_at(at, bytes);
    return true;
  }
  [[gnu::always_inline]] bool write_own(std::uint32_t address, unsigned bytes,
                                        std::uint32_t value) {
    if (!is_row(address, address, bytes)) return false;
    std::uint8_t* const at = find_own(address);
    if (at == nullptr) return false;
    note_written(at, address);
    set_value(at, bytes, value);
    return true;
  }
  /// What some elements of `bytes` in a row are read or written at, if all lie in one page; nullptr: they do not, or
  /// nothing was ever put there. The first one is at `address`, the last one at `last`. Valid until the
  /// next write.
  const std::uint8_t* find_row(std::uint32_t address, std::uint32_t last, unsigned bytes) const {
    return is_row(address, last, bytes) ? find(address) : nullptr;
  }
  std::uint8_t* take_row(std::uint32_t address, std::uint32_t last, unsigned bytes) {
    return is_row(address, last, bytes) ? find_or_take(address) : nullptr;
  }
  static std::uint32_t value_at(const std::uint8_t* at, unsigned bytes) {
    const std::uint32_t low = at[0] | static_cast<std::uint32_t>(at[1]) << 8;
    if (bytes == 2) return low;
    return low | static_cast<std::uint32_t>(at[2]) << 16 | static_cast<std::uint32_t>(at[3]) << 24;
  }
  static void set_value(std::uint8_t* at, unsigned bytes, std::uint32_t value) {
    // Apart, so that the compiler makes one store of each.
    if (bytes == 2) {
      at[0] = static_cast<std::uint8_t>(value);
      at[1] = static_cast<std::uint8_t>(value >> 8);
    } else {
      at[0] = static_cast<std::uint8_t>(value);
      at[1] = static_cast<std::uint8_t>(value >> 8);
      at[2] = static_cast<std::uint8_t>(value >> 16);
      at[3] = static_cast<std::uint8_t>(value >> 24);
    }
  }
  /// Copies of a host. Require that all bytes lie inside the memory.
  void read_bytes(std::uint32_t address, std::uint32_t count, std::byte* to) const;
  void write_bytes(std::uint32_t address, std::uint32_t count, const std::byte* from);
  /// All kSramBytes in sequence, for a host that wants a pointer. It is valid as long as this
  /// memory. Allocates all pages.
  std::byte* in_one_piece();
  /// Becomes what `other` is, which has the same initial memory; that of this one stays in use.
  void take_over(Sram&& other);
  /// What was written last, and probably is again, and what follows it are on their way into the cache of the host.
  [[gnu::always_inline]] void prefetch() const {
    if (words_of_windows_ == 0) return;
    const std::uint8_t* const last = page_at(last_written_.number) + last_offset_;
    __builtin_prefetch(last, 1);
    __builtin_prefetch(last + 64, 1);
  }
  /// The same of what is at `address`, in pages of its own.
  [[gnu::always_inline]] void prefetch(std::uint32_t address) const {
    const unsigned number = address < kSramBytes ? number_of(address / kPageBytes) : kNone;
    if (number != kNone) __builtin_prefetch(page_at(number) + address % kPageBytes, 1);
  }
  /// Bytes of the pages that are allocated.
  std::uint32_t allocated_bytes() const { return pages_used_ * kPageBytes; }
  /// Saves or restores what changes (models/state/archive.h).
  void visit(state::Archive& archive);

 private:
  static constexpr unsigned kPages = kSramBytes / kPageBytes;
  static constexpr unsigned kNone = 0xFF;
  static_assert(kPages < kNone, "numbers of pages are bytes");
  /// So many pages are found by `ids_`, more by a table after them.
  static constexpr unsigned kFew = sizeof(std::uint64_t);

  /// A page that is found without a search: for accesses of 2 and 4 bytes, so not to its last word.
  struct Window {
    std::uint8_t page = 0;
    std::uint8_t number = 0;  ///< its place in pages_
    /// `words` of the page may be accessed. The lowest bit of an offset goes to the top: that of an odd address makes it
    /// too large.
    bool has(std::uint32_t address, unsigned words) const {
      const std::uint32_t offset = address - page * kPageBytes;
      return (offset >> 1 | offset << 31) < words;
    }
    /// Where the byte at an address that it has stands in pages_.
    std::uint32_t place_of(std::uint32_t address) const {
      return number * kPageBytes + (address - page * kPageBytes);
    }
  };
  static constexpr std::uint8_t kWordsOfWindow = kPageBytes / 2 - 1;

  static bool is_across_pages(std::uint32_t address) {
    return address % kPageBytes == kPageBytes - 2;
  }
  static bool is_row(std::uint32_t address, std::uint32_t last, unsigned bytes) {
    return address / kPageBytes == last / kPageBytes && address < kSramBytes && address % 2 == 0 &&
           std::max(address, last) % kPageBytes <= kPageBytes - bytes;
  }
  /// The page of the byte at `address`, which is the one at `at`.
  Window window_of(const std::uint8_t* at, std::uint32_t address) const {
    return {static_cast<std::uint8_t>(address / kPageBytes),
            static_cast<std::uint8_t>((at - pages_.get()) / kPageBytes)};
  }
  std::uint32_t read_across(std::uint32_t address) const;
  void write_across(std::uint32_t address, std::uint32_t value);
  std::uint8_t* page_at(unsigned number) const { return pages_.get() + number * kPageBytes; }
  std::uint8_t* table() const { return page_at(pages_size_); }
  /// Where `page` stands in pages_; kNone: it was never written.
  unsigned number_of(std::uint32_t page) const {
    if (pages_size_ > kFew) return table()[page];
    // A byte that is 0 where the page stands; the lowest such byte is found exactly.
    constexpr std::uint64_t kOnes = 0x0101010101010101U;
    const std::uint64_t others = ids_ ^ kOnes * page;
    const std::uint64_t found = (others - kOnes) & ~others & kOnes << 7;
    return found == 0 ? kNone : static_cast<unsigned>(__builtin_ctzll(found)) / 8;
  }
  bool has(std::uint32_t page) const { return number_of(page) != kNone; }
  /// The byte at `address`; nullptr: its page was never written.
  std::uint8_t* find_own(std::uint32_t address) const {
    const unsigned number = number_of(address / kPageBytes);
    return number == kNone ? nullptr : page_at(number) + address % kPageBytes;
  }
  /// The same in this memory or else in the initial one.
  const std::uint8_t* find(std::uint32_t address) const {
    const std::uint8_t* const own = find_own(address);
    return own != nullptr ? own : find_initial(address);
  }
  const std::uint8_t* find_initial(std::uint32_t address) const {
    return initial_ != nullptr ? initial_->find_own(address) : nullptr;
  }
  std::uint8_t* find_or_take(std::uint32_t address);
  void note_written(const std::uint8_t* at, std::uint32_t address) {
    last_written_ = window_of(at, address);
    last_offset_ = static_cast<std::uint8_t>(address);
  }
  unsigned take(std::uint32_t page);
  void make_room(unsigned pages);

  const Sram* initial_ = nullptr;
  // Pages in the order in which they were first written, then unused ones. If these are more than kFew, there follows
  // a table: by page its place among them.
  std::unique_ptr<std::uint8_t[]> pages_;
  std::uint64_t ids_ = ~std::uint64_t{0};  // ids of the first pages, a byte each; kNone: unused
  // What most accesses are about. Memory that several engines read at a time is not read by read().
  Window last_written_;
  mutable Window last_read_;
  std::uint8_t words_of_windows_ = 0;  // 0: neither has a page
  std::uint8_t pages_size_ = 0;
  std::uint8_t pages_used_ = 0;
  std::uint8_t last_offset_ = 0;  // of the last write, in its page
};

}  // namespace tessera::pe
