#include "frontends/operators/program.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tessera::operators {

std::string to_string(const Ratio& ratio) {
  if (ratio.den == 1) return std::to_string(ratio.num);
  return std::to_string(ratio.num) + "/" + std::to_string(ratio.den);
}

const char* to_string(Kind kind) {
  constexpr std::array<const char*, 7> kNames = {"stream", "broadcast", "shift", "circular_shift",
                                                 "reduce", "prefix",    "online"};
  return kNames[static_cast<std::size_t>(kind)];
}

const char* to_string(Technique technique) {
  constexpr std::array<const char*, 6> kNames = {"auto",   "message-bound", "processor-bound",
                                                 "marker", "barrier",       "none"};
  return kNames[static_cast<std::size_t>(technique)];
}

std::uint32_t combined(Combine how, std::uint32_t old, std::uint32_t word) {
  const auto a = static_cast<std::int32_t>(old);
  const auto b = static_cast<std::int32_t>(word);
  switch (how) {
  case Combine::kReplace:
    return word;
  case Combine::kAdd:
    return old + word;
  case Combine::kMax:
    return static_cast<std::uint32_t>(std::max(a, b));
  case Combine::kMin:
    return static_cast<std::uint32_t>(std::min(a, b));
  }
  return word;
}

}  // namespace tessera::operators
