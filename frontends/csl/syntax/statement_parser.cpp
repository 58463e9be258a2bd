#include "frontends/csl/syntax/statement_parser.h"

#include <vector>

#include "frontends/csl/syntax/operators.h"

namespace tessera::csl {

using Kind = Token::Kind;

namespace {

bool begins_loop(const Token& token) {
  return token.is_word("while") || token.is_word("for") || token.is_word("inline");
}

bool begins_jump(const Token& token) {
  return token.is_word("return") || token.is_word("break") || token.is_word("continue");
}

/// The assignment operator that comes next; nothing if it is none. `=` has no BinaryOp.
struct AssignOperator {
  std::optional<BinaryOp> op;
};
std::optional<AssignOperator> assign_operator(const Token& token) {
  if (token.is("=")) return AssignOperator{};
  if (token.kind != Kind::kMark || token.text.size() < 2 || token.text.back() != '=')
    return std::nullopt;
  const std::string_view text = token.text.substr(0, token.text.size() - 1);
  for (const BinarySpelling& op : kBinarySpellings)
    if (op.text == text && is_compound(op.op)) return AssignOperator{op.op};
  return std::nullopt;
}

}  // namespace

const Block* StatementParser::parse_block(Name label, const std::string& what) {
  const ParseState::Level guard(state_);
  const Place open = state_.expect_open("{", what);
  std::vector<const Stmt*> statements;
  std::uint32_t last_line = cursor_.place().line;
  while (!cursor_.accept("}")) {
    if (cursor_.at_end()) state_.expect_close("}", open);
    statements.push_back(statement());
    last_line = cursor_.place().line;
  }
  const Place place = label.text.empty() ? open : label.place;
  return state_.make<Block>(place, label, state_.file().keep(statements), last_line);
}

const Stmt* StatementParser::statement() {
  if (state_.next_is_label()) return labelled();
  if (cursor_.next_is("{")) {
    const Place place = cursor_.place();
    return state_.make<BlockStmt>(place, parse_block({}, ""));
  }
  if (cursor_.next_is(";")) cursor_.fail(cursor_.place(), "unexpected ';': no statement ends here");
  if (cursor_.next_is("*"))
    state_.fail_expected("a statement", "; what a pointer p leads to is written 'p.*'");
  if (cursor_.peek().kind == Kind::kWord) {
    if (const Stmt* const found = word_statement()) return found;
  }
  const Stmt* const result = assignment();
  state_.expect_semicolon("the statement");
  return result;
}

const Stmt* StatementParser::labelled() {
  const ParseState::Label label(state_);
  if (cursor_.next_is("{"))
    return state_.make<BlockStmt>(label.name().place, parse_block(label.name(), ""));
  if (begins_loop(cursor_.peek())) return loop(label.name());
  state_.fail_expected("a loop or a block after the label");
}

const Stmt* StatementParser::word_statement() {
  const Token& token = cursor_.peek();
  if (token.is_word("const") || token.is_word("var")) return local();
  if (begins_loop(token)) return loop({});
  if (token.is_word("switch")) {
    const Stmt* const result = switch_statement();
    cursor_.accept(";");
    return result;
  }
  if (token.is_word("if")) {
    const Arm result = if_statement();
    if (!result.closed) state_.expect_semicolon("an arm without braces");
    if (cursor_.peek().is_word("else"))
      cursor_.fail(cursor_.place(), "'else' without 'if': no ';' stands in front of 'else'");
    return result.statement;
  }
  if (begins_jump(token)) {
    const Stmt* const result = jump();
    state_.expect_semicolon("the statement");
    return result;
  }
  if (token.is_word("comptime")) {
    const Token& next = cursor_.peek(1);
    if (next.is_word("const") || next.is_word("var")) return local();
    if (!next.is("{")) return nullptr;
    const Place place = cursor_.take().place;
    const Block* const block = parse_block({}, "");
    cursor_.accept(";");
    return state_.make<ComptimeStmt>(place, block);
  }
  if (token.is_word("else")) cursor_.fail(token.place, "'else' without 'if'");
  const bool is_declaration = token.is_word("param") || token.is_word("export") ||
                              token.is_word("noinline") ||
                              (token.is_word("extern") && !cursor_.peek(1).is_word("struct") &&
                               !cursor_.peek(1).is_word("union"));
  const bool is_function =
      (token.is_word("fn") || token.is_word("task")) && cursor_.peek(1).kind == Kind::kName;
  if (is_declaration || is_function) fail_declaration_of_file();
  return nullptr;
}

void StatementParser::fail_declaration_of_file() {
  state_.fail(Id::kMisplaced, cursor_.place(), "expected a statement, found ",
              found(cursor_.peek()),
              ", which declares something of a file; is a '}' missing in front of it?");
}

/// `if (a) x else if (b) y else z`: its tests stand one after the other, however many there are, not inside each other.
StatementParser::Arm StatementParser::if_statement() {
  const ParseState::Level guard(state_);
  struct Test {
    Place place;
    const Expr* condition;
    const Stmt* then;
  };
  std::vector<Test> tests;
  Arm last{};
  bool goes_on = true;
  while (goes_on) {
    const Place place = cursor_.take().place;
    const Expr* const condition = expressions_.parse_in_parentheses("around the condition");
    const Arm then = arm();
    tests.push_back({place, condition, then.statement});
    last = {nullptr, then.closed};
    if (!cursor_.accept_word("else")) break;
    goes_on = cursor_.peek().is_word("if");
    if (!goes_on) last = arm();
  }
  for (auto test = tests.rbegin(); test != tests.rend(); ++test)
    last.statement = state_.make<IfStmt>(test->place, test->condition, test->then, last.statement);
  return last;
}

StatementParser::Arm StatementParser::arm() {
  const Token& token = cursor_.peek();
  if (token.is_word("if")) return if_statement();
  if (begins_loop(token)) return {loop({}), true};
  if (token.is_word("switch")) return {switch_statement(), true};
  if (token.is("{") || state_.next_is_label()) return {statement(), true};
  if (begins_jump(token)) return {jump(), false};
  if (token.is_word("const") || token.is_word("var"))
    state_.fail(Id::kMisplaced, token.place, "a declaration needs a block around it here");
  return {assignment(), false};
}

const Stmt* StatementParser::jump() {
  const Token word = cursor_.take();
  const auto ends = [this] {
    return cursor_.next_is(";") || cursor_.next_is(",") || cursor_.next_is("}") ||
           cursor_.peek().is_word("else");
  };
  if (word.text == "return")
    return state_.make<Return>(word.place, ends() ? nullptr : expressions_.parse());
  const Name label = cursor_.accept(":") ? state_.expect_name("the label after ':'") : Name{};
  if (word.text == "continue") return state_.make<Continue>(word.place, label);
  return state_.make<Break>(word.place, label, ends() ? nullptr : expressions_.parse());
}

const Stmt* StatementParser::assignment() {
  const Place begin = cursor_.place();
  const Expr* const target = expressions_.parse();
  const Token token = cursor_.peek();
  const std::optional<AssignOperator> assign = assign_operator(token);
  if (!assign) return state_.make<ExpressionStmt>(begin, target);
  cursor_.take();
  const Expr* const value = expressions_.parse();
  return state_.make<Assign>(token.place, target, assign->op, value);
}

const Stmt* StatementParser::loop(Name label) {
  const bool is_inline = cursor_.accept_word("inline");
  if (cursor_.peek().is_word("while")) return while_loop(label, is_inline);
  if (cursor_.peek().is_word("for")) return for_loop(label, is_inline);
  state_.fail_expected("'for' or 'while' after 'inline'");
}

const Stmt* StatementParser::while_loop(Name label, bool is_inline) {
  const Place place = cursor_.take().place;
  const Expr* const condition = expressions_.parse_in_parentheses("around the condition");
  const Stmt* step = nullptr;
  if (cursor_.accept(":")) {
    const Place open = state_.expect_open("(", "around the step of the loop");
    step = assignment();
    state_.expect_close(")", open);
  }
  const Block* const body = loop_body();
  return state_.make<While>(place, label, is_inline, condition, step, body);
}

const Stmt* StatementParser::for_loop(Name label, bool is_inline) {
  const Place place = cursor_.take().place;
  const Expr* const range = expressions_.parse_in_parentheses("around what the loop runs over");
  if (!cursor_.accept("|")) state_.fail_expected("'|' and the name of the element");
  const Name element = state_.expect_name("the element");
  const Name index = cursor_.accept(",") ? state_.expect_name("the index") : Name{};
  if (!cursor_.accept("|"))
    state_.fail_expected(index.text.empty() ? "',' or '|' after the element"
                                            : "'|' after the index");
  const Block* const body = loop_body();
  return state_.make<For>(place, label, is_inline, range, element, index, body);
}

/// A block, or one statement, which ends with its own ';'.
const Block* StatementParser::loop_body() {
  const Token& next = cursor_.peek();
  const bool begins_statement = next.kind == Kind::kName || next.kind == Kind::kBuiltin ||
                                next.is("(") || next.is_word("if") || next.is_word("switch") ||
                                begins_loop(next) || begins_jump(next);
  if (!begins_statement) return parse_block({}, "and the body of the loop");
  const ParseState::Level guard(state_);
  const std::vector<const Stmt*> statements = {statement()};
  return state_.make<Block>(next.place, Name{}, state_.file().keep(statements),
                            cursor_.place().line);
}

const Stmt* StatementParser::switch_statement() {
  const ParseState::Level guard(state_);
  const Place place = cursor_.take().place;
  const Expr* const subject = expressions_.parse_in_parentheses("around the value of the switch");
  const Place open = state_.expect_open("{", "in front of the arms");
  const List<csl::Arm<Stmt>> arms = state_.comma_list(
      "}", open,
      [this]() -> csl::Arm<Stmt> {
        const Place begin = cursor_.place();
        const List<const Expr*> values = expressions_.parse_arm_values();
        return {begin, values, arm().statement};
      },
      "; ',' stands between the arms of a switch");
  return state_.make<SwitchStmt>(place, subject, arms);
}

const Stmt* StatementParser::local() {
  const Place place = cursor_.place();
  const bool is_comptime = cursor_.accept_word("comptime");
  return state_.make<Local>(place, parse_variable(Linkage::kNone, is_comptime));
}

Variable StatementParser::parse_variable(Linkage linkage, bool is_comptime) {
  const bool is_var = cursor_.take().text == "var";
  const Name name = state_.expect_name(is_var ? "the variable" : "the constant");
  const Expr* type = nullptr;
  if (cursor_.accept(":")) type = expressions_.parse_type("the type after ':'");
  std::vector<Attribute> attributes;
  add_attributes(attributes);
  const Expr* const value = cursor_.accept("=") ? expressions_.parse() : nullptr;
  if (value == nullptr && linkage != Linkage::kExtern) {
    if (!is_var && cursor_.next_is(";")) state_.fail_expected("'=' and the value of the constant");
    if (is_var && type == nullptr) state_.fail_expected("':' and a type, or '=' and a value");
  }
  if (value != nullptr && linkage == Linkage::kExtern)
    state_.fail(Id::kMisplaced, value->place, "an extern variable has its value elsewhere");
  state_.expect_semicolon("the declaration");
  return {linkage, is_comptime, is_var, name, type, state_.file().keep(attributes), value};
}

void StatementParser::add_attributes(std::vector<Attribute>& attributes) {
  while (cursor_.peek().is_name("align") || cursor_.peek().is_name("linksection") ||
         cursor_.peek().is_name("linkname")) {
    const Name name = state_.taken_name();
    const std::string purpose = "after '" + std::string(name.text) + "'";
    attributes.push_back({name, expressions_.parse_in_parentheses(purpose)});
  }
}

}  // namespace tessera::csl
