#include "frontends/text/json_lines.h"

#include <cstddef>
#include <vector>

namespace tessera::text {

namespace {

class LineFinder {
 public:
  explicit LineFinder(const std::string& text) : text_(text) {}

  std::map<std::string, std::uint32_t> find() {
    for (; at_ < text_.size(); ++at_) take(text_[at_]);
    return std::move(lines_);
  }

 private:
  /// An object or an array that is open.
  struct Open {
    std::string place;
    bool is_array = false;
    std::size_t elements = 0;
    bool has_key = false;  // the value of a member comes next
  };

  void take(char c) {
    if (c == '\n') ++line_;
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ':' || c == ',') {
      if (c == ',') open_.back().has_key = false;
      return;
    }
    if (c == '}' || c == ']') return open_.pop_back();
    const bool is_key = !open_.empty() && !open_.back().is_array && !open_.back().has_key;
    if (is_key) return take_key();
    begin_value();
    if (c == '{' || c == '[')
      open_.push_back({place_, c == '['});
    else
      c == '"' ? static_cast<void>(string()) : skip_word();
  }
  void take_key() {
    const std::string key = string();
    const std::string& outer = open_.back().place;
    place_ = outer.empty() ? key : outer + "." + key;
    open_.back().has_key = true;
    lines_[place_] = line_;
  }
  void begin_value() {
    if (open_.empty() || !open_.back().is_array) return;
    place_ = open_.back().place + "[" + std::to_string(open_.back().elements++) + "]";
    lines_[place_] = line_;
  }
  /// At its first quotation mark; goes to the last one.
  std::string string() {
    const std::size_t begin = ++at_;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }
  /// A number, true, false or null.
  void skip_word() {
    while (at_ + 1 < text_.size() && text_.find_first_of(",]} \n\r\t", at_ + 1) != at_ + 1) ++at_;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::string place_;  // of the value that comes next
  std::vector<Open> open_;
  std::map<std::string, std::uint32_t> lines_;
};

}  // namespace

std::map<std::string, std::uint32_t> lines_of_json(const std::string& text) {
  return LineFinder(text).find();
}

}  // namespace tessera::text
