// Places in source text, the errors reported at them, and the wording of their messages. Every file
// has a Diagnostics object of its own, so a front-end that reads several files has several of them.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::text {

/// A position in a source file. Line and column are counted from 1; a tab is one column.
struct Place {
  unsigned line = 0;
  unsigned column = 0;
};
/// "12:5", as UserError prints it.
std::string to_string(Place place);

/// Joins the parts of a message: text and numbers.
template <class... Parts>
std::string joined(const Parts&... parts) {
  std::string text;
  const auto append = [&text](const auto& part) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>)
      text += std::to_string(part);
    else
      text += part;
  };
  (append(parts), ...);
  return text;
}

/// Lines of a program that do not stand in its own file, or that stand there and are used elsewhere:
/// an included file, an expansion of a macro. They have numbers of their own, above all others.
struct Excerpt {
  unsigned first = 0;  ///< number of its first line
  std::string file;    ///< empty: `line` is one of the program, which may be of another excerpt
  unsigned line = 0;   ///< where its first line stands
  Place use;
  std::string how;  ///< "included", "in macro 'add', used"
};

/// The line of `source` at `place` and below it a caret under the column, each line with "\n" in
/// front of it. A long line is cut to the part around the place. "" if the text has no such line.
std::string line_with_caret(std::string_view source, Place place);

class Diagnostics {
 public:
  /// With `source`, the text of the file, messages end with the line at their place and a caret. It
  /// must outlive this object.
  explicit Diagnostics(std::string file, std::string_view source = {})
      : file_(std::move(file)), source_(source) {}
  /// The same for messages that end their first line with `ending`, as an id.
  Diagnostics ending_with(std::string ending) const {
    Diagnostics other = *this;
    other.ending_ = std::move(ending);
    return other;
  }
  /// `excerpt.first` is above the lines of all others.
  void add(Excerpt excerpt) { excerpts_.push_back(std::move(excerpt)); }
  /// Throws UserError(file, "LINE:COLUMN", problem). The parts of a problem are text and numbers. In
  /// an excerpt the message ends with where that is used.
  template <class... Parts>
  [[noreturn]] void fail(Place place, const Parts&... problem) const {
    const auto [file, at] = where(place);
    throw UserError(file, to_string(at),
                    joined(problem..., uses_of(place.line), ending_) +
                        line_with_caret(source_, place));
  }
  /// Throws UserError for a problem of the file as a whole.
  [[noreturn]] void fail(const std::string& problem) const { throw UserError(file_, "", problem); }
  const std::string& file() const { return file_; }
  /// The file and the place in it.
  std::pair<std::string, Place> where(Place place) const;
  /// "; included at a.tasm:3:1" and so on to the file of the program, or "".
  std::string uses_of(unsigned line) const;
  /// "12", or "12 of b.tasm" for a line of another file.
  std::string line_text(unsigned line) const;

 private:
  /// nullptr: the line is one of the file.
  const Excerpt* excerpt_of(unsigned line) const;

  std::string file_;
  std::string_view source_;
  std::string ending_;
  std::vector<Excerpt> excerpts_;
};

/// A file opened for reading. `what` names its kind in messages ("layout"). Throws UserError, also
/// for a folder.
std::ifstream open_file(const std::string& path, const std::string& what);
/// The contents of a file, as open_file.
std::string read_file(const std::string& path, const std::string& what);

/// "1 word", "2 words".
std::string plural(std::uint64_t count, const std::string& noun);

/// 'text' in single quotes: at most 48 characters, unprintable bytes as `\xNN`.
std::string in_quotes(std::string_view text);

/// "x" in double quotes, or "byte 0x0A" for what cannot be seen or is part of a UTF-8 sequence.
std::string found_character(char c);

/// For messages with quotes of their own: at most 80 bytes of UTF-8, control characters as "?".
std::string shown(const std::string& text);

/// "a, b, c". If there are more than 16 names, only the first 16 and how many follow.
std::string listed(const std::vector<std::string>& names);

/// "a, b or c". `separator` stands between all but the last two.
std::string alternatives(const std::vector<std::string>& texts, const char* separator = ", ");

/// What follows an unknown name in a message: "; did you mean 'W'? known names: H, M, W", or only
/// "; known names: H, M, W" if no known name is similar. `what` is the heading of the list.
std::string suggestion(std::string_view name, const std::vector<std::string>& known,
                       const std::string& what);

}  // namespace tessera::text
