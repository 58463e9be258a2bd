// How a module reports a neighbour that breaks a rule of a protocol, which its core finds.
#pragma once

#include <systemc>

#include <stdexcept>
#include <string>

namespace tessera::kit {

/// Calls `core`. A std::logic_error of it is a broken rule and becomes the SystemC report `id`, whose
/// text begins with `module` if it is given; false: there was one.
template <class Core>
bool obeys_rules(const char* id, Core&& core, const char* module = nullptr) {
  try {
    core();
    return true;
  } catch (const std::logic_error& broken_rule) {
    const std::string where = module == nullptr ? "" : std::string(module) + ": ";
    SC_REPORT_ERROR(id, (where + broken_rule.what()).c_str());
    return false;
  }
}

/// A machine with a module of a user is reset, and the module cannot be.
inline constexpr const char* kNoRestartId = "/tessera/kit/no_restart";
inline void report_no_restart(const char* module) {
  SC_REPORT_ERROR(
      kNoRestartId,
      (std::string(module) + " cannot be reset with its machine: override restart() in its class")
          .c_str());
}

}  // namespace tessera::kit
