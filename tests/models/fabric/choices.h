// Where the choices of a random fabric come from: a seed, or the bytes of a fuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace tessera::fabric::bench {

class Choices {
 public:
  explicit Choices(std::uint64_t seed) : generator_(seed) {}
  /// A choice takes a byte, as long as there are any; after them the bytes are the seed. `data`
  /// must outlive the object.
  Choices(const std::uint8_t* data, std::size_t size)
      : data_(data), size_(size), generator_(hash_of(data, size)) {}

  /// 0 .. n - 1.
  unsigned below(unsigned n) {
    return static_cast<unsigned>((next_ < size_ ? data_[next_++] : generator_()) % n);
  }
  unsigned pick(unsigned from, unsigned to) { return from + below(to - from + 1); }
  bool one_in(unsigned n) { return below(n) == 0; }

 private:
  // FNV-1a
  static std::uint64_t hash_of(const std::uint8_t* data, std::size_t size) {
    std::uint64_t hash = 0xCBF29CE484222325;
    for (std::size_t i = 0; i < size; ++i) hash = (hash ^ data[i]) * 0x100000001B3;
    return hash;
  }

  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t next_ = 0;
  std::mt19937_64 generator_;
};

}  // namespace tessera::fabric::bench
