#include "frontends/tasm/assembly.h"
#include "frontends/tasm/limits.h"

namespace tessera::tasm {
namespace {

/// wse.md 3.1: what blocks and unblocks a channel, and the id of its data task.
TaskId channel_id(const Assembly& a, const pe::QueueBinding& queue) {
  return TaskId(a.options.generation == Generation::kWse2 ? queue.color->value()
                                                          : queue.id.value());
}

const pe::QueueBinding& input_queue(const Assembly& a, const Name& name) {
  const Entity& entity = a.names.require(name, {NameKind::kQueue}, "the name of an input queue");
  const pe::QueueBinding& queue = a.image.queues[entity.index];
  if (!queue.input) {
    a.diagnostics.fail(name.place, "expected the name of an input queue, found the output queue " +
                                       quoted(name.text));
  }
  return queue;
}

std::string local_range(const Assembly& a) {
  return "a local task id of " + std::string(to_string(a.options.generation));
}

TaskId local_id(const Assembly& a, const TaskStatement& s) {
  const Range ids = local_task_ids(a.options.generation);
  const Number n = evaluate(*s.id, a.name_value(), a.diagnostics);
  if (!n.is_real && n.integer >= ids.low && n.integer <= ids.high)
    return TaskId(static_cast<unsigned>(n.integer));
  std::string why;
  if (!n.is_real && (n.integer == 29 || n.integer == 30)) why = ", an id of the system";
  if (!n.is_real && n.integer == 31) why = ", which stands for no task";
  if (!n.is_real && n.integer >= 0 && n.integer < ids.low) why = ", the id of an input queue";
  a.diagnostics.fail(s.id->place, "expected " + local_range(a) + " " + std::to_string(ids.low) +
                                      ".." + std::to_string(ids.high) + ", found " + to_string(n) +
                                      why);
}

void require_unused(const Assembly& a, const TaskStatement& s, TaskId id,
                    std::size_t tasks_before) {
  for (std::size_t i = 0; i < tasks_before; ++i) {
    const pe::TaskBinding& other = a.image.tasks[i];
    if (other.id != id) continue;
    const Place place = s.id ? s.id->place : s.queue.place;
    a.diagnostics.fail(place, "expected a task id that no other task has, found " +
                                  std::to_string(id.value()) + ", the id of " + quoted(other.name) +
                                  " of line " + std::to_string(other.line));
  }
}

void resolve(Assembly& a, const TaskStatement& s, std::size_t index) {
  pe::TaskBinding& task = a.image.tasks[index];
  if (s.kind == pe::TaskKind::kData) {
    const pe::QueueBinding& queue = input_queue(a, s.queue);
    task.queue = queue.id;
    task.id = channel_id(a, queue);
  } else {
    task.id = local_id(a, s);
  }
  require_unused(a, s, task.id, index);
}

}  // namespace

void resolve_tasks(Assembly& a, const std::vector<Statement>& statements) {
  std::size_t next = 0;
  for (const Statement& statement : statements) {
    if (const auto* task = std::get_if<TaskStatement>(&statement)) resolve(a, *task, next++);
  }
}

TaskId resolve_task_id(const Assembly& a, const Name& name) {
  const Entity& entity = a.names.require(name, {NameKind::kTask, NameKind::kQueue},
                                         "the name of a task or input queue");
  if (entity.kind == NameKind::kTask) return a.image.tasks[entity.index].id;
  return channel_id(a, input_queue(a, name));
}

TaskId resolve_local_task_id(const Assembly& a, const Name& name) {
  const Entity& entity = a.names.require(name, {NameKind::kTask}, "the name of a local task");
  const pe::TaskBinding& task = a.image.tasks[entity.index];
  if (task.kind != pe::TaskKind::kLocal) {
    a.diagnostics.fail(name.place, "expected the name of a local task, found the data task " +
                                       quoted(name.text) + "; only wavelets activate it");
  }
  return task.id;
}

}  // namespace tessera::tasm
