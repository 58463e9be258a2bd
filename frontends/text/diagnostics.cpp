#include "frontends/text/diagnostics.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "frontends/text/files_read.h"

namespace tessera::text {
namespace {

constexpr std::size_t kMostListed = 16;
constexpr std::size_t kMostShown = 80;
constexpr std::size_t kMostQuoted = 48;
constexpr std::size_t kMostUses = 8;
constexpr std::size_t kMostOfLine = 96;  // bytes of a line in an excerpt

bool continues_character(char c) {  // a byte of UTF-8 after the first one of its character
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Line `number` of `text`, without its end; no pointer if there is none.
std::string_view line_of(std::string_view text, unsigned number) {
  for (unsigned line = 1; line < number; ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

}  // namespace

std::string to_string(Place place) {
  return std::to_string(place.line) + ":" + std::to_string(place.column);
}

std::pair<std::string, Place> Diagnostics::where(Place place) const {
  for (const Excerpt* e = excerpt_of(place.line); e != nullptr; e = excerpt_of(place.line)) {
    place.line = e->line + (place.line - e->first);
    if (!e->file.empty()) return {e->file, place};
  }
  return {file_, place};
}

std::string Diagnostics::uses_of(unsigned line) const {
  std::string text;
  std::size_t count = 0;
  for (const Excerpt* e = excerpt_of(line); e != nullptr; e = excerpt_of(e->use.line)) {
    if (++count > kMostUses) return text + "; ..";
    const auto [file, place] = where(e->use);
    text += joined("; ", e->how, " at ", file, ":", to_string(place));
  }
  return text;
}

std::string Diagnostics::line_text(unsigned line) const {
  const auto [file, place] = where({line, 1});
  return std::to_string(place.line) + (file == file_ ? "" : " of " + file);
}

const Excerpt* Diagnostics::excerpt_of(unsigned line) const {
  const auto behind =
      std::upper_bound(excerpts_.begin(), excerpts_.end(), line,
                       [](unsigned number, const Excerpt& e) { return number < e.first; });
  return behind == excerpts_.begin() ? nullptr : &*(behind - 1);
}

std::string line_with_caret(std::string_view source, Place place) {
  std::string_view line = line_of(source, place.line);
  if (line.empty() || place.column == 0) return "";
  std::size_t column = std::min<std::size_t>(place.column - 1, line.size());
  std::size_t first = column > kMostOfLine / 2 && line.size() > kMostOfLine
                          ? std::min(column - kMostOfLine / 2, line.size() - kMostOfLine)
                          : 0;
  while (first > 0 && continues_character(line[first])) --first;
  line = line.substr(first, kMostOfLine);
  column -= first;
  std::string shown_line = "\n  ", caret = "\n  ";
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_tab = line[i] == '\t';
    const bool is_control = static_cast<unsigned char>(line[i]) < ' ' || line[i] == '\x7f';
    shown_line += is_control && !is_tab ? '?' : line[i];
    if (i < column && !continues_character(line[i])) caret += is_tab ? '\t' : ' ';
  }
  return shown_line + caret + '^';
}

namespace {

std::ifstream open_unrecorded(const std::string& path, const std::string& what) {
  std::error_code error;
  const std::string suffix = what.rfind(" file") == std::string::npos ? " file" : "";
  if (std::filesystem::is_directory(path, error))
    throw UserError(path, "", "is a folder; a " + what + suffix + " is expected");
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw UserError(path, "",
                    "the " + what + " cannot be opened: " + std::string(std::strerror(errno)));
  return in;
}

}  // namespace

std::ifstream open_file(const std::string& path, const std::string& what) {
  std::ifstream in = open_unrecorded(path, what);
  FilesRead* const record = FilesRead::current();
  if (record == nullptr || record->has(path)) return in;
  std::string digest;
  if (std::filesystem::is_regular_file(path)) {  // a pipe can be read once only
    digest = digest_of(in);
    in.clear();
    in.seekg(0);
  }
  record->add(path, FilesRead::Kind::kData, std::move(digest));
  return in;
}

std::string read_file(const std::string& path, const std::string& what) {
  std::ifstream in = open_unrecorded(path, what);
  std::string contents = contents_of(in, path, what);
  if (FilesRead* const record = FilesRead::current())
    record->add(path, FilesRead::Kind::kProgram, digest_of(contents));
  return contents;
}

std::string plural(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string in_quotes(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result = "'";
  for (const char c : text.substr(0, kMostQuoted)) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isprint(byte)) {
      result += c;
    } else {
      result += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return result + (text.size() > kMostQuoted ? "...'" : "'");
}

std::string found_character(char c) {
  if (c > ' ' && c < '\x7f') return "\"" + std::string(1, c) + "\"";
  char hex[16];
  std::snprintf(hex, sizeof hex, "byte 0x%02X", static_cast<unsigned char>(c));
  return hex;
}

std::string shown(const std::string& text) {
  std::size_t size = std::min(text.size(), kMostShown);
  // A character of UTF-8 is not cut in two.
  while (size < text.size() && size > 0 && continues_character(text[size])) --size;
  std::string result = text.substr(0, size);
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return size < text.size() ? result + ".." : result;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  const std::size_t count = std::min(names.size(), kMostListed);
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + shown(names[i]);
  if (count < names.size()) text += " and " + std::to_string(names.size() - count) + " more";
  return text.empty() ? "none" : text;
}

std::string alternatives(const std::vector<std::string>& texts, const char* separator) {
  std::string list;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) list += i + 1 == texts.size() ? " or " : separator;
    list += texts[i];
  }
  return list;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known,
                       const std::string& what) {
  const std::string hint = did_you_mean(name, known);
  return (hint.empty() ? ";" : hint) + " " + what + ": " + listed(known);
}

}  // namespace tessera::text
