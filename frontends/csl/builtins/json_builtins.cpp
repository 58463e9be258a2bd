// `@import_comptime_value`: values from JSON files (csl.md 7.1).
#include <boost/json.hpp>

#include <charconv>
#include <cstdint>

#include "frontends/csl/builtins/builtins.h"
#include "frontends/text/json.h"

namespace tessera::csl {
namespace {

namespace json = boost::json;

class JsonReader {
 public:
  explicit JsonReader(const BuiltinCall& call) : call_(call), types_(call.types()) {}

  Result read(const json::value& value) {
    switch (value.kind()) {
    case json::kind::bool_:
      return call_.bool_result(value.get_bool());
    case json::kind::int64:
      return {types_.comptime_int, Value{BigInt(value.get_int64())}};
    case json::kind::uint64:
      return {types_.comptime_int, Value{BigInt(value.get_uint64())}};
    case json::kind::double_:
      return {types_.comptime_float, Value{value.get_double()}};
    case json::kind::string:
      return {types_.string, Value{std::string(value.get_string())}};
    case json::kind::array:
      return read_elements(value.get_array());
    case json::kind::object:
      return read_fields(value.get_object());
    case json::kind::null:
      break;
    }
    call_.fail(Id::kJson, "the file has a null, which is no value of CSL");
  }

 private:
  Result read_elements(const json::array& elements) {
    std::vector<const Type*> element_types;
    std::vector<Value> values;
    for (const json::value& element : elements) {
      if (element.is_array())
        call_.fail(Id::kJson, "the file has an array of more than one dimension");
      const Result one = read(element);
      element_types.push_back(one.type);
      values.push_back(one.value());
    }
    return {types_.tuple(element_types), make_aggregate(std::move(values))};
  }

  /// "bool", "[8]i16"; nullptr: it names no type.
  const Type* type_named(std::string_view name) {
    const std::size_t close = name.find(']');
    if (name.empty() || name.front() != '[' || close == std::string_view::npos)
      return types_.find(name);
    std::uint16_t count = 0;
    const char* const end = name.data() + close;
    const bool is_number = std::from_chars(name.data() + 1, end, count).ptr == end;
    const Type* element = types_.find(name.substr(close + 1));
    return is_number && element != nullptr ? types_.array(element, {count}) : nullptr;
  }

  /// Keys are of the form "name:type".
  Result read_fields(const json::object& object) {
    std::vector<Field> fields;
    std::vector<Value> values;
    for (const auto& [key, value] : object) {
      const std::string text(key);
      const std::size_t colon = text.find(':');
      const Type* type = colon == std::string::npos
                             ? nullptr
                             : type_named(std::string_view(text).substr(colon + 1));
      if (type == nullptr)
        call_.fail(Id::kJson, "the key ", text::in_quotes(text), " is not of the form name:type");
      Result one = call_.engine().convert(read(value), type, call_.node,
                                          "the field " + text::in_quotes(text));
      fields.push_back({text.substr(0, colon), one.type});
      values.push_back(std::move(one.value()));
    }
    return {types_.structure(std::move(fields), false), make_aggregate(std::move(values))};
  }

  const BuiltinCall& call_;
  Types& types_;
};

Result import_comptime_value(const BuiltinCall& call) {
  const Type* type = call.type(0);
  const std::string path =
      call.engine().resolved(call.text(1), call.evaluator.frame().instance, call.expr(1));
  const json::value file = text::parse_json(text::read_file(path, "JSON file"), path);
  return call.engine().convert(JsonReader(call).read(file), type, call.node,
                               "the value of " + text::in_quotes(path));
}

}  // namespace

const std::vector<BuiltinRow>& json_builtins() {
  static const std::vector<BuiltinRow> kRows = {
      {"import_comptime_value",
       kAnywhere,
       {takes(Takes::kType, "type"), takes(Takes::kText, "path")},
       import_comptime_value,
       "a value from a JSON file"}};
  return kRows;
}

}  // namespace tessera::csl
