#include "frontends/tasm/diagnostics.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::tasm {
namespace {

constexpr std::size_t kLongestQuote = 48;
constexpr std::size_t kLongestName =
    48;  // the distance is quadratic, and longer names are not mistyped words

std::string escaped(unsigned char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return {'\\', 'x', kDigits[c >> 4], kDigits[c & 15]};
}

/// Levenshtein distance, case ignored.
std::size_t distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

}  // namespace

void Diagnostics::fail(Place place, const std::string& problem) const {
  throw UserError(file_, std::to_string(place.line) + ":" + std::to_string(place.column), problem);
}

void Diagnostics::fail(const std::string& problem) const {
  throw UserError(file_, "", problem);
}

std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text.substr(0, kLongestQuote)) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isprint(byte)) {
      result += c;
    } else {
      result += escaped(byte);
    }
  }
  if (text.size() > kLongestQuote) result += "...";
  return result + "'";
}

std::string nearest(std::string_view name, const std::vector<std::string>& known) {
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

std::string nearest_hint(std::string_view name, const std::vector<std::string>& known) {
  const std::string best = nearest(name, known);
  return best.empty() ? "" : "; the nearest is " + quoted(best);
}

}  // namespace tessera::tasm
