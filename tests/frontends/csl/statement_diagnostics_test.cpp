// What the parser says about mistakes in declarations and statements: the exact place, the words that help, the line and
// a caret below it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/frontends/csl/mistake.h"

namespace tessera::csl {
namespace {

class CslStatementMessage : public ::testing::TestWithParam<Mistake> {};

TEST_P(CslStatementMessage, NamesPlaceAndWhatWasExpected) {
  EXPECT_EQ(error_of(GetParam().text), std::string("a.csl:") + GetParam().message);
}

const Mistake kDeclarations[] = {
    {"NoDeclaration", "x = 3;",
     "1:1: expected a declaration (param, const, var, fn, task, export, extern, layout or "
     "comptime), found 'x'\n"
     "  x = 3;\n"
     "  ^"},
    {"SimilarWord", "parm x: u16;",
     "1:1: expected a declaration (param, const, var, fn, task, export, extern, layout or "
     "comptime), found 'parm'; did you mean 'param'?\n"
     "  parm x: u16;\n"
     "  ^"},
    {"StatementOutside", "@set_rectangle(1, 1);",
     "1:1: expected a declaration (param, const, var, fn, task, export, extern, layout or "
     "comptime), found '@set_rectangle'; statements stand in functions, layout and comptime "
     "blocks\n"
     "  @set_rectangle(1, 1);\n"
     "  ^"},
    {"LoopOutside", "for (a) |i| {}",
     "1:1: expected a declaration (param, const, var, fn, task, export, extern, layout or "
     "comptime), found 'for'; statements stand in functions, layout and comptime blocks\n"
     "  for (a) |i| {}\n"
     "  ^"},
    {"ReturnOutside", "return 1;",
     "1:1: expected a declaration (param, const, var, fn, task, export, extern, layout or "
     "comptime), found 'return'; statements stand in functions, layout and comptime blocks\n"
     "  return 1;\n"
     "  ^"},
    {"StructOutside", "struct A { a: u16 }",
     "1:1: expected a declaration (param, const, var, fn, task, export, extern, layout or "
     "comptime), found 'struct'; a named type is written 'const T = struct {..};'\n"
     "  struct A { a: u16 }\n"
     "  ^"},
    {"SemicolonBehindBlock", "fn f() void {};",
     "1:15: expected a declaration (param, const, var, fn, task, export, extern, layout or "
     "comptime), found ';'; no ';' stands after a block\n"
     "  fn f() void {};\n"
     "                ^"},
    {"BraceOfNobody", "fn f() void {}\n}",
     "2:1: expected a declaration (param, const, var, fn, task, export, extern, layout or "
     "comptime), found '}'; no '{' is open here\n"
     "  }\n"
     "  ^"},
    {"BraceOpenAtEnd", "fn f() void {\n  x = 1;\n",
     "2:9: expected '}' for the '{' at 1:13, found the end of the file\n"
     "    x = 1;\n"
     "          ^"},
    {"ParenthesisOpenAtEnd", "const a = f(1, 2",
     "1:17: expected ',' or ')' for the '(' at 1:12, found the end of the file\n"
     "  const a = f(1, 2\n"
     "                  ^"},
    {"ParenthesisOpen", "const a = (1 + 2;",
     "1:17: expected ')' for the '(' at 1:11, found ';'\n"
     "  const a = (1 + 2;\n"
     "                  ^"},
    {"BracketOpen", "const a = b[1;",
     "1:14: expected ',' or ']' for the '[' at 1:12, found ';'\n"
     "  const a = b[1;\n"
     "               ^"},
    {"ExportParam", "export param x: u16;",
     "1:8: expected const, var, fn or task after 'export', found 'param'\n"
     "  export param x: u16;\n"
     "         ^"},
    {"InlineConst", "inline const x = 1;",
     "1:8: expected 'fn' or 'task', found 'const'\n"
     "  inline const x = 1;\n"
     "         ^"},
    {"ExternWithBody", "extern fn f() void {}",
     "1:20: expected ';' after an extern function, whose body is elsewhere, found '{'\n"
     "  extern fn f() void {}\n"
     "                     ^"},
    {"ExternWithValue", "extern var x: u16 = 1;",
     "1:21: an extern variable has its value elsewhere\n"
     "  extern var x: u16 = 1;\n"
     "                      ^"},
    {"NameIsWord", "const task = 1;",
     "1:7: expected the name of the constant, found 'task'; this word of the language cannot be a "
     "name\n"
     "  const task = 1;\n"
     "        ^"},
    {"NameMissing", "var : u16 = 1;",
     "1:5: expected the name of the variable, found ':'\n"
     "  var : u16 = 1;\n"
     "      ^"},
    {"ConstWithoutValue", "const a: u16;",
     "1:13: expected '=' and the value of the constant, found ';'\n"
     "  const a: u16;\n"
     "              ^"},
    {"VarWithoutType", "var a;",
     "1:6: expected ':' and a type, or '=' and a value, found ';'\n"
     "  var a;\n"
     "       ^"},
    {"TypeMissing", "var a: = 1;",
     "1:8: expected the type after ':', found '='\n"
     "  var a: = 1;\n"
     "         ^"},
    {"SemicolonMissing", "const a = 1\nconst b = 2;",
     "1:12: expected ';' after the declaration, found 'const'\n"
     "  const a = 1\n"
     "             ^"},
    {"SemicolonMissingInLine", "const a = 1 const b = 2;",
     "1:13: expected ';' after the declaration, found 'const'\n"
     "  const a = 1 const b = 2;\n"
     "              ^"},
    {"ParamOfFunctionWithoutType", "fn f(a) void {}",
     "1:7: expected ':' and the type of the parameter, found ')'\n"
     "  fn f(a) void {}\n"
     "        ^"},
    {"TypeFirst", "fn f(u16 a) void {}",
     "1:10: expected ':' and the type of the parameter, found 'a'\n"
     "  fn f(u16 a) void {}\n"
     "           ^"},
    {"ResultMissing", "fn f() {\n}",
     "1:8: expected the type of the result, such as void, found '{'\n"
     "  fn f() {\n"
     "         ^"},
    {"Arrow", "fn f() -> u16 {\n}",
     "1:8: expected the type of the result, such as void, found '->'; the type of a result has no "
     "'->' before it\n"
     "  fn f() -> u16 {\n"
     "         ^"},
    {"FunctionWithoutBody", "fn f() void;",
     "1:12: expected '{' and the body of the function, found ';'\n"
     "  fn f() void;\n"
     "             ^"},
    {"FunctionWithoutParentheses", "fn f void {}",
     "1:6: expected '(' and the parameters, found 'void'\n"
     "  fn f void {}\n"
     "       ^"},
    {"ParametersWithoutComma", "fn f(a: u16 b: u16) void {}",
     "1:13: expected ',' or ')' for the '(' at 1:5, found 'b'\n"
     "  fn f(a: u16 b: u16) void {}\n"
     "              ^"},
    {"FunctionInFunction", "fn f() void {\n  fn g() void {}\n}",
     "2:3: expected a statement, found 'fn', which declares something of a file; is a '}' missing "
     "in front of it?\n"
     "    fn g() void {}\n"
     "    ^"},
    {"ParamInFunction", "fn f() void {\n  const a = 1;\n\nparam x: u16;",
     "4:1: expected a statement, found 'param', which declares something of a file; is a '}' "
     "missing in front of it?\n"
     "  param x: u16;\n"
     "  ^"},
};
INSTANTIATE_TEST_SUITE_P(Declarations, CslStatementMessage, ::testing::ValuesIn(kDeclarations),
                         name_of);

const Mistake kStatements[] = {
    {"ConditionWithoutParentheses", "fn f() void { if a == b { } }",
     "1:18: expected '(' around the condition, found 'a'\n"
     "  fn f() void { if a == b { } }\n"
     "                   ^"},
    {"WhileWithoutParentheses", "fn f() void { while true { } }",
     "1:21: expected '(' around the condition, found 'true'\n"
     "  fn f() void { while true { } }\n"
     "                      ^"},
    {"WhileWithoutBody", "fn f() void { while (true) 1; }",
     "1:28: expected '{' and the body of the loop, found '1'\n"
     "  fn f() void { while (true) 1; }\n"
     "                             ^"},
    {"WhileStep", "fn f() void { while (true) : i += 1 { } }",
     "1:30: expected '(' around the step of the loop, found 'i'\n"
     "  fn f() void { while (true) : i += 1 { } }\n"
     "                               ^"},
    {"ForWithoutElement", "fn f() void { for (a) { } }",
     "1:23: expected '|' and the name of the element, found '{'\n"
     "  fn f() void { for (a) { } }\n"
     "                        ^"},
    {"ForOfThree", "fn f() void { for (a) |b, c, d| { } }",
     "1:28: expected '|' after the index, found ','\n"
     "  fn f() void { for (a) |b, c, d| { } }\n"
     "                             ^"},
    {"ForOfOneOpen", "fn f() void { for (a) |b { } }",
     "1:26: expected ',' or '|' after the element, found '{'\n"
     "  fn f() void { for (a) |b { } }\n"
     "                           ^"},
    {"SwitchArrow", "fn f() void { switch (a) { 1: b(), } }",
     "1:29: expected '=>' in front of the body of the arm, found ':'; an arm is written 'value => "
     "..'\n"
     "  fn f() void { switch (a) { 1: b(), } }\n"
     "                              ^"},
    {"SwitchSemicolons", "fn f() void { switch (a) { 1 => b(); 2 => c(); } }",
     "1:36: expected ',' or '}' for the '{' at 1:26, found ';'; ',' stands between the arms of a "
     "switch\n"
     "  fn f() void { switch (a) { 1 => b(); 2 => c(); } }\n"
     "                                     ^"},
    {"SwitchWithoutComma", "fn f() void { switch (a) { 1 => {} 2 => {} } }",
     "1:36: expected ',' or '}' for the '{' at 1:26, found '2'; ',' stands between the arms of a "
     "switch\n"
     "  fn f() void { switch (a) { 1 => {} 2 => {} } }\n"
     "                                     ^"},
    {"ElseWithoutIf", "fn f() void { else { } }",
     "1:15: 'else' without 'if'\n"
     "  fn f() void { else { } }\n"
     "                ^"},
    {"SemicolonBeforeElse", "fn f() void { if (a) b(); else c(); }",
     "1:27: 'else' without 'if': no ';' stands in front of 'else'\n"
     "  fn f() void { if (a) b(); else c(); }\n"
     "                            ^"},
    {"ArmWithoutSemicolon", "fn f() void { if (a) b()\n}",
     "1:25: expected ';' after an arm without braces, found '}'\n"
     "  fn f() void { if (a) b()\n"
     "                          ^"},
    {"DeclarationAsArm", "fn f() void { if (a) const b = 1; }",
     "1:22: a declaration needs a block around it here\n"
     "  fn f() void { if (a) const b = 1; }\n"
     "                       ^"},
    {"AssignmentAsCondition", "fn f() void { if (a = b) { } }",
     "1:21: expected ')' for the '(' at 1:18, found '='; an assignment is a statement, and 'equal' "
     "is written '=='\n"
     "  fn f() void { if (a = b) { } }\n"
     "                      ^"},
    {"AssignmentAsValue", "fn f() void { x = y = z; }",
     "1:21: expected ';' after the statement, found '='; an assignment has no value\n"
     "  fn f() void { x = y = z; }\n"
     "                      ^"},
    {"EmptyStatement", "fn f() void { ; }",
     "1:15: unexpected ';': no statement ends here\n"
     "  fn f() void { ; }\n"
     "                ^"},
    {"StatementWithoutSemicolon", "fn f() void {\n  x = 1\n}",
     "2:8: expected ';' after the statement, found '}'\n"
     "    x = 1\n"
     "         ^"},
    {"LabelOfNothing", "fn f() void { a: x = 1; }",
     "1:18: expected a loop or a block after the label, found 'x'\n"
     "  fn f() void { a: x = 1; }\n"
     "                   ^"},
    {"InlineNothing", "fn f() void { inline x = 1; }",
     "1:22: expected 'for' or 'while' after 'inline', found 'x'\n"
     "  fn f() void { inline x = 1; }\n"
     "                       ^"},
    {"BreakLabel", "fn f() void { break :1; }",
     "1:22: expected the name of the label after ':', found '1'\n"
     "  fn f() void { break :1; }\n"
     "                       ^"},
};
INSTANTIATE_TEST_SUITE_P(Statements, CslStatementMessage, ::testing::ValuesIn(kStatements),
                         name_of);

}  // namespace
}  // namespace tessera::csl
