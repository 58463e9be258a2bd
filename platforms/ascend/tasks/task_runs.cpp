// The times of launches, by runs of the kernels.
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "frontends/pto_cpp/compiler.h"
#include "frontends/text/diagnostics.h"
#include "frontends/text/json.h"
#include "platforms/ascend/tasks/task_list.h"
#include "platforms/ascend/tasks/task_state.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::ascend {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> command_of(const TaskList& list, const Task& task) {
  const TaskKernel& kernel = list.kernels[task.kernel];
  std::vector<std::string> words = {kernel.source, "--quiet"};
  if (!list.preset.empty()) words.insert(words.end(), {"--preset", list.preset});
  if (!kernel.function.empty()) words.insert(words.end(), {"--function", kernel.function});
  for (const auto& [name, value] : task.arguments)
    words.insert(words.end(), {"--arg", name + "=" + value});
  const unsigned a_cluster = kernel.cores == TaskCores::kAiv ? list.aivs : 1;
  const unsigned clusters = (task.blocks + a_cluster - 1) / a_cluster;
  words.insert(words.end(),
               {"--set", "launch.clusters=" + std::to_string(std::min(clusters, list.clusters))});
  if (kernel.cores == TaskCores::kAiv)
    words.insert(words.end(),
                 {"--set", task.blocks == 1 ? "launch.ratio=0:1" : "launch.ratio=0:2"});
  words.insert(words.end(), {"--set", "launch.blocks=" + std::to_string(task.blocks)});
  words.insert(words.end(), kernel.options.begin(), kernel.options.end());
  return words;
}

/// A folder that goes away with everything in it.
struct Folder {
  Folder() : path(fs::temp_directory_path() / ("tessera-tasks." + std::to_string(getpid()))) {
    fs::create_directories(path);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path path;
};

struct Run {
  Ns time = 0;
  std::vector<std::string> files;  // that it has read
};

/// Texts stand in a report by their names, seen from the folder of the program; arrays are among the words.
std::vector<std::string> files_of(const boost::json::object& report,
                                  const std::vector<std::string>& words) {
  std::vector<std::string> files;
  const fs::path folder = fs::path(words.front()).parent_path();
  for (const auto& text : report.at("run").at("files").as_object())
    files.push_back((folder / std::string(text.key())).string());
  for (const std::string& word : words) {
    const std::string value = word.substr(word.find('=') + 1);
    std::error_code none;
    if (fs::is_regular_file(value, none)) files.push_back(value);
  }
  return files;
}

Run run(const std::string& executable, const std::vector<std::string>& words,
        const fs::path& folder, const std::string& task, TaskState& state) {
  const std::string log = (folder / "log").string(), report = (folder / "report.json").string();
  std::vector<std::string> command = {executable};
  command.insert(command.end(), words.begin(), words.end());
  command.insert(command.end(), {"--report", report});
  const int status = pto_cpp::ChildProcess(command, log).wait();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    state.stop_if_asked();  // the run has been asked too
    const std::string said = text::read_file(log, "log");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
      throw UserError(words.front(), "task " + task,
                      said.substr(0, said.find_last_not_of('\n') + 1));
    throw IllegalBehaviour("task " + task + ": " + said, "/tessera/ascend/tasks");
  }
  const auto value = text::parse_json(text::read_file(report, "report"), report);
  const boost::json::object& whole = value.as_object();
  return {static_cast<Ns>(std::ceil(whole.at("time_ns").to_number<double>())),
          files_of(whole, words)};
}

}  // namespace

std::vector<Ns> times_of(const TaskList& list, const std::string& executable, TaskState& state) {
  const Folder folder;
  std::vector<Ns> times;
  for (const Task& task : list.tasks) {
    const TaskKernel& kernel = list.kernels[task.kernel];
    if (task.time || kernel.time) {
      times.push_back(task.time.value_or(kernel.time.value_or(1)));
      continue;
    }
    const auto words = command_of(list, task);
    if (state.find(words) == nullptr) {
      const Run found = run(executable, words, folder.path, task.name, state);
      state.add(words, found.time, TaskState::digests_of(found.files));
      state.stop_if_asked();
    }
    times.push_back(std::max<Ns>(*state.find(words), 1));
  }
  return times;
}

}  // namespace tessera::ascend
