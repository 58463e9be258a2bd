#include "platforms/qemu/pci_function.h"

#include <utility>

namespace tessera::qemu {

namespace {

// Registers of the configuration space of a PCI function (PCI Local Bus Specification 3.0, 6.1).
enum Register : unsigned {
  kVendor = 0x00,
  kDevice = 0x02,
  kCommand = 0x04,
  kStatus = 0x06,
  kClass = 0x0B,
  kBar0 = 0x10,
  kSubsystemVendor = 0x2C,
  kSubsystem = 0x2E,
  kInterruptLine = 0x3C,
  kInterruptPin = 0x3D,
};
constexpr std::uint32_t kMemorySpace = 1U << 1;
constexpr std::uint32_t kBusMaster = 1U << 2;
constexpr std::uint32_t kInterruptDisable = 1U << 10;
constexpr std::uint32_t kInterruptStatus = 1U << 3;
constexpr std::uint32_t kBarType = 0xF;  // lowest bits of a base address register
constexpr std::uint32_t kWidePrefetchable = 0xC;

unsigned register_of(const Bar& bar) {
  return kBar0 + 4 * bar.number;
}

}  // namespace

PciFunction::PciFunction(std::vector<Bar> bars) : bars_(std::move(bars)) {
  reset();
}

void PciFunction::reset() {
  config_.fill(0);
  set(kVendor, 2, kVendorId);
  set(kDevice, 2, kDeviceId);
  set(kCommand, 2, 0, kMemorySpace | kBusMaster | kInterruptDisable);
  set(kClass, 1, kBaseClass);
  set(kSubsystemVendor, 2, kVendorId);
  set(kSubsystem, 2, kDeviceId);
  set(kInterruptLine, 1, 0xFF, 0xFF);
  set(kInterruptPin, 1, 1);  // INTA
  for (const Bar& bar : bars_) {
    const std::uint64_t addresses = ~(bar.bytes - 1);
    set(register_of(bar), 4, bar.wide ? kWidePrefetchable : 0,
        static_cast<std::uint32_t>(addresses) & ~kBarType);
    if (bar.wide) set(register_of(bar) + 4, 4, 0, static_cast<std::uint32_t>(addresses >> 32));
  }
}

void PciFunction::set(unsigned offset, unsigned bytes, std::uint32_t value,
                      std::uint32_t writable) {
  for (unsigned i = 0; i < bytes; ++i) {
    config_[offset + i] = static_cast<std::uint8_t>(value >> 8 * i);
    writable_[offset + i] = static_cast<std::uint8_t>(writable >> 8 * i);
  }
}

std::uint32_t PciFunction::word(unsigned offset, unsigned bytes) const {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= std::uint32_t{config_[offset + i]} << 8 * i;
  return value;
}

std::uint32_t PciFunction::read_config(std::uint32_t offset, unsigned bytes) const {
  if (bytes == 0 || bytes > 4 || offset > config_.size() - bytes) return ~std::uint32_t{0};
  return word(offset, bytes);
}

// Driver and firmware find the size of a window by writing ones: the bits below it stay as they are.
void PciFunction::write_config(std::uint32_t offset, std::uint32_t value, unsigned bytes) {
  if (bytes == 0 || bytes > 4 || offset > config_.size() - bytes) return;
  for (unsigned i = 0; i < bytes; ++i) {
    const auto written = static_cast<std::uint8_t>(value >> 8 * i);
    const std::uint8_t mask = writable_[offset + i];
    config_[offset + i] =
        static_cast<std::uint8_t>((config_[offset + i] & ~mask) | (written & mask));
  }
}

std::uint64_t PciFunction::base_of(const Bar& bar) const {
  const std::uint64_t low = word(register_of(bar), 4) & ~kBarType;
  return bar.wide ? low | std::uint64_t{word(register_of(bar) + 4, 4)} << 32 : low;
}

std::optional<std::uint64_t> PciFunction::translate(std::uint64_t address, unsigned bytes) const {
  if ((word(kCommand, 2) & kMemorySpace) == 0) return std::nullopt;
  for (const Bar& bar : bars_) {
    const std::uint64_t offset = address - base_of(bar);
    if (address >= base_of(bar) && offset < bar.bytes && bytes <= bar.bytes - offset)
      return bar.target + offset;
  }
  return std::nullopt;
}

bool PciFunction::set_interrupt(bool level) {
  const std::uint32_t status = word(kStatus, 2) & ~kInterruptStatus;
  set(kStatus, 2, status | (level ? kInterruptStatus : 0));
  return level && (word(kCommand, 2) & kInterruptDisable) == 0;
}

}  // namespace tessera::qemu
