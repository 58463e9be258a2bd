// Buffers that one function reserves and another one imports (pto.reserve_buffer): both have to know
// their addresses, so they are laid out before anything is lowered, from the end of UB and L1.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "frontends/pto/ast.h"
#include "models/cluster/program/program.h"

namespace tessera::pto {

class ReservedBuffers {
 public:
  struct Buffer {
    Place place;
    std::string name;
    cluster::Location location = cluster::Location::kUb;
    std::int64_t address = 0, bytes = 0;
    bool is_fixed = false;  ///< it has a base of its own
  };

  /// Throws UserError for buffers that have no room, and attributes that are wrong.
  ReservedBuffers(const Module& module, const cluster::Capacities& capacities);

  /// nullptr: the function reserves no such buffer.
  const Buffer* find(const std::string& function, const std::string& name) const;
  /// The bytes at the begin of a memory that are left to tiles.
  const cluster::Capacities& room() const { return room_; }
  /// Behind the buffers that have a base of their own.
  std::int64_t first_free(cluster::Location location) const {
    return first_free_[static_cast<unsigned>(location)];
  }

 private:
  void collect(const Function& function, const Region& region);
  void reserve(const Function& function, const Operation& op);
  /// Those with a base of their own, which must not overlap; then the others, below them and the end.
  void place_all();
  /// A buffer that has its address and shares bytes with `buffer`; nullptr: none.
  const Buffer* overlapping(const Buffer& buffer) const;

  const Diagnostics diagnostics_;
  const cluster::Capacities capacities_;
  cluster::Capacities room_;
  std::array<std::int64_t, cluster::kLocationCount> first_free_{};
  std::map<std::pair<std::string, std::string>, Buffer> buffers_;
  std::vector<Buffer*> in_order_, placed_;  // of buffers_
};

/// The number of an attribute such as `slot_size = 1024 : i32`; `otherwise` if there is none.
std::int64_t number_of(const Operation& op, const char* key, std::int64_t otherwise,
                       const Diagnostics& diagnostics);
/// Its text without quotes and @; "" if there is none.
std::string text_of(const Operation& op, const char* key);

}  // namespace tessera::pto
