// Expressions and types (csl.md 1): the tree of every form, and that it is printed as it was.
#include <gtest/gtest.h>

#include <string>

#include "tests/frontends/csl/csl_text.h"

namespace tessera::csl {
namespace {

template <std::size_t N>
void expect_trees(const Case (&cases)[N]) {
  for (const Case& c : cases) {
    EXPECT_EQ(expression_tree(c.text), c.tree) << c.text;
    EXPECT_EQ(print_problem(std::string("const x = ") + c.text + ";"), "") << c.text;
  }
}

TEST(CslExpression, OperatorsBindByLevel) {
  expect_trees({{"a or b and c", "(or a (and b c))"},
                {"a and b or c", "(or (and a b) c)"},
                {"a < b and c >= d or e > f and g <= h",
                 "(or (and (< a b) (>= c d)) (and (> e f) (<= g h)))"},
                {"a & b << 1", "(& a (<< b 1))"},
                {"a << 1 + 2", "(<< a (+ 1 2))"},
                {"a + b * c - d", "(- (+ a (* b c)) d)"},
                {"a != b >> 1", "(!= a (>> b 1))"},
                {"a - b - c", "(- (- a b) c)"},
                {"a / b % c", "(% (/ a b) c)"},
                {"(a + b) * c", "(* (+ a b) c)"},
                {"a - (b - c)", "(- a (- b c))"},
                {"(a == b) == (c != d)", "(== (== a b) (!= c d))"}});
}

TEST(CslExpression, BitOperatorsBindTighterThanComparisons) {
  expect_trees({{"x & 1 == 0", "(== (& x 1) 0)"},
                {"a == b & c", "(== a (& b c))"},
                {"a ^ b < c | d", "(< (^ a b) (| c d))"},
                {"a | b & c ^ d", "(^ (& (| a b) c) d)"},
                {"a & (b == 0)", "(& a (== b 0))"}});
}

TEST(CslExpression, PrefixOperatorsBindTighterThanBinaryOnes) {
  expect_trees({{"-a + b", "(+ (- a) b)"},
                {"a - -b", "(- a (- b))"},
                {"- - a", "(- (- a))"},
                {"--a", "(- (- a))"},
                {"!a == b", "(== (! a) b)"},
                {"~a & b", "(& (~ a) b)"},
                {"&a[1]", "(& (index a [1]))"},
                {"& &a", "(& (& a))"},
                {"-a.b(c)", "(- (call (member a b) [c]))"},
                {"!(a and b)", "(! (and a b))"},
                {"(-a).b", "(member (- a) b)"}});
}

TEST(CslExpression, SuffixesFollowEachOther) {
  expect_trees(
      {{"a.b.c.*[1, 2](3)", "(call (index (dereference (member (member a b) c)) [1 2]) [3])"},
       {"f()(1,)[2].*.*", "(dereference (dereference (index (call (call f []) [1]) [2])))"},
       {"p.*[i]", "(index (dereference p) [i])"},
       {"(p.*)[i]", "(index (dereference p) [i])"},
       {"@as(f16, x)", "(builtin as [f16 x])"},
       {"@f()", "(builtin f [])"},
       {"@f().a[0]", "(index (member (builtin f []) a) [0])"}});
}

TEST(CslExpression, Literals) {
  expect_trees({{"12", "12"},
                {"0x1F", "0x1F"},
                {"0b0110", "0b0110"},
                {"123456789012345678901234567890", "123456789012345678901234567890"},
                {"12.5", "12.5"},
                {"1.5e-3", "1.5e-3"},
                {"2E+10", "2E+10"},
                {"1e5", "1e5"},
                {"0x1e+1", "(+ 0x1e 1)"},
                {"1-1", "(- 1 1)"},
                {"'a'", "(character 'a')"},
                {"'\\''", "(character '\\'')"},
                {"\"<memcpy/memcpy>\"", "\"<memcpy/memcpy>\""},
                {"\"a\\n\\x41\\\"\"", "\"a\\n\\x41\\\"\""},
                {"true and false", "(and true false)"},
                {"undefined", "undefined"}});
}

TEST(CslExpression, NamesMayBeWordsOfOtherPlaces) {
  for (const char* name :
       {"in", "send", "exit", "main", "init", "channel", "select", "layout", "align", "linkname",
        "linksection", "packed", "volatile", "color", "_", "_a1", "type", "void", "u3"})
    EXPECT_EQ(expression_tree(std::string(name) + ".x"), "(member " + std::string(name) + " x)");
}

TEST(CslExpression, StructsTuplesAndArrays) {
  expect_trees({{".{}", "(literal - [])"},
                {". {}", "(literal - [])"},
                {". \t{ .a = . { 1 } }", "(literal - [(a (literal - [(- 1)]))])"},
                {".{1, 2,}", "(literal - [(- 1) (- 2)])"},
                {".{ .a = 1, .b = .{ .c = 2 } }", "(literal - [(a 1) (b (literal - [(c 2)]))])"},
                {".{ .f = fn () void, .t = [2]T }",
                 "(literal - [(f (function 0 [] void)) (t (array [2] T))])"},
                {"T{}", "(literal T [])"},
                {"m.T{ .a = 1 }", "(literal (member m T) [(a 1)])"},
                {"f(u16){ .a = 1 }", "(literal (call f [u16]) [(a 1)])"},
                {"@type_of(x){ .a = 1 }", "(literal (builtin type_of [x]) [(a 1)])"},
                {"[3]i16{1, 2, 3}", "(literal (array [3] i16) [(- 1) (- 2) (- 3)])"},
                {"[3]i16 { }", "(literal (array [3] i16) [])"},
                {"[2][2]u16{a, b}", "(literal (array [2] (array [2] u16)) [(- a) (- b)])"},
                {"[3]i16{1, 2, 3}[0]", "(index (literal (array [3] i16) [(- 1) (- 2) (- 3)]) [0])"},
                {"T{ .a = 1 }.a", "(member (literal T [(a 1)]) a)"}});
}

TEST(CslExpression, Types) {
  expect_trees(
      {{"[2]T", "(array [2] T)"},
       {"[a, b + 1]T", "(array [a (+ b 1)] T)"},
       {"[*]f32", "(pointer 1 0 f32)"},
       {"[*]const f32", "(pointer 1 1 f32)"},
       {"*T", "(pointer 0 0 T)"},
       {"*const [4]u16", "(pointer 0 1 (array [4] u16))"},
       {"*m.f(u16)", "(pointer 0 0 (call (member m f) [u16]))"},
       {"([2]T).x", "(member (array [2] T) x)"},
       {"fn () void", "(function 0 [] void)"},
       {"fn(*T, [*]u16,)*T", "(function 0 [(pointer 0 0 T) (pointer 1 0 u16)] (pointer 0 0 T))"},
       {"task (u32) void", "(function 1 [u32] void)"},
       {"anytype", "anytype"},
       {"@is_same_type([*]T, *T)", "(builtin is_same_type [(pointer 1 0 T) (pointer 0 0 T)])"},
       {"*T == [2]U", "(== (pointer 0 0 T) (array [2] U))"},
       {"a * *T", "(* a (pointer 0 0 T))"}});
}

TEST(CslExpression, NamedTypes) {
  expect_trees(
      {{"struct {}", "(container 0 0 [])"},
       {"struct { a: u16, b: *struct { c: u3 }, }",
        "(container 0 0 [(a u16) (b (pointer 0 0 (container 0 0 [(c u3)])))])"},
       {"extern struct { a: u16 }", "(container 0 1 [(a u16)])"},
       {"packed struct { a: i13 }", "(container 0 2 [(a i13)])"},
       {"union { a: u16 }", "(container 1 0 [(a u16)])"},
       {"packed union { a: u16, b: [2]u8 }", "(container 1 2 [(a u16) (b (array [2] u8))])"},
       {"extern union { a: u16 }", "(container 1 1 [(a u16)])"},
       {"struct { a: u16 }{ .a = 1 }", "(literal (container 0 0 [(a u16)]) [(a 1)])"},
       {"enum { a, b = 4 }", "(enum - [(a -) (b 4)])"},
       {"enum(u16) { a = b + 1, }", "(enum u16 [(a (+ b 1))])"}});
}

TEST(CslExpression, IfExtendsAsFarAsItCan) {
  expect_trees({{"if (a) b", "(if a b -)"},
                {"if (a) b else c + d", "(if a b (+ c d))"},
                {"(if (a) b else c) + d", "(+ (if a b c) d)"},
                {"1 + if (a) b else c", "(+ 1 (if a b c))"},
                {"if (a) 1 else if (b) 2 else 3", "(if a 1 (if b 2 3))"},
                {"if (a) if (b) c else d", "(if a (if b c d) -)"},
                {"if (a) (if (b) c) else d", "(if a (if b c -) d)"},
                {"if (a) (comptime if (b) c) else d", "(if a (comptime (if b c -)) d)"},
                {"if (a) .{ .b = 1 } else .{}", "(if a (literal - [(b 1)]) (literal - []))"},
                {"if (a) [2]u16 else [4]u16", "(if a (array [2] u16) (array [4] u16))"},
                {"comptime a + b", "(comptime (+ a b))"},
                {"(comptime a) + b", "(+ (comptime a) b)"}});
}

TEST(CslExpression, SwitchesAndBlocksWithValues) {
  expect_trees(
      {{"switch (a) { 1, 2 => b, else => c, }", "(switch a [([1 2] b) ([] c)])"},
       {"switch (a) { -1, m.x, => f(b) }", "(switch a [([(- 1) (member m x)] (call f [b]))])"},
       {"switch (a) { else => b: { break :b 1; } }", "(switch a [([] (block b [(break b 1)]))])"},
       {"switch (a) {}", "(switch a [])"},
       {"{}", "(block - [])"},
       {"b: { break :b 1; }", "(block b [(break b 1)])"},
       {"1 + (b: { break :b; })", "(+ 1 (block b [(break b -)]))"}});
}

TEST(CslExpression, TensorAccesses) {
  expect_trees({{"|i|{n} -> A[i]", "(tensor [i] [n] (index A [i]))"},
                {"|i, j|{n, m + 1}->A.b[i, 2 * j + 1]",
                 "(tensor [i j] [n (+ m 1)] (index (member A b) [i (+ (* 2 j) 1)]))"},
                {"|i|{4}->p.*[i]", "(tensor [i] [4] (index (dereference p) [i]))"},
                {"|i|{4} -> A[i] + 1", "(+ (tensor [i] [4] (index A [i])) 1)"},
                {"a | (|i|{4} -> (a + b)[i])", "(| a (tensor [i] [4] (index (+ a b) [i])))"}});
}

TEST(CslExpression, Assembly) {
  expect_trees({{"asm (\"a\")", "(asm 0 \"a\" [] [] [])"},
                {"asm (\"a\" : [x] \"=r\" (y))", "(asm 0 \"a\" [(x \"=r\" y -)] [] [])"},
                {"asm (\"a\" : : [x] \"r\" (y + 1) : \"b\", \"c\")",
                 "(asm 0 \"a\" [] [(x \"r\" (+ y 1) -)] [\"b\" \"c\"])"},
                {"asm volatile (\"a\" : [x] \"=r\" (-> u16), [y] \"=r\" (z))",
                 "(asm 1 \"a\" [(x \"=r\" - u16) (y \"=r\" z -)] [] [])"},
                {"asm volatile (\"a\" : : : \"m\")", "(asm 1 \"a\" [] [] [\"m\"])"}});
}

// In the place of a type, "{" begins a body and not the values of a literal.
TEST(CslExpression, TypesEndInFrontOfBraces) {
  const Case cases[] = {
      {"fn f() m.T {}", "(define 0 0 0 f [] (member m T) [] (block - []))\n"},
      {"fn f() [2]T {}", "(define 0 0 0 f [] (array [2] T) [] (block - []))\n"},
      {"fn f() *T {}", "(define 0 0 0 f [] (pointer 0 0 T) [] (block - []))\n"},
      {"fn f() g(T{}) {}", "(define 0 0 0 f [] (call g [(literal T [])]) [] (block - []))\n"},
      {"fn f() struct { a: u16 } {}",
       "(define 0 0 0 f [] (container 0 0 [(a u16)]) [] (block - []))\n"},
      {"fn f() if (a) T else U {}", "(define 0 0 0 f [] (if a T U) [] (block - []))\n"},
      {"fn f() (T{ .a = U }.a) {}",
       "(define 0 0 0 f [] (member (literal T [(a U)]) a) [] (block - []))\n"},
      {"fn f() comptime g(T) {}", "(define 0 0 0 f [] (comptime (call g [T])) [] (block - []))\n"}};
  for (const Case& c : cases) {
    EXPECT_EQ(tree_of(c.text), c.tree) << c.text;
    EXPECT_EQ(print_problem(c.text), "") << c.text;
  }
}

TEST(CslExpression, StringsHaveTheirCharacters) {
  EXPECT_EQ(string_value("\"tab\\tquote\\\"\\x41\\x6e\\\\\\n\\r\""), "tab\tquote\"An\\\n\r");
  EXPECT_EQ(string_value("'\\''"), "'");
  EXPECT_EQ(string_value("\"\""), "");
}

}  // namespace
}  // namespace tessera::csl
