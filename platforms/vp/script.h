// Host scripts of vp_platform (docs/vp-platform.md): reads, writes, polls and waits, one statement
// a line. Plain C++; `script_host.h` carries them out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/text/token_cursor.h"
#include "platforms/vp/bus_map.h"

namespace tessera::vp {

/// A word of a script. Words in quotes are without them.
struct Token {
  enum class Kind { kWord, kEnd };
  Kind kind = Kind::kWord;
  std::string text;
  text::Place place;

  static bool is(std::string_view) { return false; }  // scripts have words only
  bool is_word(std::string_view word) const { return kind == Kind::kWord && text == word; }
};
/// "'write'" or "the end of the line", for messages.
std::string found(const Token& token);

/// At least one word, and the end of the line.
using Line = std::vector<Token>;

/// "device wse ../gemv_stream/layout.json"
struct DeviceStatement {
  std::string kind;
  std::string file;                      ///< relative to where the script lies
  std::string place;                     ///< place of the file name in the script: "3:12"
  std::vector<std::string> others = {};  ///< programs that can be loaded instead of `file`
};

/// A script taken apart into words. What names mean depends on the device.
struct ScriptText {
  std::string file;
  std::vector<DeviceStatement> devices;  ///< at least one
  std::vector<Line> lines;               ///< all lines but those of the devices
};
/// Throws UserError.
ScriptText read_script(const std::string& file);

/// One statement, all names resolved.
struct Statement {
  enum class Kind {
    kWrite,    ///< words to `at`, addresses rise
    kPush,     ///< words to `at`, the address stays
    kRead,     ///< `count` words from `at`, printed
    kPeek,     ///< the same by debug access, in no time
    kExpect,   ///< words from `at` must be `words`
    kPoll,     ///< `at` until (word & mask) == words[0]
    kCopy,     ///< `count` words from `at` to `to`
    kWait,     ///< `duration_ps`
    kWaitIrq,  ///< until the interrupt line is high; at most `duration_ps`, 0: for ever
    kDmi,      ///< `on`
    kPrint,    ///< `text`
  };
  Kind kind = Kind::kWait;
  unsigned line = 1;
  Address at = 0;
  Address to = 0;
  std::vector<std::uint32_t> words;
  std::uint32_t count = 0;
  std::uint32_t mask = 0;
  std::uint64_t duration_ps = 0;
  std::uint64_t limit = 0;  ///< kPoll: attempts
  double tolerance = -1;    ///< kExpect: for f32 values; below 0: all bits must be equal
  bool on = false;
  std::string refused;  ///< the answer that the access must get: "address"; empty: none
  std::string text;     ///< the statement as it was written
};

/// Durations: a whole number with ps, ns, us or ms. Throws UserError(file, place, ..).
std::uint64_t duration_ps(const std::string& text, const std::string& file,
                          const std::string& place);

class PlaceNames;
/// `names`: the names of places, by device and by program of the device. Throws UserError with line
/// and column for a line that is no statement.
std::vector<Statement> compile(const ScriptText& script,
                               const std::vector<std::vector<PlaceNames>>& names);

}  // namespace tessera::vp
