#include "platforms/config/schema.h"

#include <algorithm>

#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::config {

namespace {

constexpr std::size_t kFewKeys = 8;

bool starts_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

/// Names directly below `group` ("" for the top), each once.
std::vector<std::string> children(const Schema& schema, const std::string& group) {
  const std::string prefix = group.empty() ? "" : group + ".";
  std::vector<std::string> names;
  for (const Field& field : schema) {
    if (!starts_with(field.path, prefix)) continue;
    const std::size_t end = field.path.find('.', prefix.size());
    const std::string child = field.path.substr(prefix.size(), end - prefix.size());
    if (std::find(names.begin(), names.end(), child) == names.end()) names.push_back(child);
  }
  return names;
}

/// The last parts of `path`, as many as `like` has.
std::string tail(const std::string& path, const std::string& like) {
  auto parts = std::count(like.begin(), like.end(), '.') + 1;
  std::size_t from = path.size();
  while (parts-- > 0 && from != std::string::npos && from > 0) from = path.rfind('.', from - 1);
  return from == std::string::npos || from == 0 ? path : path.substr(from + 1);
}

/// The path a user may have meant: also one of which only the last parts were written.
std::string nearest_path(const Schema& schema, const std::string& path) {
  std::string best;
  std::size_t best_distance = 0;
  for (const Field& field : schema) {
    const std::size_t distance =
        std::min(edit_distance(path, field.path), edit_distance(path, tail(field.path, path)) + 1);
    if (!best.empty() && distance >= best_distance) continue;
    best = field.path;
    best_distance = distance;
  }
  return best;
}

}  // namespace

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string to_string(const Value& value) {
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  std::string text;
  for (const std::uint64_t n : std::get<Numbers>(value)) {
    text += (text.empty() ? "" : ",") + std::to_string(n);
  }
  return text;
}

std::string Field::allowed() const {
  if (type == Type::kName) return join(names);
  std::string range =
      std::to_string(min) + " to " + std::to_string(max) + (unit.empty() ? "" : " " + unit);
  if (type == Type::kNumber) return range;
  return "1 to " + std::to_string(max_count) + " numbers of " + range;
}

Schema joined(std::initializer_list<Schema> parts) {
  Schema schema;
  for (const Schema& part : parts) schema.insert(schema.end(), part.begin(), part.end());
  return schema;
}

const Field* find_field(const Schema& schema, const std::string& path) {
  for (const Field& field : schema) {
    if (field.path == path) return &field;
  }
  return nullptr;
}

std::string unknown_key(const Schema& schema, const std::string& path) {
  const std::vector<std::string> inside = children(schema, path);
  if (!inside.empty()) {
    const std::string start = "this is a group of keys, not a value; ";
    if (inside.size() <= kFewKeys) return start + "its keys are " + join(inside);
    return start + "for example '" + path + "." + inside.front() + "' is a key";
  }
  std::string text = "unknown key; did you mean '" + nearest_path(schema, path) + "'?";
  const std::size_t dot = path.rfind('.');
  const std::string group = dot == std::string::npos ? "" : path.substr(0, dot);
  const std::vector<std::string> siblings = children(schema, group);
  if (siblings.empty() || siblings.size() > kFewKeys) return text;
  const std::string where = group.empty() ? "at the top" : "in '" + group + "'";
  return text + " (keys " + where + ": " + join(siblings) + ")";
}

}  // namespace tessera::config
