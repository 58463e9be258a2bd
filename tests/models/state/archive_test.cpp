// What is restored piece by piece, and what one archive reads of another.
#include "models/state/archive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera::state {
namespace {

struct Items {
  std::uint32_t number = 0;
  std::vector<std::uint64_t> numbers;
  std::string text;
  std::map<std::uint16_t, std::vector<std::string>> texts;
  std::optional<double> real;

  template <class Archive>
  void visit(Archive& archive) {
    archive(number, numbers, text, texts, real);
  }
  friend bool operator==(const Items& a, const Items& b) {
    return a.number == b.number && a.numbers == b.numbers && a.text == b.text &&
           a.texts == b.texts && a.real == b.real;
  }
};

Items some(std::uint32_t number) {
  Items items;
  items.number = number;
  for (std::uint64_t i = 0; i < 40; ++i) items.numbers.push_back(i * number);
  items.text = "text " + std::to_string(number);
  items.texts[7] = {"a", "", "longer than the pieces are"};
  items.real = 0.5 * number;
  return items;
}

std::vector<std::uint8_t> saved(Items first, Items second) {
  Archive archive;
  archive(first, second);
  return archive.take_bytes();
}

/// Gives out `bytes` in pieces.
struct Pieces {
  std::vector<std::uint8_t> bytes;
  std::size_t size;
  std::size_t at = 0;

  std::vector<std::uint8_t> operator()() {
    const std::size_t count = std::min(size, bytes.size() - at);
    at += count;
    const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    return {end - static_cast<std::ptrdiff_t>(count), end};
  }
};

TEST(Archive, PiecesOfAnySizeAreReadAsTheWhole) {
  const std::vector<std::uint8_t> bytes = saved(some(3), some(4));
  for (std::size_t size = 1; size < bytes.size() + 2; size += 1 + size / 3) {
    Pieces pieces{bytes, size};
    Archive archive{Archive::Fetch(std::ref(pieces))};
    Items first, second;
    archive(first, second);
    EXPECT_EQ(first, some(3)) << size;
    EXPECT_EQ(second, some(4)) << size;
    EXPECT_NO_THROW(archive.finish());
  }
}

TEST(Archive, PiecesThatEndTooEarlyAreRefused) {
  std::vector<std::uint8_t> bytes = saved(some(3), some(4));
  bytes.pop_back();
  for (const std::size_t size : {std::size_t{5}, bytes.size()}) {
    Pieces pieces{bytes, size};
    Archive archive{Archive::Fetch(std::ref(pieces))};
    Items first, second;
    archive(first);
    EXPECT_THROW(archive(second), Mismatch);
  }
}

// As a process that leads hands the part of another one on.
TEST(Archive, AnotherArchiveTakesItsPart) {
  for (const std::size_t size : {1, 16, 1000000}) {
    Archive whole(saved(some(3), some(4)));
    Archive part{Archive::Fetch([&] { return whole.take_piece(size); })};
    Items first, second;
    part(first);
    whole.put_back(part.unread());
    whole(second);
    EXPECT_EQ(first, some(3));
    EXPECT_EQ(second, some(4));
    EXPECT_NO_THROW(whole.finish());
    EXPECT_THROW(whole.put_back(std::size_t{1} << 40), Mismatch);
  }
}

}  // namespace
}  // namespace tessera::state
