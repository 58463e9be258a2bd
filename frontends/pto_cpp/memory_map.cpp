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
  const std::uint64_t end = address < kArrays ? kArrays : kEnd;
  if (address >= end || bytes > end - address)
    throw std::runtime_error(
        "kernels in C++ have addresses for " + std::to_string((kEnd - kArrays) >> kArrayBits) +
        " arrays, and for the buffers of " +
        std::to_string(((kArrays - kBuffers) >> kBufferBits) / cluster::kLocationCount) + " cores");
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
  // An address shortly before a region is one of that region with a negative offset, as an index of -1 makes it.
  constexpr std::uint64_t kBefore = std::uint64_t{1} << 31;
  const bool is_array = address >= kArrays - kBefore;
  const std::uint64_t begin = (is_array ? kArrays : kBuffers) - kBefore;
  const unsigned bits = is_array ? kArrayBits : kBufferBits;
  if (address < begin || address >= kEnd) return std::nullopt;
  const std::uint64_t region = (address - begin) >> bits;
  DeviceAddress at;
  at.offset = static_cast<std::int64_t>((address - begin) & ((std::uint64_t{1} << bits) - 1)) -
              static_cast<std::int64_t>(kBefore);
  if (is_array) {
    at.array = static_cast<unsigned>(region);
    return at.array < array_bytes_.size() ? std::optional(at) : std::nullopt;
  }
  at.core = static_cast<unsigned>(region / cluster::kLocationCount);
  at.location = static_cast<Location>(region % cluster::kLocationCount);
  const bool exists = at.core < cores_ && at.location != Location::kGm;
  return exists ? std::optional(at) : std::nullopt;
}

bool MemoryMap::is_mapped(const DeviceAddress& at, std::size_t bytes) const {
  const std::size_t room = at.location == Location::kGm   ? array_bytes_[at.array]
                           : at.location == Location::kUb ? ub_bytes_
                                                          : 0;
  return at.offset >= 0 && static_cast<std::size_t>(at.offset) + bytes <= room;
}

}  // namespace tessera::pto_cpp
