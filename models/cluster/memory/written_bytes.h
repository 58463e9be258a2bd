// Which blocks write which bytes of an array in GM: a cluster, or an AIV of a launch 0:2. A launch divides its
// outputs among blocks: bytes that several write, and bytes that none does, show that the division is wrong.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "models/cluster/program/tile_operation.h"

namespace tessera::cluster {

class WrittenBytes {
 public:
  /// A write of `cluster`. Several clusters may add to the same bytes: `adds`.
  void add(const ResolvedOperand& operand, unsigned cluster, bool adds);

  bool empty() const { return pages_.empty(); }

  /// Bytes that several clusters write, and the two lowest of the clusters that write the first one. The
  /// same for every order of writes.
  struct Shared {
    std::int64_t first = 0, bytes = 0;
    unsigned cluster = 0, other = 0;

    template <class Archive>
    void visit(Archive& archive) {
      archive(first, bytes, cluster, other);
    }
  };
  std::optional<Shared> shared() const;
  /// How many of the first `size` bytes nobody writes, and the first of them.
  struct Unwritten {
    std::int64_t first = 0, bytes = 0;
  };
  std::optional<Unwritten> unwritten(std::int64_t size) const;
  template <class Archive>
  void visit(Archive& archive) {
    archive(pages_, divided_, first_shared_, shared_bytes_);
  }

 private:
  using Owner = std::uint8_t;  // 0: nobody; 1 + cluster; several clusters that add
  static constexpr std::int64_t kBlock = 32, kBlocksPerPage = 1024;
  static constexpr std::int64_t kPage = kBlock * kBlocksPerPage;
  /// Owners of blocks, or kDivided.
  using Page = std::array<Owner, kBlocksPerPage>;
  using Bytes = std::array<Owner, kBlock>;

  void add_run(std::int64_t first, std::int64_t bytes, Owner owner);
  void add_part(std::int64_t first, std::int64_t bytes, Owner& block, Owner owner);
  /// Merges a writer into the owner of `bytes` bytes from `first` on.
  void merge(Owner& owner, Owner writer, std::int64_t first, std::int64_t bytes);

  std::unordered_map<std::int64_t, Page> pages_;  // by first byte / kPage
  std::unordered_map<std::int64_t, Bytes>
      divided_;  // bytes of blocks with kDivided, by first byte / kBlock
  std::optional<Shared> first_shared_;
  std::int64_t shared_bytes_ = 0;
};

}  // namespace tessera::cluster
