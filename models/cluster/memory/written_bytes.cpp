#include "models/cluster/memory/written_bytes.h"

#include <algorithm>
#include <tuple>

#include "models/cluster/memory/memory.h"

namespace tessera::cluster {

namespace {

constexpr std::uint8_t kSeveral = 0x80;  // flag: another cluster writes the bytes too
constexpr std::uint8_t kAdders = 0x7E, kDivided = 0x7F;

}  // namespace

void WrittenBytes::add(const ResolvedOperand& o, unsigned cluster, bool adds) {
  std::size_t rows = 1;
  for (unsigned d = 0; d + 1 < o.dimensions; ++d)
    rows *= static_cast<std::size_t>(std::max<std::int64_t>(o.sizes[d], 0));
  const auto columns =
      static_cast<std::size_t>(std::max<std::int64_t>(o.sizes[o.dimensions - 1U], 0));
  const Owner owner = adds ? kAdders : static_cast<Owner>(cluster + 1);
  if (static_cast<std::int64_t>(rows * columns) * bits_of(o.element) / 8 == o.bytes)
    return add_run(o.first, o.bytes, owner);
  const Runs runs = runs_of(o, rows, columns);
  const auto bytes = static_cast<std::int64_t>(runs.run) * bits_of(o.element) / 8;
  for (const std::int64_t start : runs.starts) add_run(start, bytes, owner);
}

void WrittenBytes::add_run(std::int64_t first, std::int64_t bytes, Owner owner) {
  while (bytes > 0) {
    Page& page = pages_[first / kPage];
    const std::int64_t end_of_page = (first / kPage + 1) * kPage;
    while (bytes > 0 && first < end_of_page) {
      const std::int64_t whole = std::min(bytes, end_of_page - first) / kBlock;
      if (first % kBlock == 0 && whole > 0) {
        Owner* const begin = &page[static_cast<std::size_t>(first % kPage / kBlock)];
        const auto is = [&](Owner o) {
          return std::all_of(begin, begin + whole, [o](Owner b) { return b == o; });
        };
        if (is(0)) std::fill_n(begin, whole, owner);
        if (is(owner)) {
          first += whole * kBlock;
          bytes -= whole * kBlock;
          continue;
        }
      }
      Owner& block = page[static_cast<std::size_t>(first % kPage / kBlock)];
      const std::int64_t count = std::min(bytes, kBlock - first % kBlock);
      if (count == kBlock && block != kDivided)
        merge(block, owner, first, count);
      else
        add_part(first, count, block, owner);
      first += count;
      bytes -= count;
    }
  }
}

void WrittenBytes::add_part(std::int64_t first, std::int64_t bytes, Owner& block, Owner owner) {
  if (block == owner) return;
  Bytes& owners = divided_[first / kBlock];
  if (block != kDivided) owners.fill(block);
  block = kDivided;
  for (std::int64_t at = first; at < first + bytes; ++at)
    merge(owners[static_cast<std::size_t>(at % kBlock)], owner, at, 1);
}

void WrittenBytes::merge(Owner& owner, Owner writer, std::int64_t first, std::int64_t bytes) {
  const Owner before = owner & ~kSeveral;
  if (before == writer || writer == kAdders || before == kAdders) {
    owner = std::max(owner, writer);
    return;
  }
  if (before == 0) {
    owner = writer;
    return;
  }
  if ((owner & kSeveral) == 0) shared_bytes_ += bytes;
  const Shared found{first, 0, std::min(before, writer) - 1U, std::max(before, writer) - 1U};
  const auto rank = [](const Shared& s) { return std::tuple(s.first, s.cluster, s.other); };
  if (!first_shared_ || rank(found) < rank(*first_shared_)) first_shared_ = found;
  owner = std::min(before, writer) | kSeveral;
}

std::optional<WrittenBytes::Shared> WrittenBytes::shared() const {
  std::optional<Shared> result = first_shared_;
  if (result) result->bytes = shared_bytes_;
  return result;
}

std::optional<WrittenBytes::Unwritten> WrittenBytes::unwritten(std::int64_t size) const {
  Unwritten result{size, 0};
  const auto leave = [&result](std::int64_t first, std::int64_t bytes) {
    result.first = std::min(result.first, first);
    result.bytes += bytes;
  };
  for (std::int64_t at = 0; at < size; at += kPage) {
    const auto page = pages_.find(at / kPage);
    if (page == pages_.end()) {
      leave(at, std::min(kPage, size - at));
      continue;
    }
    const auto is_open = [](Owner o) { return o == 0 || o == kDivided; };
    if (std::none_of(page->second.begin(), page->second.end(), is_open)) continue;
    for (std::int64_t b = at; b < std::min(at + kPage, size); b += kBlock) {
      const Owner block = page->second[static_cast<std::size_t>(b % kPage / kBlock)];
      if (block == 0) leave(b, std::min(kBlock, size - b));
      if (block != kDivided) continue;
      const Bytes& owners = divided_.at(b / kBlock);
      for (std::int64_t n = 0; n < std::min(kBlock, size - b); ++n)
        if (owners[static_cast<std::size_t>(n)] == 0) leave(b + n, 1);
    }
  }
  if (result.bytes == 0) return std::nullopt;
  return result;
}

}  // namespace tessera::cluster
