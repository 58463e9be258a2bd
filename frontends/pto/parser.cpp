#include "frontends/pto/parser.h"

#include <algorithm>

#include "frontends/pto/operand_parser.h"

namespace tessera::pto {

namespace {

using Kind = Token::Kind;
constexpr unsigned kMostModules = 16;  // limit of modules inside each other
constexpr unsigned kMostRegions = 64;  // limit of regions inside each other

/// Whether an unknown operation ends in front of the next token: another one begins there.
bool ends_unknown(const Token& next, const Token& before) {
  if (next.kind == Kind::kEnd || next.is("}")) return true;
  if (next.place.line == before.place.line) return false;
  if (next.kind == Kind::kValue) return !before.is(",") && !before.is("=") && !before.is(":");
  return next.kind == Kind::kWord &&
         (next.text.find('.') != std::string::npos || next.text == "return");
}

/// Whether no blank stands between the text so far and `token`.
bool is_tight(const std::string& text, const Token& token) {
  constexpr std::string_view kOpening = "([<";
  const bool brace = token.is("{") || token.is("}");
  return text.empty() || token.is(",") || (!brace && (token.opens() || token.closes())) ||
         kOpening.find(text.back()) != std::string_view::npos;
}

/// An operation without a row in operations.h, kept as text. Values in ins(..) and outs(..) are
/// kept as operands.
void parse_unknown(TokenCursor& cursor, Operation& op) {
  Token before = cursor.peek();
  before.place = op.place;
  unsigned depth = 0;
  Role role = Role::kOperand;
  while (depth > 0 || !ends_unknown(cursor.peek(), before)) {
    const Token token = cursor.take();
    if (token.kind == Kind::kEnd) cursor.fail_expected("a closing bracket");
    if (token.opens()) ++depth;
    if (token.closes()) {
      if (depth == 0) cursor.fail(token.place, "unexpected ", found(token));
      --depth;
    }
    if (depth == 0)
      role = token.is_word("ins") ? Role::kIn : token.is_word("outs") ? Role::kOut : Role::kOperand;
    if (token.kind == Kind::kValue)
      op.arguments.push_back({token.place, role, Argument::Kind::kValue, token.text});
    op.raw += (is_tight(op.raw, token) ? "" : " ") + spelling(token);
    before = token;
  }
}

/// Throws UserError if an operation has another number of operands or results than its row says.
void check_counts(const TokenCursor& cursor, const Operation& op, const OperationInfo& info) {
  const std::size_t results = result_count(op);
  const bool free = info.form == Form::kFor || info.form == Form::kIf ||
                    info.form == Form::kWhile || info.form == Form::kCall;
  if (!free && info.results != kAnyResults && results != info.results)
    cursor.fail(op.place, op.name, ": expected ", plural(info.results, "result"), ", found ",
                results);
  if (free || info.form == Form::kYield || info.form == Form::kCondition ||
      info.form == Form::kConstant || info.form == Form::kFlag)
    return;
  const auto counted = [&info](const Argument& a) {
    if (info.form == Form::kTile) return a.role == Role::kIn;
    return a.role == Role::kOperand || (a.role == Role::kId && info.form == Form::kPipeIds);
  };
  const auto count =
      static_cast<std::size_t>(std::count_if(op.arguments.begin(), op.arguments.end(), counted));
  if (count >= info.least && count <= info.most) return;
  const std::string range = (info.least == info.most ? "" : std::to_string(info.least) + " to ") +
                            plural(info.most, "operand");
  cursor.fail(op.place, op.name, ": expected ", range, ", found ", count);
}

/// Operations with their regions.
class OperationParser {
 public:
  /// `takes_unknown`: operations without a row in operations.h are kept as text, not refused.
  OperationParser(TokenCursor& cursor, TypeParser& types, bool takes_unknown)
      : cursor_(cursor), types_(types), takes_unknown_(takes_unknown) {}

  /// `{ operations }`.
  Region parse_region() {
    if (++depth_ > kMostRegions)
      cursor_.fail(cursor_.place(), "more than ", kMostRegions, " regions inside each other");
    Region region;
    cursor_.expect("{");
    if (cursor_.peek().kind == Kind::kBlock) {
      cursor_.take();
      if (cursor_.next_is("(")) region.parameters = parse_parameters();
      cursor_.expect(":");
    }
    while (!cursor_.accept("}")) region.operations.push_back(parse_operation());
    --depth_;
    return region;
  }

  /// Throws UserError with all operations that are not known, if they are to be refused and there are
  /// any.
  void refuse_unknown() const {
    if (unknown_.empty()) return;
    std::vector<std::pair<std::string, std::string>> lines;  // by name
    for (const auto& [place, name] : unknown_) {
      const auto known = std::find_if(lines.begin(), lines.end(),
                                      [&n = name](const auto& entry) { return entry.first == n; });
      if (known == lines.end())
        lines.emplace_back(name, std::to_string(place.line));
      else
        known->second += ", " + std::to_string(place.line);
    }
    const std::string hint = nearest_operation(lines[0].first);
    std::string list;
    for (const auto& [name, where] : lines)
      list += (list.empty() ? "" : "; ") + text::in_quotes(name) +
              (unknown_.size() > 1 ? " in line " + where : hint);
    const bool ends = list.back() == '?';
    cursor_.fail(unknown_[0].first, lines.size() > 1 ? "unknown operations " : "unknown operation ",
                 list, ends ? "" : ";",
                 " docs/ascend-platform.md lists the operations; --pto-unknown=cost:N runs unknown "
                 "ones for N cycles");
  }

  /// `(%a: T, %b: T)`, the parameters of a function or a block. Names may be missing.
  std::vector<Parameter> parse_parameters() {
    std::vector<Parameter> list;
    cursor_.expect("(");
    if (cursor_.accept(")")) return list;
    do {
      Parameter& p = list.emplace_back();
      p.place = cursor_.place();
      if (cursor_.peek().kind == Kind::kValue) {
        p.name = cursor_.take().text;
        cursor_.expect(":");
      }
      p.type = types_.parse_type();
      if (cursor_.next_is("{")) types_.parse_attributes(p.attributes);
      skip_location();
    } while (cursor_.accept(","));
    cursor_.expect(")");
    return list;
  }

  /// `loc(..)`, which says nothing to us.
  void skip_location() {
    if (!cursor_.peek().is_word("loc") || !cursor_.peek(1).is("(")) return;
    cursor_.take();
    unsigned depth = 0;
    do {
      const Token& token = cursor_.take();
      if (token.kind == Kind::kEnd) cursor_.fail_expected("')'");
      if (token.is("(")) ++depth;
      if (token.is(")")) --depth;
    } while (depth > 0);
  }

 private:
  Operation parse_operation() {
    Operation op;
    if (cursor_.peek().kind == Kind::kValue) parse_results(op);
    const bool is_generic = cursor_.peek().kind == Kind::kString && cursor_.peek(1).is("(");
    if (cursor_.peek().kind != Kind::kWord && !is_generic)
      cursor_.fail_expected("an operation or '}'");
    op.place = cursor_.place();
    op.name = cursor_.take().text;
    const OperationInfo* info = find_operation(op.name);
    if (info == nullptr) {
      if (!takes_unknown_) unknown_.push_back({op.place, op.name});
      if (op.name.find('.') == std::string::npos) refuse_unknown();
      parse_unknown(cursor_, op);
      return op;
    }
    OperandParser parts{cursor_, types_, op};
    if (is_generic)
      parse_generic(parts, *info);
    else
      parse_parts(parts, info->form);
    parts.attributes();
    skip_location();
    check_counts(cursor_, op, *info);
    return op;
  }

  void parse_results(Operation& op) {
    do {
      const Token& name = cursor_.expect_kind(Kind::kValue, "a value such as %a");
      Result result{name.place, name.text, 1};
      if (cursor_.accept(":")) {
        const Place place = cursor_.place();
        const std::int64_t count = types_.parse_integer();
        if (count < 1 || count > 64) cursor_.fail(place, "a number of results outside 1..64");
        result.count = static_cast<unsigned>(count);
      }
      op.results.push_back(std::move(result));
    } while (cursor_.accept(","));
    cursor_.expect("=");
  }

  void parse_parts(OperandParser& p, Form form) {
    switch (form) {
    case Form::kFor:
      return parse_for(p);
    case Form::kIf:
      return parse_if(p);
    case Form::kSection: {
      const bool has_operands = cursor_.accept("(");
      if (has_operands && !cursor_.next_is(")")) p.values(Role::kOperand);
      if (has_operands) cursor_.expect(")");
      add_region(p);
      if (!has_operands) return;
      cursor_.expect(":");
      p.op.types = types_.parse_type_list();
      return p.result_types();
    }
    case Form::kRegion:
      p.result_types();
      add_region(p);
      if (cursor_.accept(":")) p.op.result_types = types_.parse_types();
      return;
    case Form::kWhile:
      return parse_while(p);
    default:
      return parse_form(p, form);
    }
  }
  void add_region(OperandParser& p) { p.op.regions.push_back(parse_region()); }

  void parse_for(OperandParser& p) {
    p.value(Role::kInduction);
    cursor_.expect("=");
    p.value(Role::kOperand);
    cursor_.expect_word("to");
    p.value(Role::kOperand);
    cursor_.expect_word("step");
    p.value(Role::kOperand);
    if (cursor_.accept_word("iter_args")) {
      parse_carried(p);
      p.result_types();
    }
    if (cursor_.accept(":")) p.type();  // a { begins the region
    add_region(p);
  }

  void parse_if(OperandParser& p) {
    p.value(Role::kOperand);
    p.result_types();
    add_region(p);
    if (cursor_.accept_word("else")) add_region(p);
  }

  void parse_while(OperandParser& p) {
    if (cursor_.next_is("(")) parse_carried(p);
    cursor_.expect(":");
    p.op.types = types_.parse_type_list();
    p.result_types();
    add_region(p);
    cursor_.expect_word("do");
    add_region(p);
  }

  /// (%a = %b { , %a = %b }): carried values and what they begin with.
  void parse_carried(OperandParser& p) {
    cursor_.expect("(");
    do {
      p.value(Role::kCarried);
      cursor_.expect("=");
      p.value(Role::kInit);
    } while (cursor_.accept(","));
    cursor_.expect(")");
  }

  TokenCursor& cursor_;
  TypeParser& types_;
  const bool takes_unknown_;
  std::vector<std::pair<Place, std::string>> unknown_;  // the operations to refuse
  unsigned depth_ = 0;
};

class ModuleParser {
 public:
  ModuleParser(std::string_view text, const Diagnostics& diagnostics, Unknown unknown)
      : cursor_(tokenize(text, diagnostics), diagnostics), types_(cursor_),
        operations_(cursor_, types_, unknown == Unknown::kKeep) {}

  Module run() {
    Module module;
    try {
      parse_aliases();
      if (cursor_.peek().is_word("func.func")) {
        while (!cursor_.at_end()) module.functions.push_back(parse_function());
      } else {
        cursor_.expect_word("module");
        parse_module(module);
        parse_aliases();
        // The first module is the program. Tests that are split into several modules have others
        // after it, which are parsed and dropped.
        while (cursor_.accept_word("module")) {
          Module other;
          parse_module(other);
          parse_aliases();
        }
      }
      if (!cursor_.at_end()) cursor_.fail_expected("the end of the file");
    } catch (const UserError&) {
      operations_.refuse_unknown();  // the mistake may stand in one of them
      throw;
    }
    operations_.refuse_unknown();
    return module;
  }

 private:
  // Aliases: `!name = TYPE`, and `#name = ATTRIBUTE`, which is skipped.
  void parse_aliases() {
    while (true) {
      if (cursor_.peek().kind == Kind::kType) {
        types_.parse_alias();
      } else if (cursor_.peek().kind == Kind::kAttribute && cursor_.peek(1).is("=")) {
        const unsigned line = cursor_.place().line;
        while (!cursor_.at_end() && cursor_.place().line == line) cursor_.take();
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
    if (!cursor_.accept_word("func.func")) cursor_.fail_expected("'func.func' or '}'");
    Function function;
    function.is_private = cursor_.accept_word("private");
    if (!function.is_private) cursor_.accept_word("public");
    const Token name = cursor_.expect_kind(Kind::kSymbol, "the name of the function such as @f");
    function.place = name.place;
    function.name = name.text.substr(1);
    function.parameters = operations_.parse_parameters();
    function.results = types_.parse_results();
    if (cursor_.accept_word("attributes")) types_.parse_attributes(function.attributes);
    function.has_body = cursor_.next_is("{");
    if (!function.has_body) return function;
    for (const Parameter& p : function.parameters)
      if (p.name.empty())
        cursor_.fail(p.place, "an argument of a function with a body needs a name such as %a");
    function.body = operations_.parse_region();
    operations_.skip_location();
    return function;
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
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const std::string text = text::read_file(path, "PTO program");
  const bool is_marked = text.compare(0, kByteOrderMark.size(), kByteOrderMark) == 0;
  return parse(std::string_view(text).substr(is_marked ? kByteOrderMark.size() : 0), path, unknown);
}

}  // namespace tessera::pto
