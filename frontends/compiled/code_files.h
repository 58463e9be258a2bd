// Codes as files of tile assembly. Codes that differ in numbers only, as those of PEs with their position
// as a parameter, share one file, which has these numbers as `param`s.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "frontends/compiled/program.h"

namespace tessera::compiled {

struct CodeFiles {
  /// What a code is made of.
  struct Use {
    std::size_t file = 0;                                      ///< index of its text in `texts`
    std::vector<std::pair<std::string, std::int64_t>> params;  ///< values for it, sorted by name
  };
  std::vector<std::string> texts;
  std::vector<std::size_t> first;  ///< of each text: the first code that uses it
  std::vector<Use> uses;           ///< of each code: layout::Layout::programs of the program
};

/// Codes share a file if they also have the same symbols. Requires images (layout::Program::image).
CodeFiles code_files(const Program& program);

}  // namespace tessera::compiled
