// Places in source text, and the errors reported at them. Every file has a Diagnostics object of
// its own, so a front-end that reads several files has several of them.
#pragma once

#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::text {

/// A position in a source file. Line and column are counted from 1; a tab is one column.
struct Place {
  unsigned line = 0;
  unsigned column = 0;
};
/// "12:5", as UserError prints it.
std::string to_string(Place place);

class Diagnostics {
 public:
  explicit Diagnostics(std::string file) : file_(std::move(file)) {}
  /// Throws UserError(file, "LINE:COLUMN", problem).
  [[noreturn]] void fail(Place place, const std::string& problem) const {
    throw UserError(file_, to_string(place), problem);
  }
  /// Throws UserError for a problem of the file as a whole.
  [[noreturn]] void fail(const std::string& problem) const { throw UserError(file_, "", problem); }
  const std::string& file() const { return file_; }

 private:
  std::string file_;
};

/// A file opened for reading. `what` names its kind in messages ("layout"). Throws UserError, also
/// for a folder.
std::ifstream open_file(const std::string& path, const std::string& what);
/// The contents of a file, as open_file.
std::string read_file(const std::string& path, const std::string& what);

}  // namespace tessera::text
