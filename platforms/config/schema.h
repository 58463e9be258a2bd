// Schema of a configuration: a table of fields over a plain struct. Everything that is said about a
// value (path, unit, allowed range, meaning) stands in one row; loader, messages, --print-config
// and docs/configuration.md follow it.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera::config {

/// A value as presets and users write it: a whole number, a name, or a list of whole numbers.
using Numbers = std::vector<std::uint64_t>;
using Value = std::variant<std::uint64_t, std::string, Numbers>;

/// "modules, dense, auto"
std::string join(const std::vector<std::string>& words);
/// "2", "round_robin", "6,6,4,4": also how --set takes it.
std::string to_string(const Value& value);

struct Field {
  enum class Type { kNumber, kName, kNumbers };

  std::string path;  ///< dotted: "fabric.hop_latency"
  Type type = Type::kNumber;
  std::string unit;       ///< "cycles"; empty for names
  std::uint64_t min = 0;  ///< smallest number, also for each number of a list
  std::uint64_t max = 0;
  std::size_t max_count = 0;       ///< entries of a list, at most; it has at least one
  std::vector<std::string> names;  ///< allowed names
  std::string description;
  std::function<Value()> get;             ///< reads the struct
  std::function<void(const Value&)> set;  ///< writes the struct; the value has been checked

  /// What may be written, for messages and the manual: "1 to 64 cycles", "round_robin, fixed".
  std::string allowed() const;
  /// Whether the names are true and false, which a file may also write without quotes.
  bool is_flag() const { return names == std::vector<std::string>{"true", "false"}; }
};

/// The fields refer to the struct they were made for, which must outlive them.
using Schema = std::vector<Field>;

/// All rows of the parts, in order.
Schema joined(std::initializer_list<Schema> parts);

/// Row of a whole number. `target` is any unsigned integer type that holds `max`.
template <class Integer>
Field number(std::string path, Integer& target, std::string unit, std::uint64_t min,
             std::uint64_t max, std::string description) {
  Field f;
  f.path = std::move(path);
  f.unit = std::move(unit);
  f.min = min;
  f.max = max;
  f.description = std::move(description);
  f.get = [&target] { return Value(std::uint64_t{target}); };
  f.set = [&target](const Value& v) { target = static_cast<Integer>(std::get<std::uint64_t>(v)); };
  return f;
}

/// Row of a name that stands for an enumerator.
template <class Enum>
Field name(std::string path, Enum& target, std::vector<std::pair<std::string, Enum>> names,
           std::string description) {
  Field f;
  f.path = std::move(path);
  f.type = Field::Type::kName;
  f.description = std::move(description);
  for (const auto& entry : names) f.names.push_back(entry.first);
  f.get = [&target, names] {
    for (const auto& [text, value] : names) {
      if (value == target) return Value(text);
    }
    return Value(std::string());
  };
  f.set = [&target, names](const Value& v) {
    for (const auto& [text, value] : names) {
      if (text == std::get<std::string>(v)) target = value;
    }
  };
  return f;
}

/// Row of a list of whole numbers, at most `max_count` of them.
template <class Integer>
Field numbers(std::string path, std::vector<Integer>& target, std::string unit, std::uint64_t min,
              std::uint64_t max, std::size_t max_count, std::string description) {
  Field f;
  f.path = std::move(path);
  f.type = Field::Type::kNumbers;
  f.unit = std::move(unit);
  f.min = min;
  f.max = max;
  f.max_count = max_count;
  f.description = std::move(description);
  f.get = [&target] { return Value(Numbers(target.begin(), target.end())); };
  f.set = [&target](const Value& v) {
    const auto& list = std::get<Numbers>(v);
    target.assign(list.begin(), list.end());
  };
  return f;
}

/// The field of a path; nullptr when there is none.
const Field* find_field(const Schema& schema, const std::string& path);

/// What is wrong with a path that is not in the schema: names the nearest known key, and the keys
/// of its group when they are few.
std::string unknown_key(const Schema& schema, const std::string& path);

}  // namespace tessera::config
