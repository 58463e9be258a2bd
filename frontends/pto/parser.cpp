#include "frontends/pto/parser.h"

#include "frontends/pto/operation_parser.h"

namespace tessera::pto {

namespace {

using Kind = Token::Kind;
constexpr unsigned kMostModules = 16;  // inside each other

class ModuleParser {
 public:
  ModuleParser(std::string_view text, const Diagnostics& diagnostics, Unknown unknown)
      : cursor_(tokenize(text, diagnostics), diagnostics), types_(cursor_),
        operations_(cursor_, types_, unknown == Unknown::kKeep) {}

  Module run() {
    Module module;
    parse_aliases();
    cursor_.expect_word("module");
    parse_module(module);
    parse_aliases();
    if (cursor_.peek().kind != Kind::kEnd) cursor_.fail_expected("the end of the file");
    return module;
  }

 private:
  // !name = TYPE, #name = ATTRIBUTE: of the latter nothing is used.
  void parse_aliases() {
    while (true) {
      if (cursor_.peek().kind == Kind::kType) {
        types_.parse_alias();
      } else if (cursor_.peek().kind == Kind::kAttribute && cursor_.peek(1).is("=")) {
        const unsigned line = cursor_.place().line;
        while (cursor_.peek().kind != Kind::kEnd && cursor_.place().line == line) cursor_.take();
      } else {
        return;
      }
    }
  }

  // Functions of a module inside a module are taken as if they stood outside.
  void parse_module(Module& module) {
    if (++depth_ > kMostModules)
      cursor_.fail(cursor_.place(), "too many modules inside each other");
    if (cursor_.peek().kind == Kind::kSymbol) cursor_.take();
    if (cursor_.accept_word("attributes")) types_.parse_attributes(module.attributes);
    cursor_.expect("{");
    while (!cursor_.accept("}")) {
      if (cursor_.accept_word("module")) {
        parse_module(module);
      } else {
        module.functions.push_back(parse_function());
      }
    }
    operations_.skip_location();
    --depth_;
  }

  Function parse_function() {
    if (!cursor_.peek().is_word("func.func")) cursor_.fail_expected("'func.func' or '}'");
    cursor_.take();
    Function function;
    function.is_private = cursor_.accept_word("private");
    if (!function.is_private) cursor_.accept_word("public");
    const Token name = cursor_.expect_kind(Kind::kSymbol, "the name of the function such as @f");
    function.place = name.place;
    function.name = name.text.substr(1);
    function.parameters = operations_.parse_parameters();
    parse_results(function);
    if (cursor_.accept_word("attributes")) types_.parse_attributes(function.attributes);
    function.has_body = cursor_.peek().is("{");
    if (!function.has_body) return function;
    for (const Parameter& p : function.parameters)
      if (p.name.empty())
        cursor_.fail(p.place, "an argument of a function with a body needs a name such as %a");
    function.body = operations_.parse_region();
    operations_.skip_location();
    return function;
  }

  void parse_results(Function& function) {
    if (!cursor_.accept("->")) return;
    if (!cursor_.accept("(")) {
      function.results.push_back(types_.parse_type());
      return;
    }
    if (cursor_.accept(")")) return;
    function.results = types_.parse_types();
    cursor_.expect(")");
  }

  TokenCursor cursor_;
  TypeParser types_;
  OperationParser operations_;
  unsigned depth_ = 0;
};

}  // namespace

Module parse(std::string_view text, const std::string& file, Unknown unknown) {
  const Diagnostics diagnostics(file);
  Module module = ModuleParser(text, diagnostics, unknown).run();
  module.file = file;
  return module;
}

Module parse_file(const std::string& path, Unknown unknown) {
  return parse(text::read_file(path, "PTO program"), path, unknown);
}

}  // namespace tessera::pto
