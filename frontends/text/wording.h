// How messages join their parts, quote what a user wrote, list what is allowed, and suggest a known name in place of
// an unknown one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::text {

/// Joins the parts of a message: text and whole numbers.
template <class... Parts>
std::string joined(const Parts&... parts) {
  std::string text;
  const auto append = [&text](const auto& part) {
    using Part = std::decay_t<decltype(part)>;
    if constexpr (std::is_arithmetic_v<Part> && !std::is_same_v<Part, char>)
      text += std::to_string(part);
    else
      text += part;
  };
  (append(parts), ...);
  return text;
}

/// "1 word", "2 words".
std::string plural(std::uint64_t count, const std::string& noun);

/// 'text' in single quotes: at most 48 characters, unprintable bytes as \xNN.
std::string quoted(std::string_view text);

/// For messages with quotes of their own: at most 80 bytes of UTF-8, control characters as "?".
std::string shown(const std::string& text);

/// "a, b, c". Of more than 16 names only the first 16 and how many follow.
std::string listed(const std::vector<std::string>& names);

/// "a, b or c". `separator` stands between all but the last two.
std::string alternatives(const std::vector<std::string>& texts, const char* separator = ", ");

/// What follows an unknown name in a message: "; did you mean 'W'? known names: H, M, W", or only
/// "; known names: H, M, W" if no known name is similar. `what` is the heading of the list.
std::string suggestion(std::string_view name, const std::vector<std::string>& known,
                       const std::string& what);

}  // namespace tessera::text
