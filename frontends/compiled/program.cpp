#include "frontends/compiled/program.h"

#include <algorithm>

namespace tessera::compiled {

const Export* Program::find_export(const std::string& name) const {
  const auto found =
      std::find_if(exports.begin(), exports.end(), [&](const Export& e) { return e.name == name; });
  return found == exports.end() ? nullptr : &*found;
}

}  // namespace tessera::compiled
