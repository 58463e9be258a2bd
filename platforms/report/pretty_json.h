// JSON for people as well as scripts: indented, one line for short lists, members in the order they
// were added. For .cpp files: brings Boost.JSON.
#pragma once

#include <iosfwd>

namespace boost::json {
class value;
}

namespace tessera::report {

/// Writes `value` and a line end.
void write_pretty(std::ostream& out, const boost::json::value& value);

}  // namespace tessera::report
