// Task ids (wse.md 3.1, 3.2) and rotating tasks (3.3).
#include <algorithm>

#include "frontends/tasm/assembly.h"
#include "frontends/tasm/words.h"

namespace tessera::tasm {
namespace {

/// Index of the task, which must be of this kind; `why` ends the message about one of another.
std::uint32_t index_of_task(const Assembly& a, const Name& name, pe::TaskKind kind,
                            const char* why = "") {
  const std::string expected = text::joined("the name of a ", text_of(kind), " task");
  const Entity& entity = a.names.require(name, {NameKind::kTask}, expected);
  const pe::TaskKind found = a.image.tasks[entity.index].kind;
  if (found != kind)
    a.fail(name.place, "expected ", expected, ", found the ", text_of(found), " task ",
           in_quotes(name.text), why);
  return static_cast<std::uint32_t>(entity.index);
}

const pe::QueueBinding& input_queue(const Assembly& a, const Name& name) {
  const Entity& entity = a.names.require(name, {NameKind::kQueue}, "the name of an input queue");
  const pe::QueueBinding& queue = a.image.queues[entity.index];
  if (!queue.input) {
    a.fail(name.place, "expected the name of an input queue, found the output queue ",
           in_quotes(name.text));
  }
  if (!a.image.has_channel(queue)) {
    a.fail(name.place, "expected a queue without shares=, which has a channel on wse3, found ",
           in_quotes(name.text));
  }
  return queue;
}

TaskId local_id(const Assembly& a, const TaskStatement& s) {
  // wse.md 3.1: the machine activates 29 and 30; on WSE-3 the ids of the input queues lie below.
  const std::int64_t lowest = a.options.generation == Generation::kWse2 ? 0 : 8;
  constexpr std::int64_t kHighest = 30;
  const Number n = a.evaluator().number(*s.id);
  if (!n.is_real && n.integer >= lowest && n.integer <= kHighest)
    return TaskId(static_cast<unsigned>(n.integer));
  std::string why;
  if (!n.is_real && n.integer == pe::kNoTask) why = ", which stands for no task";
  if (!n.is_real && n.integer >= 0 && n.integer < lowest) why = ", the id of an input queue";
  a.fail(s.id->place, "expected a local task id of ", to_string(a.options.generation), " ", lowest,
         "..", kHighest, ", found ", to_string(n), why);
}

TaskId control_id(const Assembly& a, const TaskStatement& s) {
  const std::int64_t id = a.integer(*s.id, "a control task id", 0, kTaskCount - 1);
  if (id == pe::kNoTask && !a.options.control_task_31) {
    a.fail(s.id->place, "expected a control task id other than 31, found 31, which stands for no "
                        "task with pe.control_task_31=none");
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
    a.fail(s.id ? s.id->place : s.queue.place, "expected a task id for ", in_quotes(task.name),
           " that no other task has, found ", task.id.value(), ", the id of ", named(a, other),
           (hint ? "; with a control_table line control tasks have ids of their own" : ""));
  }
}

void bind_queue(const Assembly& a, const TaskStatement& s, pe::TaskBinding& task) {
  const pe::QueueBinding& queue = input_queue(a, s.queue);
  if (queue.unblocked) {
    a.fail(s.queue.place, "expected a queue without unblocked for a data task, found ",
           named(a, queue), "; a channel with a data task is unblocked unless the task is blocked");
  }
  if (!queue.color && a.is_wse2())
    a.fail(s.queue.place, "expected a queue with a color for a data task, found ", named(a, queue));
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

/// The alternative must be entry 0 of the control tasks of the queue.
void check_alternative(const Assembly& a, const RotateStatement& s, const pe::Rotation& rotation) {
  const pe::QueueBinding& queue = *a.image.find_queue(true, a.image.tasks[rotation.main].queue);
  const unsigned first = a.image.first_control_task(queue);
  const unsigned id = a.image.tasks[rotation.alternative].id.value();
  if (id == first) return;
  a.fail(s.alternative.place, "expected the control task ", first, ", the first one of queue ",
         in_quotes(queue.name), ", found ", in_quotes(s.alternative.text), ", control task ", id);
}

void resolve(Assembly& a, const RotateStatement& s) {
  std::vector<pe::Rotation>& rotations = a.image.rotations;
  a.refuse_on(Generation::kWse2, &s.main, "rotate line", "only wse3 rotates tasks");
  if (rotations.size() == pe::kMaxRotations)
    a.fail(s.main.place, "expected at most ", pe::kMaxRotations, " rotate lines, found another");
  pe::Rotation rotation;
  rotation.line = s.main.place.line;
  rotation.main = index_of_task(a, s.main, pe::TaskKind::kData);
  rotation.alternative = index_of_task(a, s.alternative, pe::TaskKind::kControl);
  const auto same = std::find_if(rotations.begin(), rotations.end(),
                                 [&](const pe::Rotation& r) { return r.main == rotation.main; });
  if (same != rotations.end()) {
    a.fail(s.main.place, "expected each data task once, found ", in_quotes(s.main.text),
           " again; line ", a.diagnostics.line_text(same->line), " rotates it");
  }
  check_alternative(a, s, rotation);
  if (!s.limit) {
    a.fail(s.main.place, "expected limit= for the rotation of ", in_quotes(s.main.text),
           ", found none");
  }
  const std::int64_t limit = a.integer<std::uint16_t>(*s.limit, "a limit");
  rotation.limit = static_cast<std::uint16_t>(limit);
  // Above the limit the counter would never meet it.
  if (s.init) rotation.init = a.integer<std::uint16_t>(*s.init, "a start up to limit=,", 0, limit);
  rotations.push_back(rotation);
}

}  // namespace

void resolve_tasks(Assembly& a, const std::vector<Statement>& statements) {
  for_each<TaskStatement>(statements,
                          [&](const TaskStatement& s, std::size_t index) { resolve(a, s, index); });
}

TaskId resolve_task_id(const Assembly& a, const Name& name) {
  const std::string expected = "the name of a data task, local task or input queue";
  const Entity& entity = a.names.require(name, {NameKind::kTask, NameKind::kQueue}, expected);
  if (entity.kind == NameKind::kQueue) {
    const pe::QueueBinding& queue = input_queue(a, name);
    if (!queue.color && a.is_wse2())
      a.fail(name.place, "expected a queue with a color, found ", named(a, queue));
    return a.image.channel_of(queue);
  }
  const pe::TaskBinding& task = a.image.tasks[entity.index];
  // wse.md 3.2.
  if (task.kind == pe::TaskKind::kControl) {
    a.fail(name.place, "expected ", expected, ", found the control task ", in_quotes(name.text),
           "; it is blocked with the channel that carries its wavelets");
  }
  return task.id;
}

TaskId resolve_local_task_id(const Assembly& a, const Name& name) {
  return a.image.tasks[index_of_task(a, name, pe::TaskKind::kLocal, "; only wavelets activate it")]
      .id;
}

void resolve_rotations(Assembly& a, const std::vector<Statement>& statements) {
  for_each<RotateStatement>(statements,
                            [&](const RotateStatement& s, std::size_t) { resolve(a, s); });
}

}  // namespace tessera::tasm
