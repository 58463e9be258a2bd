// How a module reports a neighbour that breaks a rule of a protocol, which its core finds.
#pragma once

#include <systemc>

#include <stdexcept>

namespace tessera::kit {

/// Calls `core`. A std::logic_error of it is a broken rule and becomes the SystemC report `id`;
/// false: there was one.
template <class Core>
bool obeys_rules(const char* id, Core&& core) {
  try {
    core();
    return true;
  } catch (const std::logic_error& broken_rule) {
    SC_REPORT_ERROR(id, broken_rule.what());
    return false;
  }
}

}  // namespace tessera::kit
