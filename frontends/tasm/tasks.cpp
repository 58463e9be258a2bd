#include "frontends/tasm/assembly.h"
#include "frontends/tasm/limits.h"
#include "frontends/tasm/words.h"

namespace tessera::tasm {
namespace {

const pe::QueueBinding& input_queue(const Assembly& a, const Name& name) {
  const Entity& entity = a.names.require(name, {NameKind::kQueue}, "the name of an input queue");
  const pe::QueueBinding& queue = a.image.queues[entity.index];
  if (!queue.input) {
    a.diagnostics.fail(name.place, "expected the name of an input queue, found the output queue " +
                                       quoted(name.text));
  }
  return queue;
}

TaskId local_id(const Assembly& a, const TaskStatement& s) {
  const Range ids = local_task_ids(a.options.generation);
  const Number n = a.evaluator().number(*s.id);
  if (!n.is_real && n.integer >= ids.low && n.integer <= ids.high)
    return TaskId(static_cast<unsigned>(n.integer));
  std::string why;
  if (!n.is_real && n.integer == pe::kNoTask) why = ", which stands for no task";
  if (!n.is_real && n.integer >= 0 && n.integer < ids.low) why = ", the id of an input queue";
  a.diagnostics.fail(s.id->place, "expected a local task id of " +
                                      std::string(to_string(a.options.generation)) + " " +
                                      std::to_string(ids.low) + ".." + std::to_string(ids.high) +
                                      ", found " + to_string(n) + why);
}

TaskId control_id(const Assembly& a, const TaskStatement& s) {
  const std::int64_t id = a.integer(*s.id, "a control task id", 0, kTaskCount - 1);
  if (id == pe::kNoTask) {
    a.diagnostics.fail(s.id->place, "expected a control task id other than 31, found 31, which "
                                    "stands for no task");
  }
  return TaskId(static_cast<unsigned>(id));
}

/// wse.md 3.1: in the same table.
bool share_ids(const Assembly& a, const pe::TaskBinding& x, const pe::TaskBinding& y) {
  if (!a.image.control_table) return true;
  return (x.kind == pe::TaskKind::kControl) == (y.kind == pe::TaskKind::kControl);
}

void require_unused(const Assembly& a, const TaskStatement& s, std::size_t index) {
  const pe::TaskBinding& task = a.image.tasks[index];
  for (std::size_t i = 0; i < index; ++i) {
    const pe::TaskBinding& other = a.image.tasks[i];
    if (other.id != task.id || !share_ids(a, task, other)) continue;
    const bool control = task.kind != other.kind && (task.kind == pe::TaskKind::kControl ||
                                                     other.kind == pe::TaskKind::kControl);
    const bool hint = control && a.options.generation == Generation::kWse3;
    a.diagnostics.fail(
        s.id ? s.id->place : s.queue.place,
        "expected a task id for " + quoted(task.name) + " that no other task has, found " +
            std::to_string(task.id.value()) + ", the id of " + quoted(other.name) + " of line " +
            std::to_string(other.line) +
            (hint ? "; with a control_table line control tasks have ids of their own" : ""));
  }
}

void bind_queue(const Assembly& a, const TaskStatement& s, pe::TaskBinding& task) {
  const pe::QueueBinding& queue = input_queue(a, s.queue);
  if (queue.unblocked) {
    a.diagnostics.fail(s.queue.place,
                       "expected a queue without unblocked for a data task, found " +
                           quoted(queue.name) + " of line " + std::to_string(queue.line) +
                           "; a channel with a data task is unblocked unless the task is blocked");
  }
  task.queue = queue.id;
  task.id = a.image.channel_of(queue);
}

void resolve(Assembly& a, const TaskStatement& s, std::size_t index) {
  pe::TaskBinding& task = a.image.tasks[index];
  if (s.kind == pe::TaskKind::kData) {
    bind_queue(a, s, task);
  } else {
    task.id = s.kind == pe::TaskKind::kLocal ? local_id(a, s) : control_id(a, s);
  }
  require_unused(a, s, index);
}

}  // namespace

void resolve_tasks(Assembly& a, const std::vector<Statement>& statements) {
  for_each<TaskStatement>(statements,
                          [&](const TaskStatement& s, std::size_t index) { resolve(a, s, index); });
}

TaskId resolve_task_id(const Assembly& a, const Name& name) {
  const std::string expected = "the name of a data task, local task or input queue";
  const Entity& entity = a.names.require(name, {NameKind::kTask, NameKind::kQueue}, expected);
  if (entity.kind == NameKind::kQueue) return a.image.channel_of(input_queue(a, name));
  const pe::TaskBinding& task = a.image.tasks[entity.index];
  // wse.md 3.2.
  if (task.kind == pe::TaskKind::kControl) {
    a.diagnostics.fail(name.place,
                       "expected " + expected + ", found the control task " + quoted(name.text) +
                           "; it is blocked with the channel that carries its wavelets");
  }
  return task.id;
}

TaskId resolve_local_task_id(const Assembly& a, const Name& name) {
  const Entity& entity = a.names.require(name, {NameKind::kTask}, "the name of a local task");
  const pe::TaskBinding& task = a.image.tasks[entity.index];
  if (task.kind != pe::TaskKind::kLocal) {
    a.diagnostics.fail(name.place, "expected the name of a local task, found the " +
                                       std::string(text_of(task.kind)) + " task " +
                                       quoted(name.text) + "; only wavelets activate it");
  }
  return task.id;
}

}  // namespace tessera::tasm
