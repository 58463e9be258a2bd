// How messages quote what a user wrote, list what is allowed, and suggest a known name in place of
// an unknown one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::text {

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
