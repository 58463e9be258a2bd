// What the layout tests share: a folder with files that layouts refer to, and layouts made of
// sections.
#pragma once

#include <map>
#include <string>

#include "frontends/layout/layout_reader.h"
#include "tests/support/temporary_folder.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::layout::test {

/// A folder with a.tasm, b.tasm and y.npy.
class Folder {
 public:
  Folder() {
    for (const char* name : {"a.tasm", "b.tasm", "y.npy"}) {
      tessera::test::write_file(file(name), "\n");
    }
  }
  std::string path() const { return folder_.path().string(); }
  std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  tessera::test::TemporaryFolder folder_;
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
