// Options of a command line as data: what --help says of an option, and where its value goes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::cli {

struct Option {
  /// What the run does with the file that the value names.
  enum class File { kNone, kRead, kWritten };

  std::string name;   ///< without the dashes: "report"
  std::string value;  ///< stands for the value in --help: "FILE.json"; empty: a switch
  std::string help;
  /// Stores a value; called once for each time that the option is given. Throws UserError.
  std::function<void(const std::string&)> take;
  File file = File::kNone;
  bool repeatable = false;
  std::string default_value = {};         ///< as --help shows it
  std::vector<std::string> choices = {};  ///< the values that it takes; empty: any
  std::string implicit_value = {};        ///< what it means without a value; empty: it needs one
  /// Results depend on it, and no other member of a report's `run` says so: `run.options` has it.
  bool decides = false;
  /// Options of which it needs one: without them it would have no effect, and is refused. Empty: none.
  std::vector<std::string> needs = {};
};

/// Options under one heading of --help.
struct OptionGroup {
  std::string title;
  std::vector<Option> options;
};

/// An option without a value.
Option flag(std::string name, bool& target, std::string help);
/// An option with any text; what `target` holds beforehand is the default.
Option text(std::string name, std::string value, std::string& target, std::string help);
/// The same with one of the texts that are `allowed`.
Option one_of(std::string name, std::string value, std::string& target,
              const std::vector<std::string>& allowed, std::string help);
Option file(std::string name, std::string value, std::string& target, Option::File use,
            std::string help);
/// An option with a whole number of 0 or more.
Option whole_number(std::string name, std::optional<std::uint64_t>& target, std::string help);
/// The same option as one that decides about results.
Option deciding(Option option);
/// The same option as one that needs one of the options `others`.
Option needing(Option option, std::vector<std::string> others);
/// A repeatable option NAME=VALUE that gives each name one value.
Option named_values(std::string name, std::map<std::string, std::string>& target, std::string help);
/// A repeatable option: array names with a file each.
Option array_files(std::string name, std::map<std::string, std::string>& target, Option::File use,
                   std::string help);

/// The two sides of the "=" in a value of option `name`. Throws UserError when `text` has not the
/// form `form`, such as "NAME=VALUE".
std::pair<std::string, std::string> split(const std::string& name, const std::string& text,
                                          const std::string& form);

/// The number that all of `text` is.
std::optional<std::int64_t> whole_number_in(const std::string& text);
std::optional<double> finite_number_in(const std::string& text);

}  // namespace tessera::cli
