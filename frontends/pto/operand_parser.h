// The parts that operations of PTO text are made of: values, numbers, words, types and attributes.
#pragma once

#include <string>
#include <utility>

#include "frontends/pto/operations.h"
#include "frontends/pto/type_parser.h"

namespace tessera::pto {

using text::plural;

/// Reads the parts of one operation into it.
struct OperandParser {
  using Kind = Token::Kind;

  TokenCursor& cursor;
  TypeParser& types;
  Operation& op;

  /// %a.
  void value(Role role) {
    const Token& token = cursor.expect_kind(Kind::kValue, "a value such as %a");
    op.arguments.push_back({token.place, role, Argument::Kind::kValue, token.text});
  }
  void value_or_integer(Role role) {
    const Token& token = cursor.peek();
    if (token.kind == Kind::kValue) return value(role);
    if (token.kind != Kind::kInteger && !token.is("-"))
      cursor.fail_expected("a number or a value such as %a");
    op.arguments.push_back({token.place, role, Argument::Kind::kInteger, ""});
    op.arguments.back().number = types.parse_integer();
  }
  /// One or more values, with commas between.
  void values(Role role) {
    do {
      value(role);
    } while (cursor.accept(","));
  }
  /// [%a, 1].
  void list(Role role) {
    cursor.expect("[");
    do {
      value_or_integer(role);
    } while (cursor.accept(","));
    cursor.expect("]");
  }
  /// shape = [%a, 1] or, with another sign, shape: [%a, 1].
  void named_list(const char* name, const char* sign, Role role) {
    cursor.expect_word(name);
    cursor.expect(sign);
    list(role);
  }
  /// : T to T, the type of the result.
  void cast_types() {
    colon_types();
    cursor.expect_word("to");
    op.result_types.push_back(types.parse_type());
  }
  /// %m[%o, 0] [4, 8] [1, 1] : T to T.
  void memref_part() {
    value(Role::kOperand);
    for (const Role role : {Role::kOffset, Role::kSize, Role::kStride}) list(role);
    cast_types();
  }
  /// An argument that is a word.
  void add_word(Role role, Place place, std::string text) {
    op.arguments.push_back({place, role, Argument::Kind::kWord, std::move(text)});
  }
  /// A word in the brackets of an attribute; if `bare`, it may stand for itself.
  void word(Role role, const std::string& what, bool bare) {
    const Place place = cursor.place();
    const bool plain = bare && cursor.peek().kind == Kind::kWord;
    add_word(role, place, plain ? cursor.take().text : bracketed_word(what));
  }
  /// The word of `<PIPE_V>`, `#pto.pipe<PIPE_V>`, `#pto<pipe PIPE_V>` or `"PIPE_V"`: PIPE_V.
  std::string bracketed_word(const std::string& what) {
    if (cursor.peek().kind == Kind::kString) return cursor.take().text;
    if (cursor.peek().kind == Kind::kAttribute) cursor.take();
    if (!cursor.accept("<")) cursor.fail_expected(what);
    std::string word = cursor.expect_kind(Kind::kWord, what).text;
    if (cursor.peek().kind == Kind::kWord) word = cursor.take().text;
    cursor.expect(">");
    return word;
  }
  void pipe(bool bare) { word(Role::kPipe, "a pipe such as <PIPE_V>", bare); }
  bool at_bracketed_word() const {
    const Token& t = cursor.peek();
    return t.kind == Kind::kString || t.kind == Kind::kAttribute || t.is("<");
  }

  /// One type.
  void type() { op.types.push_back(types.parse_type()); }
  /// { : T, T }.
  void colon_types() {
    attributes();
    if (!cursor.accept(":")) return;
    for (Type& type : types.parse_types()) op.types.push_back(std::move(type));
  }
  /// { -> T } or { -> (T, T) }.
  void result_types() { op.result_types = types.parse_results(); }
  /// Attributes, if any come next.
  void attributes() {
    if (cursor.next_is("{")) types.parse_attributes(op.attributes);
  }
};

/// An operation of Form::kRegister.
void parse_register_form(OperandParser& p);
/// All of an operation of `form` after its name, unless it has regions.
void parse_form(OperandParser& p, Form form);
/// The same for the generic form of MLIR: `"pto.tmov"(%a, %b) <{..}> {..} : (T, T) -> ()`.
void parse_generic(OperandParser& p, const OperationInfo& info);

}  // namespace tessera::pto
