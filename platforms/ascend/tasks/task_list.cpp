#include "platforms/ascend/tasks/task_list.h"

#include <filesystem>
#include <limits>
#include <sstream>

#include "frontends/text/diagnostics.h"
#include "frontends/text/json.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::ascend {

namespace {

using text::Node;

constexpr std::int64_t kMostTasks = 100'000;
constexpr Ns kLongest = Ns{1'000'000'000} * 3600;

std::int64_t number(const Node& node, std::int64_t lowest, std::int64_t highest,
                    const std::string& what) {
  return node.integer_in({}, lowest, highest, what);
}

TaskCores cores_of(const Node& node) {
  return text::read_choice<TaskCores>(
      node, {{"aic", TaskCores::kAic}, {"aiv", TaskCores::kAiv}, {"mix", TaskCores::kMix}},
      "the cores of a block");
}

/// A time in ns, as a whole number.
std::optional<Ns> time_of(const Node& object) {
  const auto node = object.find("time_ns");
  if (!node) return std::nullopt;
  return number(*node, 1, kLongest, "a time in ns");
}

void read_costs(const Node& root, SchedulerCosts& costs) {
  const auto node = root.find("scheduler");
  if (!node) return;
  node->allow_keys({"threads", "store_ns", "read_ns", "to_core_ns", "from_core_ns", "switch_ns",
                    "slots", "resolve_ns", "submit_ns", "idle_ns"});
  const auto count = [&](const char* key, unsigned& value, unsigned highest) {
    if (const auto found = node->find(key))
      value = static_cast<unsigned>(number(*found, 1, highest, "a number"));
  };
  const auto time = [&](const char* key, Ns& value, Ns lowest) {
    if (const auto found = node->find(key))
      value = number(*found, lowest, kLongest, "a time in ns");
  };
  count("threads", costs.threads, 64);
  count("slots", costs.slots, 16);
  time("store_ns", costs.store_ns, 0);
  time("read_ns", costs.read_ns, 1);
  time("to_core_ns", costs.to_core_ns, 0);
  time("from_core_ns", costs.from_core_ns, 0);
  time("switch_ns", costs.switch_ns, 0);
  time("resolve_ns", costs.resolve_ns, 0);
  time("submit_ns", costs.submit_ns, 0);
  time("idle_ns", costs.idle_ns, 1);
}

/// A value of --arg: a number or a text. Files are relative to the list.
std::string argument_of(const Node& node, const std::string& file) {
  if (!node.is_string()) {
    if (node.is_integer())
      return std::to_string(number(node, std::numeric_limits<std::int64_t>::min(),
                                   std::numeric_limits<std::int64_t>::max(), "an argument"));
    std::ostringstream text;
    text.precision(17);
    text << node.number("an argument");
    return text.str();
  }
  const std::string text = node.text("an argument");
  const std::filesystem::path path = text;
  const bool is_file = path.extension() == ".npy" && path.is_relative();
  return is_file ? (std::filesystem::path(file).parent_path() / path).string() : text;
}

void read_arguments(const Node& object, const std::string& file,
                    std::map<std::string, std::string>& arguments) {
  for (const auto& [name, node] : object.members_of("arguments"))
    arguments[name] = argument_of(node, file);
}

TaskKernel read_kernel(const Node& node, const std::string& file) {
  node.allow_keys({"source", "function", "cores", "arguments", "options", "time_ns"});
  TaskKernel kernel;
  kernel.cores = cores_of(node.at("cores"));
  kernel.time = time_of(node);
  if (!kernel.time || node.find("source")) {
    const std::filesystem::path source = node.at("source").text("the file of a kernel");
    kernel.source =
        (source.is_relative() ? std::filesystem::path(file).parent_path() / source : source)
            .string();
  }
  if (const auto function = node.find("function")) kernel.function = function->text("a function");
  for (const Node& word : node.items_of("options"))
    kernel.options.push_back(word.text("an option"));
  read_arguments(node, file, kernel.arguments);
  return kernel;
}

void read_task(const Node& node, TaskList& list, std::map<std::string, std::size_t>& known) {
  node.allow_keys({"name", "kernel", "arguments", "blocks", "after", "time_ns"});
  Task task;
  task.name = node.at("name").text("the name of a task");
  task.kernel = node.at("kernel").word(list.kernel_names, "a kernel of the list");
  task.time = time_of(node);
  task.arguments = list.kernels[task.kernel].arguments;
  read_arguments(node, list.file, task.arguments);
  if (const auto blocks = node.find("blocks"))
    task.blocks = static_cast<unsigned>(number(*blocks, 1, 65'535, "a number of blocks"));
  for (const Node& other : node.items_of("after")) {
    const std::string name = other.text("the name of a task");
    const auto found = known.find(name);
    if (found == known.end())
      other.fail("'", name, "' is no task that stands before this one in the list");
    task.after.push_back(found->second);
  }
  if (!known.emplace(task.name, list.tasks.size()).second)
    node.fail("two tasks are called '", task.name, "'");
  list.tasks.push_back(std::move(task));
}

}  // namespace

const char* to_string(TaskCores cores) {
  constexpr const char* kNames[] = {"aic", "aiv", "mix"};
  return kNames[static_cast<std::size_t>(cores)];
}

TaskList read_tasks(const std::string& file) {
  const text::Document document(text::read_file(file, "tasks"), file, "tessera-tasks-1");
  const Node root = document.root();
  root.allow_keys({"schema", "preset", "clusters", "aivs", "scheduler", "kernels", "tasks"});
  TaskList list;
  list.file = file;
  if (const auto preset = root.find("preset")) list.preset = preset->text("a preset");
  list.clusters =
      static_cast<unsigned>(number(root.at("clusters"), 1, 1024, "a number of clusters"));
  if (const auto aivs = root.find("aivs"))
    list.aivs = static_cast<unsigned>(number(*aivs, 1, 2, "a number of AIVs"));
  read_costs(root, list.costs);
  for (const auto& [name, node] : root.at("kernels").members()) {
    list.kernel_names.push_back(name);
    list.kernels.push_back(read_kernel(node, file));
  }
  std::map<std::string, std::size_t> known;
  for (const Node& node : root.at("tasks").items()) read_task(node, list, known);
  if (list.tasks.empty() || static_cast<std::int64_t>(list.tasks.size()) > kMostTasks)
    root.at("tasks").fail("expected 1 to ", kMostTasks, " tasks");
  return list;
}

}  // namespace tessera::ascend
