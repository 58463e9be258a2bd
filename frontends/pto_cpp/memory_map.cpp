#include "frontends/pto_cpp/memory_map.h"

#include <sys/mman.h>

#include <stdexcept>
#include <utility>

namespace tessera::pto_cpp {

using cluster::Location;

MemoryMap::MemoryMap(unsigned cores, std::uint32_t ub_bytes, std::vector<std::size_t> array_bytes)
    : cores_(cores), ub_bytes_(ub_bytes), array_bytes_(std::move(array_bytes)) {
  for (unsigned core = 0; core < cores; ++core)
    if (core % 3 != 0) map(of_buffer(core, Location::kUb), ub_bytes);
  for (unsigned a = 0; a < array_bytes_.size(); ++a)
    if (array_bytes_[a] > 0) map(of_array(a), array_bytes_[a]);
}

MemoryMap::~MemoryMap() {
  for (const auto& [address, bytes] : mapped_) munmap(reinterpret_cast<void*>(address), bytes);
}

void MemoryMap::map(std::uint64_t address, std::size_t bytes) {
  void* const wanted = reinterpret_cast<void*>(address);
  void* const got = mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != wanted)
    throw std::runtime_error(
        "the host has no room for the memories of the device at their addresses; "
        "only one kernel in C++ can run in a process at a time");
  mapped_.emplace_back(address, bytes);
}

void* MemoryMap::allocate(unsigned n, std::size_t bytes) {
  if (n == array_bytes_.size()) {
    array_bytes_.push_back(bytes);
    if (bytes > 0) map(of_array(n), bytes);
  }
  return reinterpret_cast<void*>(of_array(n));
}

std::optional<DeviceAddress> MemoryMap::find(std::uint64_t address) const {
  DeviceAddress at;
  if (address >= kArrays && address < 2 * kArrays) {
    at.array = static_cast<unsigned>((address - kArrays) >> 36);
    at.offset = static_cast<std::int64_t>(address & ((std::uint64_t{1} << 36) - 1));
    if (at.array < array_bytes_.size()) return at;
    return std::nullopt;
  }
  if (address < kBuffers || address >= kArrays) return std::nullopt;
  const std::uint64_t region = (address - kBuffers) >> 32;
  at.core = static_cast<unsigned>(region / cluster::kLocationCount);
  at.location = static_cast<Location>(region % cluster::kLocationCount);
  at.offset = static_cast<std::int64_t>(address & 0xFFFFFFFFU);
  if (at.core < cores_) return at;
  return std::nullopt;
}

bool MemoryMap::is_mapped(const DeviceAddress& at, std::size_t bytes) const {
  const std::size_t room = at.location == Location::kGm   ? array_bytes_[at.array]
                           : at.location == Location::kUb ? ub_bytes_
                                                          : 0;
  return at.offset >= 0 && static_cast<std::size_t>(at.offset) + bytes <= room;
}

}  // namespace tessera::pto_cpp
