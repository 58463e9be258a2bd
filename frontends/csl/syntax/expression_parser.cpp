#include "frontends/csl/syntax/expression_parser.h"

#include "frontends/csl/syntax/operators.h"
#include "frontends/csl/syntax/statement_parser.h"

namespace tessera::csl {

using Kind = Token::Kind;

namespace {

const BinarySpelling* binary_operator(const Token& token) {
  for (const BinarySpelling& op : kBinarySpellings)
    if (op.op != BinaryOp::kThrough && (token.is(op.text) || token.is_word(op.text))) return &op;
  return nullptr;
}

std::optional<UnaryOp> unary_operator(const Token& token) {
  for (const UnaryOp op : {UnaryOp::kNegate, UnaryOp::kNot, UnaryOp::kBitNot, UnaryOp::kAddress})
    if (token.is(spelling(op))) return op;
  return std::nullopt;
}

/// Whether "{" after the expression begins the values of a literal.
bool may_be_type(const Expr& e) {
  switch (e.kind) {
  case ExprKind::kName:
  case ExprKind::kMember:
  case ExprKind::kCall:
  case ExprKind::kBuiltin:
  case ExprKind::kArrayType:
  case ExprKind::kContainer:
    return true;
  default:
    return false;
  }
}

/// Whether `before` and `next`, of one level, stand in different ones in C: `|` below `^` below `&`.
bool is_grouped_otherwise_in_c(BinaryOp before, BinaryOp next) {
  const bool is_and = next == BinaryOp::kBitAnd;
  return (before == BinaryOp::kBitOr && (is_and || next == BinaryOp::kBitXor)) ||
         (before == BinaryOp::kBitXor && is_and);
}

}  // namespace

// Operators of a level are grouped from the left; `level` is the loosest one that is taken.
const Expr* ExpressionParser::binary(unsigned level) {
  const Expr* left = prefixed(Brace::kBeginsLiteral);
  bool is_comparison = false;
  const BinarySpelling* before = nullptr;
  while (const BinarySpelling* const op = binary_operator(cursor_.peek())) {
    if (op->level < level) break;
    if (is_comparison && op->level == kComparisonLevel)
      cursor_.fail(cursor_.place(), "comparisons are not chained: put one of them in parentheses");
    const Place place = cursor_.take().place;
    const bool are_joined = cursor_.place().line == place.line &&
                            cursor_.place().column == place.column + 1;  // `a * *T` is a type
    if (op->op == BinaryOp::kMultiply && are_joined && cursor_.next_is("*"))
      cursor_.fail(place, "unexpected '**'; <math> has the powers 'pow(x, y)'");
    const Expr* const right = binary(op->level + 1);
    left = state_.make<Binary>(place, op->op, left, right);
    if (before != nullptr && is_grouped_otherwise_in_c(before->op, op->op)) state_.add_mixed(left);
    before = op;
    is_comparison = op->level == kComparisonLevel;
  }
  return left;
}

const Expr* ExpressionParser::prefixed(Brace brace) {
  const ParseState::Level guard(state_);
  const Token& token = cursor_.peek();
  const std::optional<UnaryOp> op = unary_operator(token);
  if (!op) return suffixed(primary(brace), brace);
  const Place place = cursor_.take().place;
  const Expr* const operand = prefixed(brace);
  return state_.make<Unary>(place, *op, operand);
}

const Expr* ExpressionParser::suffixed(const Expr* object, Brace brace) {
  while (true) {
    if (const Expr* const longer = suffix(object)) {
      object = longer;
    } else if (brace == Brace::kBeginsLiteral && cursor_.next_is("{") && may_be_type(*object)) {
      object = literal(object->place, object);
    } else {
      return object;
    }
  }
}

const Expr* ExpressionParser::suffix(const Expr* object) {
  const Place place = cursor_.place();
  if (cursor_.accept(".")) {
    if (cursor_.next_is("."))
      cursor_.fail(
          place,
          "unexpected '..'; a range of numbers is '@range(i16, 0, n, 1)', in a switch '0...9'");
    const Name name = state_.expect_name("the member after '.'");
    return state_.make<Member>(place, object, name);
  }
  if (cursor_.accept(".*")) return state_.make<Dereference>(place, object);
  if (cursor_.accept("["))
    return state_.make<Index>(place, object, some_expressions("]", place, "an index"));
  if (cursor_.accept("(")) return state_.make<Call>(place, object, expressions(")", place));
  return nullptr;
}

template <class T>
const Expr* ExpressionParser::taken() {
  const Token& token = cursor_.take();
  return state_.make<T>(token.place, token.text);
}

const Expr* ExpressionParser::primary(Brace brace) {
  const Token& token = cursor_.peek();
  switch (token.kind) {
  case Kind::kInteger:
    return taken<Integer>();
  case Kind::kFloat:
    return taken<Float>();
  case Kind::kString:
    return taken<String>();
  case Kind::kCharacter:
    return taken<Character>();
  case Kind::kBuiltin:
    return builtin();
  case Kind::kWord:
    return word(brace);
  case Kind::kName:
    if (cursor_.peek(1).is(":") && cursor_.peek(2).is("{")) {
      const ParseState::Label label(state_);
      return statements_.parse_block(label.name(), "");
    }
    if (token.text == "packed" &&
        (cursor_.peek(1).is_word("struct") || cursor_.peek(1).is_word("union")))
      return container();
    return taken<NameExpr>();
  case Kind::kMark:
  case Kind::kEnd:
    break;
  }
  if (token.is("(")) return parse_in_parentheses("");
  if (token.is("{")) return statements_.parse_block({}, "");
  if (token.is(".{")) return literal(token.place, nullptr);
  if (token.is("[")) return bracketed_type();
  if (token.is("*")) return pointer_type();
  if (token.is("|")) return tensor_access();
  fail_no_expression();
}

const Expr* ExpressionParser::word(Brace brace) {
  const Token& token = cursor_.peek();
  const std::string_view word = token.text;
  if (word == "true") return keyword(Keyword::Word::kTrue);
  if (word == "false") return keyword(Keyword::Word::kFalse);
  if (word == "undefined") return keyword(Keyword::Word::kUndefined);
  if (word == "anytype") return keyword(Keyword::Word::kAnytype);
  if (word == "if") return if_expression(brace);
  if (word == "switch") return switch_expression();
  if (word == "fn" || word == "task") return function_type();
  if (word == "struct" || word == "union" || word == "extern") return container();
  if (word == "enum") return enumeration();
  if (word == "asm") return assembly();
  if (word != "comptime") fail_no_expression();
  const Place place = cursor_.take().place;
  const Expr* const operand = brace == Brace::kEndsType ? parse_type("a type") : parse();
  return state_.make<Comptime>(place, operand);
}

void ExpressionParser::fail_no_expression() {
  const Token& token = cursor_.peek();
  std::string more;
  if (token.is("+")) more = "; there is no prefix '+'";
  if (token.is("."))
    more = "; an anonymous struct is written '.{ .a = 1 }', a member of an enum 'E.a'";
  if (token.is(":")) more = "; the type of a result has no ':' before it";
  if (token.is_word("var") || token.is_word("const"))
    more = "; a declaration is a statement, and a loop over numbers is written "
           "'for (@range(i16, 0, n, 1)) |i|'";
  if (token.is_word("else")) more = "; an arm of an 'if' is missing";
  if (token.is_word("return") || token.is_word("break") || token.is_word("continue"))
    more = "; this is a statement and has no value";
  if (token.is_word("for") || token.is_word("while")) more = "; a loop has no value";
  state_.fail_expected("an expression", more);
}

const Expr* ExpressionParser::keyword(Keyword::Word word) {
  return state_.make<Keyword>(cursor_.take().place, word);
}

const Expr* ExpressionParser::builtin() {
  const Token name = cursor_.take();
  const Place open = state_.expect_open("(", "after the name of a builtin");
  return state_.make<Builtin>(name.place, name.text.substr(1), expressions(")", open));
}

List<const Expr*> ExpressionParser::expressions(std::string_view close, Place open) {
  return state_.comma_list(close, open, [this] { return parse(); });
}

List<const Expr*> ExpressionParser::some_expressions(std::string_view close, Place open,
                                                     const std::string& what) {
  if (cursor_.next_is(close)) state_.fail_expected(what);
  return expressions(close, open);
}

const Expr* ExpressionParser::parse_in_parentheses(const std::string& purpose) {
  const Place open = state_.expect_open("(", purpose);
  const Expr* const value = parse();
  state_.expect_close(
      ")", open, "",
      cursor_.next_is("=") ? "; an assignment is a statement, and 'equal' is written '=='" : "");
  return value;
}

const Expr* ExpressionParser::if_expression(Brace brace) {
  const Place place = cursor_.take().place;
  const Expr* const condition = parse_in_parentheses("around the condition");
  const auto arm = [this, brace] {
    return brace == Brace::kEndsType ? parse_type("a type") : parse();
  };
  const Expr* const then = arm();
  const Expr* const otherwise = cursor_.accept_word("else") ? arm() : nullptr;
  return state_.make<If>(place, condition, then, otherwise);
}

List<const Expr*> ExpressionParser::parse_arm_values() {
  std::vector<const Expr*> values;
  if (!cursor_.accept_word("else")) {
    do {
      const Expr* value = parse();
      const Place place = cursor_.place();
      if (cursor_.accept("..."))
        value = state_.make<Binary>(place, BinaryOp::kThrough, value, parse());
      values.push_back(value);
    } while (cursor_.accept(",") && !cursor_.next_is("=>"));
  }
  if (!cursor_.accept("=>"))
    state_.fail_expected("'=>' in front of the body of the arm",
                         cursor_.next_is(":") ? "; an arm is written 'value => ..'" : "");
  return state_.file().keep(values);
}

const Expr* ExpressionParser::switch_expression() {
  const Place place = cursor_.take().place;
  const Expr* const subject = parse_in_parentheses("around the value of the switch");
  const Place open = state_.expect_open("{", "in front of the arms");
  const List<Arm<Expr>> arms = state_.comma_list("}", open, [this]() -> Arm<Expr> {
    const Place begin = cursor_.place();
    const List<const Expr*> values = parse_arm_values();
    return {begin, values, parse()};
  });
  return state_.make<Switch>(place, subject, arms);
}

const Expr* ExpressionParser::literal(Place place, const Expr* type) {
  const Place open = cursor_.take().place;
  std::optional<bool> has_names;
  const List<LiteralField> values = state_.comma_list("}", open, [this, type, &has_names] {
    const Place begin = cursor_.place();
    const LiteralField field = literal_field(type != nullptr);
    const bool has_name = !field.name.text.empty();
    if (has_names && *has_names != has_name)
      cursor_.fail(begin, "all values of a literal have names such as '.a = 1', or none has");
    has_names = has_name;
    return field;
  });
  return state_.make<Literal>(place, type, values);
}

LiteralField ExpressionParser::literal_field(bool has_type) {
  if (!cursor_.accept(".")) {
    const bool no_dot = cursor_.peek().kind == Kind::kName && cursor_.peek(1).is("=");
    if (no_dot)
      cursor_.fail(cursor_.place(), "expected '.' in front of the name of a field, found ",
                   found(cursor_.peek()));
    return {{}, parse()};
  }
  const Name name = state_.expect_name("the field after '.'");
  if (!cursor_.accept("="))
    state_.fail_expected("'=' and the value of the field",
                         has_type || !cursor_.next_is(":") ? "" : "; a field is written '.a = 1'");
  return {name, parse()};
}

const Expr* ExpressionParser::tensor_access() {
  const Place place = cursor_.take().place;
  std::vector<Name> variables;
  do {
    variables.push_back(state_.expect_name("a variable of the tensor access"));
  } while (cursor_.accept(","));
  if (!cursor_.accept("|")) state_.fail_expected("',' or '|' after the variables");
  const Place open = state_.expect_open("{", "and the extents of the tensor access");
  const List<const Expr*> extents = some_expressions("}", open, "an extent");
  if (!cursor_.accept("->")) state_.fail_expected("'->' and what the tensor access reads");
  const Expr* const access = suffixed(primary(Brace::kBeginsLiteral), Brace::kBeginsLiteral);
  return state_.make<TensorAccess>(place, state_.file().keep(variables), extents, access);
}

}  // namespace tessera::csl
