#include "platforms/config/json_schema.h"

#include <boost/json.hpp>

#include "platforms/report/pretty_json.h"

namespace tessera::config {

namespace {

namespace json = boost::json;

json::object number_of(const Field& field) {
  return {{"type", "integer"}, {"minimum", field.min}, {"maximum", field.max}};
}

json::object value_of(const Field& field) {
  switch (field.type) {
  case Field::Type::kNumber:
    return number_of(field);
  case Field::Type::kNumbers:
    return {{"type", "array"},
            {"items", number_of(field)},
            {"minItems", 1},
            {"maxItems", field.max_count}};
  case Field::Type::kName:
    break;
  }
  json::array names(field.names.begin(), field.names.end());
  if (field.is_flag()) names.insert(names.end(), {true, false});
  return {{"enum", std::move(names)}};
}

/// Members that say where a value, or all values of a group, come from.
json::object with_origin(json::object members) {
  members["source"] = {{"type", "string"}};
  members["kind"] = {{"enum", {"published", "calibrated", "assumed"}}};
  members["note"] = {{"type", "string"}};
  return members;
}

json::object object_of(json::object properties) {
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

json::object leaf_of(const Field& field) {
  json::object annotated = object_of(with_origin({{"value", value_of(field)}}));
  annotated["required"] = {"value"};
  const std::string unit = field.unit.empty() ? "" : " (" + field.unit + ")";
  return {{"description", field.description + unit},
          {"anyOf", {value_of(field), std::move(annotated)}}};
}

/// The members of the group `prefix`, such as "fabric."; with "" those of the whole file.
json::object members_of(const Schema& schema, const std::string& prefix) {
  json::object members;
  for (const Field& field : schema) {
    if (field.path.compare(0, prefix.size(), prefix) != 0) continue;
    const std::string rest = field.path.substr(prefix.size());
    const std::string name = rest.substr(0, rest.find('.'));
    if (name == rest) {
      members[name] = leaf_of(field);
    } else if (!members.contains(name)) {
      members[name] = object_of(with_origin(members_of(schema, prefix + name + ".")));
    }
  }
  return members;
}

}  // namespace

void print_json_schema(std::ostream& out, const Schema& schema, const std::string& machine) {
  json::object root{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                    {"$id", "tessera-config-1-" + machine},
                    {"title", "Configuration of the machine " + machine},
                    {"description", "docs/configuration.md"}};
  json::object members{{"schema", {{"const", "tessera-config-1"}}},
                       {"machine", {{"const", machine}}}};
  for (const char* key : {"name", "base", "description"}) members[key] = {{"type", "string"}};
  for (auto& member : members_of(schema, "")) members[member.key()] = member.value();
  for (auto& member : object_of(std::move(members))) root[member.key()] = member.value();
  root["required"] = {"schema", "machine"};
  report::write_pretty(out, root, {});
}

}  // namespace tessera::config
