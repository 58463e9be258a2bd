// Bytes of an array as elements of another type.
#pragma once

#include <cstring>
#include <vector>

namespace tessera::test {

template <class To, class From>
std::vector<To> reinterpreted(const std::vector<From>& from) {
  std::vector<To> to(from.size() * sizeof(From) / sizeof(To));
  if (!to.empty()) std::memcpy(to.data(), from.data(), to.size() * sizeof(To));
  return to;
}

}  // namespace tessera::test
