// What decides the text of a module: the files that the compiler read, and the files that it looked for in vain, for one of
// those that appears later would be read in place of another.
#pragma once

#include <ctime>
#include <optional>
#include <string>
#include <vector>

namespace tessera::pto_cpp {

class ModuleInputs {
 public:
  /// `rule`: what the compiler wrote with -MD. `own`: a file of the rule that is made for the compilation. `folders`: where the
  /// compiler looks for headers.
  ModuleInputs(const std::string& rule, const std::string& own, std::vector<std::string> folders);

  /// Every file is as it was, and no file has appeared that the compiler would have found first, or asked for.
  bool is_current() const;
  /// The same files with the same contents.
  bool same(const ModuleInputs& other) const { return rows() == other.rows(); }
  /// A file that may have changed at `begin` (of the clock of file systems) or later; "": none has.
  std::string changed_since(const std::timespec& begin) const;
  /// Why the inputs cannot be known, such as a file that the compiler chose by a macro; "": they are known.
  const std::string& unknown() const { return unknown_; }
  /// The paths of all files, those of the system too.
  std::vector<std::string> files() const;

  /// As text for the cache, and back; nothing: it is no such text.
  std::string rows() const;
  static std::optional<ModuleInputs> from_rows(const std::string& rows);

 private:
  struct File {
    std::string path, state;
  };
  ModuleInputs() = default;
  void find_questions(const std::string& path);
  /// Files in the folders that have the name of one that was read or asked for.
  std::vector<std::string> candidates() const;
  std::string state_of_candidates() const;

  std::vector<File> files_;
  std::vector<std::string> folders_, asked_;  // asked_: names in __has_include
  std::string candidates_state_, unknown_;
};

/// The files of a rule for make, with its quoting of blanks, '#' and '$'.
std::vector<std::string> files_in_rule(const std::string& rule);

}  // namespace tessera::pto_cpp
