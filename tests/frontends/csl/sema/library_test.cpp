// Modules of the library, with the compile-time engine as the interpreter of their functions.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <sstream>

#include "tests/frontends/csl/sema/project.h"
#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::csl::library_test {
namespace {

/// What a function of <math> makes of each argument.
std::vector<float> results_of(const std::string& function, const std::vector<float>& arguments) {
  std::ostringstream declarations;
  declarations << "const math = @import_module(\"<math>\");\nconst x = [" << arguments.size()
               << "]u32{";
  for (const float argument : arguments) declarations << bit_cast<std::uint32_t>(argument) << ", ";
  declarations << "};";
  Project project;
  project.layout(declarations.str(), "for (x) |bits| { @comptime_print(@bitcast(u32, math." +
                                         function + "_f32(@bitcast(f32, bits)))); }");
  EXPECT_EQ(project.mistake(), "");
  std::vector<float> results;
  std::istringstream lines(project.messages());
  for (std::string line; std::getline(lines, line);)
    results.push_back(
        bit_cast<float>(static_cast<std::uint32_t>(std::stoul(line.substr(line.find(": ") + 2)))));
  EXPECT_EQ(results.size(), arguments.size());
  return results;
}

/// Distance in units in the last place of the exact result.
double ulps(float result, double exact) {
  const int exponent = std::max(std::ilogb(exact), -126);
  return std::abs(result - exact) / std::ldexp(1.0, exponent - 23);
}

double worst(const std::string& function, const std::vector<float>& arguments,
             const std::function<double(double)>& exact) {
  const std::vector<float> results = results_of(function, arguments);
  double most = 0;
  for (std::size_t i = 0; i < results.size(); ++i)
    most = std::max(most, ulps(results[i], exact(static_cast<double>(arguments[i]))));
  return most;
}

std::vector<float> uniform(double lowest, double limit) {
  std::mt19937 random(5);  // NOLINT: the same numbers in each run
  std::vector<float> numbers(1000);
  for (float& number : numbers)
    number = static_cast<float>(lowest +
                                (limit - lowest) * static_cast<double>(random()) / 4294967296.0);
  return numbers;
}

/// All exponents, subnormal ones too, with the extreme mantissas and some others.
std::vector<float> positive() {
  std::mt19937 random(7);  // NOLINT: the same numbers in each run
  std::vector<float> numbers;
  for (std::uint32_t exponent = 0; exponent < 255; ++exponent) {
    for (const std::uint32_t mantissa :
         {1U, 0x7FFFFFU, 0x7FFFFEU, 0x3504F3U, static_cast<std::uint32_t>(random() >> 9U)})
      numbers.push_back(bit_cast<float>(exponent << 23U | mantissa));
  }
  return numbers;
}

TEST(CslLibrary, RootsRoundToTheNearestFloat) {
  const std::vector<float> x = positive();
  const std::vector<float> roots = results_of("sqrt", x);
  const std::vector<float> inverse = results_of("invsqrt", x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(roots[i], std::sqrt(x[i])) << x[i];
    EXPECT_EQ(inverse[i], static_cast<float>(1 / std::sqrt(static_cast<double>(x[i])))) << x[i];
  }
}

TEST(CslLibrary, ErrorsOfFunctionsAreBounded) {
  const auto logistic = [](double x) { return 1 / (1 + std::exp(-x)); };
  EXPECT_LT(worst("exp", uniform(-87, 88), [](double x) { return std::exp(x); }), 1);
  EXPECT_LT(worst("log", positive(), [](double x) { return std::log(x); }), 1);
  EXPECT_LT(worst("sin", uniform(-0.8, 0.8), [](double x) { return std::sin(x); }), 2);
  EXPECT_LT(worst("cos", uniform(-0.8, 0.8), [](double x) { return std::cos(x); }), 2);
  EXPECT_LT(worst("tanh", uniform(-9, 9), [](double x) { return std::tanh(x); }), 2);
  EXPECT_LT(worst("sig", uniform(-40, 40), logistic), 3);
  EXPECT_EQ(worst("floor", uniform(-9e6, 9e6), [](double x) { return std::floor(x); }), 0);
  EXPECT_EQ(worst("ceil", uniform(-9, 9), [](double x) { return std::ceil(x); }), 0);
}

TEST(CslLibrary, SineAndCosineHoldUpToTheirLimit) {
  const std::vector<float> x = uniform(-51471, 51471);
  const std::vector<float> sines = results_of("sin", x);
  const std::vector<float> cosines = results_of("cos", x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(sines[i], std::sin(static_cast<double>(x[i])), 1.3e-7);
    EXPECT_NEAR(cosines[i], std::cos(static_cast<double>(x[i])), 1.3e-7);
  }
}

TEST(CslLibrary, SpecialArgumentsGiveWhatIeeeSays) {
  const float infinity = INFINITY;
  const std::vector<float> x = {0.0F, -0.0F, infinity, -infinity, NAN, -1.0F};
  const auto check = [&](const char* function, const std::vector<float>& expected) {
    const std::vector<float> results = results_of(function, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(expected[i])) {
        EXPECT_TRUE(std::isnan(results[i])) << function << ' ' << x[i];
      } else {
        EXPECT_FLOAT_EQ(results[i], expected[i]) << function << ' ' << x[i];
      }
    }
  };
  check("sqrt", {0.0F, -0.0F, infinity, NAN, NAN, NAN});
  check("invsqrt", {infinity, -infinity, 0.0F, NAN, NAN, NAN});
  check("log", {-infinity, -infinity, infinity, NAN, NAN, NAN});
  check("exp", {1.0F, 1.0F, infinity, 0.0F, NAN, std::exp(-1.0F)});
  check("sin", {0.0F, 0.0F, NAN, NAN, NAN, std::sin(-1.0F)});
  check("cos", {1.0F, 1.0F, NAN, NAN, NAN, std::cos(1.0F)});
  check("tanh", {0.0F, 0.0F, 1.0F, -1.0F, NAN, std::tanh(-1.0F)});
}

TEST(CslLibrary, GenericFunctionsTakeEveryType) {
  const char* math = "const math = @import_module(\"<math>\");";
  EXPECT_EQ(value_of("math.sqrt(@as(f16, 2.0)) == @as(f16, 1.4142135)", math), "true");
  EXPECT_EQ(value_of("math.pow(@as(f32, 3.0), @as(f32, 4.0))", math), "81.0");
  EXPECT_EQ(value_of("math.pow(@as(f32, -2.0), @as(f32, -3.0))", math), "-0.125");
  EXPECT_EQ(value_of("math.isNaN(math.pow(@as(f32, -2.0), @as(f32, 0.5)))", math), "true");
  EXPECT_EQ(value_of("math.fscale(@as(f32, 1.5), 3)", math), "12.0");
  EXPECT_EQ(value_of("math.fscale(@as(f32, 1.0), -149) > 0.0", math), "true");
  EXPECT_EQ(value_of("math.max(math.abs(-2), 1)", math), "2");
  EXPECT_EQ(value_of("math.subsat(@as(i16, -32768), @as(i16, 1))", math), "-32768");
  EXPECT_EQ(value_of("math.subsat(@as(i32, 5), @as(i32, -2147483647))", math), "2147483647");
  EXPECT_EQ(value_of("math.subsat(@as(u16, 3), @as(u16, 4))", math), "0");
  EXPECT_EQ(value_of("math.subsat(@as(f16, 1.0), @as(f16, 2.5))", math), "-1.5");
  EXPECT_EQ(value_of("math.subsat(@as(f32, 3.0), @as(f32, 1.0))", math), "2.0");
  EXPECT_EQ(value_of("math.isInf(math.NEGATIVE_INF(bf16)) and math.isNaN(math.NaN(cb16))", math),
            "true");
  EXPECT_EQ(value_of("math.isSignaling(math.NaN(f16))", math), "false");
  EXPECT_EQ(value_of("math.isFinite(@as(f16, 65504.0)) and math.signbit(@as(f32, -0.5))", math),
            "true");
}

TEST(CslLibrary, SaturatingDifferencesEndAtTheEndsOfEveryType) {
  const char* math = "const math = @import_module(\"<math>\");";
  for (const int bits : {8, 16, 32, 64}) {
    const std::string type = "i" + std::to_string(bits);
    const std::string least = "(@as(" + type + ", 1) << " + std::to_string(bits - 1) + ")";
    EXPECT_EQ(value_of("math.subsat(" + least + ", @as(" + type + ", 1)) == " + least, math),
              "true")
        << type;
    EXPECT_EQ(value_of("math.subsat(@as(" + type + ", 1), " + least + ") == ~" + least, math),
              "true")
        << type;
  }
}

TEST(CslLibrary, ScalingRoundsOnce) {
  const char* math = "const math = @import_module(\"<math>\");";
  std::mt19937 draw(38);
  std::uniform_int_distribution<std::uint32_t> bits(0, 0x7f7fffff);
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t x = i % 3 == 0 ? bits(draw) >> 8 : bits(draw);  // also subnormal ones
    const auto value = bit_cast<float>(x);
    int exponent = 0;
    std::frexp(value, &exponent);
    // Results around the subnormal ones and infinity, and any.
    const int n = i % 4 == 0 ? static_cast<int>(draw() % 600) - 300
                             : (i % 4 == 1 ? 126 : -140 + i % 17) - exponent;
    const auto expected = bit_cast<std::uint32_t>(std::ldexp(value, n));
    EXPECT_EQ(value_of("@bitcast(u32, math.fscale(@bitcast(f32, @as(u32, " + std::to_string(x) +
                           ")), " + std::to_string(n) + "))",
                       math),
              std::to_string(expected))
        << x << ' ' << n;
  }
}

TEST(CslLibrary, StringsAndTypesAnswerAtCompileTime) {
  const char* imports = "const types = @import_module(\"<types>\");\n"
                        "const string = @import_module(\"<string>\");\n"
                        "const utilities = @import_module(\"<data_utils>\");\n"
                        "const print = @import_module(\"<simprint>\");\n"
                        "const colors = @import_module(\"<tile_config/color_config>\");\n"
                        "const switches = @import_module(\"<tile_config/switch_config>\");\n";
  EXPECT_EQ(
      value_of("types.is_dsd(fabin_dsd) and !types.is_signed_int(u16) and types.is_numeric(bf16)",
               imports),
      "true");
  EXPECT_EQ(value_of("types.byte_size_of(f32) + types.word_size_of(u8)", imports), "5");
  EXPECT_EQ(value_of("string.fmt(\"a{{{d}}} {d}.\", .{ 12, -305 })", imports), "a{12} -305.");
  EXPECT_EQ(value_of("utilities.hi16(0x12345678)", imports), "4660");
  EXPECT_EQ(value_of("print.value_count(\"{d} {{ {X}\")", imports), "2");
  EXPECT_EQ(value_of("print.text_from(\"{d} }} {X}\", 3)", imports), " } ");
  EXPECT_EQ(value_of("colors.side_bits(.{ EAST, RAMP }) + colors.side_bits(NORTH)", imports), "26");
  EXPECT_EQ(value_of("switches.get_switch_config_addr(@get_color(3), switches.pop_mode) == 0x7f23",
                     imports),
            "true");
}

}  // namespace
}  // namespace tessera::csl::library_test
