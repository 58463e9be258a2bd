// JSON text to a Boost.JSON value, with what Boost leaves out: the line and column of an error, and
// keys that occur twice in one object (Boost would silently keep the last). For layouts and
// for the files of the platforms.
#pragma once

#include <string>

namespace boost::json {
class value;
}

namespace tessera::layout {

/// Throws UserError(file, "line:column", ...).
boost::json::value parse_json(const std::string& text, const std::string& file);

}  // namespace tessera::layout
