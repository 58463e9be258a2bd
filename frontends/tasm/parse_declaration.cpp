#include "frontends/tasm/parser.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "frontends/tasm/option_reader.h"

namespace tessera::tasm {
namespace {

Statement parse_param(TokenCursor& cursor, Place) {
  ParamStatement s{parse_new_name(cursor, "a param"), nullptr};
  if (cursor.at_end()) return s;
  cursor.expect("=", "'=' and the default of the param, or the end of the line");
  s.value = parse_expression(cursor, "the default of the param");
  return s;
}

Statement parse_const(TokenCursor& cursor, Place) {
  ConstStatement s{parse_new_name(cursor, "a const"), nullptr};
  cursor.expect("=", "'=' and the value of the const");
  s.value = parse_expression(cursor, "the value of the const");
  return s;
}

Statement parse_half(TokenCursor& cursor, Place place) {
  return HalfStatement{place, expect_word(cursor, kHalfFormats)};
}

Statement parse_data(TokenCursor& cursor, Place) {
  DataStatement s;
  s.name = parse_new_name(cursor, "a data symbol");
  cursor.expect(":", "':' and the type");
  s.type = expect_word(cursor, kElementTypes);
  cursor.expect("[", "'[' and the number of elements");
  s.count = parse_expression(cursor, "the number of elements");
  cursor.expect("]", "']'");
  OptionReader().value("align", s.align).read(cursor, "=");
  if (!cursor.accept("=")) return s;
  do {
    s.init.push_back(parse_expression(cursor, "a value"));
  } while (cursor.accept(","));
  return s;
}

Statement parse_queue(TokenCursor& cursor, Place) {
  QueueStatement s;
  s.name = parse_new_name(cursor, "a queue");
  s.input = expect_word(cursor, kQueueDirections) == QueueDirection::kInput;
  s.id = parse_expression(cursor, "the queue id");
  OptionReader options;
  options.value("color", s.color);
  if (s.input) {
    options.flag("unblocked", s.unblocked)
        .choice("priority", kPriorities, s.priority)
        .value("control_table", s.control_table);
  }
  options.flag("dense", s.dense).read(cursor);
  return s;
}

Statement parse_function(TokenCursor& cursor, Place) {
  return FunctionStatement{parse_new_name(cursor, "a function")};
}

struct Declaration {
  std::string_view keyword;
  Statement (*parse)(TokenCursor& cursor, Place place);
};

constexpr std::array<Declaration, 15> kDeclarations = {
    {{"param", parse_param},
     {"const", parse_const},
     {"half", parse_half},
     {"data", parse_data},
     {"queue", parse_queue},
     {"dsd", parse_dsd},
     {"fifo", parse_fifo},
     {"dsr", parse_initial_load},
     {"control_table", parse_control_table},
     {"main_thread", parse_main_thread},
     {"control_transform", parse_control_transform},
     {"microthread", parse_microthread},
     {"rotate", parse_rotate},
     {"task", parse_task},
     {"fn", parse_function}}};

}  // namespace

const std::vector<std::string>& keywords() {
  static const std::vector<std::string> kKeywords = [] {
    std::vector<std::string> words;
    for (const Declaration& d : kDeclarations) words.emplace_back(d.keyword);
    return words;
  }();
  return kKeywords;
}

Statement parse_declaration(TokenCursor& cursor) {
  const Token keyword = cursor.take();
  const auto* declaration =
      std::find_if(kDeclarations.begin(), kDeclarations.end(),
                   [&](const Declaration& d) { return d.keyword == keyword.text; });
  return declaration->parse(cursor, keyword.place);
}

}  // namespace tessera::tasm
