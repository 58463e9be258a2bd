// NumPy .npy files (format versions 1.0 and 2.0): a magic, a header that is a Python dictionary
// with "descr", "fortran_order" and "shape", then the elements. Read: C and Fortran order (the
// result is always in C order), little endian, every DType. Written: version 1.0, C order.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platforms/data/host_array.h"

namespace tessera::data {

/// Throws UserError(path, "", one sentence): what was found and what is allowed.
HostArray read_npy(const std::string& path);
/// Only looks whether read_npy can read the file, and leaves the elements alone.
void check_npy(const std::string& path);
/// As read_npy, for the bytes of a file; `file` is the name for messages.
HostArray parse_npy(const std::vector<std::byte>& bytes, const std::string& file);

/// Throws UserError if the file cannot be written.
void write_npy(const std::string& path, const HostArray& array);
std::vector<std::byte> format_npy(const HostArray& array);

}  // namespace tessera::data
