// The CSL sources of the standard modules (csl.md 12), compiled into the binary (embed_library.cmake).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::csl {

struct LibraryFile {
  std::string_view name;  ///< "memcpy/get_params"
  std::string_view text;
};
/// All of them, sorted by name.
const std::vector<LibraryFile>& library_files();

inline std::optional<std::string_view> find_library(std::string_view name) {
  for (const LibraryFile& file : library_files()) {
    if (file.name == name) return file.text;
  }
  return std::nullopt;
}
inline std::vector<std::string> library_names() {
  std::vector<std::string> names;
  for (const LibraryFile& file : library_files())
    names.push_back("<" + std::string(file.name) + ">");
  return names;
}

}  // namespace tessera::csl
