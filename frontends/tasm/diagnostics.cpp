#include "frontends/tasm/diagnostics.h"

#include <cctype>
#include <cstddef>

#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::tasm {
namespace {

constexpr std::size_t kLongestQuote = 48;

std::string escaped(unsigned char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return {'\\', 'x', kDigits[c >> 4], kDigits[c & 15]};
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

std::string nearest_hint(std::string_view name, const std::vector<std::string>& known) {
  const std::string best = nearest(name, known);
  return best.empty() ? "" : "; the nearest is " + quoted(best);
}

}  // namespace tessera::tasm
