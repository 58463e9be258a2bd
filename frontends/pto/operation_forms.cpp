// Forms of OperationParser beyond scalars, tiles and flags: loops with two regions, calls, pipes
// between cores, and operations that nobody knows.
#include "frontends/pto/operation_parser.h"

namespace tessera::pto {

namespace {

using Kind = Token::Kind;

}  // namespace

std::vector<Parameter> OperationParser::parse_parameters() {
  std::vector<Parameter> list;
  cursor_.expect("(");
  if (cursor_.take_if(")")) return list;
  do {
    Parameter p;
    p.place = cursor_.place();
    if (cursor_.peek().kind == Kind::kValue) {
      p.name = cursor_.take().text;
      cursor_.expect(":");
    }
    p.type = types_.parse_type();
    std::vector<Attribute> unused;
    if (cursor_.peek().is("{")) types_.parse_attributes(unused);
    skip_location();
    list.push_back(std::move(p));
  } while (cursor_.take_if(","));
  cursor_.expect(")");
  return list;
}

void OperationParser::skip_location() {
  if (!cursor_.peek().is_word("loc") || !cursor_.peek(1).is("(")) return;
  cursor_.take();
  unsigned depth = 0;
  do {
    const Token token = cursor_.take();
    if (token.kind == Kind::kEnd) cursor_.fail_expected("')'");
    if (token.is("(")) ++depth;
    if (token.is(")")) --depth;
  } while (depth > 0);
}

void OperationParser::parse_while(Operation& op) {
  if (cursor_.take_if("(")) {
    do {
      parse_value(op, Role::kCarried);
      cursor_.expect("=");
      parse_value(op, Role::kInit);
    } while (cursor_.take_if(","));
    cursor_.expect(")");
  }
  cursor_.expect(":");
  cursor_.expect("(");
  if (!cursor_.take_if(")")) {
    op.types = types_.parse_types();
    cursor_.expect(")");
  }
  parse_result_types(op);
  op.regions.push_back(parse_region());
  cursor_.expect_word("do");
  op.regions.push_back(parse_region());
}

void OperationParser::parse_condition(Operation& op) {
  cursor_.expect("(");
  parse_value(op, Role::kPredicate);
  cursor_.expect(")");
  if (cursor_.peek().kind != Kind::kValue) return;
  parse_values(op, Role::kOperand);
  parse_colon_types(op);
}

void OperationParser::parse_call(Operation& op) {
  const Token name = cursor_.expect_kind(Kind::kSymbol, "a function such as @f");
  add_word(op, Role::kCallee, name.place, name.text);
  cursor_.expect("(");
  if (!cursor_.take_if(")")) {
    parse_values(op, Role::kOperand);
    cursor_.expect(")");
  }
  parse_attributes_if(op);
  if (!cursor_.take_if(":")) return;
  cursor_.expect("(");
  if (!cursor_.take_if(")")) {
    op.types = types_.parse_types();
    cursor_.expect(")");
  }
  parse_result_types(op);
}

// --- pipes between cores ---

void OperationParser::parse_group(Operation& op) {
  parse_attributes_if(op);
  if (cursor_.peek().is("(")) parse_group_operands(op);
  parse_attributes_if(op);
  if (cursor_.peek().is_word("aiv_subblockid")) {
    const Token key = cursor_.take();
    cursor_.expect("(");
    parse_value(op, Role::kOperand);
    op.arguments.back().key = key.text;
    if (cursor_.take_if(":")) types_.parse_type();
    cursor_.expect(")");
  }
  parse_word_attributes(op);
  parse_result_types(op);
}

// (%a : T, key = %b : T) or (%a, %b : T, T).
void OperationParser::parse_group_operands(Operation& op) {
  cursor_.expect("(");
  if (cursor_.take_if(")")) return;
  bool in_types = false;
  do {
    const bool named = cursor_.peek().kind == Kind::kWord && cursor_.peek(1).is("=");
    if (in_types && !named && cursor_.peek().kind != Kind::kValue) {
      op.types.push_back(types_.parse_type());
      continue;
    }
    std::string key;
    if (named) {
      key = cursor_.take().text;
      cursor_.expect("=");
    }
    parse_value(op, Role::kOperand);
    op.arguments.back().key = std::move(key);
    in_types = cursor_.take_if(":");
    if (in_types) op.types.push_back(types_.parse_type());
  } while (cursor_.take_if(","));
  cursor_.expect(")");
}

// mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<mix>
void OperationParser::parse_word_attributes(Operation& op) {
  if (cursor_.peek().kind != Kind::kWord || !cursor_.peek(1).is("=")) return;
  do {
    const Token key = cursor_.expect_kind(Kind::kWord, "the name of an attribute");
    cursor_.expect("=");
    Attribute attribute{key.place, key.text, ""};
    if (cursor_.peek().kind == Kind::kAttribute) {
      attribute.value = cursor_.peek().text;
      attribute.value += "<" + parse_bracketed_word("an attribute such as #pto.mode<x>") + ">";
    } else {
      attribute.value = cursor_.expect_kind(Kind::kWord, "a word").text;
    }
    op.attributes.push_back(std::move(attribute));
  } while (cursor_.take_if(","));
}

void OperationParser::parse_indexed(Operation& op) {
  parse_value(op, Role::kOperand);
  cursor_.expect("[");
  parse_value_or_integer(op, Role::kIndex);
  cursor_.expect("]");
  if (cursor_.take_if(",")) parse_value_or_integer(op, Role::kOperand);
  parse_colon_types(op);
  parse_result_types(op);
}

void OperationParser::parse_clean_cache(Operation& op) {
  const auto word = [this, &op](Kind kind, const char* what) {
    const Token token = cursor_.expect_kind(kind, what);
    Argument a;
    a.place = token.place;
    a.role = Role::kPredicate;
    a.kind = Argument::Kind::kWord;
    a.text = token.text;
    op.arguments.push_back(std::move(a));
  };
  const bool dcci = op.name == "pto.dcci";
  if (!dcci && cursor_.peek().is_word("all")) {
    word(Kind::kWord, "all");
    parse_bracketed_word("an address space such as #pto.address_space<gm>");
    return;
  }
  parse_value(op, Role::kOperand);
  word(dcci ? Kind::kString : Kind::kWord,
       dcci ? "\"SINGLE_CACHE_LINE\" or \"ENTIRE_DATA_CACHE\"" : "single_cache_line");
  if (dcci && cursor_.take_if(",")) word(Kind::kString, "a destination such as \"CACHELINE_OUT\"");
  parse_colon_types(op);
}

// --- unknown operations ---

// Whether an unknown operation ends in front of the next word: another one begins there.
bool OperationParser::ends_unknown(const Token& before, unsigned depth) const {
  const Token& next = cursor_.peek();
  if (depth > 0) return false;
  if (next.kind == Kind::kEnd || next.is("}")) return true;
  if (next.place.line == before.place.line) return false;
  if (next.kind == Kind::kValue) return !before.is(",") && !before.is("=") && !before.is(":");
  return next.kind == Kind::kWord &&
         (next.text.find('.') != std::string::npos || next.text == "return");
}

// Its text is kept. Values in ins(..) and outs(..) are remembered as operands.
void OperationParser::parse_unknown(Operation& op) {
  Token before = cursor_.peek();
  before.place = op.place;
  unsigned depth = 0;
  Role role = Role::kOperand;
  while (!ends_unknown(before, depth)) {
    const Token token = cursor_.take();
    if (token.kind == Kind::kEnd) cursor_.fail_expected("a closing bracket");
    const bool opens = token.is("(") || token.is("{") || token.is("[") || token.is("<");
    if (opens) ++depth;
    if (token.is(")") || token.is("}") || token.is("]") || token.is(">")) {
      if (depth == 0) cursor_.fail(token.place, "unexpected " + found(token));
      --depth;
    }
    if (depth == 0)
      role = token.is_word("ins") ? Role::kIn : token.is_word("outs") ? Role::kOut : Role::kOperand;
    if (token.kind == Kind::kValue) {
      Argument a;
      a.place = token.place;
      a.role = role;
      a.text = token.text;
      op.arguments.push_back(std::move(a));
    }
    const bool tight = token.is(",") || token.is(")") || token.is("]") || token.is(">") ||
                       op.raw.empty() || op.raw.back() == '(' || op.raw.back() == '[' ||
                       op.raw.back() == '<' || (opens && !token.is("{"));
    op.raw += (tight ? "" : " ");
    op.raw += token.kind == Kind::kString ? "\"" + token.text + "\"" : token.text;
    before = token;
  }
}

}  // namespace tessera::pto
