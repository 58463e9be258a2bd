#include "platforms/qemu/windows.h"

#include <algorithm>

#include "models/host/memory_map.h"

namespace tessera::qemu {

namespace {

constexpr std::uint64_t kMostNarrowBytes = 0x1000'0000;
constexpr std::uint64_t kPageBytes = 0x1000;

std::uint64_t power_of_two_from(std::uint64_t bytes) {
  std::uint64_t power = kPageBytes;
  while (power < bytes) power *= 2;
  return power;
}

}  // namespace

std::vector<Bar> windows_of(const host::DeviceInfo& info) {
  const std::uint64_t places = info.arrays.empty() ? std::uint64_t{info.width} * info.height
                                                   : std::uint64_t{info.arrays.size()};
  const std::uint64_t memory =
      places * (info.arrays.empty() ? host::kTileStride : host::kArrayStride);
  const std::uint64_t streams = host::kStreamBase + info.edges.size() * host::kEdgeStride;
  const std::uint64_t registers =
      std::max<std::uint64_t>(streams, host::kWindowBase + host::kWindowBytes);
  std::vector<Bar> bars = {{0, power_of_two_from(registers), false, 0}};
  if (memory > 0)
    bars.push_back({2, power_of_two_from(memory), memory > kMostNarrowBytes, host::kMemoryBase});
  return bars;
}

vp::DeviceStatement device_of(const std::string& program) {
  const std::string suffix = ".pto";
  const bool is_pto = program.size() >= suffix.size() &&
                      program.compare(program.size() - suffix.size(), suffix.size(), suffix) == 0;
  return {is_pto ? "ascend" : "wse", program, ""};
}

}  // namespace tessera::qemu
