// Names of the assembly for names of CSL, such as "memcpy.x" or "r1".
#pragma once

#include <set>
#include <string>

namespace tessera::csl::codegen {

class Names {
 public:
  /// `name` where it is free and no word of the assembly, else with changed characters or a number
  /// after it. Each answer is given once.
  std::string unique(const std::string& name);

 private:
  std::set<std::string> taken_;
};

}  // namespace tessera::csl::codegen
