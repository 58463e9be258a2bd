// The known name closest to what a user typed, for error messages (docs/architecture.md#errors).
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Edits that turn `a` into `b`: insert, delete, replace, swap of two neighbours. Upper and lower
/// case are equal.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  };
  // Three rows of the table: before the previous one (for swaps), previous, current.
  std::vector<std::size_t> older(b.size() + 1), old(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    older.swap(old);
    old.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = old[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({replace, old[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
        row[j] = std::min(row[j], older[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

/// The entry of `known` with the fewest edits from `word`, the first of several. Empty when none is
/// similar: at most half of the letters may differ.
inline std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongestWord =
      64;  // nobody mistypes more than that, and the distance is quadratic
  if (word.size() > kLongestWord) return {};
  std::string best;
  std::size_t best_distance = 0;
  for (const std::string& candidate : known) {
    if (candidate.size() > kLongestWord) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance > std::max(word.size(), candidate.size()) / 2) continue;
    if (!best.empty() && distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

/// "; did you mean 'x'?" to append to a message, or nothing when no known name is similar.
inline std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string best = nearest(word, known);
  return best.empty() ? best : "; did you mean '" + best + "'?";
}

}  // namespace tessera
