#include "models/pe/sram.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera::pe {

std::uint32_t Sram::read_across(std::uint32_t address) const {
  return read(address, 2) | read(address + 2, 2) << 16;
}

void Sram::write_across(std::uint32_t address, std::uint32_t value) {
  write(address, 2, value);
  write(address + 2, 2, value >> 16);
}

void Sram::read_bytes(std::uint32_t address, std::uint32_t count, std::byte* to) const {
  assert(address <= kSramBytes && count <= kSramBytes - address);
  while (count > 0) {
    const std::uint32_t part = std::min(count, kPageBytes - address % kPageBytes);
    const std::uint8_t* const from = find(address);
    if (from != nullptr) {
      std::memcpy(to, from, part);
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
  unsigned missing = 0;
  for (std::uint32_t page = address / kPageBytes; page * kPageBytes < address + count; ++page)
    missing += has(page) ? 0 : 1;
  make_room(pages_used_ + missing);
  while (count > 0) {
    const std::uint32_t part = std::min(count, kPageBytes - address % kPageBytes);
    std::memcpy(find_or_take(address), from, part);
    address += part;
    count -= part;
    from += part;
  }
}

std::byte* Sram::in_one_piece() {
  bool in_order = pages_used_ == kPages;
  for (unsigned page = 0; page < kPages && in_order; ++page) in_order = number_of(page) == page;
  if (!in_order) {
    Sram whole(initial_);
    whole.make_room(kPages);
    for (unsigned page = 0; page < kPages; ++page) {
      const std::uint8_t* const from = find(page * kPageBytes);
      whole.take(page);
      if (from != nullptr) std::memcpy(whole.page_at(page), from, kPageBytes);
    }
    *this = std::move(whole);
  }
  return reinterpret_cast<std::byte*>(pages_.get());
}

void Sram::take_over(Sram&& other) {
  const Sram* const initial = initial_;
  *this = std::move(other);
  initial_ = initial;
}

// Memory grows by a quarter of the pages in use, plus one: a small tile has no unused pages.
unsigned Sram::take(std::uint32_t page) {
  if (pages_used_ == pages_size_) make_room(std::min(pages_used_ + 1U + pages_used_ / 4U, kPages));
  const unsigned number = pages_used_++;
  if (number < kFew) ids_ ^= std::uint64_t{kNone ^ page} << number * 8;
  if (pages_size_ > kFew) table()[page] = static_cast<std::uint8_t>(number);
  const std::uint8_t* const from =
      initial_ != nullptr ? initial_->find_own(page * kPageBytes) : nullptr;
  if (from != nullptr) std::memcpy(page_at(number), from, kPageBytes);
  return number;
}

std::uint8_t* Sram::find_or_take(std::uint32_t address) {
  const std::uint32_t page = address / kPageBytes;
  const unsigned number = number_of(page);
  std::uint8_t* const at = page_at(number != kNone ? number : take(page)) + address % kPageBytes;
  note_written(at, address);
  if (words_of_windows_ == 0) last_read_ = last_written_;
  words_of_windows_ = kWordsOfWindow;
  return at;
}

void Sram::make_room(unsigned pages) {
  if (pages <= pages_size_) return;
  const std::size_t bytes = std::size_t{pages} * kPageBytes;
  auto larger = std::make_unique<std::uint8_t[]>(bytes + (pages > kFew ? kPages : 0));  // zeros
  std::copy_n(pages_.get(), pages_used_ * kPageBytes, larger.get());
  if (pages_size_ > kFew) {
    std::copy_n(table(), kPages, larger.get() + bytes);
  } else if (pages > kFew) {
    std::fill_n(larger.get() + bytes, kPages, static_cast<std::uint8_t>(kNone));
    for (unsigned number = 0; number < pages_used_; ++number)
      larger[bytes + (ids_ >> number * 8 & 0xFFU)] = static_cast<std::uint8_t>(number);
  }
  pages_ = std::move(larger);
  pages_size_ = static_cast<std::uint8_t>(pages);
}

}  // namespace tessera::pe
