// The forms of operations without regions (operations.h).
#include "frontends/pto/operand_parser.h"
#include "frontends/pto/words.h"

namespace tessera::pto {

namespace {

using Kind = Token::Kind;

// --- scalars ---

/// dense<0.0>. Nothing computes with it, so its elements are kept as text.
std::string dense(OperandParser& p) {
  std::string text = "dense<";
  p.cursor.take();
  p.cursor.expect("<");
  while (!p.cursor.next_is(">")) {
    if (text.back() != '<') text += ", ";
    text += p.types.parse_raw();
    if (!p.cursor.accept(",") && !p.cursor.next_is(">")) p.cursor.fail_expected("'>'");
  }
  p.cursor.expect(">");
  return text + ">";
}

void parse_constant(OperandParser& p) {
  TokenCursor& cursor = p.cursor;
  const Token token = cursor.peek();
  Argument a{token.place, Role::kOperand, Argument::Kind::kInteger, ""};
  const bool is_true = cursor.accept_word("true");
  if (is_true || cursor.accept_word("false")) {
    a.number = is_true ? 1 : 0;
    p.op.arguments.push_back(a);
    p.op.types.emplace_back().place = token.place;
    p.op.types.back().element = "i1";
    return;
  }
  const std::string sign = token.is("-") ? "-" : "";
  const Token& digits = cursor.peek(sign.size());
  if (token.is_word("dense")) {
    a.kind = Argument::Kind::kFloat;
    a.text = dense(p);
  } else if (digits.kind == Kind::kFloat) {
    cursor.accept("-");
    a.kind = Argument::Kind::kFloat;
    a.text = sign + cursor.take().text;
  } else {
    if (digits.text.rfind("0x", 0) == 0) a.text = sign + digits.text;
    a.number = p.types.parse_integer();
  }
  p.op.arguments.push_back(std::move(a));
  cursor.expect(":");
  p.type();
}

void parse_compare(OperandParser& p) {
  const Token& word = p.cursor.peek();
  if (word.kind != Kind::kWord && word.kind != Kind::kString)
    p.cursor.fail_expected("a predicate such as slt");
  p.add_word(Role::kPredicate, word.place, word.text);
  p.cursor.take();
  p.cursor.expect(",");
  p.values(Role::kOperand);
  p.colon_types();
}

void parse_cast(OperandParser& p) {
  p.value(Role::kOperand);
  p.cast_types();
}

/// Values and their types, if a value comes next: `scf.yield` without values may stand before
/// nothing but '}', so a value is an operand.
void parse_values_if(OperandParser& p) {
  if (p.cursor.accept("(")) {  // pto.yield(%a) : (T) -> ()
    p.values(Role::kOperand);
    p.cursor.expect(")");
    p.cursor.expect(":");
    p.op.types = p.types.parse_type_list();
    p.cursor.expect("->");
    p.types.parse_type_list();
    return;
  }
  if (p.cursor.peek().kind != Kind::kValue) return;
  p.values(Role::kOperand);
  p.colon_types();
}

void parse_operands(OperandParser& p) {
  p.values(Role::kOperand);
  p.colon_types();
  p.result_types();
}

void parse_condition(OperandParser& p) {
  p.cursor.expect("(");
  p.value(Role::kPredicate);
  p.cursor.expect(")");
  parse_values_if(p);
}

void parse_call(OperandParser& p) {
  const Token& name = p.cursor.expect_kind(Kind::kSymbol, "a function such as @f");
  p.add_word(Role::kCallee, name.place, name.text);
  p.cursor.expect("(");
  if (!p.cursor.accept(")")) {
    p.values(Role::kOperand);
    p.cursor.expect(")");
  }
  p.attributes();
  if (!p.cursor.accept(":")) return;
  p.op.types = p.types.parse_type_list();
  p.result_types();
}

void parse_indexed(OperandParser& p) {
  p.value(Role::kOperand);
  p.list(Role::kIndex);
  if (p.cursor.accept(",")) p.value_or_integer(Role::kOperand);
  p.colon_types();
  p.result_types();
}

void parse_store_to(OperandParser& p) {
  p.value(Role::kOperand);
  p.cursor.expect(",");
  parse_indexed(p);
}

void parse_clean_cache(OperandParser& p) {
  const auto word = [&p](Kind kind, const char* what) {
    const Token& token = p.cursor.expect_kind(kind, what);
    p.add_word(Role::kPredicate, token.place, token.text);
  };
  const bool dcci = p.op.name == "pto.dcci";
  if (!dcci && p.cursor.peek().is_word("all")) {
    word(Kind::kWord, "all");
    p.bracketed_word("an address space such as #pto.address_space<gm>");
    return;
  }
  p.value(Role::kOperand);
  word(dcci ? Kind::kString : Kind::kWord,
       dcci ? "\"SINGLE_CACHE_LINE\" or \"ENTIRE_DATA_CACHE\"" : "single_cache_line");
  if (dcci && p.cursor.accept(",")) word(Kind::kString, "a destination such as \"CACHELINE_OUT\"");
  p.colon_types();
}

// --- tiles ---

void parse_alloc(OperandParser& p) {
  constexpr Word<Role> kRoles[] = {
      {"addr", Role::kAddress}, {"valid_row", Role::kValidRow}, {"valid_col", Role::kValidColumn}};
  while (p.cursor.peek().kind == Kind::kWord) {
    const Token& key = p.cursor.take();
    const auto role = meaning_of(kRoles, key.text);
    if (!role)
      p.cursor.fail(key.place, "expected addr, valid_row, valid_col or ':', found ", found(key));
    p.cursor.expect("=");
    p.value(*role);
    p.cursor.accept(",");
  }
  p.attributes();
  p.cursor.expect(":");
  p.type();
}

void parse_view(OperandParser& p, const char* first, Role first_role, const char* second,
                Role second_role) {
  p.value(Role::kOperand);
  p.cursor.expect(",");
  p.named_list(first, "=", first_role);
  p.cursor.accept(",");  // some kernels have none
  p.named_list(second, "=", second_role);
  p.attributes();
  p.cursor.expect(":");
  p.type();
}

void parse_reinterpret(OperandParser& p) {
  p.value(Role::kOperand);
  p.cursor.expect_word("to");
  p.named_list("offset", ":", Role::kOffset);
  p.cursor.expect(",");
  p.named_list("sizes", ":", Role::kShape);
  p.cursor.expect(",");
  p.named_list("strides", ":", Role::kStride);
  p.cast_types();
}

void parse_tile_view(OperandParser& p) {
  p.value(Role::kOperand);
  while (p.cursor.accept(",")) {
    if (p.cursor.accept_word("offsets")) {  // the older spelling of pto.partition_view
      p.cursor.expect("=");
      p.list(Role::kOffset);
    } else if (p.cursor.accept_word("sizes")) {
      p.cursor.expect("=");
      p.list(Role::kSize);
    } else {
      p.value_or_integer(Role::kOperand);
    }
  }
  if (p.cursor.next_is("[")) p.list(Role::kOffset);
  if (p.cursor.accept_word("sizes")) p.list(Role::kSize);
  if (p.cursor.accept_word("valid")) p.list(Role::kValid);
  p.colon_types();
  p.result_types();
}

/// Types; among them may be "row" or "col", the axis of a pattern, and further operands with theirs:
/// `%a : T, %tmp : T`.
void parse_tile_types(OperandParser& p, Role role) {
  p.attributes();
  if (!p.cursor.accept(":")) return;
  do {
    if (p.cursor.peek().kind == Kind::kValue) {
      p.value(role);
      p.cursor.expect(":");
    }
    if (p.cursor.peek().kind != Kind::kString) {
      p.type();
      continue;
    }
    const Token& axis = p.cursor.take();
    p.op.attributes.push_back({axis.place, "axis", "\"" + axis.text + "\""});
  } while (p.cursor.accept(","));
}

void parse_tile_group(OperandParser& p, const char* word, Role role) {
  p.cursor.expect_word(word);
  const Place place = p.cursor.place();
  const std::size_t arguments_before = p.op.arguments.size();
  const std::size_t types_before = p.op.types.size();
  p.cursor.expect("(");
  do {
    // Attributes may stand in place of indices; they say what is to be gathered.
    if (!p.cursor.next_is("{")) p.value(role);
    const Place here = p.cursor.place();
    if (p.cursor.accept_word("no_tmp")) p.op.attributes.push_back({here, "no_tmp", ""});
    p.attributes();
  } while (p.cursor.accept(","));
  parse_tile_types(p, role);
  for (const char* key : {"fp", "pre_quant"}) {
    if (!p.cursor.accept_word(key)) continue;
    p.value(Role::kOperand);
    p.op.arguments.back().key = key;
    parse_tile_types(p, Role::kOperand);
  }
  p.cursor.expect(")");
  const std::size_t values = p.op.arguments.size() - arguments_before;
  const std::size_t types = p.op.types.size() - types_before;
  if (values == types) return;
  p.cursor.fail(place, "expected ", plural(values, "type"), " for ", plural(values, "operand"),
                ", found ", types);
}

/// outs(%c : T); outs : T, for a scalar; -> T, if the operation gives its tile; or nothing.
void parse_outs(OperandParser& p) {
  if (p.cursor.peek().is_word("outs") && p.cursor.peek(1).is(":")) {
    p.cursor.take();
    p.cursor.take();
    p.op.result_types.push_back(p.types.parse_type());
  } else if (p.cursor.peek().is_word("outs")) {
    parse_tile_group(p, "outs", Role::kOut);
  }
  if (p.op.result_types.empty()) p.result_types();
}

/// ins("text", %a : T).
void parse_print(OperandParser& p) {
  p.cursor.expect_word("ins");
  p.cursor.expect("(");
  const Token& text = p.cursor.expect_kind(Kind::kString, "a text");
  p.add_word(Role::kPredicate, text.place, text.text);
  p.cursor.expect(",");
  p.value(Role::kOperand);
  p.colon_types();
  p.cursor.expect(")");
}

// --- synchronisation ---

void parse_one_pipe(OperandParser& p) {
  if (p.cursor.peek().is_word("ins")) return parse_tile_group(p, "ins", Role::kIn);
  const bool brackets = p.cursor.accept("[");
  const bool round = !brackets && p.cursor.accept("(");
  p.pipe(brackets || round);
  if (brackets) p.cursor.expect("]");
  if (round) p.cursor.expect(")");
}

void parse_flag(OperandParser& p) {
  p.cursor.expect("[");
  p.pipe(true);
  p.cursor.expect(",");
  p.pipe(true);
  p.cursor.expect(",");
  if (p.at_bracketed_word() || p.cursor.peek().kind == Kind::kWord) {
    p.word(Role::kId, "an event such as <EVENT_ID0>", true);
  } else {
    p.value_or_integer(Role::kId);
  }
  p.cursor.expect("]");
  p.colon_types();
}

void parse_pipe_ids(OperandParser& p) {
  const bool brackets = p.cursor.accept("[");
  if (p.at_bracketed_word() || (brackets && p.cursor.peek().kind == Kind::kWord)) {
    p.pipe(brackets);
    p.cursor.expect(",");
  }
  do {
    p.value_or_integer(Role::kId);
  } while (p.cursor.accept(","));
  if (brackets) p.cursor.expect("]");
  p.attributes();
  p.colon_types();
}

// --- pipes between cores ---

/// (%a : T, key = %b : T) or (%a, %b : T, T).
void parse_group_operands(OperandParser& p) {
  TokenCursor& cursor = p.cursor;
  cursor.expect("(");
  if (cursor.accept(")")) return;
  bool in_types = false;
  do {
    const bool named = cursor.peek().kind == Kind::kWord && cursor.peek(1).is("=");
    if (in_types && !named && cursor.peek().kind != Kind::kValue) {
      p.type();
      continue;
    }
    std::string key;
    if (named) {
      key = cursor.take().text;
      cursor.expect("=");
    }
    p.value(Role::kOperand);
    p.op.arguments.back().key = std::move(key);
    in_types = cursor.accept(":");
    if (in_types) p.type();
  } while (cursor.accept(","));
  cursor.expect(")");
}

/// (%a, buf(%b, %c) : T, T, T) {..} -> T.
void parse_lists(OperandParser& p) {
  TokenCursor& cursor = p.cursor;
  cursor.expect("(");
  do {
    std::string key;
    const bool named = cursor.peek().kind == Kind::kWord;
    if (named) {
      key = cursor.take().text;
      cursor.expect("(");
    }
    do {
      p.value(Role::kOperand);
      p.op.arguments.back().key = key;
    } while (named && cursor.accept(","));
    if (named) cursor.expect(")");
  } while (cursor.accept(","));
  p.colon_types();
  cursor.expect(")");
  p.attributes();
  p.result_types();
}

/// mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<mix>
void parse_word_attributes(OperandParser& p) {
  TokenCursor& cursor = p.cursor;
  if (cursor.peek().kind != Kind::kWord || !cursor.peek(1).is("=")) return;
  do {
    const Token& key = cursor.expect_kind(Kind::kWord, "the name of an attribute");
    cursor.expect("=");
    Attribute attribute{key.place, key.text, ""};
    if (cursor.peek().kind == Kind::kAttribute) {
      attribute.value = cursor.peek().text;
      attribute.value += "<" + p.bracketed_word("an attribute such as #pto.mode<x>") + ">";
    } else {
      attribute.value = cursor.expect_kind(Kind::kWord, "a word").text;
    }
    p.op.attributes.push_back(std::move(attribute));
  } while (cursor.accept(","));
}

void parse_group(OperandParser& p) {
  p.attributes();
  if (p.cursor.next_is("(")) parse_group_operands(p);
  p.attributes();
  if (p.cursor.accept_word("aiv_subblockid")) {
    p.cursor.expect("(");
    p.value(Role::kOperand);
    p.op.arguments.back().key = "aiv_subblockid";
    if (p.cursor.accept(":")) p.types.parse_type();
    p.cursor.expect(")");
  }
  parse_word_attributes(p);
  p.result_types();
}

}  // namespace

// The operands stand in the order in which the operation is defined: what it reads, its result, and what
// scales the result.
void parse_generic(OperandParser& p, const OperationInfo& info) {
  TokenCursor& cursor = p.cursor;
  cursor.expect("(");
  if (!cursor.accept(")")) {
    p.values(Role::kOperand);
    cursor.expect(")");
  }
  if (cursor.accept("<")) {
    p.attributes();
    cursor.expect(">");
  }
  p.attributes();
  cursor.expect(":");
  p.op.types = p.types.parse_type_list();
  p.result_types();
  if (p.op.types.size() != p.op.arguments.size())
    cursor.fail(p.op.place, "expected ", plural(p.op.arguments.size(), "type"), ", found ",
                p.op.types.size());
  if (info.form != Form::kTile) return;
  for (std::size_t i = 0; i < p.op.arguments.size(); ++i) {
    Argument& a = p.op.arguments[i];
    a.role = i < info.least ? Role::kIn : i == info.least ? Role::kOut : Role::kOperand;
    if (i > info.least) a.key = p.op.types[i].kind == Type::Kind::kTile ? "fp" : "pre_quant";
  }
}

void parse_form(OperandParser& p, Form form) {
  switch (form) {
  case Form::kConstant:
    return parse_constant(p);
  case Form::kOperands:
    return parse_operands(p);
  case Form::kCompare:
    return parse_compare(p);
  case Form::kCast:
    return parse_cast(p);
  case Form::kYield:
    return parse_values_if(p);
  case Form::kNullary:
    if (p.cursor.accept("(")) p.cursor.expect(")");
    p.colon_types();
    return p.result_types();
  case Form::kAllocTile:
    return parse_alloc(p);
  case Form::kTensorView:
    return parse_view(p, "shape", Role::kShape, "strides", Role::kStride);
  case Form::kReinterpret:
    return parse_reinterpret(p);
  case Form::kPartition:
    parse_view(p, "offsets", Role::kOffset, "sizes", Role::kSize);
    return p.result_types();
  case Form::kMemrefPart:
    return p.memref_part();
  case Form::kTile:
    parse_tile_group(p, "ins", Role::kIn);
    return parse_outs(p);
  case Form::kTileView:
    return parse_tile_view(p);
  case Form::kFlag:
    return parse_flag(p);
  case Form::kPipe:
    return parse_one_pipe(p);
  case Form::kPipeIds:
    return parse_pipe_ids(p);
  case Form::kCondition:
    return parse_condition(p);
  case Form::kCall:
    return parse_call(p);
  case Form::kGroup:
    return parse_group(p);
  case Form::kLists:
    return parse_lists(p);
  case Form::kPrintText:
    return parse_print(p);
  case Form::kStoreTo:
    return parse_store_to(p);
  case Form::kIndexed:
    return parse_indexed(p);
  case Form::kCleanCache:
    return parse_clean_cache(p);
  case Form::kRegister:
    return parse_register_form(p);
  case Form::kFor:
  case Form::kIf:
  case Form::kSection:
  case Form::kRegion:
  case Form::kWhile:
    return;  // with regions: parser.cpp
  }
}

}  // namespace tessera::pto
