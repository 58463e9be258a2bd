#include "platforms/report/pretty_json.h"

#include <boost/json.hpp>
#include <charconv>
#include <ostream>
#include <string>

namespace tessera::report {

namespace {

namespace json = boost::json;

constexpr std::size_t kLineLength = 120;

std::string scalar(const json::value& v) {
  if (!v.is_double()) return json::serialize(v);
  char text[32];  // the shortest text that reads back as the same number
  const auto end = std::to_chars(text, text + sizeof text, v.get_double()).ptr;
  return std::string(text, end);
}

std::string on_one_line(const json::value& v);

template <class Container, class Element>
std::string inside(const Container& container, const char* open, const char* close,
                   Element element) {
  std::string text;
  for (const auto& entry : container) text += (text.empty() ? "" : ", ") + element(entry);
  return open + text + close;
}

std::string on_one_line(const json::value& v) {
  if (v.is_array()) return inside(v.get_array(), "[", "]", on_one_line);
  if (!v.is_object()) return scalar(v);
  return inside(v.get_object(), "{", "}", [](const json::key_value_pair& member) {
    return json::serialize(json::string(member.key())) + ": " + on_one_line(member.value());
  });
}

bool has_object(const json::value& v) {
  if (v.is_object()) return true;
  if (!v.is_array()) return false;
  for (const json::value& entry : v.get_array()) {
    if (has_object(entry)) return true;
  }
  return false;
}

void write(std::ostream& out, const json::value& v, std::size_t indent, std::size_t depth);

void next_line(std::ostream& out, bool first, std::size_t indent) {
  out << (first ? "\n" : ",\n") << std::string(indent, ' ');
}

template <class Container, class Element>
void write_lines(std::ostream& out, const Container& container, const char* open, const char* close,
                 std::size_t indent, Element element) {
  out << open;
  bool first = true;
  for (const auto& entry : container) {
    next_line(out, first, indent + 2);
    first = false;
    element(entry);
  }
  out << '\n' << std::string(indent, ' ') << close;
}

// The two outer levels always take lines of their own; below, what fits on a line stays on it.
void write(std::ostream& out, const json::value& v, std::size_t indent, std::size_t depth) {
  const bool container = v.is_object() || v.is_array();
  const bool empty =
      (v.is_object() && v.get_object().empty()) || (v.is_array() && v.get_array().empty());
  const bool outer = depth == 0 || (depth == 1 && has_object(v));
  if (!container || empty || !outer) {
    const std::string line = on_one_line(v);
    if (!container || empty || indent + line.size() <= kLineLength) {
      out << line;
      return;
    }
  }
  if (v.is_array()) {
    write_lines(out, v.get_array(), "[", "]", indent,
                [&](const json::value& entry) { write(out, entry, indent + 2, depth + 1); });
    return;
  }
  write_lines(out, v.get_object(), "{", "}", indent, [&](const json::key_value_pair& member) {
    out << json::serialize(json::string(member.key())) << ": ";
    write(out, member.value(), indent + 2, depth + 1);
  });
}

void write(std::ostream& out, const LongArray& array, std::size_t indent, std::size_t depth) {
  out << '[';
  for (std::size_t i = 0; i < array.size; ++i) {
    next_line(out, i == 0, indent + 2);
    write(out, array.entry(i), indent + 2, depth + 1);
  }
  out << '\n' << std::string(indent, ' ') << ']';
}

}  // namespace

void write_pretty(std::ostream& out, const json::object& object, const LongArray& array) {
  write_lines(out, object, "{", "}", 0, [&](const json::key_value_pair& member) {
    out << json::serialize(json::string(member.key())) << ": ";
    if (member.key() == array.key) {
      write(out, array, 2, 1);
    } else {
      write(out, member.value(), 2, 1);
    }
  });
  out << '\n';
}

}  // namespace tessera::report
