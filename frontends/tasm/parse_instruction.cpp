#include "frontends/tasm/option_reader.h"
#include "frontends/tasm/parser.h"

namespace tessera::tasm {
namespace {

const pe::OpcodeInfo& parse_mnemonic(TokenCursor& cursor) {
  if (const pe::OpcodeInfo* info = pe::find_opcode(cursor.peek().text)) {
    cursor.take();
    return *info;
  }
  std::vector<std::string> known = keywords();
  for (unsigned i = 0; i < pe::kOpcodeCount; ++i)
    known.emplace_back(pe::info(static_cast<pe::Opcode>(i)).mnemonic);
  cursor.fail_expected("an instruction, a declaration or a label",
                       did_you_mean(cursor.peek().text, known));
}

/// After '[': rN, rN + expr, rN - expr or expr.
void parse_memory(TokenCursor& cursor, OperandSyntax& operand) {
  operand.kind = OperandSyntax::Kind::kMemory;
  const Place place = cursor.place();
  const std::optional<RegisterName> base = accept_register(cursor);
  if (base) {
    if (base->kind != pe::kReg16) {
      cursor.fail(place, "expected a register r0..r15 or an address, found ",
                  in_quotes(to_string(base->kind, base->number)));
    }
    operand.reg = *base;
    // The sign before the offset is also the sign of its first term.
    if (cursor.accept("+") || cursor.next_is("-"))
      operand.expression = parse_expression(cursor, "an offset in bytes");
  } else {
    operand.expression = parse_expression(cursor, "a register r0..r15 or an address");
  }
  cursor.expect("]", base ? "'+', '-' or ']'" : "']'");
}

OperandSyntax parse_operand(TokenCursor& cursor, const std::string& expected) {
  OperandSyntax operand;
  operand.place = cursor.place();
  if (!cursor.accept("[")) return parse_register_or_value(cursor, expected);
  parse_memory(cursor, operand);
  operand.text = cursor.text_from(operand.place);
  return operand;
}

std::string count_of_operands(const pe::OpcodeInfo& info) {
  return text::joined(text::plural(info.operand_count, "operand"), " of ", info.mnemonic);
}

void parse_operands(TokenCursor& cursor, InstructionStatement& s) {
  for (unsigned i = 0; i < s.info->operand_count; ++i) {
    if (i > 0) cursor.expect(",", "',' and the rest of the " + count_of_operands(*s.info));
    const std::string which =
        "operand " + std::to_string(i + 1) + " of the " + count_of_operands(*s.info);
    s.operands.push_back(parse_operand(cursor, which));
  }
}

}  // namespace

void parse_options(TokenCursor& cursor, const std::string& behind, OptionsSyntax& options) {
  const char* const local = "the name of a local task";
  const char* const any = "the name of a task or input queue";
  OptionReader(behind)
      .flag("async", options.async)
      .value("ut", options.ut)
      .name("activate", local, options.activate)
      .name("unblock", any, options.unblock)
      .choice("on_control", kOnControls, options.on_control)
      .name("on_control_activate", local, options.on_control_activate)
      .name("on_control_unblock", any, options.on_control_unblock)
      .flag("leave_control", options.leave_control)
      .register_or_value("index", options.index)
      .choice("priority", kPriorities, options.priority)
      .flag("save_address", options.save_address)
      .flag("single_step", options.single_step)
      .value("xdsr", options.xdsr)
      .values("sr", pe::OpConfig{}.sr.size(), options.sr)
      .read(cursor);
}

InstructionStatement parse_instruction(TokenCursor& cursor) {
  InstructionStatement s;
  s.place = cursor.place();
  s.info = &parse_mnemonic(cursor);
  parse_operands(cursor, s);
  parse_options(cursor, "the " + count_of_operands(*s.info), s.options);
  return s;
}

}  // namespace tessera::tasm
