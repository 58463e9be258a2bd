// Where native code sees the memories of the device: regions of the address space of the host at fixed places. Their
// low 32 bits are the address on chip, as kernels expect.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/cluster/program/program.h"

namespace tessera::pto_cpp {

/// A byte of a buffer on chip, or of an array in GM.
struct DeviceAddress {
  cluster::Location location = cluster::Location::kGm;
  unsigned core = 0;        ///< CoreId::index() of the core that has the buffer
  unsigned array = 0;       ///< number of the array in GM
  std::int64_t offset = 0;  ///< negative: so many bytes before its begin
};

/// GM arrays and the UB of every core have memory in the host, which holds what native code reads and writes; the
/// values themselves are those of the model.
class MemoryMap {
 public:
  /// Throws std::runtime_error if the host has no such addresses.
  MemoryMap(unsigned cores, std::uint32_t ub_bytes, std::vector<std::size_t> array_bytes);
  ~MemoryMap();
  MemoryMap(const MemoryMap&) = delete;
  MemoryMap& operator=(const MemoryMap&) = delete;

  static std::uint64_t of_buffer(unsigned core, cluster::Location location) {
    return kBuffers +
           ((std::uint64_t{core} * cluster::kLocationCount + static_cast<unsigned>(location))
            << kBufferBits);
  }
  static std::uint64_t of_array(unsigned array) {
    return kArrays + (std::uint64_t{array} << kArrayBits);
  }
  /// Most bytes of one array.
  static constexpr std::size_t most_bytes() { return std::size_t{1} << kArrayBits; }
  /// The n-th allocation of a host program, as an array. A second program that asks for it gets the same one.
  void* allocate(unsigned n, std::size_t bytes);
  const std::vector<std::size_t>& array_bytes() const { return array_bytes_; }
  /// Nothing: the address is none of the device.
  std::optional<DeviceAddress> find(std::uint64_t address) const;
  /// Whether native code can access these bytes.
  bool is_mapped(const DeviceAddress& at, std::size_t bytes) const;

 private:
  // Linux on x86-64 puts nothing here, however large the stack may become: what processes map lies below 22 TiB or from 42 to 59
  // TiB where it is unlimited, else above 110 TiB, and programs from 85 TiB on. library/pto/native.h knows the begin and the end.
  static constexpr unsigned kBufferBits = 32, kArrayBits = 35;
  static constexpr std::uint64_t kTib = std::uint64_t{1} << 40;
  static constexpr std::uint64_t kBuffers = 64 * kTib, kArrays = 72 * kTib, kEnd = 84 * kTib;
  void map(std::uint64_t address, std::size_t bytes);

  const unsigned cores_;
  const std::uint32_t ub_bytes_;
  std::vector<std::size_t> array_bytes_;
  std::vector<std::pair<std::uint64_t, std::size_t>> mapped_;
};

}  // namespace tessera::pto_cpp
