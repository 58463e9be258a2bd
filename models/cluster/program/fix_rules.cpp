#include "models/cluster/program/fix_rules.h"

#include <array>
#include <cstdint>

namespace tessera::cluster {

namespace {

constexpr std::uint32_t bit(Element element) {
  return std::uint32_t{1} << static_cast<unsigned>(element);
}
template <class... Elements>
constexpr std::uint32_t all(Elements... elements) {
  return (bit(elements) | ...);
}

/// The results of a source, by generation: A2/A3, A5.
struct Row {
  Element from;
  bool scales;
  std::array<std::uint32_t, 2> results;
};
using E = Element;
constexpr std::uint32_t kFloats = all(E::kF32, E::kF16, E::kBf16);
constexpr Row kRows[] = {
    {E::kF32, false, {kFloats, kFloats}},
    {E::kI32, false, {all(E::kI32), all(E::kI32)}},
    {E::kF32, true, {all(E::kI8, E::kU8), kFloats | all(E::kI8, E::kU8, E::kE4m3, E::kHif8)}},
    {E::kI32,
     true,
     {all(E::kI8, E::kU8, E::kF16, E::kI16), all(E::kI8, E::kU8, E::kF16, E::kBf16)}},
};

std::string names_of(std::uint32_t set) {
  std::string names;
  for (unsigned e = 0; e < kElementCount; ++e) {
    const auto element = static_cast<Element>(e);
    if ((set & bit(element)) == 0) continue;
    names += (names.empty()     ? ""
              : (set >> e) == 1 ? " or "
                                : ", ") +
             std::string(to_string(element));
  }
  return names;
}

}  // namespace

std::string find_fix_fault(Profile profile, Element from, Element to, Location target,
                           bool scales) {
  const bool a5 = profile == Profile::kA5;
  for (const Row& row : kRows) {
    if (row.from != from || row.scales != scales) continue;
    std::uint32_t results = row.results[a5 ? 1 : 0];
    // FIX of A2/A3 moves 32 bits to GM only.
    if (!a5 && target != Location::kGm) results &= ~all(E::kF32, E::kI32);
    if ((results & bit(to)) != 0) return "";
    const std::string how = std::string("FIX of ") + to_string(profile) +
                            (scales ? " scales " : " moves ") + to_string(from) + " of L0C to " +
                            to_string(target);
    const char* const when = scales ? ", found " : " where nothing scales it, found ";
    if (results == 0) return how + " as no type at all" + when + to_string(to);
    return how + " as " + names_of(results) + when + to_string(to);
  }
  return "";
}

}  // namespace tessera::cluster
