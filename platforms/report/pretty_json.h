// JSON for people as well as scripts: indented, one line for short lists, members in the order they
// were added. For .cpp files: brings Boost.JSON.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>

namespace boost::json {
class object;
class value;
}  // namespace boost::json

namespace tessera::report {

/// An array of objects with so many entries that they should not all be in memory.
struct LongArray {
  std::string key;  ///< key of the member whose value it is
  std::size_t size = 0;
  std::function<boost::json::value(std::size_t)> entry;
};

/// Writes `object` and a line end. What stands under the key of `array` in `object` is replaced by
/// the array.
void write_pretty(std::ostream& out, const boost::json::object& object, const LongArray& array);

}  // namespace tessera::report
