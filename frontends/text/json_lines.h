// In which lines of a JSON file its values stand.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tessera::text {

/// The line of each member and element of `text`, which is valid JSON, by its place (Node::place): "routes[2].color". A member
/// stands where its key does.
std::map<std::string, std::uint32_t> lines_of_json(const std::string& text);

}  // namespace tessera::text
