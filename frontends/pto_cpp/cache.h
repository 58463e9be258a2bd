// The folder for compiled kernels, which several processes may use at a time.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tessera::pto_cpp {

/// The folder that TESSERA_CACHE names, or `tessera` where the user keeps caches.
std::filesystem::path cache_folder();
/// The contents of a file; "" if it cannot be read.
std::string contents_of(const std::filesystem::path& file);
/// Writes a file that is there as a whole or not at all. Throws UserError.
void write_whole(const std::filesystem::path& file, std::string_view text);

}  // namespace tessera::pto_cpp
