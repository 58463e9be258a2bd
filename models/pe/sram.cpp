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
  make_room(numbers_size_, pages_used_ + missing);
  while (count > 0) {
    const std::uint32_t part = std::min(count, kPageBytes - address % kPageBytes);
    std::memcpy(find_or_take(address), from, part);
    address += part;
    count -= part;
    from += part;
  }
}

std::byte* Sram::in_one_piece() {
  constexpr unsigned kPages = kSramBytes / kPageBytes;
  bool in_order = pages_used_ == kPages;
  for (unsigned page = 0; page < kPages && in_order; ++page) in_order = numbers_[page] == page + 1;
  if (!in_order) {
    auto pages = std::make_unique<Page[]>(kPages);
    auto numbers = std::make_unique<std::uint8_t[]>(kPages);
    for (unsigned page = 0; page < kPages; ++page) {
      if (const std::uint8_t* const from = find(page * kPageBytes))
        std::copy_n(from, kPageBytes, pages[page].data());
      numbers[page] = static_cast<std::uint8_t>(page + 1);
    }
    pages_ = std::move(pages);
    numbers_ = std::move(numbers);
    numbers_size_ = pages_size_ = pages_used_ = kPages;
    last_page_ = kNoPage;
  }
  return reinterpret_cast<std::byte*>(pages_[0].data());
}

void Sram::take_over(Sram&& other) {
  const Sram* const initial = initial_;
  *this = std::move(other);
  initial_ = initial;
}

// Memory grows by a quarter of the pages in use, plus one: a small tile has no unused pages.
void Sram::take(std::uint32_t page) {
  const unsigned more = pages_used_ == pages_size_ ? 1 + pages_used_ / 4 : 0;
  make_room(page + 1, pages_size_ + more);
  numbers_[page] = ++pages_used_;
  if (initial_ != nullptr && initial_->has(page))
    std::memcpy(find_own(page * kPageBytes), initial_->find_own(page * kPageBytes), kPageBytes);
}

std::uint8_t* Sram::find_elsewhere(std::uint32_t address) {
  const std::uint32_t page = address / kPageBytes;
  if (!has(page)) take(page);
  last_page_ = static_cast<std::uint8_t>(page);
  last_number_ = static_cast<std::uint8_t>(numbers_[page] - 1U);
  return find_own(address);
}

void Sram::make_room(unsigned numbers, unsigned pages) {
  if (numbers > numbers_size_) {
    auto larger = std::make_unique<std::uint8_t[]>(numbers);  // zeros, as the pages
    std::copy_n(numbers_.get(), numbers_size_, larger.get());
    numbers_ = std::move(larger);
    numbers_size_ = static_cast<std::uint8_t>(numbers);
  }
  if (pages > pages_size_) {
    auto larger = std::make_unique<Page[]>(pages);
    std::copy_n(pages_.get(), pages_used_, larger.get());
    pages_ = std::move(larger);
    pages_size_ = static_cast<std::uint8_t>(pages);
  }
}

}  // namespace tessera::pe
