#include "frontends/pto/operation_parser.h"

#include <algorithm>

namespace tessera::pto {

namespace {

using Kind = Token::Kind;
constexpr unsigned kMostRegions = 64;  // inside each other

std::string plural(std::size_t n, const char* noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

}  // namespace

Region OperationParser::parse_region() {
  if (++depth_ > kMostRegions)
    cursor_.fail(cursor_.place(),
                 "more than " + std::to_string(kMostRegions) + " regions inside each other");
  Region region;
  cursor_.expect("{");
  if (cursor_.peek().kind == Kind::kBlock) {
    cursor_.take();
    if (cursor_.peek().is("(")) region.parameters = parse_parameters();
    cursor_.expect(":");
  }
  while (!cursor_.take_if("}")) region.operations.push_back(parse_operation());
  --depth_;
  return region;
}

Operation OperationParser::parse_operation() {
  Operation op;
  if (cursor_.peek().kind == Kind::kValue) parse_results(op);
  if (cursor_.peek().kind != Kind::kWord) cursor_.fail_expected("an operation or '}'");
  const Token name = cursor_.take();
  op.place = name.place;
  op.name = name.text;
  const OperationInfo* info = find_operation(op.name);
  if (info == nullptr && takes_unknown_ && op.name.find('.') != std::string::npos) {
    parse_unknown(op);
    return op;
  }
  if (info == nullptr)
    cursor_.fail(name.place, "unknown operation " + tasm::quoted(op.name) +
                                 nearest_operation(op.name) +
                                 "; docs/ascend-platform.md lists what is taken; --pto-unknown=cost:N runs "
                                 "what is not as N cycles");
  parse_form(op, *info);
  parse_attributes_if(op);
  skip_location();
  check_counts(op, *info);
  return op;
}

void OperationParser::parse_results(Operation& op) {
  do {
    const Token name = cursor_.expect_kind(Kind::kValue, "a value such as %a");
    Result result{name.place, name.text, 1};
    if (cursor_.take_if(":")) {
      const Place place = cursor_.place();
      const std::int64_t count = types_.parse_integer();
      if (count < 1 || count > 64) cursor_.fail(place, "a number of results outside 1..64");
      result.count = static_cast<unsigned>(count);
    }
    op.results.push_back(std::move(result));
  } while (cursor_.take_if(","));
  cursor_.expect("=");
}

void OperationParser::parse_form(Operation& op, const OperationInfo& info) {
  switch (info.form) {
  case Form::kConstant:
    return parse_constant(op);
  case Form::kOperands:
    parse_values(op, Role::kOperand);
    parse_colon_types(op);
    return parse_result_types(op);
  case Form::kCompare:
    return parse_compare(op);
  case Form::kCast:
    parse_value(op, Role::kOperand);
    parse_colon_types(op);
    cursor_.expect_word("to");
    op.result_types.push_back(types_.parse_type());
    return;
  case Form::kFor:
    return parse_for(op);
  case Form::kIf:
    return parse_if(op);
  case Form::kYield:
    return parse_yield(op);
  case Form::kSection:
    op.regions.push_back(parse_region());
    return;
  case Form::kNullary:
    parse_colon_types(op);
    return parse_result_types(op);
  case Form::kAllocTile:
    return parse_alloc(op);
  case Form::kTensorView:
    return parse_view(op, "shape", Role::kShape, "strides", Role::kStride);
  case Form::kPartition:
    parse_view(op, "offsets", Role::kOffset, "sizes", Role::kSize);
    return parse_result_types(op);
  case Form::kTile:
    return parse_tile(op);
  case Form::kTileView:
    return parse_tile_view(op);
  case Form::kFlag:
    return parse_flag(op);
  case Form::kPipe:
    return parse_one_pipe(op);
  case Form::kPipeIds:
    return parse_pipe_ids(op);
  case Form::kWhile:
    return parse_while(op);
  case Form::kCondition:
    return parse_condition(op);
  case Form::kCall:
    return parse_call(op);
  case Form::kGroup:
    return parse_group(op);
  case Form::kIndexed:
    return parse_indexed(op);
  case Form::kStoreTo:
    parse_value(op, Role::kOperand);
    cursor_.expect(",");
    return parse_indexed(op);
  case Form::kCleanCache:
    return parse_clean_cache(op);
  }
}

void OperationParser::check_counts(const Operation& op, const OperationInfo& info) const {
  std::size_t results = 0;
  for (const Result& r : op.results) results += r.count;
  const bool free = info.form == Form::kFor || info.form == Form::kIf ||
                    info.form == Form::kWhile || info.form == Form::kCall;
  if (!free && info.results != kAnyResults && results != info.results)
    cursor_.fail(op.place, op.name + ": expected " + plural(info.results, "result") + ", found " +
                               std::to_string(results));
  if (free || info.form == Form::kYield || info.form == Form::kCondition ||
      info.form == Form::kConstant)
    return;
  const auto counted = [&info](const Argument& a) {
    if (info.form == Form::kTile) return a.role == Role::kIn;
    return a.role == Role::kOperand || (a.role == Role::kId && info.form == Form::kPipeIds);
  };
  const auto count =
      static_cast<std::size_t>(std::count_if(op.arguments.begin(), op.arguments.end(), counted));
  if (info.form == Form::kFlag || (count >= info.least && count <= info.most)) return;
  const std::string range =
      info.least == info.most ? plural(info.least, "operand")
                              : std::to_string(info.least) + " to " + plural(info.most, "operand");
  cursor_.fail(op.place, op.name + ": expected " + range + ", found " + std::to_string(count));
}

// --- scalar and control operations ---

void OperationParser::parse_constant(Operation& op) {
  const Token token = cursor_.peek();
  Argument a;
  a.place = token.place;
  a.kind = Argument::Kind::kInteger;
  if (token.is_word("true") || token.is_word("false")) {
    a.number = token.text == "true" ? 1 : 0;
    cursor_.take();
    op.arguments.push_back(a);
    Type boolean;
    boolean.place = token.place;
    boolean.element = "i1";
    op.types.push_back(boolean);
    return;
  }
  if (token.is_word("dense")) return parse_dense(op, std::move(a));
  const bool negative = token.is("-");
  if (cursor_.peek(negative ? 1 : 0).kind == Kind::kFloat) {
    if (negative) cursor_.take();
    a.kind = Argument::Kind::kFloat;
    a.text = (negative ? "-" : "") + cursor_.take().text;
  } else {
    const std::string text = cursor_.peek(negative ? 1 : 0).text;
    if (text.rfind("0x", 0) == 0) a.text = (negative ? "-" : "") + text;
    a.number = types_.parse_integer();
  }
  op.arguments.push_back(std::move(a));
  cursor_.expect(":");
  op.types.push_back(types_.parse_type());
}

// dense<0.0> : T. Nothing computes with it, so its elements are kept as text.
void OperationParser::parse_dense(Operation& op, Argument a) {
  cursor_.take();
  a.kind = Argument::Kind::kFloat;
  a.text = "dense<";
  cursor_.expect("<");
  while (!cursor_.peek().is(">")) {
    if (!a.text.empty() && a.text.back() != '<') a.text += ", ";
    a.text += types_.parse_raw();
    if (!cursor_.take_if(",") && !cursor_.peek().is(">")) cursor_.fail_expected("'>'");
  }
  a.text += ">";
  cursor_.expect(">");
  op.arguments.push_back(std::move(a));
  cursor_.expect(":");
  op.types.push_back(types_.parse_type());
}

void OperationParser::parse_compare(Operation& op) {
  const Token word = cursor_.peek();
  if (word.kind != Kind::kWord && word.kind != Kind::kString)
    cursor_.fail_expected("a predicate such as slt");
  cursor_.take();
  add_word(op, Role::kPredicate, word.place, word.text);
  cursor_.expect(",");
  parse_values(op, Role::kOperand);
  parse_colon_types(op);
}

void OperationParser::parse_for(Operation& op) {
  parse_value(op, Role::kInduction);
  cursor_.expect("=");
  parse_value(op, Role::kOperand);
  cursor_.expect_word("to");
  parse_value(op, Role::kOperand);
  cursor_.expect_word("step");
  parse_value(op, Role::kOperand);
  if (cursor_.take_word_if("iter_args")) {
    cursor_.expect("(");
    do {
      parse_value(op, Role::kCarried);
      cursor_.expect("=");
      parse_value(op, Role::kInit);
    } while (cursor_.take_if(","));
    cursor_.expect(")");
    parse_result_types(op);
  }
  if (cursor_.take_if(":")) op.types.push_back(types_.parse_type());  // a { begins the region
  op.regions.push_back(parse_region());
}

void OperationParser::parse_if(Operation& op) {
  parse_value(op, Role::kOperand);
  parse_result_types(op);
  op.regions.push_back(parse_region());
  if (cursor_.take_word_if("else")) op.regions.push_back(parse_region());
}

void OperationParser::parse_yield(Operation& op) {
  if (cursor_.peek().kind != Kind::kValue) return;
  // `scf.yield` without values may stand before nothing but '}', so a value is an operand.
  parse_values(op, Role::kOperand);
  parse_colon_types(op);
}

// --- tiles ---

void OperationParser::parse_alloc(Operation& op) {
  while (cursor_.peek().kind == Kind::kWord) {
    const Token key = cursor_.take();
    const Role role = key.text == "addr"        ? Role::kAddress
                      : key.text == "valid_row" ? Role::kValidRow
                                                : Role::kValidColumn;
    if (role == Role::kValidColumn && key.text != "valid_col")
      cursor_.fail(key.place, "expected addr, valid_row, valid_col or ':', found " + found(key));
    cursor_.expect("=");
    parse_value(op, role);
    cursor_.take_if(",");
  }
  parse_attributes_if(op);
  cursor_.expect(":");
  op.types.push_back(types_.parse_type());
}

void OperationParser::parse_view(Operation& op, const char* first, Role first_role,
                                 const char* second, Role second_role) {
  parse_value(op, Role::kOperand);
  cursor_.expect(",");
  cursor_.expect_word(first);
  cursor_.expect("=");
  parse_list(op, first_role);
  cursor_.take_if(",");  // some kernels have none
  cursor_.expect_word(second);
  cursor_.expect("=");
  parse_list(op, second_role);
  parse_attributes_if(op);
  cursor_.expect(":");
  op.types.push_back(types_.parse_type());
}

void OperationParser::parse_tile(Operation& op) {
  cursor_.expect_word("ins");
  parse_tile_group(op, Role::kIn);
  cursor_.expect_word("outs");
  parse_tile_group(op, Role::kOut);
}

void OperationParser::parse_tile_view(Operation& op) {
  parse_value(op, Role::kOperand);
  while (cursor_.take_if(",")) parse_value_or_integer(op, Role::kOperand);
  if (cursor_.peek().is("[")) parse_list(op, Role::kOffset);
  if (cursor_.take_word_if("sizes")) parse_list(op, Role::kSize);
  if (cursor_.take_word_if("valid")) parse_list(op, Role::kValid);
  parse_colon_types(op);
  parse_result_types(op);
}

void OperationParser::parse_tile_group(Operation& op, Role role) {
  const Place place = cursor_.place();
  const std::size_t before = op.arguments.size();
  const std::size_t types_before = op.types.size();
  cursor_.expect("(");
  do {
    if (cursor_.peek().is("{")) {  // what is to be gathered, in place of indices
      parse_attributes_if(op);
      continue;
    }
    parse_value(op, role);
    parse_attributes_if(op);
  } while (cursor_.take_if(","));
  parse_tile_types(op);
  cursor_.expect(")");
  const std::size_t values = op.arguments.size() - before;
  const std::size_t types = op.types.size() - types_before;
  if (values == types) return;
  cursor_.fail(place, "expected " + plural(values, "type") + " for " + plural(values, "operand") +
                          ", found " + std::to_string(types));
}

// Types; among them may be "row" or "col", the axis of a pattern.
void OperationParser::parse_tile_types(Operation& op) {
  parse_attributes_if(op);
  if (!cursor_.take_if(":")) return;
  do {
    if (cursor_.peek().kind != Kind::kString) {
      op.types.push_back(types_.parse_type());
      continue;
    }
    const Token axis = cursor_.take();
    op.attributes.push_back({axis.place, "axis", "\"" + axis.text + "\""});
  } while (cursor_.take_if(","));
}

// --- synchronisation ---

// <PIPE_V>, #pto.pipe<PIPE_V>, #pto<pipe PIPE_V>, "PIPE_V": PIPE_V.
std::string OperationParser::parse_bracketed_word(const std::string& what) {
  if (cursor_.peek().kind == Kind::kString) return cursor_.take().text;
  if (cursor_.peek().kind == Kind::kAttribute) cursor_.take();
  if (!cursor_.take_if("<")) cursor_.fail_expected(what);
  std::string word = cursor_.expect_kind(Kind::kWord, what).text;
  if (cursor_.peek().kind == Kind::kWord) word = cursor_.take().text;
  cursor_.expect(">");
  return word;
}

bool OperationParser::at_pipe() const {
  const Token& t = cursor_.peek();
  return t.kind == Kind::kString || t.kind == Kind::kAttribute || t.is("<");
}

// Inside of brackets a word may stand for itself: [TLOAD, TMOV_M2L, EVENT_ID0].
void OperationParser::parse_word(Operation& op, Role role, const std::string& what, bool bare) {
  const Place place = cursor_.place();
  add_word(op, role, place,
           bare && cursor_.peek().kind == Kind::kWord ? cursor_.take().text
                                                      : parse_bracketed_word(what));
}

void OperationParser::add_word(Operation& op, Role role, const Place& place, std::string text) {
  Argument a;
  a.place = place;
  a.role = role;
  a.kind = Argument::Kind::kWord;
  a.text = std::move(text);
  op.arguments.push_back(std::move(a));
}

void OperationParser::parse_pipe(Operation& op, bool bare) {
  parse_word(op, Role::kPipe, "a pipe such as <PIPE_V>", bare);
}

void OperationParser::parse_one_pipe(Operation& op) {
  const bool brackets = cursor_.take_if("[");
  const bool round = !brackets && cursor_.take_if("(");
  parse_pipe(op, brackets || round);
  if (brackets) cursor_.expect("]");
  if (round) cursor_.expect(")");
}

void OperationParser::parse_flag(Operation& op) {
  cursor_.expect("[");
  parse_pipe(op, true);
  cursor_.expect(",");
  parse_pipe(op, true);
  cursor_.expect(",");
  if (at_pipe() || cursor_.peek().kind == Kind::kWord) {
    parse_word(op, Role::kId, "an event such as <EVENT_ID0>", true);
  } else {
    parse_value_or_integer(op, Role::kId);
  }
  cursor_.expect("]");
  parse_colon_types(op);
}

void OperationParser::parse_pipe_ids(Operation& op) {
  const bool brackets = cursor_.take_if("[");
  if (at_pipe() || (brackets && cursor_.peek().kind == Kind::kWord)) {
    parse_pipe(op, brackets);
    cursor_.expect(",");
  }
  do {
    parse_value_or_integer(op, Role::kId);
  } while (cursor_.take_if(","));
  if (brackets) cursor_.expect("]");
  parse_attributes_if(op);
  parse_colon_types(op);
}

// --- parts ---

void OperationParser::parse_value(Operation& op, Role role) {
  const Token token = cursor_.expect_kind(Kind::kValue, "a value such as %a");
  Argument a;
  a.place = token.place;
  a.role = role;
  a.text = token.text;
  op.arguments.push_back(std::move(a));
}

void OperationParser::parse_value_or_integer(Operation& op, Role role) {
  const Token token = cursor_.peek();
  if (token.kind == Kind::kValue) return parse_value(op, role);
  if (token.kind != Kind::kInteger && !token.is("-"))
    cursor_.fail_expected("a number or a value such as %a");
  Argument a;
  a.place = token.place;
  a.role = role;
  a.kind = Argument::Kind::kInteger;
  a.number = types_.parse_integer();
  op.arguments.push_back(std::move(a));
}

void OperationParser::parse_values(Operation& op, Role role) {
  do {
    parse_value(op, role);
  } while (cursor_.take_if(","));
}

void OperationParser::parse_list(Operation& op, Role role) {
  cursor_.expect("[");
  do {
    parse_value_or_integer(op, role);
  } while (cursor_.take_if(","));
  cursor_.expect("]");
}

void OperationParser::parse_colon_types(Operation& op) {
  parse_attributes_if(op);
  if (!cursor_.take_if(":")) return;
  for (Type& type : types_.parse_types()) op.types.push_back(std::move(type));
}

void OperationParser::parse_result_types(Operation& op) {
  if (!cursor_.take_if("->")) return;
  const bool many = cursor_.take_if("(");
  if (many && cursor_.take_if(")")) return;
  op.result_types = many ? types_.parse_types() : std::vector<Type>{types_.parse_type()};
  if (many) cursor_.expect(")");
}

void OperationParser::parse_attributes_if(Operation& op) {
  if (cursor_.peek().is("{")) types_.parse_attributes(op.attributes);
}

}  // namespace tessera::pto
