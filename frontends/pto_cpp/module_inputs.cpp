#include "frontends/pto_cpp/module_inputs.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "frontends/pto_cpp/cache.h"
#include "frontends/pto_cpp/library.h"
#include "frontends/text/files_read.h"

namespace tessera::pto_cpp {

namespace {

/// Files of the system are many, and change with packages only: size and times stand for their contents. Who keeps the time of a
/// change cannot keep that of the inode.
bool is_of_system(const std::string& path) {
  return path.rfind("/usr/", 0) == 0;
}

/// What stands for the contents of a file; "": it cannot be read.
std::string state_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  if (!is_of_system(path)) return text::digest_of(contents_of(path));
  std::ostringstream text;
  text << status.st_size << '-' << status.st_ino << '-' << status.st_mtim.tv_sec << '.'
       << status.st_mtim.tv_nsec << '-' << status.st_ctim.tv_sec << '.' << status.st_ctim.tv_nsec;
  return text.str();
}

bool is_before(const std::timespec& a, const std::timespec& b) {
  return std::tie(a.tv_sec, a.tv_nsec) < std::tie(b.tv_sec, b.tv_nsec);
}

/// Whether the path may have led to something else before `begin`: the file was written, or it, a folder or a link on the way
/// was renamed. A folder in which something was created has the same time for both changes.
bool may_have_changed(const std::string& path, const std::timespec& begin) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !is_before(status.st_ctim, begin)) return true;
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    if (lstat(path.substr(0, slash).c_str(), &status) != 0) return true;
    const bool is_folder = S_ISDIR(status.st_mode);
    if (!is_before(status.st_ctim, begin) &&
        (!is_folder || is_before(status.st_mtim, status.st_ctim)))
      return true;
    if (slash == std::string::npos) return false;
  }
}

std::unordered_set<std::string> names_in(const std::string& folder) {
  std::unordered_set<std::string> names;
  DIR* const entries = opendir(folder.c_str());
  if (entries == nullptr) return names;
  while (const dirent* entry = readdir(entries)) names.insert(entry->d_name);
  closedir(entries);
  return names;
}

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The next place of a whole word.
std::size_t find_word(const std::string& text, std::string_view word, std::size_t from) {
  for (std::size_t at = text.find(word, from); at != std::string::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_of_word(text[at - 1])) && (end == text.size() || !is_of_word(text[end])))
      return at;
  }
  return std::string::npos;
}

/// The text without the line ends that a backslash takes away.
std::string with_joined_lines(const std::string& text) {
  std::string joined;
  for (std::size_t n = 0; n < text.size(); ++n) {
    const std::size_t end =
        text[n] == '\\' ? text.find_first_not_of(" \t\r\f\v", n + 1) : std::string::npos;
    if (end != std::string::npos && text[end] == '\n')
      n = end;
    else
      joined += text[n];
  }
  return joined;
}

/// Whether the text has assembly of its own. Which text that is, literals, macros and escapes decide.
bool has_assembly(const std::string& text) {
  const std::string joined = with_joined_lines(text);
  const auto has = [&joined](std::string_view word) {
    return find_word(joined, word, 0) != std::string::npos;
  };
  return has("asm") || has("__asm") || has("__asm__");
}

bool is_of_library(const std::string& text) {
  const std::vector<HeaderFile>& headers = header_files();
  return std::any_of(headers.begin(), headers.end(),
                     [&text](const HeaderFile& h) { return text == h.text; });
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

// GCC writes "\ " for a blank, "\#", "$$", and each '\' in front of a blank twice.
std::vector<std::string> files_in_rule(const std::string& rule) {
  std::vector<std::string> files;
  std::string file;
  const auto take = [&] {
    if (!file.empty()) files.push_back(std::exchange(file, ""));
  };
  for (std::size_t i = rule.find(": ") == std::string::npos ? rule.size() : rule.find(": ") + 2;
       i < rule.size();) {
    std::size_t slashes = 0;
    while (i + slashes < rule.size() && rule[i + slashes] == '\\') ++slashes;
    const std::size_t next = i + slashes;
    const char c = next < rule.size() ? rule[next] : '\n';
    if (slashes > 0) {
      const bool is_quoted = (c == ' ' || c == '\t' || c == '#') && slashes % 2 == 1;
      const bool is_doubled = c == ' ' || c == '\t' || c == '#';
      if (c == '\n') {  // a line goes on
        file.append(slashes - 1, '\\');
        take();
        i = next + 1;
        continue;
      }
      file.append(is_doubled ? slashes / 2 : slashes, '\\');
      if (is_quoted) file += c;
      i = is_quoted ? next + 1 : next;
    } else if (c == '$' && next + 1 < rule.size() && rule[next + 1] == '$') {
      file += '$';
      i += 2;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      take();
      ++i;
      if (c == '\n') break;  // further rules are those of -MP
    } else {
      file += c;
      ++i;
    }
  }
  take();
  return files;
}

ModuleInputs::ModuleInputs(const std::string& rule, const std::string& own,
                           std::vector<std::string> folders)
    : folders_(std::move(folders)) {
  std::set<std::string> seen;
  for (const std::string& path : files_in_rule(rule)) {
    if (path == own || !seen.insert(path).second) continue;
    files_.push_back({path, state_of(path)});
    if (files_.back().state.empty()) unknown_ = path + " is no longer there";
    if (!is_of_system(path)) folders_.push_back(folder_of(path));
    find_questions(path);
  }
  find_questions(own);
  for (const std::string& folder : folders_)
    if (folder.find('\n') != std::string::npos) unknown_ = "a folder with a line end in its name";
  std::sort(folders_.begin(), folders_.end());
  folders_.erase(std::unique(folders_.begin(), folders_.end()), folders_.end());
  std::sort(asked_.begin(), asked_.end());
  asked_.erase(std::unique(asked_.begin(), asked_.end()), asked_.end());
  candidates_state_ = state_of_candidates();
}

// Names in __has_include, and words whose meaning does not depend on files alone.
void ModuleInputs::find_questions(const std::string& path) {
  const std::string text = contents_of(path);
  for (const std::string_view word : {"__has_include", "__has_include_next"}) {
    for (std::size_t at = find_word(text, word, 0); at != std::string::npos;
         at = find_word(text, word, at + 1)) {
      const std::size_t open = text.find_first_not_of(" \t", at + word.size());
      if (open == std::string::npos || text[open] != '(') continue;  // defined(__has_include)
      const std::size_t begin = text.find_first_not_of(" \t", open + 1);
      const char quote = begin == std::string::npos ? '\0' : text[begin];
      const std::size_t end = quote == '"' || quote == '<'
                                  ? text.find(quote == '"' ? '"' : '>', begin + 1)
                                  : std::string::npos;
      if (end != std::string::npos && end < text.find('\n', begin))
        asked_.push_back(text.substr(begin + 1, end - begin - 1));
      else if (!is_of_system(path))
        unknown_ = "the name in __has_include of " + path + " is a macro";
    }
  }
  if (is_of_system(path)) return;
  for (const std::string_view word : {"__TIME__", "__DATE__", "__TIMESTAMP__"})
    if (text.find(word) != std::string::npos) unknown_ = path + " contains " + std::string(word);
  // .include and .incbin of the assembler read files that the compiler does not list.
  if (has_assembly(text) && !is_of_library(text))
    unknown_ = path + " has assembly that may read files";
}

// An include directive names some last parts of the path that it leads to.
std::vector<std::string> ModuleInputs::candidates() const {
  std::vector<std::string> found;
  for (const std::string& folder : folders_) {
    const std::unordered_set<std::string> names = names_in(folder);
    if (names.empty()) continue;
    const auto look = [&](const std::string& name) {
      if (names.count(name.substr(0, name.find('/'))) == 0) return;
      struct stat status {};
      std::string path = folder;
      path.append("/").append(name);
      if (stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode)) found.push_back(path);
    };
    for (const std::string& name : asked_) look(name);
    for (const File& file : files_)
      for (std::size_t slash = file.path.rfind('/'); slash != std::string::npos;
           slash = slash == 0 ? std::string::npos : file.path.rfind('/', slash - 1))
        look(file.path.substr(slash + 1));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::string ModuleInputs::state_of_candidates() const {
  std::string all;
  for (const std::string& path : candidates()) all.append(path).append("\n");
  return text::digest_of(all);
}

bool ModuleInputs::is_current() const {
  return unknown_.empty() &&
         std::all_of(files_.begin(), files_.end(),
                     [](const File& f) { return state_of(f.path) == f.state; }) &&
         state_of_candidates() == candidates_state_;
}

std::string ModuleInputs::changed_since(const std::timespec& begin) const {
  for (const File& file : files_)
    if (may_have_changed(file.path, begin)) return file.path;
  for (const std::string& path : candidates())
    if (may_have_changed(path, begin)) return path;
  return "";
}

std::vector<std::string> ModuleInputs::files() const {
  std::vector<std::string> paths;
  for (const File& file : files_) paths.push_back(file.path);
  return paths;
}

std::string ModuleInputs::rows() const {
  std::string rows;
  for (const File& file : files_) rows += "file " + file.state + " " + file.path + "\n";
  for (const std::string& folder : folders_) rows += "folder " + folder + "\n";
  for (const std::string& name : asked_) rows += "asked " + name + "\n";
  return rows + "candidates " + candidates_state_ + "\n";
}

std::optional<ModuleInputs> ModuleInputs::from_rows(const std::string& rows) {
  ModuleInputs inputs;
  std::istringstream lines(rows);
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos) return std::nullopt;
    const std::string kind = line.substr(0, blank), rest = line.substr(blank + 1);
    if (kind == "file") {
      const std::size_t end = rest.find(' ');
      if (end == std::string::npos) return std::nullopt;
      inputs.files_.push_back({rest.substr(end + 1), rest.substr(0, end)});
    } else if (kind == "folder") {
      inputs.folders_.push_back(rest);
    } else if (kind == "asked") {
      inputs.asked_.push_back(rest);
    } else if (kind == "candidates") {
      inputs.candidates_state_ = rest;
    } else {
      return std::nullopt;
    }
  }
  return inputs;
}

}  // namespace tessera::pto_cpp
