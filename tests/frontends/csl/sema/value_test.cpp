// Values, conversions and operators at compile time (csl.md 2, 3, 6).
#include <gtest/gtest.h>

#include "tests/frontends/csl/sema/project.h"

namespace tessera::csl {
namespace {

struct Shown {
  const char* expression;
  const char* value;
};
void PrintTo(const Shown& s, std::ostream* os) {
  *os << s.expression;
}

class CslValue : public ::testing::TestWithParam<Shown> {};

TEST_P(CslValue, IsPrinted) {
  EXPECT_EQ(value_of(GetParam().expression), GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(
    Numbers, CslValue,
    ::testing::Values(Shown{"1 + 2 * 3", "7"}, Shown{"0x7f & 0b1010 == 10", "true"},
                      Shown{"007", "7"}, Shown{"(1 << 100) >> 98", "4"}, Shown{"-7 / 2", "-3"},
                      Shown{"-7 % 2", "-1"}, Shown{"-8 >> 1", "-4"}, Shown{"-1 & 0xff", "255"},
                      Shown{"~5", "-6"}, Shown{"-6 | 1", "-5"}, Shown{"@as(u16, 65535) + 2", "1"},
                      Shown{"@as(i16, 32767) + 1", "-32768"}, Shown{"@as(u16, 1) - 2", "65535"},
                      Shown{"@as(i16, -1) >> 3", "-1"}, Shown{"~@as(u16, 1)", "65534"},
                      Shown{"1.5 * 2.0", "3.0"}, Shown{"@as(f16, 0.1)", "0.0999755859375"},
                      Shown{"@as(f32, 1) / 3.0 == 1.0 / 3.0", "true"},
                      Shown{"@as(i16, 3) == @as(u32, 3)", "true"}, Shown{"'a' + 1", "98"}));

INSTANTIATE_TEST_SUITE_P(
    Casts, CslValue,
    ::testing::Values(Shown{"@as(i16, -2.7)", "-2"}, Shown{"@as(u16, 70000)", "4464"},
                      Shown{"@as(i16, 65535)", "-1"}, Shown{"@as(bool, 2)", "true"},
                      Shown{"@as(bool, 0.0)", "false"}, Shown{"@as(u16, true)", "1"},
                      Shown{"@bitcast(u32, @as(f32, 1.0))", "1065353216"},
                      Shown{"@bitcast(f32, 0x40000000)", "2.0"},
                      Shown{"@bitcast(i16, @as(u16, 65535))", "-1"},
                      Shown{"@bitcast(u16, @as(f16, 1.0))", "15360"},
                      Shown{"@bitcast(f16, 0xfc00)", "-inf"},
                      Shown{"@type_of(@as(u16, 1) + 1)", "u16"},
                      Shown{"@type_of(@as(i16, 1) + @as(i32, 1))", "i32"},
                      Shown{"@type_of(1.0 + @as(f16, 1))", "f16"}));

INSTANTIATE_TEST_SUITE_P(
    Others, CslValue,
    ::testing::Values(
        Shown{".{ .a = 1, .b = .{ true, 2.5 } }", ".{.a = 1, .b = .{true, 2.5}}"},
        Shown{"[3]i16{ 1, 2, 3 }[1]", "2"}, Shown{"[2, 2]i16{ 1, 2, 3, 4 }[1, 0]", "3"},
        Shown{".{ 5, 6 }[1]", "6"}, Shown{"@zeros([100]f32)", "[100]f32{0.0 ..}"},
        Shown{"@constants([2]u16, 7)[1]", "7"}, Shown{"NORTH", "NORTH"},
        Shown{"NORTH == SOUTH", "false"}, Shown{"@get_color(3)", "color 3"},
        Shown{"@get_int(@get_local_task_id(9)) + 1", "10"},
        Shown{"enum(u16) { a, b = 4, c }.c", "enum { a, b, c }.c"},
        Shown{"@as(u16, enum(u16) { a, b = 0, c }.a)", "1"}, Shown{"{}", "{}"},
        Shown{"if (true) 1 else 2.5", "1"}, Shown{"if (false) 1", "{}"},
        Shown{"switch (2) { 1 => 10, 2, 3 => 20, else => 30 }", "20"},
        Shown{"blk: { var x = 1; while (true) { x *= 2; if (x > 50) { break :blk x; } } }", "64"},
        Shown{"@type_of(.{ 1, true })", "struct { comptime_int, bool }"},
        Shown{"@is_same_type([4]u16, @type_of(@zeros([4]u16)))", "true"},
        Shown{"@concat_structs(.{ .a = 1 }, .{ .b = 2 })", ".{.a = 1, .b = 2}"},
        Shown{"@element_count([2, 3]u16)", "6"}, Shown{"@rank([2, 3]u16)", "2"},
        Shown{"@dimensions([2, 3]u16)[1]", "3"}, Shown{"@element_type([2]f16)", "f16"},
        Shown{"@has_field(.{ .a = 1 }, \"a\")", "true"}, Shown{"@field(.{ .a = 1 }, \"a\")", "1"},
        Shown{"@strcat(\"ab\", \"c\")", "abc"}, Shown{"@strlen(\"abc\")", "3"},
        Shown{"@fp16()", "f16"}, Shown{"@get_array(\"ab\")[1]", "98"},
        Shown{"@range_stop(@range(i16, 5))", "5"}, Shown{"@is_arch(\"wse2\")", "true"},
        Shown{"@get_rectangle().width", "1"}));

/// Messages, the part after the place.
class CslRefused : public ::testing::TestWithParam<Shown> {};

// An integer of each width takes its least and its largest number, and nothing beyond.
TEST(CslIntegers, OfEveryWidthHaveTheirRange) {
  for (int bits = 1; bits <= 64; ++bits)
    for (const bool is_signed : {false, true}) {
      const std::string type = (is_signed ? "i" : "u") + std::to_string(bits);
      const std::string above = "(1 << " + std::to_string(is_signed ? bits - 1 : bits) + ")";
      const std::string least = is_signed ? "0 - " + above : "0";
      const auto taken = [&](const std::string& number) {
        return value_of("@as(comptime_int, @as(" + type + ", " + number + ")) == " + number);
      };
      EXPECT_EQ(taken(above + " - 1"), "true") << type;
      EXPECT_EQ(taken(least), "true") << type;
      EXPECT_EQ(taken(above), "false") << type;
      EXPECT_EQ(taken(least + " - 1"), "false") << type;
    }
}

TEST_P(CslRefused, SaysWhy) {
  const std::string message = value_of(GetParam().expression);
  EXPECT_EQ(message.substr(std::min(message.find(": ") + 2, message.size())), GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(
    Values, CslRefused,
    ::testing::Values(
        Shown{"1 / 0", "division by zero"}, Shown{"0.0 / 0.0", "division by zero"},
        Shown{"1 << -1", "a shift by -1 bits"},
        Shown{"true + 1", "'+' does not take operands of the types 'bool' and 'comptime_int'"},
        Shown{"!1", "'!' does not take an operand of type 'comptime_int'"},
        Shown{"[2]u16{ 1, 70000 }",
              "the literal is of type '[2]u16', which does not take a value of type "
              "'struct { comptime_int, comptime_int }'; the value 70000 does not fit"},
        Shown{"[2]u16{ 1 }", "the literal is of type '[2]u16', which does not take a value of type "
                             "'struct { comptime_int }'; the number of elements differs"},
        Shown{"if (1) 2", "the condition is of type 'comptime_int' instead of 'bool'"},
        Shown{"nothing_like_it", "nothing is called 'nothing_like_it'"},
        Shown{".{ .a = 1 }.b", "'struct { a: comptime_int }' has no field 'b'"},
        Shown{".{ .a = 1, .a = 2 }", "two fields are called 'a'"},
        Shown{"[3]u16{ 1, 2, 3 }[3]", "the index 3 lies outside of '[3]u16'"},
        Shown{"@get_color(64)", "the first argument of @get_color is 64, which is not in 0..63"},
        Shown{"@get_local_task_id(31)",
              "the first argument of @get_local_task_id is 31, which is not in 0..30"},
        Shown{"@get_colour(1)", "there is no builtin '@get_colour'; did you mean '@get_color'?"},
        Shown{"@as(u16)", "@as: takes 2 arguments instead of 1"},
        Shown{"@as(u16, NORTH)", "@as: a value of type 'direction' does not become a 'u16'"},
        Shown{"@bitcast(u32, @as(u16, 1))",
              "@bitcast: a value of type 'u16' does not become a 'u32'; the widths differ"},
        Shown{"@mov16(1, 2)",
              "@mov16: belongs to code that runs on the PE; here a value is needed that is "
              "known at compile time"},
        Shown{"@concat_structs(.{ .a = 1 }, .{ .a = 2 })",
              "@concat_structs: both structs have a field 'a'"},
        Shown{"@concat_structs(.{ .a = 1 }, .{ 2 })",
              "@concat_structs: one argument has names for its fields, the other one has none"},
        Shown{"switch (4) { 1 => 2 }", "no arm of the switch is for 4"},
        Shown{"1(2)", "a value of type "
                      "'comptime_int' cannot be called"},
        Shown{"@range(i16, 0, 4, 0)", "@range: the step is 0"},
        Shown{"@bind_local_task(1, 2)",
              "@bind_local_task: allowed only in a comptime block of the code of a PE"}));

}  // namespace
}  // namespace tessera::csl
