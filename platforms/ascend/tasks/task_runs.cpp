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

Ns run(const std::string& executable, std::vector<std::string> words, const fs::path& folder,
       const std::string& task) {
  const std::string log = (folder / "log").string(), report = (folder / "report.json").string();
  words.insert(words.begin(), executable);
  words.insert(words.end(), {"--report", report});
  const int status = pto_cpp::ChildProcess(words, log).wait();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    const std::string said = text::read_file(log, "log");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
      throw UserError(words[1], "task " + task, said.substr(0, said.find_last_not_of('\n') + 1));
    throw IllegalBehaviour("task " + task + ": " + said, "/tessera/ascend/tasks");
  }
  const auto value = text::parse_json(text::read_file(report, "report"), report);
  return static_cast<Ns>(std::ceil(value.as_object().at("time_ns").to_number<double>()));
}

}  // namespace

std::vector<Ns> times_of(const TaskList& list, const std::string& executable) {
  const Folder folder;
  std::map<std::vector<std::string>, Ns> known;
  std::vector<Ns> times;
  for (const Task& task : list.tasks) {
    const TaskKernel& kernel = list.kernels[task.kernel];
    if (task.time || kernel.time) {
      times.push_back(task.time.value_or(kernel.time.value_or(1)));
      continue;
    }
    auto words = command_of(list, task);
    auto found = known.find(words);
    if (found == known.end())
      found = known.emplace(words, run(executable, words, folder.path, task.name)).first;
    times.push_back(std::max<Ns>(found->second, 1));
  }
  return times;
}

}  // namespace tessera::ascend
