#include "frontends/csl/syntax/parser.h"

#include "frontends/csl/syntax/statement_parser.h"

namespace tessera::csl {

namespace {

using Kind = Token::Kind;

/// The declarations of a file.
class FileParser {
 public:
  explicit FileParser(SourceFile& file)
      : state_(file), cursor_(state_.cursor()), statements_(state_) {}

  void run() {
    while (!cursor_.at_end()) state_.file().add(item());
  }
  const std::vector<const Expr*>& mixed() const { return state_.mixed(); }

 private:
  const Item* item() {
    const Token& token = cursor_.peek();
    if (token.is_word("param")) return param();
    if (token.is_name("color") && cursor_.peek(1).kind == Kind::kName) return param();
    if (token.is_name("layout") || token.is_word("comptime")) return block();
    Linkage linkage = Linkage::kNone;
    if (cursor_.accept_word("export")) linkage = Linkage::kExport;
    if (linkage == Linkage::kNone && cursor_.accept_word("extern")) linkage = Linkage::kExtern;
    const Token& next = cursor_.peek();
    if (next.is_word("const") || next.is_word("var"))
      return state_.make<Global>(next.place, statements_.parse_variable(linkage, false));
    if (next.is_word("fn") || next.is_word("task") || next.is_word("inline") ||
        next.is_word("noinline"))
      return function(linkage);
    if (linkage != Linkage::kNone)
      state_.fail_expected("const, var, fn or task after '" + std::string(cursor_.last().text) +
                           "'");
    fail_no_item();
  }

  [[noreturn]] void fail_no_item() {
    const Token& token = cursor_.peek();
    const std::vector<std::string> words = {"param",  "const",  "var",    "fn",      "task",
                                            "export", "extern", "layout", "comptime"};
    std::string more;
    if (token.is(";")) more = "; no ';' stands after a block";
    if (token.is("}")) more = "; no '{' is open here";
    if (token.is_word("struct") || token.is_word("enum") || token.is_word("union"))
      more = "; a named type is written 'const T = struct {..};'";
    if (token.kind == Kind::kBuiltin || token.is_word("if") || token.is_word("for") ||
        token.is_word("while") || token.is_word("return"))
      more = "; statements stand in functions, layout and comptime blocks";
    if (token.kind == Kind::kName) more = did_you_mean(token.text, words);
    const bool is_typed = token.kind == Kind::kName && cursor_.peek(1).kind == Kind::kName;
    if (is_typed && more.empty())
      more = "; a variable is declared as 'var x: i16 = 1;', a function as 'fn f() void { }'";
    if (token.is_name("pub")) more = "; what a file declares is public";
    cursor_.fail(token.place, "expected a declaration (", text::alternatives(words), "), found ",
                 found(token), more);
  }

  const Item* param() {
    const Token word = cursor_.take();
    const bool is_color = word.text == "color";
    const Name name = state_.expect_name("the param");
    const Expr* type = nullptr;
    if (!is_color && cursor_.accept(":"))
      type = statements_.expressions().parse_type("the type of the param");
    const Expr* const value = cursor_.accept("=") ? statements_.expressions().parse() : nullptr;
    state_.expect_semicolon("the declaration");
    return state_.make<Param>(word.place, is_color, name, type, value);
  }

  const Item* block() {
    const Token word = cursor_.take();
    const Block* const body = statements_.parse_block({}, "after '" + std::string(word.text) + "'");
    cursor_.accept(";");
    return state_.make<BlockItem>(word.place, word.text == "layout", body);
  }

  const Item* function(Linkage linkage) {
    Function::Inlining inlining = Function::Inlining::kFree;
    if (cursor_.accept_word("inline")) {
      inlining = Function::Inlining::kInline;
    } else if (cursor_.accept_word("noinline")) {
      inlining = Function::Inlining::kNoinline;
    }
    const bool is_task = cursor_.peek().is_word("task");
    if (!is_task && !cursor_.peek().is_word("fn")) state_.fail_expected("'fn' or 'task'");
    const Place place = cursor_.take().place;
    const Name name = state_.expect_name(is_task ? "the task" : "the function");
    const Place open = state_.expect_open("(", "and the parameters");
    const List<Parameter> parameters =
        state_.comma_list(")", open, [&] { return parameter(linkage == Linkage::kExtern); });
    for (const Parameter& one : parameters) {
      for (const Parameter& other : parameters) {
        if (&other > &one && !one.name.text.empty() && other.name.text == one.name.text)
          state_.fail(Id::kDeclaredTwice, other.name.place, "two parameters are called ",
                      in_quotes(one.name.text));
      }
    }
    std::vector<Attribute> attributes;
    statements_.add_attributes(attributes);
    // A task returns nothing; the vendor's pages also leave the word out.
    const bool has_result = !is_task || !cursor_.peek().is("{");
    const Expr* const result =
        has_result ? statements_.expressions().parse_type("the type of the result, such as void")
                   : state_.make<NameExpr>(cursor_.peek().place, "void");
    statements_.add_attributes(attributes);
    const Block* body = nullptr;
    if (linkage == Linkage::kExtern) {
      state_.expect_semicolon("an extern function, whose body is elsewhere");
    } else {
      body = statements_.parse_block({}, is_task ? "and the body of the task"
                                                 : "and the body of the function");
    }
    return state_.make<Function>(place, linkage, inlining, is_task, name, parameters, result,
                                 state_.file().keep(attributes), body);
  }

  /// Those of extern functions may have types only.
  Parameter parameter(bool is_extern) {
    const bool is_comptime = cursor_.accept_word("comptime");
    const bool has_name = cursor_.peek().kind == Kind::kName && cursor_.peek(1).is(":");
    if (is_extern && !has_name)
      return {is_comptime, {}, statements_.expressions().parse_type("the type of the parameter")};
    const Name name = state_.expect_name("a parameter");
    if (!cursor_.accept(":")) state_.fail_expected("':' and the type of the parameter");
    return {is_comptime, name, statements_.expressions().parse_type("the type of the parameter")};
  }

  ParseState state_;
  TokenCursor& cursor_;
  StatementParser statements_;
};

}  // namespace

std::shared_ptr<const SourceFile> parse(std::string text, std::string name, std::uint16_t number,
                                        std::vector<const Expr*>* mixed) {
  const auto file = std::make_shared<SourceFile>(std::move(name), std::move(text), number);
  FileParser parser(*file);
  parser.run();
  if (mixed != nullptr) *mixed = parser.mixed();
  return file;
}

std::shared_ptr<const SourceFile> parse_file(const std::string& path, std::uint16_t number,
                                             std::vector<const Expr*>* mixed) {
  return parse(text::read_file(path, "CSL file"), path, number, mixed);
}

}  // namespace tessera::csl
