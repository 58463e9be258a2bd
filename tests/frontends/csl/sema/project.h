// Small CSL programs in a temporary folder, what they print at compile time and their messages.
#pragma once

#include <memory>
#include <sstream>
#include <string>

#include "frontends/csl/sema/engine.h"
#include "tests/frontends/csl/message_id.h"
#include "tests/support/run_executable.h"

namespace tessera::csl {

class Project {
 public:
  Project() { file("pe.csl", ""); }
  Project& file(const std::string& name, const std::string& text) {
    test::write_file(folder_.file(name), text);
    return *this;
  }
  /// The file layout.csl: declarations, and a layout block of one PE that ends with `body`.
  Project& layout(const std::string& declarations, const std::string& body = "") {
    return file("layout.csl", declarations + "\nlayout {\n@set_rectangle(1, 1);\n" +
                                  "@set_tile_code(0, 0, \"pe.csl\");\n" + body + "\n}\n");
  }
  /// Evaluates layout.csl; the program lives as long as this object.
  const Program& evaluate(const Options& options = {}) {
    engine_ = std::make_unique<Engine>(options, messages_);
    return engine_->evaluate(folder_.file("layout.csl"));
  }
  std::string path(const std::string& name) const { return folder_.file(name); }
  /// The message that layout.csl gives, without the folder and ids; "" if there is none.
  std::string mistake(const Options& options = {}) {
    try {
      evaluate(options);
    } catch (const UserError& error) {
      return without_folder(without_ids(error.what()));
    }
    return "";
  }
  /// What the evaluation has printed, without the folder.
  std::string messages() const { return without_folder(messages_.str()); }

 private:
  std::string without_folder(std::string text) const {
    const std::string folder = folder_.path().string() + "/";
    for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder))
      text.erase(at, folder.size());
    return text;
  }

  test::TemporaryFolder folder_;
  std::ostringstream messages_;
  std::unique_ptr<Engine> engine_;
};

/// What `@comptime_print(expression)` shows.
inline std::string value_of(const std::string& expression, const std::string& declarations = "") {
  Project project;
  project.layout(declarations, "@comptime_print(" + expression + ");");
  const std::string problem = project.mistake();
  if (!problem.empty()) return problem.substr(0, problem.find('\n'));
  const std::string text = project.messages();
  const std::size_t from = text.find(": ");
  return text.substr(from + 2, text.size() - from - 3);
}

inline std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// The first line of the message of a program with this code on its PE.
inline std::string tile_mistake(const std::string& code) {
  Project project;
  project.layout("", "@export_name(\"x\", [*]f32, true);").file("pe.csl", code);
  return first_line(project.mistake());
}

}  // namespace tessera::csl
