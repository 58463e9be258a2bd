#include "frontends/tasm/parser.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "frontends/tasm/option_reader.h"

namespace tessera::tasm {
namespace {

bool is_keyword(std::string_view text) {
  return std::find(keywords().begin(), keywords().end(), text) != keywords().end();
}

// Parsers of single declarations. The cursor stands after the keyword; `place` is that of the
// keyword. The caller refuses what is left of the line.

void read_memory_options(TokenCursor& cursor, DsdStatement& s) {
  OptionReader options;
  if (s.kind == pe::DsdKind::kCircbuf) {
    options.value("extent", s.extent).value("wraparound", s.wraparound).read(cursor);
    return;
  }
  options.value("offset", s.offset);
  if (s.kind == pe::DsdKind::kMem4d) {
    options.values("extent", pe::kMaxDimensions, s.extents)
        .values("stride", pe::kMaxDimensions, s.strides)
        .values("step", pe::kMaxDimensions, s.steps);
  } else {
    options.value("extent", s.extent).value("stride", s.stride);
  }
  options.flag("wavelet_index_offset", s.wavelet_index_offset)
      .choice("element", kElementSizes, s.element)
      .choice("of", kElementTypes, s.stated)
      .read(cursor);
}

void read_fabric_options(TokenCursor& cursor, DsdStatement& s) {
  OptionReader options;
  options.value("extent", s.extent).value("color", s.color);
  if (s.kind == pe::DsdKind::kFabout) {
    options.flag("control", s.control)
        .flag("wavelet_index_offset", s.wavelet_index_offset)
        .flag("advance_switch", s.advance_switch)
        .choice("zero", kZeroSources, s.zero);
  }
  options.choice("simd", kSimdModes, s.simd)
      .flag("control_transform", s.control_transform)
      .choice("priority", kPriorities, s.priority)
      .read(cursor);
}

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
  OptionReader()
      .value("align", s.align)
      .choice("packed", kPackedTypes, s.packed)
      .value("elements", s.elements)
      .read(cursor, "=");
  if (!cursor.accept("=")) return s;
  do {
    s.init.push_back(parse_expression(cursor, "a value"));
  } while (cursor.accept(","));
  return s;
}

/// \n, \\ and \xNN, the character of this number.
Statement parse_string(TokenCursor& cursor, Place) {
  StringStatement s{parse_new_name(cursor, "a string"), ""};
  const Token token = cursor.expect_kind(Token::Kind::kString, "the text of the string in quotes");
  const std::string text = token.text.substr(1, token.text.size() - 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      s.text += text[i];
      continue;
    }
    const std::string_view escape = std::string_view(text).substr(i + 1, 3);
    unsigned number = 0;
    if (escape.substr(0, 1) == "n" || escape.substr(0, 1) == "\\") {
      s.text += escape[0] == 'n' ? '\n' : '\\';
      i += 1;
    } else if (escape.size() == 3 && escape[0] == 'x' &&
               std::from_chars(&escape[1], &escape[1] + 2, number, 16).ptr == &escape[1] + 2) {
      s.text += static_cast<char>(number);
      i += 3;
    } else {
      cursor.fail(token.place, "expected \\n, \\\\ or \\xNN after \\ in the string, found ",
                  in_quotes(text.substr(i, 4)));
    }
  }
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
        .value("control_table", s.control_table)
        .value("shares", s.shares);
  }
  options.flag("dense", s.dense).read(cursor);
  return s;
}

Statement parse_function(TokenCursor& cursor, Place) {
  return FunctionStatement{parse_new_name(cursor, "a function")};
}

Statement parse_dsd(TokenCursor& cursor, Place) {
  DsdStatement s;
  s.name = parse_new_name(cursor, "a dsd");
  s.kind = expect_word(cursor, kDsdKinds);
  const bool memory = is_memory(s.kind);
  // wse.md 5.5: a fabin may name its color instead of its queue.
  const bool by_color = s.kind == pe::DsdKind::kFabin && cursor.peek().is_word("color");
  if (!by_color || !cursor.peek(1).is("="))
    s.target = cursor.expect_name(memory ? "the name of a data symbol" : "the name of a queue");
  if (memory) {
    read_memory_options(cursor, s);
  } else {
    read_fabric_options(cursor, s);
  }
  return s;
}

Statement parse_fifo(TokenCursor& cursor, Place) {
  FifoStatement s;
  s.name = parse_new_name(cursor, "a fifo");
  s.symbol = cursor.expect_name("the name of a data symbol");
  OptionReader()
      .value("dsr", s.dsr)
      .value("xdsr", s.xdsr)
      .choice("empty", kFifoActions, s.empty)
      .choice("full", kFifoActions, s.full)
      .name("activate_push", "the name of a local task", s.activate_push)
      .name("activate_pop", "the name of a local task", s.activate_pop)
      .choice("priority", kPriorities, s.priority)
      .choice("simd", kSimdModes, s.simd)
      .read(cursor);
  return s;
}

Statement parse_initial_load(TokenCursor& cursor, Place) {
  const std::string expected =
      "a DSR dds0..dds15, s0ds0..s0ds15 or s1ds0..s1ds15 that is loaded before the start";
  InitialLoadStatement s;
  s.reg = {cursor.place(), cursor.peek().text};
  const std::optional<RegisterName> reg = accept_register(cursor);
  if (!reg) cursor.fail_expected(expected);
  if ((reg->kind & pe::kAnyDsr) == 0)
    cursor.fail(s.reg.place, "expected ", expected, ", found ", in_quotes(s.reg.text));
  s.dsr = {reg->kind, static_cast<std::uint8_t>(reg->number), 0};
  s.dsd = cursor.expect_name("the name of a dsd");
  parse_options(cursor, "the dsd of " + s.reg.text, s.options);
  return s;
}

Statement parse_task(TokenCursor& cursor, Place) {
  TaskStatement s;
  s.name = parse_new_name(cursor, "a task");
  s.kind = expect_word(cursor, kTaskKinds);
  if (s.kind == pe::TaskKind::kData) {
    s.queue = cursor.expect_name("the name of the input queue");
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
  s.main = cursor.expect_name("the name of a data task");
  s.alternative = cursor.expect_name("the name of a control task");
  OptionReader().value("limit", s.limit).value("init", s.init).read(cursor);
  return s;
}

Statement parse_main_thread(TokenCursor& cursor, Place place) {
  MainThreadStatement s{place, {}};
  OptionReader().choice("priority", kMainPriorities, s.priority).read(cursor);
  if (!s.priority) cursor.fail_expected("priority= of the main thread");
  return s;
}

Statement parse_routing_registers(TokenCursor& cursor, Place place) {
  if (!cursor.accept_word("unused")) cursor.fail_expected("'unused'");
  return RoutingRegistersStatement{place};
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

struct Declaration {
  std::string_view keyword;
  Statement (*parse)(TokenCursor& cursor, Place place);
};

constexpr std::array<Declaration, 17> kDeclarations = {
    {{"param", parse_param},
     {"const", parse_const},
     {"half", parse_half},
     {"data", parse_data},
     {"string", parse_string},
     {"queue", parse_queue},
     {"dsd", parse_dsd},
     {"fifo", parse_fifo},
     {"dsr", parse_initial_load},
     {"control_table", parse_control_table},
     {"main_thread", parse_main_thread},
     {"routing_registers", parse_routing_registers},
     {"control_transform", parse_control_transform},
     {"microthread", parse_microthread},
     {"rotate", parse_rotate},
     {"task", parse_task},
     {"fn", parse_function}}};

/// The words of the lines that expand.cpp carries out, which get here only if they stand alone.
constexpr std::array<const char*, 8> kDirectives = {"include",   "macro", "endmacro", "repeat",
                                                    "endrepeat", "if",    "else",     "endif"};

Statement parse_declaration(TokenCursor& cursor) {
  const Token keyword = cursor.take();
  const auto* declaration =
      std::find_if(kDeclarations.begin(), kDeclarations.end(),
                   [&](const Declaration& d) { return d.keyword == keyword.text; });
  if (declaration == kDeclarations.end()) {
    cursor.fail(keyword.place, "expected a block above that it belongs to, found ",
                in_quotes(keyword.text));
  }
  Statement statement = declaration->parse(cursor, keyword.place);
  cursor.expect_end();
  return statement;
}

LabelStatement parse_label(TokenCursor& cursor) {
  LabelStatement label{parse_new_name(cursor, "a label")};
  cursor.take();  // ':'
  cursor.expect_end("the end of the line after a label");
  return label;
}

}  // namespace

Name parse_new_name(TokenCursor& cursor, const std::string& what) {
  const Token& token = cursor.peek();
  if (token.kind != Token::Kind::kName) cursor.fail_expected("the name of " + what);
  if (is_keyword(token.text)) cursor.fail_expected("the name of " + what, ", which is a keyword");
  if (register_name(token.text)) cursor.fail_expected("the name of " + what, kReadsAsRegister);
  cursor.take();
  return {token.place, token.text};
}

Statement parse_line(TokenCursor& cursor) {
  const Token& first = cursor.peek();
  if (first.kind != Token::Kind::kName)
    cursor.fail_expected("an instruction, a declaration or a label");
  if (cursor.peek(1).is(":")) return parse_label(cursor);
  return is_keyword(first.text) ? parse_declaration(cursor) : parse_instruction(cursor);
}

const std::vector<std::string>& keywords() {
  static const std::vector<std::string> kKeywords = [] {
    std::vector<std::string> words;
    for (const Declaration& d : kDeclarations) words.emplace_back(d.keyword);
    words.insert(words.end(), kDirectives.begin(), kDirectives.end());
    return words;
  }();
  return kKeywords;
}

}  // namespace tessera::tasm
