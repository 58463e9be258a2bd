// The headers that kernels in C++ include, as they were when Tessera was built (embed_library.cmake).
#pragma once

#include <string_view>
#include <vector>

namespace tessera::pto_cpp {

struct HeaderFile {
  std::string_view name;  ///< "pto/pto-inst.hpp"
  std::string_view text;
};
const std::vector<HeaderFile>& header_files();

}  // namespace tessera::pto_cpp
