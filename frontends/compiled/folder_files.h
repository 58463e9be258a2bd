// Names of the files in the folder of a compiled program.
#pragma once

#include <string>

namespace tessera::compiled {

inline constexpr const char* kSchema = "tessera-csl-1";
inline constexpr const char* kLayoutFile = "layout.json";
inline constexpr const char* kProgramFile = "tessera.json";
/// Stands in the text of kProgramFile for its own digest while that is computed.
inline constexpr const char* kNoDigest = "0000000000000000";

/// The file of code `number`, relative to the folder.
inline std::string code_file(std::size_t number) {
  return "bin/out_" + std::to_string(number) + "_0.elf";
}

}  // namespace tessera::compiled
