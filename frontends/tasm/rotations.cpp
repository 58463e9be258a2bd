// Rotating tasks (wse.md 3.3).
#include <algorithm>
#include <limits>

#include "frontends/tasm/assembly.h"
#include "frontends/tasm/words.h"

namespace tessera::tasm {
namespace {

std::uint32_t task_of(const Assembly& a, const Name& name, pe::TaskKind kind) {
  const std::string expected =
      kind == pe::TaskKind::kData ? "the name of a data task" : "the name of a control task";
  const Entity& entity = a.names.require(name, {NameKind::kTask}, expected);
  const pe::TaskBinding& task = a.image.tasks[entity.index];
  if (task.kind != kind) {
    a.diagnostics.fail(name.place, "expected " + expected + ", found the " +
                                       std::string(text_of(task.kind)) + " task " +
                                       quoted(name.text));
  }
  return static_cast<std::uint32_t>(entity.index);
}

/// The alternative must be entry 0 of the control tasks of the queue.
void check_alternative(const Assembly& a, const RotateStatement& s, const pe::Rotation& rotation) {
  const pe::QueueBinding& queue = *a.image.find_queue(true, a.image.tasks[rotation.main].queue);
  const unsigned first = a.image.first_control_task(queue);
  const unsigned id = a.image.tasks[rotation.alternative].id.value();
  if (id == first) return;
  a.diagnostics.fail(s.alternative.place, "expected the control task " + std::to_string(first) +
                                              ", the first one of queue " + quoted(queue.name) +
                                              ", found " + quoted(s.alternative.text) +
                                              ", control task " + std::to_string(id));
}

void resolve(Assembly& a, const RotateStatement& s) {
  std::vector<pe::Rotation>& rotations = a.image.rotations;
  if (a.options.generation != Generation::kWse3)
    a.diagnostics.fail(s.main.place, "expected no rotate line, found one; only wse3 rotates tasks");
  if (rotations.size() == pe::kMaxRotations) {
    a.diagnostics.fail(s.main.place, "expected at most " + std::to_string(pe::kMaxRotations) +
                                         " rotate lines, found another");
  }
  pe::Rotation rotation;
  rotation.line = s.main.place.line;
  rotation.main = task_of(a, s.main, pe::TaskKind::kData);
  rotation.alternative = task_of(a, s.alternative, pe::TaskKind::kControl);
  const auto same = std::find_if(rotations.begin(), rotations.end(),
                                 [&](const pe::Rotation& r) { return r.main == rotation.main; });
  if (same != rotations.end()) {
    a.diagnostics.fail(s.main.place, "expected each data task once, found " + quoted(s.main.text) +
                                         " again; line " + std::to_string(same->line) +
                                         " rotates it");
  }
  check_alternative(a, s, rotation);
  if (!s.limit) {
    a.diagnostics.fail(s.main.place, "expected limit= for the rotation of " + quoted(s.main.text) +
                                         ", found none");
  }
  const std::int64_t limit =
      a.integer(*s.limit, "a limit", 0, std::numeric_limits<std::uint16_t>::max());
  rotation.limit = static_cast<std::uint16_t>(limit);
  // Above the limit the counter would never meet it.
  if (s.init)
    rotation.init =
        static_cast<std::uint16_t>(a.integer(*s.init, "a start up to limit=,", 0, limit));
  rotations.push_back(rotation);
}

}  // namespace

void resolve_rotations(Assembly& a, const std::vector<Statement>& statements) {
  for_each<RotateStatement>(statements,
                            [&](const RotateStatement& s, std::size_t) { resolve(a, s); });
}

}  // namespace tessera::tasm
