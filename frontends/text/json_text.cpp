// JSON text to a Boost.JSON value.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <set>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>

#include "frontends/text/json.h"

namespace tessera::text {
namespace {

namespace json = boost::json;

/// Accepts everything but a key that the object has already.
class KeyHandler {
 public:
  // Boost.JSON looks these up by name. NOLINTBEGIN(readability-identifier-naming)
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
  // NOLINTEND(readability-identifier-naming)
  using Error = json::error_code;

  const std::optional<std::string>& duplicate() const { return duplicate_; }

  bool on_document_begin(Error&) { return true; }
  bool on_document_end(Error&) { return true; }
  bool on_array_begin(Error&) { return true; }
  bool on_array_end(std::size_t, Error&) { return true; }
  bool on_object_begin(Error&) {
    keys_.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t, Error&) {
    keys_.pop_back();
    return true;
  }
  bool on_key_part(json::string_view part, std::size_t, Error&) {
    key_.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view part, std::size_t, Error& error) {
    key_.append(part.data(), part.size());
    if (!keys_.back().insert(key_).second) {
      duplicate_ = key_;
      error = json::error::syntax;
      return false;
    }
    key_.clear();
    return true;
  }
  bool on_string_part(json::string_view, std::size_t, Error&) { return true; }
  bool on_string(json::string_view, std::size_t, Error&) { return true; }
  bool on_number_part(json::string_view, Error&) { return true; }
  bool on_int64(std::int64_t, json::string_view, Error&) { return true; }
  bool on_uint64(std::uint64_t, json::string_view, Error&) { return true; }
  bool on_double(double, json::string_view, Error&) { return true; }
  bool on_bool(bool, Error&) { return true; }
  bool on_null(Error&) { return true; }
  bool on_comment_part(json::string_view, Error&) { return true; }
  bool on_comment(json::string_view, Error&) { return true; }

 private:
  std::vector<std::set<std::string>> keys_;
  std::string key_;
  std::optional<std::string> duplicate_;
};

Place place_of(const std::string& text, std::size_t offset) {
  Cursor cursor(text);
  cursor.take(offset);
  return cursor.place();
}

std::string found(const std::string& text, std::size_t offset) {
  if (offset >= text.size()) return "the end of the text";
  const auto c = static_cast<unsigned char>(text[offset]);
  if (c == '\n') return "the end of the line";
  if (c > ' ' && c < 0x7F) return "\"" + std::string(1, text[offset]) + "\"";
  char hex[16];
  std::snprintf(hex, sizeof hex, "byte 0x%02X", c);
  return hex;
}

std::string problem(const json::error_code& error, const std::string& text, std::size_t offset) {
  if (error == json::error::incomplete) return "the text ends inside a JSON value";
  if (error == json::error::too_deep)
    return "JSON values are nested too deep; at most 32 levels are read";
  if (error == json::error::extra_data)
    return "found " + found(text, offset) + " after the end of the JSON value";
  const std::string why = error == json::error::syntax ? "" : " (" + error.message() + ")";
  return "found " + found(text, offset) + ", which JSON does not allow here" + why;
}

}  // namespace

json::value parse_json(const std::string& text, const std::string& file) {
  const Diagnostics diagnostics(file);
  json::basic_parser<KeyHandler> parser{json::parse_options{}};
  json::error_code error;
  const std::size_t offset = parser.write_some(false, text.data(), text.size(), error);
  if (parser.handler().duplicate()) {
    diagnostics.fail(place_of(text, offset), "the key \"" + *parser.handler().duplicate() +
                                                 "\" occurs twice in one object");
  }
  const std::size_t rest =
      error ? offset : std::min(text.find_first_not_of(" \t\r\n", offset), text.size());
  if (!error && rest < text.size()) error = json::error::extra_data;
  json::value value;
  if (!error) value = json::parse(text, error);
  if (error) diagnostics.fail(place_of(text, rest), problem(error, text, rest));
  return value;
}

}  // namespace tessera::text
