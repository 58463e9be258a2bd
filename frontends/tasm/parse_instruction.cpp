#include "frontends/tasm/parser.h"

namespace tessera::tasm {
namespace {

const pe::OpcodeInfo& parse_mnemonic(TokenCursor& cursor) {
  if (const pe::OpcodeInfo* info = pe::find_opcode(cursor.peek().text)) {
    cursor.take();
    return *info;
  }
  std::vector<std::string> known = keywords();
  for (unsigned i = 0; i < pe::kOpcodeCount; ++i) {
    known.emplace_back(pe::info(static_cast<pe::Opcode>(i)).mnemonic);
  }
  cursor.fail("an instruction, a declaration or a label", nearest_hint(cursor.peek().text, known));
}

/// The register that comes next, if it is one; throws if it has the shape of a register but does
/// not exist.
std::optional<RegisterName> accept_register(TokenCursor& cursor) {
  const Token& token = cursor.peek();
  if (token.kind != Token::Kind::kName) return std::nullopt;
  const std::optional<RegisterName> name = register_name(token.text);
  if (!name) return std::nullopt;
  const std::string problem = problem_of(*name, token.text);
  if (!problem.empty()) cursor.diagnostics().fail(token.place, problem);
  cursor.take();
  return name;
}

/// Behind '[': rN, rN + expr, rN - expr or expr.
void parse_memory(TokenCursor& cursor, OperandSyntax& operand) {
  operand.kind = OperandSyntax::Kind::kMemory;
  const Place place = cursor.place();
  const std::optional<RegisterName> base = accept_register(cursor);
  if (base) {
    if (base->kind != pe::kReg16) {
      cursor.diagnostics().fail(place, "expected a register r0..r15 or an address, found " +
                                           quoted(to_string(base->kind, base->number)));
    }
    operand.reg = *base;
    // The sign before the offset is also the sign of its first term.
    if (cursor.accept("+") || cursor.next_is("-")) {
      operand.expression = parse_expression(cursor, "an offset in bytes");
    }
  } else {
    operand.expression = parse_expression(cursor, "a register r0..r15 or an address");
  }
  cursor.expect("]", base ? "'+', '-' or ']'" : "']'");
}

OperandSyntax parse_operand(TokenCursor& cursor, const std::string& expected) {
  OperandSyntax operand;
  operand.place = cursor.place();
  if (cursor.accept("[")) {
    parse_memory(cursor, operand);
  } else if (const std::optional<RegisterName> reg = accept_register(cursor)) {
    operand.kind = OperandSyntax::Kind::kRegister;
    operand.reg = *reg;
  } else {
    operand.expression = parse_expression(cursor, expected);
  }
  operand.text = cursor.text_from(operand.place);
  return operand;
}

std::string count_of_operands(const pe::OpcodeInfo& info) {
  const std::string count = std::to_string(info.operand_count);
  return count + (info.operand_count == 1 ? " operand of " : " operands of ") +
         std::string(info.mnemonic);
}

void parse_operands(TokenCursor& cursor, InstructionStatement& s) {
  for (unsigned i = 0; i < s.info->operand_count; ++i) {
    if (i > 0) cursor.expect(",", "',' and the rest of the " + count_of_operands(*s.info));
    const std::string which =
        "operand " + std::to_string(i + 1) + " of the " + count_of_operands(*s.info);
    s.operands.push_back(parse_operand(cursor, which));
  }
}

bool accept_flag(TokenCursor& cursor, const char* word, std::optional<Place>& flag) {
  const Place place = cursor.place();
  if (!cursor.accept_word(word)) return false;
  if (flag)
    cursor.diagnostics().fail(place, "expected each option once, found " + quoted(word) + " again");
  flag = place;
  return true;
}

/// `word=`; `given`: the option stood here before.
bool accept_key(TokenCursor& cursor, const char* word, bool given) {
  const Place place = cursor.place();
  if (!cursor.accept_word(word)) return false;
  if (given)
    cursor.diagnostics().fail(place, "expected each option once, found " + quoted(word) + " again");
  cursor.expect("=", std::string("'=' behind ") + word);
  return true;
}

bool accept_name_option(TokenCursor& cursor, const char* word, const char* expected,
                        std::optional<Name>& name) {
  if (!accept_key(cursor, word, name.has_value())) return false;
  const Token& token = cursor.expect_name(expected);
  name = Name{token.place, token.text};
  return true;
}

void parse_options(TokenCursor& cursor, const pe::OpcodeInfo& info, OptionsSyntax& options) {
  while (!cursor.at_end()) {
    if (accept_flag(cursor, "async", options.async)) continue;
    if (accept_flag(cursor, "save_address", options.save_address)) continue;
    if (accept_name_option(cursor, "activate", "the name of a local task", options.activate))
      continue;
    if (accept_name_option(cursor, "unblock", "the name of a task or input queue", options.unblock))
      continue;
    if (accept_key(cursor, "ut", options.ut != nullptr)) {
      options.ut = parse_expression(cursor, "a microthread");
      continue;
    }
    cursor.fail(
        "async, ut=, activate=, unblock=, save_address or the end of the line behind the " +
            count_of_operands(info),
        nearest_hint(cursor.peek().text, {"async", "ut", "activate", "unblock", "save_address"}));
  }
}

}  // namespace

InstructionStatement parse_instruction(TokenCursor& cursor) {
  InstructionStatement s;
  s.place = cursor.place();
  s.info = &parse_mnemonic(cursor);
  parse_operands(cursor, s);
  parse_options(cursor, *s.info, s.options);
  return s;
}

}  // namespace tessera::tasm
