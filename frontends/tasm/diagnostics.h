// How the assembler complains: one sentence at line:column, "expected X, found 'Y'; what else
// helps".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::tasm {

/// A position in the source, both counted from 1; a tab is one column.
struct Place {
  unsigned line = 0;
  unsigned column = 0;
};

class Diagnostics {
 public:
  explicit Diagnostics(std::string file) : file_(std::move(file)) {}
  /// Throws UserError(file, "LINE:COLUMN", problem).
  [[noreturn]] void fail(Place place, const std::string& problem) const;
  /// As `fail`, for what has no place in the text.
  [[noreturn]] void fail(const std::string& problem) const;
  const std::string& file() const { return file_; }

 private:
  std::string file_;
};

/// 'text', shortened and with unprintable bytes as \xNN.
std::string quoted(std::string_view text);

/// "; the nearest is 'fmacs'", or "" if no known name is close.
std::string nearest_hint(std::string_view name, const std::vector<std::string>& known);

}  // namespace tessera::tasm
