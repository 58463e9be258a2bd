#include "frontends/layout/nearest.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace tessera::layout {
namespace {

constexpr std::size_t kMostListed = 16;

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Levenshtein distance, case ignored.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::size_t kLongestName =
      64;  // nobody mistypes more than that, and the distance is quadratic
  if (name.size() > kLongestName) return "";
  std::string best;
  std::size_t best_distance = 0;
  for (const std::string& candidate : known) {
    if (candidate.size() > kLongestName) continue;
    const std::size_t d = distance(name, candidate);
    if (d > std::max(name.size(), candidate.size()) / 2) continue;
    if (!best.empty() && d >= best_distance) continue;
    best = candidate;
    best_distance = d;
  }
  return best;
}

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
