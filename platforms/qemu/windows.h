// Which windows of a PCI function show the memory map of a host port (docs/qemu.md#the-device).
#pragma once

#include <string>
#include <vector>

#include "models/host/device.h"
#include "platforms/qemu/pci_function.h"
#include "platforms/vp/script.h"

namespace tessera::qemu {

/// BAR 0: registers and streams. BAR 2: memory, 64-bit if it has more than 256 MB.
std::vector<Bar> windows_of(const host::DeviceInfo& info);

/// The device of a program by the end of its name: ".pto" is for AI-core clusters, else it is a layout.
vp::DeviceStatement device_of(const std::string& program);

}  // namespace tessera::qemu
