// The two exceptions of the house (docs/architecture.md#errors). Integration mistakes are
// SC_REPORT_ERRORs instead. And what to say where the operating system refuses something.
#pragma once

#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace tessera {

/// User input that cannot be accepted: a config, layout, program, data file or option. Exit code 2.
/// `what()` is one sentence, "FILE: PLACE: problem; what is allowed", or "FILE:LINE:COLUMN: ..." as
/// compilers write it. `file` and `place` may be empty.
class UserError : public std::runtime_error {
 public:
  UserError(const std::string& file, const std::string& place, const std::string& problem)
      : std::runtime_error(join(file, place, problem)), file_(file), place_(place) {}
  /// The file that was being read.
  const std::string& file() const { return file_; }
  /// Where in the file: "12:5" (line:column) or a JSON path such as "routes[2].color".
  const std::string& place() const { return place_; }

 private:
  static std::string join(const std::string& file, const std::string& place,
                          const std::string& problem) {
    std::string text;
    const bool is_line = !place.empty() && place.front() >= '0' && place.front() <= '9';
    if (!file.empty()) text += file + (is_line ? ":" : ": ");
    if (!place.empty()) text += place + ": ";
    return text + problem;
  }
  std::string file_;
  std::string place_;
};

/// The running program did what the machine does not allow (wse.md leaves many such cases
/// undefined): the model stops and says which PE, instruction and rule. Exit code 4. `id` names the
/// rule for scripts and stays the same when the words change ("/tessera/pe/fifo_reentry"; may be
/// empty); `what()` ends with it: "TEXT [ID]".
class IllegalBehaviour : public std::runtime_error {
 public:
  explicit IllegalBehaviour(const std::string& text, std::string id = {})
      : std::runtime_error(id.empty() ? text : text + " [" + id + "]"), id_(std::move(id)) {}
  const std::string& id() const { return id_; }

 private:
  std::string id_;
};

inline constexpr const char* kNoMemory =
    "there is not enough memory for this program on this machine";

/// What is short where the system refuses something, which is no defect: one sentence for people.
inline std::string refusal_of_system(const std::system_error& error) {
  const std::error_code code = error.code();
  if (code == std::errc::resource_unavailable_try_again)
    return "the system gives this user no more threads or processes (ulimit -u)";
  if (code == std::errc::too_many_files_open || code == std::errc::too_many_files_open_in_system)
    return "the system opens no more files for this process (ulimit -n)";
  if (code == std::errc::not_enough_memory) return kNoMemory;
  return std::string("the system refuses: ") + error.what();
}

}  // namespace tessera
