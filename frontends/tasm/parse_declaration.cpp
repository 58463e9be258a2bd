#include "frontends/tasm/parser.h"

namespace tessera::tasm {
namespace {

/// Takes `word=` and the expression behind it, if the next token is `word`.
bool accept_option(TokenCursor& cursor, const char* word, ExpressionPtr& value) {
  const Token& token = cursor.peek();
  if (token.kind != Token::Kind::kName || token.text != word) return false;
  if (value) cursor.fail("each option once", " again");
  cursor.take();
  cursor.expect("=", std::string("'=' behind ") + word);
  value = parse_expression(cursor, std::string("the value of ") + word);
  return true;
}

bool accept_flag(TokenCursor& cursor, const char* word, bool& flag) {
  const Token& token = cursor.peek();
  if (token.kind != Token::Kind::kName || token.text != word) return false;
  if (flag) cursor.fail("each option once", " again");
  cursor.take();
  return flag = true;
}

Name name_of(const Token& token) {
  return {token.place, token.text};
}

ParamStatement parse_param(TokenCursor& cursor) {
  ParamStatement s{parse_new_name(cursor, "a param"), nullptr};
  if (cursor.at_end()) return s;
  cursor.expect("=", "'=' and the default of the param, or the end of the line");
  s.value = parse_expression(cursor, "the default of the param");
  return s;
}

ConstStatement parse_const(TokenCursor& cursor) {
  ConstStatement s{parse_new_name(cursor, "a const"), nullptr};
  cursor.expect("=", "'=' and the value of the const");
  s.value = parse_expression(cursor, "the value of the const");
  return s;
}

DataStatement parse_data(TokenCursor& cursor) {
  DataStatement s;
  s.name = parse_new_name(cursor, "a data symbol");
  cursor.expect(":", "':' and the type");
  const std::optional<pe::ElementType> type = pe::element_type_from(cursor.peek().text);
  if (!type) cursor.fail("a type i16, u16, i32, u32 or f32");
  cursor.take();
  s.type = *type;
  cursor.expect("[", "'[' and the number of elements");
  s.count = parse_expression(cursor, "the number of elements");
  cursor.expect("]", "']'");
  if (!cursor.accept("=")) return s;
  do {
    s.init.push_back(parse_expression(cursor, "a value"));
  } while (cursor.accept(","));
  return s;
}

QueueStatement parse_queue(TokenCursor& cursor) {
  QueueStatement s;
  s.name = parse_new_name(cursor, "a queue");
  s.input = cursor.accept_word("input");
  if (!s.input && !cursor.accept_word("output")) cursor.fail("'input' or 'output'");
  s.id = parse_expression(cursor, "the queue id");
  accept_option(cursor, "color", s.color);
  return s;
}

pe::DsdKind parse_dsd_kind(TokenCursor& cursor) {
  if (cursor.accept_word("mem1d")) return pe::DsdKind::kMem1d;
  if (cursor.accept_word("fabin")) return pe::DsdKind::kFabin;
  if (cursor.accept_word("fabout")) return pe::DsdKind::kFabout;
  cursor.fail("'mem1d', 'fabin' or 'fabout'");
}

DsdStatement parse_dsd(TokenCursor& cursor) {
  DsdStatement s;
  s.name = parse_new_name(cursor, "a dsd");
  s.kind = parse_dsd_kind(cursor);
  const bool memory = s.kind == pe::DsdKind::kMem1d;
  s.target =
      name_of(cursor.expect_name(memory ? "the name of a data symbol" : "the name of a queue"));
  while (!cursor.at_end()) {
    if (accept_option(cursor, "extent", s.extent)) continue;
    if (memory && accept_option(cursor, "offset", s.offset)) continue;
    if (memory && accept_option(cursor, "stride", s.stride)) continue;
    if (s.kind == pe::DsdKind::kFabout && accept_option(cursor, "color", s.color)) continue;
    cursor.fail(memory                          ? "offset=, extent= or stride="
                : s.kind == pe::DsdKind::kFabin ? "extent="
                                                : "extent= or color=");
  }
  return s;
}

TaskStatement parse_task(TokenCursor& cursor) {
  TaskStatement s;
  s.name = parse_new_name(cursor, "a task");
  if (cursor.accept_word("data")) {
    s.kind = pe::TaskKind::kData;
    s.queue = name_of(cursor.expect_name("the name of the input queue"));
    accept_flag(cursor, "blocked", s.blocked);
    cursor.expect_end("'blocked' or the end of the line");
    return s;
  }
  if (!cursor.accept_word("local")) cursor.fail("'data' or 'local'");
  s.id = parse_expression(cursor, "the task id");
  while (accept_flag(cursor, "active", s.active) || accept_flag(cursor, "blocked", s.blocked)) {
  }
  cursor.expect_end("'active', 'blocked' or the end of the line");
  return s;
}

}  // namespace

std::optional<Statement> parse_declaration(std::string_view keyword, TokenCursor& cursor) {
  if (keyword == "param") return parse_param(cursor);
  if (keyword == "const") return parse_const(cursor);
  if (keyword == "data") return parse_data(cursor);
  if (keyword == "queue") return parse_queue(cursor);
  if (keyword == "dsd") return parse_dsd(cursor);
  if (keyword == "task") return parse_task(cursor);
  if (keyword == "fn") return FunctionStatement{parse_new_name(cursor, "a function")};
  return std::nullopt;
}

}  // namespace tessera::tasm
