#include "frontends/tasm/option_reader.h"
#include "frontends/tasm/parser.h"

namespace tessera::tasm {

Statement parse_task(TokenCursor& cursor, Place) {
  TaskStatement s;
  s.name = parse_new_name(cursor, "a task");
  s.kind = expect_word(cursor, kTaskKinds);
  if (s.kind == pe::TaskKind::kData) {
    s.queue = name_of(cursor.expect_name("the name of the input queue"));
  } else {
    s.id = parse_expression(cursor, "the task id");
  }
  // wse.md 3.1, 3.2: wavelets activate data and control tasks, and the channel that carries the
  // wavelets of a control task blocks it.
  OptionReader options;
  if (s.kind == pe::TaskKind::kLocal) options.flag("active", s.active);
  if (s.kind != pe::TaskKind::kControl) options.flag("blocked", s.blocked);
  options.choice("priority", kTaskPriorities, s.priority).read(cursor);
  return s;
}

Statement parse_control_table(TokenCursor& cursor, Place place) {
  ControlTableStatement s{place, nullptr, nullptr};
  OptionReader().value("instructions", s.instructions).value("stride", s.stride).read(cursor);
  return s;
}

Statement parse_rotate(TokenCursor& cursor, Place) {
  RotateStatement s;
  s.main = name_of(cursor.expect_name("the name of a data task"));
  s.alternative = name_of(cursor.expect_name("the name of a control task"));
  OptionReader().value("limit", s.limit).value("init", s.init).read(cursor);
  return s;
}

Statement parse_main_thread(TokenCursor& cursor, Place place) {
  MainThreadStatement s{place, {}};
  OptionReader().choice("priority", kMainPriorities, s.priority).read(cursor);
  if (!s.priority) cursor.fail_expected("priority= of the main thread");
  return s;
}

Statement parse_control_transform(TokenCursor& cursor, Place place) {
  ControlTransformStatement s{place, nullptr};
  OptionReader().value("mask", s.mask).read(cursor);
  if (!s.mask) cursor.fail_expected("mask= of the control transforms");
  return s;
}

Statement parse_microthread(TokenCursor& cursor, Place place) {
  MicrothreadStatement s{place, parse_expression(cursor, "the number of a microthread")};
  if (!cursor.accept_word("blocked")) cursor.fail_expected("'blocked'");
  return s;
}

}  // namespace tessera::tasm
