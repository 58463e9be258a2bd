// A C header for drivers of an accelerator: the memory map of the host port with the names of its functions,
// symbols, arrays and edges (docs/vp-platform.md#driver-header).
#pragma once

#include <iosfwd>
#include <string>

#include "models/host/device.h"

namespace tessera::vp {

/// `program`: the file that the accelerator runs, for the comment.
void write_driver_header(std::ostream& out, const host::DeviceInfo& device,
                         const std::string& program);

/// The same to a file, unless its name is empty. Throws UserError.
void write_driver_header(const std::string& file, const host::DeviceInfo& device,
                         const std::string& program);

}  // namespace tessera::vp
