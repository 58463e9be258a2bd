// What the layout tests share: a folder with files that layouts refer to, and layouts made of
// sections.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <unistd.h>

#include "frontends/layout/layout_reader.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::layout::test {

/// A folder of its own with a.tasm, b.tasm and y.npy; removed at the end.
class Folder {
 public:
  Folder() {
    path_ =
        std::filesystem::temp_directory_path() / ("tessera_layout_" + std::to_string(::getpid()));
    std::filesystem::create_directories(path_);
    for (const char* name : {"a.tasm", "b.tasm", "y.npy"}) std::ofstream(path_ / name) << "\n";
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path() const { return path_.string(); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

using Sections = std::map<std::string, std::string>;

/// A layout of 4 x 3 tiles with the given sections; a section of "" is left out.
inline std::string layout_text(const Sections& sections) {
  Sections all = {{"schema", "\"tessera-wse-layout-1\""}, {"grid", "[4, 3]"}};
  for (const auto& [key, value] : sections) all[key] = value;
  std::string text;
  for (const auto& [key, value] : all) {
    if (value.empty()) continue;
    text += (text.empty() ? "{\"" : ",\n \"") + key + "\": " + value;
  }
  return text + "}";
}

inline Layout read(const Sections& sections, const ParamOverrides& overrides = {}) {
  const Folder folder;
  return read_layout_text(layout_text(sections), "t.json", folder.path(), overrides);
}

/// The message with which a layout is refused; the path of the folder is shown as DIR.
inline std::string problem_of_text(const std::string& text, const ParamOverrides& overrides = {}) {
  const Folder folder;
  try {
    read_layout_text(text, "t.json", folder.path(), overrides);
  } catch (const UserError& error) {
    std::string message = error.what();
    const std::size_t at = message.find(folder.path());
    return at == std::string::npos ? message : message.replace(at, folder.path().size(), "DIR");
  }
  return "accepted";
}

inline std::string problem_of(const Sections& sections, const ParamOverrides& overrides = {}) {
  return problem_of_text(layout_text(sections), overrides);
}

}  // namespace tessera::layout::test
