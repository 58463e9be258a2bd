// The part of ExpressionParser that parses types.
#include "frontends/csl/syntax/expression_parser.h"

namespace tessera::csl {

const Expr* ExpressionParser::parse_type(const std::string& what) {
  const Token& token = cursor_.peek();
  const bool begins_none = token.kind == Token::Kind::kEnd || token.is("{") || token.is("=") ||
                           token.is(";") || token.is(",") || token.is(")") || token.is("->");
  if (begins_none)
    state_.fail_expected(what,
                         token.is("->") ? "; the type of a result has no '->' before it" : "");
  return prefixed(Brace::kEndsType);
}

// [n, m]T, [*]T
const Expr* ExpressionParser::bracketed_type() {
  const Place place = cursor_.take().place;
  if (cursor_.next_is("*") && cursor_.peek(1).is("]")) {
    cursor_.take();
    cursor_.take();
    const bool is_const = cursor_.accept_word("const");
    return state_.make<PointerType>(place, true, is_const, parse_type("the type it points to"));
  }
  if (cursor_.next_is("]"))
    state_.fail_expected("an extent", "; a pointer to several elements is written '[*]T'");
  const List<const Expr*> extents = expressions("]", place);
  const Token& next = cursor_.peek();
  if (next.is(";") || next.is(",") || next.is(")") || next.is("}"))
    state_.fail_expected("the type of the elements",
                         "; an array literal is written '[3]i16{1, 2, 3}'");
  const Expr* const element = parse_type("the type of the elements");
  return state_.make<ArrayType>(place, extents, element);
}

const Expr* ExpressionParser::pointer_type() {
  const Place place = cursor_.take().place;
  const bool is_const = cursor_.accept_word("const");
  const Expr* const pointee = parse_type("the type it points to");
  return state_.make<PointerType>(place, false, is_const, pointee);
}

const Expr* ExpressionParser::function_type() {
  const Token word = cursor_.take();
  if (cursor_.peek().kind == Token::Kind::kName)
    state_.fail(Id::kMisplaced, word.place,
                "functions and tasks are declared outside of functions");
  const Place open = state_.expect_open("(", "and the types of the parameters");
  const List<const Expr*> parameters = state_.comma_list(")", open, [this] {
    if (cursor_.peek().kind == Token::Kind::kName && cursor_.peek(1).is(":")) {
      cursor_.take();  // the name of a parameter, which says nothing here
      cursor_.take();
    }
    return parse_type("the type of a parameter");
  });
  const Expr* const result = parse_type("the type of the result, such as void");
  return state_.make<FunctionType>(word.place, word.text == "task", parameters, result);
}

// [extern | packed] (struct | union) { name: type, .. }
const Expr* ExpressionParser::container() {
  const Place place = cursor_.place();
  Container::Layout layout = Container::Layout::kAutomatic;
  if (cursor_.peek().is_name("packed")) {
    cursor_.take();
    layout = Container::Layout::kPacked;
  } else if (cursor_.accept_word("extern")) {
    layout = Container::Layout::kExtern;
  }
  const bool is_union = cursor_.accept_word("union");
  if (!is_union && !cursor_.accept_word("struct"))
    state_.fail_expected("'struct' or 'union' after 'extern'");
  if (cursor_.peek().kind == Token::Kind::kName)
    state_.fail_expected("'{' and the fields",
                         "; a named type is written 'const T = struct {..};'");
  const Place open = state_.expect_open("{", "and the fields");
  const List<ContainerField> members = state_.comma_list(
      "}", open,
      [this]() -> ContainerField {
        const Name name = state_.expect_name("a field");
        if (!cursor_.accept(":")) state_.fail_expected("':' and the type of the field");
        return {name, parse_type("the type of the field")};
      },
      "; ',' stands between the fields");
  return state_.make<Container>(place, is_union, layout, members);
}

const Expr* ExpressionParser::enumeration() {
  const Place place = cursor_.take().place;
  const Expr* tag = nullptr;
  if (const Place before = cursor_.place(); cursor_.accept("(")) {
    tag = parse_type("the type of the tag");
    state_.expect_close(")", before);
  }
  const Place open = state_.expect_open("{", "and the members of the enum");
  if (cursor_.next_is("}")) state_.fail_expected("a member of the enum");
  const List<EnumMember> members = state_.comma_list("}", open, [this]() -> EnumMember {
    const Name name = state_.expect_name("a member of the enum");
    return {name, cursor_.accept("=") ? parse() : nullptr};
  });
  return state_.make<Enum>(place, tag, members);
}

// asm [volatile] ("text" [: outputs [: inputs [: clobbers]]])
const Expr* ExpressionParser::assembly() {
  const Place place = cursor_.take().place;
  const bool is_volatile = cursor_.peek().is_name("volatile");
  if (is_volatile) cursor_.take();
  const Place open = state_.expect_open("(", "and the text of the assembly");
  const Expr* const text = parse();
  List<AsmOperand> outputs, inputs;
  List<const Expr*> clobbers;
  if (cursor_.accept(":")) outputs = assembly_operands(true);
  if (cursor_.accept(":")) inputs = assembly_operands(false);
  if (cursor_.accept(":")) {
    clobbers = expressions(")", open);
  } else {
    state_.expect_close(")", open, "':' or ");
  }
  return state_.make<Asm>(place, is_volatile, text, outputs, inputs, clobbers);
}

List<AsmOperand> ExpressionParser::assembly_operands(bool are_outputs) {
  std::vector<AsmOperand> operands;
  while (cursor_.next_is("[")) {
    const Place bracket = cursor_.take().place;
    const Name name = state_.expect_name("an operand of the assembly");
    state_.expect_close("]", bracket);
    const Token constraint =
        cursor_.expect_kind(Token::Kind::kString, "a constraint such as \"r\"");
    const Place open = state_.expect_open("(", "and the value of the operand");
    const bool is_result = are_outputs && cursor_.accept("->");
    const Expr* const value = is_result ? parse_type("the type of the output") : parse();
    state_.expect_close(")", open);
    operands.push_back(
        {name, constraint.text, is_result ? nullptr : value, is_result ? value : nullptr});
    if (!cursor_.accept(",")) break;
  }
  return state_.file().keep(operands);
}

}  // namespace tessera::csl
