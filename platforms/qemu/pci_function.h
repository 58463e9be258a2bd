// A host port as a PCI function: configuration space and base address registers. Plain C++, and
// independent of the wire that brings the accesses (docs/qemu.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tessera::qemu {

/// What a driver finds the function by. The numbers are not assigned by the PCI-SIG.
inline constexpr std::uint16_t kVendorId = 0x1234;
inline constexpr std::uint16_t kDeviceId = 0x7e55;
/// Class of processing accelerators.
inline constexpr std::uint8_t kBaseClass = 0x12;

/// A window of the function.
struct Bar {
  unsigned number = 0;       ///< its register; with `wide` also the next one
  std::uint64_t bytes = 0;   ///< a power of two, at least 16
  bool wide = false;         ///< 64-bit and prefetchable
  std::uint64_t target = 0;  ///< address at the host port of its first byte
};

class PciFunction {
 public:
  explicit PciFunction(std::vector<Bar> bars);

  /// `bytes` is 1, 2 or 4; outside of the 256 bytes all bits are 1.
  std::uint32_t read_config(std::uint32_t offset, unsigned bytes) const;
  void write_config(std::uint32_t offset, std::uint32_t value, unsigned bytes);

  /// The address at the host port of `bytes` at a bus address. No value: no window of the function has
  /// them all, or memory is disabled in the command register.
  std::optional<std::uint64_t> translate(std::uint64_t address, unsigned bytes) const;

  /// The level of INTA, as the status register shows it; answers whether it reaches the bus.
  bool set_interrupt(bool level);
  /// As after power-on.
  void reset();

 private:
  void set(unsigned offset, unsigned bytes, std::uint32_t value, std::uint32_t writable = 0);
  std::uint32_t word(unsigned offset, unsigned bytes) const;
  std::uint64_t base_of(const Bar& bar) const;

  const std::vector<Bar> bars_;
  std::array<std::uint8_t, 256> config_{};
  std::array<std::uint8_t, 256> writable_{};  // bits that a driver may change
};

}  // namespace tessera::qemu
