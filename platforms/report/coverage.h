// Which source lines a run executed, how often, on how many places, and what they waited for (docs/coverage.md): as lcov and
// as listings of the sources.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <utility>

namespace tessera::report {

struct Coverage {
  struct Line {
    std::uint64_t executions = 0;                ///< how often the line was begun
    std::uint64_t instructions = 0;              ///< instructions of it that were issued
    std::uint64_t places = 0;                    ///< places that executed it
    std::uint64_t of_places = 0;                 ///< places whose program has code for it
    std::map<std::string, std::uint64_t> waits;  ///< cycles by reason
  };
  struct File {
    std::map<std::uint32_t, Line> lines;  ///< only those with code
    /// Executions of functions and tasks, by line and name.
    std::map<std::pair<std::uint32_t, std::string>, std::uint64_t> functions;
  };
  std::string unit = "PE";            ///< what a place is called
  std::map<std::string, File> files;  ///< by the name that the program gives
  /// Instructions that were issued and belong to no line.
  std::uint64_t without_line = 0;
};

/// The counts as lcov writes them. Modules of the library, "<math>", have no file, so they are left out.
void write_lcov(std::ostream& out, const Coverage& coverage);
/// One file as a listing: its text with counts beside the lines that have code.
void write_listing(std::ostream& out, const std::string& name, const Coverage& coverage,
                   const std::string& text);
/// Makes the folder of listings. Throws UserError.
void make_listing_folder(const std::string& folder);
/// Writes FOLDER/NAME.cov for every file, and summary.txt. Files whose text is not there get their lines all the same. `library` gives the
/// text of a module "<math>". Throws UserError.
void write_listings(const std::string& folder, const Coverage& coverage,
                    const std::function<std::string(const std::string&)>& library);
/// What --coverage and --coverage-listing ask for; names that are empty write nothing. Throws UserError.
void write_coverage(const std::string& file, const std::string& folder, const Coverage& coverage,
                    const std::function<std::string(const std::string&)>& library);

}  // namespace tessera::report
