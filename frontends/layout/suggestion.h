// What a message about an unknown name says: the nearest known name and the list of all of them.
#pragma once

#include <string>
#include <vector>

namespace tessera::layout {

/// What a user wrote, for a message: on one line, of more than 80 characters only the first 80.
std::string shown(const std::string& text);

/// `a, b, c`; of more than 16 names only the first 16 and how many follow.
std::string listed(const std::vector<std::string>& names);

/// What follows an unknown name in a message: ` (nearest: "W"); known names: H, M, W`, without the
/// parenthesis if no name is similar. `what` is "known names" or another heading of the list.
std::string suggestion(const std::string& name, const std::vector<std::string>& known,
                       const std::string& what);

}  // namespace tessera::layout
