// Statements (csl.md 1): the tree of every form, and that it is printed as it was.
#include <gtest/gtest.h>

#include <string>

#include "tests/frontends/csl/csl_text.h"

namespace tessera::csl {
namespace {

template <std::size_t N>
void expect_statements(const Case (&cases)[N]) {
  for (const Case& c : cases) {
    EXPECT_EQ(statement_tree(c.text), c.tree) << c.text;
    EXPECT_EQ(print_problem(std::string("fn f() void { ") + c.text + "\n}"), "") << c.text;
  }
}

TEST(CslStatement, Assignments) {
  expect_statements(
      {{"x = 1;", "(assign x - 1)"},
       {"_ = f();", "(assign _ - (call f []))"},
       {"p.*[i, j] = .{};", "(assign (index (dereference p) [i j]) - (literal - []))"},
       {"x.a[1] += y;", "(assign (index (member x a) [1]) + y)"},
       {"x -= y;", "(assign x - y)"},
       {"x *= y;", "(assign x * y)"},
       {"x /= y;", "(assign x / y)"},
       {"x %= y;", "(assign x % y)"},
       {"x <<= y;", "(assign x << y)"},
       {"x >>= y;", "(assign x >> y)"},
       {"x &= y;", "(assign x & y)"},
       {"x |= y;", "(assign x | y)"},
       {"x ^= y;", "(assign x ^ y)"},
       {"x = if (a) b;", "(assign x - (if a b -))"}});
}

TEST(CslStatement, Expressions) {
  expect_statements({{"f(x);", "(do (call f [x]))"},
                     {"@f();", "(do (builtin f []))"},
                     {"asm volatile (\"nop\");", "(do (asm 1 \"nop\" [] [] []))"},
                     {"(if (a) b else c);", "(do (if a b c))"},
                     {"(switch (a) {}).x = 1;", "(assign (member (switch a []) x) - 1)"},
                     {"({});", "(do (block - []))"},
                     {"(comptime {});", "(do (comptime (block - [])))"},
                     {"comptime f();", "(do (comptime (call f [])))"},
                     {"comptime b: { break :b; };", "(do (comptime (block b [(break b -)])))"}});
}

TEST(CslStatement, Locals) {
  expect_statements({{"const a = 1;", "(local 0 0 0 a - [] 1)"},
                     {"const a: u16 = 1;", "(local 0 0 0 a u16 [] 1)"},
                     {"var a: u16;", "(local 0 0 1 a u16 [] -)"},
                     {"var a: [2]u16 align(8) = undefined;",
                      "(local 0 0 1 a (array [2] u16) [(align 8)] undefined)"},
                     {"comptime var a = 1;", "(local 0 1 1 a - [] 1)"},
                     {"comptime const a: type = u16;", "(local 0 1 0 a type [] u16)"}});
}

TEST(CslStatement, BlocksAndJumps) {
  expect_statements({{"{}", "(block (block - []))"},
                     {"{ x = 1; {} }", "(block (block - [(assign x - 1) (block (block - []))]))"},
                     {"b: { break :b; }", "(block (block b [(break b -)]))"},
                     {"comptime { x = 1; }", "(comptime (block - [(assign x - 1)]))"},
                     {"comptime { x = 1; };", "(comptime (block - [(assign x - 1)]))"},
                     {"return;", "(return -)"},
                     {"return x;", "(return x)"},
                     {"return {};", "(return (block - []))"},
                     {"return if (a) b;", "(return (if a b -))"}});
}

TEST(CslStatement, If) {
  expect_statements(
      {{"if (a) { b(); }", "(if a (block (block - [(do (call b []))])) -)"},
       {"if (a) {} else {}", "(if a (block (block - [])) (block (block - [])))"},
       {"if (a) b();", "(if a (do (call b [])) -)"},
       {"if (a) x = 1 else y += 2;", "(if a (assign x - 1) (assign y + 2))"},
       {"if (a) {} else x = 1;", "(if a (block (block - [])) (assign x - 1))"},
       {"if (a) x = 1 else {}", "(if a (assign x - 1) (block (block - [])))"},
       {"if (a) b() else if (c) d() else e();",
        "(if a (do (call b [])) (if c (do (call d [])) (do (call e []))))"},
       {"if (a) {} else if (c) {}", "(if a (block (block - [])) (if c (block (block - [])) -))"}});
}

TEST(CslStatement, ElseBelongsToTheInnermostIf) {
  expect_statements(
      {{"if (a) if (b) c() else d();", "(if a (if b (do (call c [])) (do (call d []))) -)"},
       {"if (a) { if (b) c(); } else d();",
        "(if a (block (block - [(if b (do (call c [])) -)])) (do (call d [])))"},
       {"if (a) (if (b) c) else d();", "(if a (do (if b c -)) (do (call d [])))"},
       {"if (a) x = (if (b) c) else d();", "(if a (assign x - (if b c -)) (do (call d [])))"},
       {"if (a) return (if (b) c) else d();", "(if a (return (if b c -)) (do (call d [])))"}});
}

TEST(CslStatement, ArmsWithoutBraces) {
  expect_statements(
      {{"if (a) return;", "(if a (return -) -)"},
       {"if (a) return x else break;", "(if a (return x) (break - -))"},
       {"if (a) for (b) |c| {} else continue;", "(if a (for - 0 b c - (block - [])) (continue -))"},
       {"if (a) switch (b) { 1 => c() } else d();",
        "(if a (switch b [([1] (do (call c [])))]) (do (call d [])))"}});
}

TEST(CslStatement, Loops) {
  expect_statements(
      {{"while (a) {}", "(while - 0 a - (block - []))"},
       {"while (a) : (i += 1) { continue; }",
        "(while - 0 a (assign i + 1) (block - [(continue -)]))"},
       {"while (a) : (f()) { break; }", "(while - 0 a (do (call f [])) (block - [(break - -)]))"},
       {"inline while (a) {}", "(while - 1 a - (block - []))"},
       {"for (a) |b| {}", "(for - 0 a b - (block - []))"},
       {"for (@range(u16, 3)) |_, i| { x = i; }",
        "(for - 0 (builtin range [u16 3]) _ i (block - [(assign x - i)]))"},
       {"o: inline for (a) |b| { continue :o; }", "(for o 1 a b - (block - [(continue o)]))"},
       {"o: while (true) { break :o 3; }", "(while o 0 true - (block - [(break o 3)]))"}});
}

TEST(CslStatement, Switches) {
  expect_statements(
      {{"switch (a) {}", "(switch a [])"},
       {"switch (a) { x => y = 1 };", "(switch a [([x] (assign y - 1))])"},
       {"switch (a) { 1 => f(), 2, 3 => { x = 1; }, else => return, }",
        "(switch a [([1] (do (call f []))) ([2 3] (block (block - [(assign x - 1)]))) "
        "([] (return -))])"},
       {"switch (a) { 1 => if (b) c(), 2 => while (d) {} }",
        "(switch a [([1] (if b (do (call c [])) -)) ([2] (while - 0 d - (block - [])))])"}});
}

}  // namespace
}  // namespace tessera::csl
