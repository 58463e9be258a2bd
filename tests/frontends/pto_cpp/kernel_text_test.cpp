// Kernels in C++: the rewrite of launches, the function that a run starts, the scalar types of the library, and where its
// tiles lie (pto_cpp.md 1.4, 2, 3.2).
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "frontends/pto_cpp/compile.h"
#include "frontends/pto_cpp/library/pto/scalars.h"
#include "frontends/pto_cpp/memory_map.h"
#include "frontends/pto_cpp/tile_values.h"
#include "tests/support/run_executable.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::pto_cpp {
namespace {

TEST(PtoCpp, LaunchesBecomeCallsAndLinesStayLines) {
  EXPECT_EQ(with_launches("k<<<n, nullptr, s>>>(x);"), "k->*tsr_launch(n, nullptr, s)(x);");
  EXPECT_EQ(with_launches("k<T, 64><<<f(a >> 1),\nnullptr, s>>>(x, y);"),
            "k<T, 64>->*tsr_launch(f(a >> 1),\nnullptr, s)(x, y);");
  const std::string none = "// k<<<1, 2, 3>>>(x)\nconst char* t = \"<<<\"; A<B<C<int>>> v;";
  EXPECT_EQ(with_launches(none), none);
  EXPECT_EQ(with_launches("a = reinterpret_cast<__ubuf__ int*>(x);"),
            "a = tsr_ub_cast<__ubuf__ int*>(x);");
  EXPECT_EQ(without_places("__ubuf__ int* a; my__ubuf__ b;"), "         int* a; my__ubuf__ b;");
}

TEST(PtoCpp, TheAttributeOfTheVendorsCompilerBecomesNothing) {
  EXPECT_EQ(with_launches("static [aicore] void f(); // [aicore]"),
            "static          void f(); // [aicore]");
}

TEST(PtoCpp, AssemblyOfTheDeviceThatReadsARegisterBecomesACall) {
  EXPECT_EQ(with_launches(R"(asm volatile("MOV %0, SYS_CNT\n" : "+l"(t)); int x;)"),
            "t = tsr_register_SYS_CNT(); int x;");
  EXPECT_EQ(with_launches(R"(asm volatile("MOV %0, PC" : "=l"(pc));)"), "pc = tsr_register_PC();");
  const std::string other =
      R"(asm volatile("nop"); asm volatile("add %0, %1" : "+l"(a) : "r"(b));)";
  EXPECT_EQ(with_launches(other), other);
}

TEST(PtoCpp, SmallFloatsThatAGeneratorDeclaresAreThoseOfTheLibrary) {
  EXPECT_EQ(with_launches("typedef struct { unsigned char v; }\nhifloat8_t; int x;"),
            std::string(35, ' ') + "\n" + std::string(11, ' ') + " int x;");
  const std::string other = "typedef struct { unsigned char v; } mine_t;";
  EXPECT_EQ(with_launches(other), other);
}

class PtoCppFile : public testing::Test {
 protected:
  KernelText read(const std::string& text, const std::string& function = "") {
    const std::string file = folder_.file("k.cpp");
    std::ofstream(file) << text;
    return read_kernel(file, function);
  }
  std::string refusal(const std::string& text, const std::string& function) {
    try {
      read(text, function);
    } catch (const UserError& e) {
      return e.what();
    }
    return "";
  }
  test::TemporaryFolder folder_;
};

TEST_F(PtoCppFile, ANameMayBePastedOfSeveralParts) {
  const KernelText kernel = read("#define K(D, B) \\\n  extern \"C\" __global__ void "
                                 "run_E##D##_B##B(float* x, int n) {}\nK(64, 2)\n",
                                 "run_E64_B2");
  EXPECT_EQ(kernel.entry.name, "run_E64_B2");
  EXPECT_EQ(kernel.entry.parameters, (std::vector<std::string>{"x", "n"}));
}

constexpr const char* kTwo =
    "template <class T, int N> AICORE void run(__gm__ T* x, int n) {}\n"
    "extern \"C\" __global__ AICORE void add(__gm__ half* x, uint32_t count = 3) {\n}\n"
    "extern \"C\" void call_add(uint32_t blocks, void* stream) { add<<<blocks, nullptr, "
    "stream>>>(0, 1); }\n";

TEST_F(PtoCppFile, TheOnlyKernelIsTheEntryAndItsParametersHaveNames) {
  const KernelText kernel = read(kTwo);
  EXPECT_EQ(kernel.entry.name, "add");
  EXPECT_EQ(kernel.entry.parameters, (std::vector<std::string>{"x", "count"}));
  EXPECT_EQ(kernel.entry.line, 2U);
}

TEST_F(PtoCppFile, AnInstanceOfATemplateAndALauncherMayBeNamed) {
  EXPECT_EQ(read(kTwo, "run<half, 64>").entry.name, "run<half, 64>");
  EXPECT_EQ(read(kTwo, "call_add").entry.parameters,
            (std::vector<std::string>{"blocks", "stream"}));
}

TEST_F(PtoCppFile, AFunctionThatTheFileDoesNotHaveIsRefused) {
  EXPECT_NE(refusal(kTwo, "ad").find("defines no such function"), std::string::npos);
  EXPECT_NE(refusal("int x;", "").find("expected the name of the function"), std::string::npos);
}

TEST_F(PtoCppFile, AFileThatDoesNotAskForTheKindIsForOne) {
  EXPECT_EQ(read("__global__ void k() { TADD(c, a, b); }").only, cluster::CoreKind::kAiv);
  EXPECT_EQ(read("__global__ void k() { TMATMUL(c, a, b); }").only, cluster::CoreKind::kAic);
  EXPECT_EQ(read("__global__ void k() {\n#ifdef __DAV_VEC__\n#endif\n}").only,
            cluster::CoreKind::kAiv);  // nothing in it is for the cube
  // Buffers of the cube by their address spaces alone, without tiles.
  for (const char* const space : {"__cbuf__", "__ca__", "__cb__", "__cc__"})
    EXPECT_EQ(read(std::string("__global__ void k(") + space + " int* p) { copy(p); }").only,
              cluster::CoreKind::kAic);
}

TEST(PtoCppScalars, RoundToNearestEvenAndKnowTheirLimits) {
  EXPECT_EQ(half(1.0).bits, 0x3C00);
  EXPECT_EQ(half(-2.5f).bits, 0xC100);
  EXPECT_EQ(half(65504.0).bits, 0x7BFF);
  EXPECT_EQ(half(65520.0).bits, 0x7C00);            // half way to the next: infinity
  EXPECT_EQ(half(2049.0).bits, half(2048.0).bits);  // a tie
  EXPECT_EQ(half(5.9604644775390625e-8).bits, 1);
  EXPECT_EQ(float(half::of_bits(1)), 5.9604644775390625e-8f);
  EXPECT_EQ(bfloat16_t(1.00390625).bits, 0x3F80);
  EXPECT_EQ(float(std::numeric_limits<half>::max()), 65504.0f);
  for (unsigned bits = 0; bits < 0x7C00; ++bits)
    EXPECT_EQ(half(float(half::of_bits(static_cast<std::uint16_t>(bits)))).bits, bits);
}

TEST(PtoCppMemory, AddressesSayWhichByteOfWhichMemoryTheyAre) {
  const MemoryMap memory(6, 1024, {100, 200});
  const auto array = memory.find(MemoryMap::of_array(1) + 199);
  ASSERT_TRUE(array);
  EXPECT_EQ(array->array, 1U);
  EXPECT_EQ(array->offset, 199);
  EXPECT_TRUE(memory.is_mapped(*array, 1));
  EXPECT_FALSE(memory.is_mapped(*array, 2));
  const auto buffer = memory.find(MemoryMap::of_buffer(4, cluster::Location::kL1) + 64);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(buffer->core, 4U);
  EXPECT_EQ(buffer->location, cluster::Location::kL1);
  EXPECT_FALSE(memory.is_mapped(*buffer, 1));
  EXPECT_EQ(MemoryMap::of_buffer(4, cluster::Location::kL1) & 0xFFFFFFFFU, 0U);
  EXPECT_FALSE(memory.find(MemoryMap::of_array(2)));
  EXPECT_FALSE(memory.find(8));
}

// Element (r, c) of 32 x 32 elements of 16 bits by the byte orders of the table.
TEST(PtoCppLayouts, BoxesLieAsTheTableSays) {
  struct Layout {
    const char* name;
    std::uint8_t by_columns, boxes;
    std::int64_t (*at)(std::int64_t r, std::int64_t c);
  };
  const Layout layouts[] = {
      {"NZ", 1, TSR_ROW_BOXES,
       [](std::int64_t r, std::int64_t c) { return c / 16 * 512 + r * 16 + c % 16; }},
      {"ZZ", 0, TSR_ROW_BOXES,
       [](std::int64_t r, std::int64_t c) {
         return r / 16 * 512 + c / 16 * 256 + r % 16 * 16 + c % 16;
       }},
      {"ZN", 0, TSR_COLUMN_BOXES,
       [](std::int64_t r, std::int64_t c) {
         return r / 16 * 512 + c / 16 * 256 + c % 16 * 16 + r % 16;
       }},
      {"NN", 1, TSR_COLUMN_BOXES, [](std::int64_t r, std::int64_t c) {
         return c / 16 * 512 + r / 16 * 256 + c % 16 * 16 + r % 16;
       }}};
  for (const Layout& layout : layouts) {
    const TsrTileType type = {"mat", "f16", 32, 32, layout.by_columns, layout.boxes, 512, 0, 0, 0};
    const pto::Value v = value_of(TsrTile{&type, 0, 32, 32}, cluster::CoreKind::kAic, "t");
    for (std::int64_t r = 0; r < 32; ++r)
      for (std::int64_t c = 0; c < 32; ++c)
        ASSERT_EQ(v.place.boxes.at(r, c), layout.at(r, c)) << layout.name << ' ' << r << ' ' << c;
  }
}

}  // namespace
}  // namespace tessera::pto_cpp
