// Random functions: what the comptime engine computes for some arguments is what the compiled code computes on a
// compute engine, and so is a call with the same arguments as constants where the compiler may choose. One program has
// several functions, each of which is called with several arguments.
//
// TESSERA_CSL_PROGRAMS: programs of the test instead (soak); each has 40 cases.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>

#include "frontends/csl/compile.h"
#include "tests/frontends/csl/sema/project.h"
#include "tests/frontends/csl/sema/random_functions.h"
#include "tests/models/pe/bench.h"

namespace tessera::csl::functions {
namespace {

constexpr unsigned kFunctions = 10;
constexpr unsigned kCalls = 4;

unsigned programs() {
  const char* text = std::getenv("TESSERA_CSL_PROGRAMS");
  return text == nullptr ? 1000U : static_cast<unsigned>(std::stoul(text));
}

/// Where the arguments of a call are constants.
enum class Known { kInFile, kInFunction };

struct RandomProgram {
  RandomProgram(std::uint32_t seed, Known known_in) {
    const bool in_file = known_in == Known::kInFile;
    RandomFunctions random(seed, !in_file);
    text = RandomFunctions::prelude();
    std::string run = "fn run() void {\n", more;
    for (unsigned n = 0; n < kFunctions; ++n) {
      const RandomFunctions::Function f = random.make();
      const std::string number = std::to_string(n);
      const std::string count = std::to_string(kCalls);
      results.push_back(f.result);
      text += f.text;
      std::array<std::string, kCalls> known, loaded;
      for (std::size_t p = 0; p < f.parameters.size(); ++p) {
        const std::string array = "x" + number + "_" + std::to_string(p);
        more += "var " + array + " = [" + count + "]" + f.parameters[p] + "{";
        for (unsigned c = 0; c < kCalls; ++c) {
          const std::string value = random.constant(f.parameters[p]);
          more += (c == 0 ? " " : ", ") + value;
          known[c] += (p == 0 ? "" : ", ") + value;
          loaded[c] += (p == 0 ? "" : ", ") + array + "[" + std::to_string(c) + "]";
        }
        more += " };\n";
      }
      more += "var found" + number + " = @constants([" + count + "]" + f.result + ", " +
              random.constant(f.result) + ");\n";
      more += "var wanted" + number + " = ";
      more += in_file ? "[" + count + "]" + f.result + "{"
                      : "@constants([" + count + "]" + f.result + ", " + random.constant(f.result) +
                            ");\n";
      for (unsigned c = 0; c < kCalls; ++c) {
        const std::string wanted = f.name + "(" + known[c] + ")";
        if (in_file) more += (c == 0 ? " " : ", ") + wanted;
        if (!in_file)
          run += "  wanted" + number + "[" + std::to_string(c) + "] = " + wanted + ";\n";
        run += "  found" + number + "[" + std::to_string(c) + "] = " + f.name + "(" + loaded[c] +
               ");\n";
      }
      if (in_file) more += " };\n";
      run += "  keep(&wanted" + number + "[0]);\n";
    }
    text += more + "var kept: u16 = 0;\nfn keep(p: anytype) void { kept += @bitcast(u16, p); }\n" +
            run + "}\ncomptime { @export_symbol(run); }\n";
  }
  std::string text;
  std::vector<std::string> results;  ///< types
};

bool is_nan(const std::string& type, std::uint32_t bits) {
  if (type == "f32") return std::isnan(bit_cast<float>(bits));
  return type == "f16" && (bits & 0x7C00U) == 0x7C00U && (bits & 0x3FFU) != 0;
}

void compare(const RandomProgram& program, const pe::test::Bench& bench) {
  for (unsigned n = 0; n < kFunctions; ++n) {
    for (unsigned c = 0; c < kCalls; ++c) {
      const std::uint32_t found = bench.bits("found" + std::to_string(n), c);
      const std::uint32_t wanted = bench.bits("wanted" + std::to_string(n), c);
      if (is_nan(program.results[n], found) && is_nan(program.results[n], wanted)) continue;
      EXPECT_EQ(found, wanted) << "f" << n << ", call " << c << ", " << program.results[n];
    }
  }
}

void check(Known known_in, unsigned count) {
  for (unsigned seed = 0; seed < count && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomProgram program(seed, known_in);
    Project project;
    project.layout("", "@export_name(\"run\", fn() void);").file("pe.csl", program.text);
    Options options;
    options.arch = seed % 2 == 0 ? "wse2" : "wse3";
    CodeOptions code;
    constexpr std::array<codegen::Style, 3> kStyles = {
        codegen::Style::kVendor, codegen::Style::kBest, codegen::Style::kPlain};
    code.style = kStyles[seed / 2 % 3];
    if (seed % 4 < 2) code.locals = codegen::Locals::kRegisters;
    code.optimize = seed % 7 != 0;
    std::ostringstream messages;
    Engine engine(options, messages);
    try {
      engine.evaluate(project.path("layout.csl"));
      pe::test::Bench bench(*Compiler(engine, code)(*engine.program().variants.at(0)).image);
      bench.launch("run", {}, 1);
      EXPECT_EQ(rule_broken_by(bench, 4000000).text, "");
      compare(program, bench);
    } catch (const UserError& error) {
      ADD_FAILURE() << error.what();
    }
    if (testing::Test::HasFailure()) std::cout << program.text;
  }
}

TEST(CslFunctionsProperty, CompiledFunctionsComputeWhatTheComptimeEngineDoes) {
  check(Known::kInFile, programs());
}

TEST(CslFunctionsProperty, ACallWithConstantsComputesWhatItDoesWithVariables) {
  check(Known::kInFunction, programs() / 2);
}

}  // namespace
}  // namespace tessera::csl::functions
