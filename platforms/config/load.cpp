#include "platforms/config/load.h"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <ostream>
#include <sstream>

#include "frontends/text/files_read.h"
#include "frontends/text/json.h"
#include "platforms/config/presets.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::config {

namespace {

namespace json = boost::json;

constexpr const char* kSchemaName = "tessera-config-1";
constexpr const char* kOverride = "--set";

std::string child_path(const std::string& group, std::string_view key) {
  return group.empty() ? std::string(key) : group + "." + std::string(key);
}

// ---- values ----

[[noreturn]] void fail_type(const Field& field, const std::string& where, const std::string& place,
                            const std::string& text) {
  const bool list = field.type == Field::Type::kNumbers;
  throw UserError(where, place,
                  text + " is not a " + (list ? "list of whole numbers" : "whole number") +
                      "; allowed: " + field.allowed());
}

void check_number(const Field& field, const std::string& where, const std::string& place,
                  std::uint64_t n) {
  if (n >= field.min && n <= field.max) return;
  throw UserError(where, place,
                  std::to_string(n) + (field.unit.empty() ? "" : " " + field.unit) +
                      " is out of range; allowed: " + field.allowed());
}

/// `value` has the type of the field; its range has not been looked at.
void check_and_set(const Field& field, const std::string& where, const Value& value) {
  if (const auto* n = std::get_if<std::uint64_t>(&value)) {
    check_number(field, where, field.path, *n);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    if (std::find(field.names.begin(), field.names.end(), *text) == field.names.end()) {
      throw UserError(where, field.path,
                      "unknown name '" + *text + "'" + did_you_mean(*text, field.names) +
                          " (allowed: " + field.allowed() + ")");
    }
  } else {
    const auto& list = std::get<Numbers>(value);
    if (list.empty() || list.size() > field.max_count) {
      throw UserError(where, field.path,
                      "a list of " + std::to_string(list.size()) +
                          " numbers; allowed: " + field.allowed());
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      check_number(field, where, field.path + "[" + std::to_string(i) + "]", list[i]);
    }
  }
  field.set(value);
}

std::uint64_t number_from_json(const Field& field, const std::string& where,
                               const std::string& place, const json::value& v) {
  if (v.is_uint64()) return v.get_uint64();
  if (v.is_int64() && v.get_int64() >= 0) return static_cast<std::uint64_t>(v.get_int64());
  if (v.is_int64()) {
    throw UserError(where, place,
                    std::to_string(v.get_int64()) + (field.unit.empty() ? "" : " " + field.unit) +
                        " is out of range; allowed: " + field.allowed());
  }
  fail_type(field, where, place, json::serialize(v));
}

Value value_from_json(const Field& field, const std::string& where, const json::value& v) {
  switch (field.type) {
  case Field::Type::kNumber:
    return number_from_json(field, where, field.path, v);
  case Field::Type::kName:
    if (v.is_string()) return std::string(v.get_string());
    if (v.is_bool() && field.is_flag()) return std::string(v.get_bool() ? "true" : "false");
    throw UserError(where, field.path,
                    json::serialize(v) + " is not a name in quotes; allowed: " + field.allowed());
  case Field::Type::kNumbers:
    break;
  }
  if (!v.is_array()) fail_type(field, where, field.path, json::serialize(v));
  Numbers list;
  for (const json::value& entry : v.get_array()) {
    const std::string place = field.path + "[" + std::to_string(list.size()) + "]";
    list.push_back(number_from_json(field, where, place, entry));
  }
  return list;
}

std::optional<std::uint64_t> number_from_text(const std::string& text) {
  std::uint64_t n = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, n);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return n;
}

/// As --set takes it: 2, round_robin, or 6,6,4,4 with or without brackets.
Value value_from_text(const Field& field, const std::string& text) {
  if (field.type == Field::Type::kName) return text;
  if (field.type == Field::Type::kNumber) {
    const auto n = number_from_text(text);
    if (!n) fail_type(field, kOverride, field.path, "'" + text + "'");
    return *n;
  }
  const bool brackets = text.size() >= 2 && text.front() == '[' && text.back() == ']';
  std::istringstream entries(brackets ? text.substr(1, text.size() - 2) : text);
  Numbers list;
  for (std::string entry; std::getline(entries, entry, ',');) {
    const auto n = number_from_text(entry);
    if (!n) fail_type(field, kOverride, field.path, "'" + text + "'");
    list.push_back(*n);
  }
  return list;
}

// ---- files ----

/// A config text and what messages call it.
struct Document {
  std::string where;
  json::object root;
};

Document parse(const std::string& where, const std::string& text) {
  const json::value root = text::parse_json(text, where);
  if (!root.is_object()) {
    throw UserError(where, "1:1", "a configuration is a JSON object, { ... }");
  }
  return {where, root.as_object()};
}

Document read_preset(const std::string& machine, const std::string& name,
                     const std::string& asked_in, const std::string& place) {
  const std::vector<std::string> known = preset_names(machine);
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw UserError(asked_in, place,
                    "unknown preset '" + name + "' for machine " + machine +
                        did_you_mean(name, known) + " (presets: " + join(known) + ")");
  }
  return parse("preset " + name, std::string(*find_preset(name)));
}

Document read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path))
    throw UserError(path, "", "the configuration file cannot be read");
  return parse(path, text::contents_of(in, path, "configuration file"));
}

/// The text under a key; "" where there is none.
std::string text_at(const Document& document, const char* key) {
  const json::value* v = document.root.if_contains(key);
  if (v == nullptr) return {};
  if (!v->is_string()) throw UserError(document.where, key, "this must be a text in quotes");
  return std::string(v->get_string());
}

/// Walks a document and sets the fields it gives.
class Applier {
 public:
  Applier(const Schema& schema, const std::string& machine, Loaded& loaded)
      : schema_(schema), machine_(machine), loaded_(loaded) {}

  void apply(const Document& document) {
    document_ = &document;
    require_text("schema", kSchemaName);
    require_text("machine", machine_);
    if (const std::string name = text_at(document, "name"); !name.empty()) loaded_.name = name;
    for (const auto& member : document.root) {
      if (is_reserved(member.key())) continue;
      read(std::string(member.key()), member.value(), {document_->where, "", "", ""});
    }
  }

 private:
  static bool is_reserved(std::string_view key) {
    return key == "schema" || key == "name" || key == "machine" || key == "base" ||
           key == "description";
  }
  void require_text(const char* key, const std::string& expected) {
    const std::string text = text_at(*document_, key);
    if (text == expected) return;
    throw UserError(document_->where, key,
                    (text.empty() ? "missing" : "'" + text + "' does not fit here") +
                        std::string("; it must be '") + expected + "'");
  }

  /// `inherited`: what the groups around it say of the origin of their values.
  void read(const std::string& path, const json::value& v, Origin inherited) {
    if (const Field* field = find_field(schema_, path)) return read_leaf(*field, v, inherited);
    const bool group = v.is_object() && is_group(path);
    if (!group) throw UserError(document_->where, path, unknown_key(schema_, path));
    for (const auto& member : v.get_object()) annotate(path, member, inherited);
    for (const auto& member : v.get_object()) {
      if (!is_annotation(member.key()))
        read(child_path(path, member.key()), member.value(), inherited);
    }
  }
  bool is_group(const std::string& path) const {
    return std::any_of(schema_.begin(), schema_.end(), [&](const Field& field) {
      return field.path.compare(0, path.size() + 1, path + ".") == 0;
    });
  }

  void read_leaf(const Field& field, const json::value& v, Origin& origin) {
    const json::value* value = &v;
    if (v.is_object()) value = &read_annotated(field, v.get_object(), origin);
    check_and_set(field, document_->where, value_from_json(field, document_->where, *value));
    loaded_.origins[field.path] = origin;
  }

  const json::value& read_annotated(const Field& field, const json::object& leaf,
                                    Origin& origin) const {
    static const std::vector<std::string> kKeys = {"value", "source", "kind", "note"};
    for (const auto& member : leaf) {
      const std::string key(member.key());
      require_known("unknown key", key, kKeys, child_path(field.path, key));
      annotate(field.path, member, origin);
    }
    if (const json::value* value = leaf.if_contains("value")) return *value;
    throw UserError(document_->where, field.path,
                    "an object that gives a value needs the key 'value'");
  }

  static bool is_annotation(std::string_view key) {
    return key == "source" || key == "kind" || key == "note";
  }
  /// Sets the part of `origin` that a member of a value or of a group at `path` gives, if it gives one.
  void annotate(const std::string& path, const json::key_value_pair& member, Origin& origin) const {
    static const std::vector<std::string> kKinds = {"published", "calibrated", "assumed"};
    if (!is_annotation(member.key())) return;
    const std::string place = child_path(path, member.key());
    if (!member.value().is_string())
      throw UserError(document_->where, place, "this must be a text in quotes");
    const std::string text(member.value().get_string());
    if (member.key() == "kind") require_known("unknown kind '" + text + "'", text, kKinds, place);
    (member.key() == "source" ? origin.source
     : member.key() == "note" ? origin.note
                              : origin.kind) = text;
  }
  void require_known(const std::string& unknown, const std::string& given,
                     const std::vector<std::string>& known, const std::string& place) const {
    if (std::find(known.begin(), known.end(), given) != known.end()) return;
    throw UserError(document_->where, place,
                    unknown + did_you_mean(given, known) + " (allowed: " + join(known) + ")");
  }

  const Schema& schema_;
  const std::string& machine_;
  Loaded& loaded_;
  const Document* document_ = nullptr;
};

void require_all(const Schema& schema, const Loaded& loaded, const std::string& where,
                 const std::string& machine) {
  std::vector<std::string> missing;
  for (const Field& field : schema) {
    if (loaded.origins.count(field.path) == 0) missing.push_back(field.path);
  }
  if (missing.empty()) return;
  const std::size_t more = missing.size() - 1;
  const std::string others = more == 0 ? "" : " (and " + std::to_string(more) + " more keys)";
  throw UserError(where, missing.front(),
                  "this key is missing" + others +
                      "; give every key, or name a preset to start from with \"base\": one of " +
                      join(preset_names(machine)));
}

/// A preset knows of another device what it takes from there, so that its values are assumed.
void inherit(const std::string& base, Loaded& loaded) {
  for (auto& [path, origin] : loaded.origins) {
    origin.note = "inherited from " + base + (origin.kind.empty() ? "" : ", there " + origin.kind) +
                  (origin.note.empty() ? "" : ": " + origin.note);
    origin.kind = "assumed";
  }
}

void apply_override(const Schema& schema, const std::string& text, Loaded& loaded) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UserError(kOverride, "",
                    "'" + text + "' is not of the form KEY=VALUE, for example " +
                        schema.front().path + "=" + to_string(schema.front().get()));
  }
  const std::string path = text.substr(0, equals);
  const Field* field = find_field(schema, path);
  if (field == nullptr) throw UserError(kOverride, path, unknown_key(schema, path));
  check_and_set(*field, kOverride, value_from_text(*field, text.substr(equals + 1)));
  Origin origin;
  origin.where = kOverride;
  loaded.origins[path] = origin;
}

std::string origin_text(const Origin& origin) {
  std::string text = origin.where;
  if (!origin.kind.empty()) text += ", " + origin.kind;
  if (!origin.source.empty()) text += ": " + origin.source;
  return text;
}

}  // namespace

Loaded load(const Schema& schema, const std::string& machine, const Request& request) {
  if (request.preset.empty() == request.file.empty()) {
    throw UserError("", "",
                    std::string(request.preset.empty() ? "no machine is given"
                                                       : "--preset and --config are both given") +
                        "; give either --preset NAME (" + join(preset_names(machine)) +
                        ") or --config FILE");
  }
  Loaded loaded;
  Applier applier(schema, machine, loaded);
  const Document document = request.file.empty()
                                ? read_preset(machine, request.preset, "--preset", "")
                                : read_file(request.file);
  if (const std::string base = text_at(document, "base"); !base.empty()) {
    applier.apply(read_preset(machine, base, document.where, "base"));
    if (request.file.empty()) inherit(base, loaded);
  }
  applier.apply(document);
  require_all(schema, loaded, document.where, machine);
  for (const std::string& text : request.overrides) apply_override(schema, text, loaded);
  return loaded;
}

std::string blame(const Loaded& loaded, const std::string& path) {
  const auto it = loaded.origins.find(path);
  return it == loaded.origins.end() ? std::string() : it->second.where;
}

std::string digest(const Schema& schema) {
  std::string text;
  for (const Field& field : schema) text += field.path + "=" + to_string(field.get()) + "\n";
  return text::digest_of(text);
}

void print_config(std::ostream& out, const Schema& schema, const Loaded& loaded) {
  std::vector<std::string> lines;
  std::size_t width = 0;
  for (const Field& field : schema) {
    std::string line = field.path + " = " + to_string(field.get());
    if (!field.unit.empty()) line += " " + field.unit;
    width = std::max(width, line.size());
    lines.push_back(line);
  }
  out << "# " << loaded.name << '\n';
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const auto it = loaded.origins.find(schema[i].path);
    out << lines[i];
    if (it != loaded.origins.end()) {
      out << std::string(width - lines[i].size() + 2, ' ') << '[' << origin_text(it->second) << ']';
    }
    out << '\n';
  }
}

}  // namespace tessera::config
