#include "frontends/pto/parser.h"

#include <fstream>
#include <sstream>

#include "frontends/pto/operation_parser.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto {

namespace {

using Kind = Token::Kind;

class ModuleParser {
 public:
  ModuleParser(std::string_view text, const Diagnostics& diagnostics)
      : cursor_(tokenize(text, diagnostics), diagnostics), types_(cursor_),
        operations_(cursor_, types_) {}

  Module run() {
    Module module;
    while (cursor_.peek().kind == Kind::kType) types_.parse_alias();
    cursor_.expect_word("module");
    if (cursor_.peek().kind == Kind::kSymbol) cursor_.take();
    if (cursor_.take_word_if("attributes")) types_.parse_attributes(module.attributes);
    cursor_.expect("{");
    while (!cursor_.take_if("}")) module.functions.push_back(parse_function());
    if (cursor_.peek().kind != Kind::kEnd) cursor_.fail_expected("the end of the file");
    return module;
  }

 private:
  Function parse_function() {
    if (!cursor_.peek().is_word("func.func")) cursor_.fail_expected("'func.func' or '}'");
    cursor_.take();
    Function function;
    function.is_private = cursor_.take_word_if("private");
    const Token name = cursor_.expect_kind(Kind::kSymbol, "the name of the function such as @f");
    function.place = name.place;
    function.name = name.text.substr(1);
    parse_parameters(function);
    if (cursor_.peek().is("->")) {
      cursor_.take();
      const Place place = cursor_.place();
      if (!cursor_.take_if("(") || !cursor_.take_if(")"))
        cursor_.fail(place, "a kernel function has no results");
    }
    if (cursor_.take_word_if("attributes")) types_.parse_attributes(function.attributes);
    function.has_body = cursor_.peek().is("{");
    if (!function.has_body) return function;
    for (const Parameter& p : function.parameters)
      if (p.name.empty())
        cursor_.fail(p.place, "an argument of a function with a body needs a name such as %a");
    function.body = operations_.parse_region();
    return function;
  }

  void parse_parameters(Function& function) {
    cursor_.expect("(");
    if (cursor_.take_if(")")) return;
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
      function.parameters.push_back(std::move(p));
    } while (cursor_.take_if(","));
    cursor_.expect(")");
  }

  TokenCursor cursor_;
  TypeParser types_;
  OperationParser operations_;
};

}  // namespace

Module parse(std::string_view text, const std::string& file) {
  const Diagnostics diagnostics(file);
  Module module = ModuleParser(text, diagnostics).run();
  module.file = file;
  return module;
}

Module parse_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  if (in) text << in.rdbuf();
  if (!in) throw UserError(path, "", "the file cannot be read");
  return parse(text.str(), path);
}

}  // namespace tessera::pto
