// How much a test does: a number of the environment, for long runs and for single cases.
#pragma once

#include <cstdlib>

namespace tessera::test {

inline unsigned long number_from(const char* variable, unsigned long otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoul(text, nullptr, 10);
}

}  // namespace tessera::test
