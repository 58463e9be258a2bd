// What threads of a function access (reference ascend_2.md 5.2), in a machine with values.
#pragma once

#include "models/cluster/memory/cluster_data.h"
#include "models/cluster/program/thread_function.h"

namespace tessera::cluster {

class DataOfThreads final : public ThreadMemory {
 public:
  /// The function of `core` starts in cycle `now`.
  DataOfThreads(ClusterData& data, CoreId core, Cycle now) : data_(data), core_(core), now_(now) {}
  std::vector<std::byte> read(Location location, unsigned array, std::int64_t first,
                              std::size_t count) override;
  void write(Location location, unsigned array, std::int64_t first, const std::byte* bytes,
             std::size_t count) override;

 private:
  ClusterData& data_;
  const CoreId core_;
  const Cycle now_;
};

}  // namespace tessera::cluster
