#include "frontends/layout/suggestion.h"

#include <algorithm>
#include <cstddef>

#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::layout {
namespace {

constexpr std::size_t kMostListed = 16;

}  // namespace

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  const std::size_t shown = std::min(names.size(), kMostListed);
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (shown < names.size()) text += " and " + std::to_string(names.size() - shown) + " more";
  return text.empty() ? "none" : text;
}

std::string suggestion(const std::string& name, const std::vector<std::string>& known,
                       const std::string& what) {
  const std::string best = nearest(name, known);
  return (best.empty() ? "; " : " (nearest: \"" + best + "\"); ") + what + ": " + listed(known);
}

}  // namespace tessera::layout
