// What instructions on vector registers compute (models/cluster/program/register_operation.h; reference
// ascend.md 4.3). A lane of a float is rounded to the type of the result, as elements of tiles are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/cluster/program/vector_body.h"
#include "models/cluster/values/tile_values.h"

namespace tessera::cluster {

/// The vector registers of an AIV and the part of UB that a vector function accesses.
class RegisterValues {
 public:
  /// The bytes of UB from `first` on.
  RegisterValues(std::int64_t first, std::vector<std::byte> bytes)
      : first_(first), bytes_(std::move(bytes)), changed_(bytes_.size(), false) {}

  /// Throws std::out_of_range with a sentence for an index of a gather that leads out of the bytes, and
  /// std::length_error for an instruction that has no values.
  void execute(const RegisterStep& step, std::vector<TileValues>& registers);

  const std::vector<std::byte>& bytes() const { return bytes_; }
  /// Whether byte i has been written.
  bool is_changed(std::size_t i) const { return changed_[i]; }

 private:
  TileValues load(const RegisterStep& step, const TileValues* mask) const;
  TileValues load_packed(const RegisterStep& step) const;
  TileValues load_mask(const RegisterStep& step) const;
  void load_pair(const RegisterStep& step, TileValues& low, TileValues& high) const;
  void store(const RegisterStep& step, const TileValues& from, const TileValues* mask);
  void store_packed(const RegisterStep& step, const TileValues& from, const TileValues* mask);
  void store_mask(const RegisterStep& step, const TileValues& from);
  void store_squeezed(const RegisterStep& step, const TileValues& from);
  void store_counter(const RegisterStep& step);
  void store_pair(const RegisterStep& step, const TileValues& low, const TileValues& high);
  TileValues gather(const RegisterStep& step, const TileValues& index,
                    const TileValues* mask) const;
  TileValues gather_blocks(const RegisterStep& step, const TileValues& index,
                           const TileValues* mask) const;
  void scatter(const RegisterStep& step, const TileValues& from, const TileValues& index,
               const TileValues* mask);
  /// Where lane i of an access lies in bytes_. Throws std::out_of_range.
  std::size_t place_of(const RegisterStep& step, std::int64_t element) const;
  void put(const TileValues& from, std::size_t lane, std::size_t at);
  /// Where `count` bytes from the address of an access plus `offset` lie in bytes_. Throws std::out_of_range.
  std::size_t bytes_at(const RegisterStep& step, std::int64_t offset, std::size_t count) const;
  void write(const RegisterStep& step, std::int64_t offset, const std::byte* from,
             std::size_t count);

  const std::int64_t first_;
  std::vector<std::byte> bytes_;
  std::vector<bool> changed_;
  std::int64_t squeezed_ = -1;  ///< lanes that the last squeeze kept; -1: there was none
  std::int64_t counter_ = -1;   ///< bytes that squeezed stores have written; -1: not known
};

/// Bytes from the address of an access to the end of what it may touch. Gathers and scatters may touch all
/// of UB: `capacity` bytes.
std::int64_t reach_of(const RegisterStep& step, std::int64_t capacity);

}  // namespace tessera::cluster
