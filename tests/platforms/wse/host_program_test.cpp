// The host steps of a layout (docs/layout.md): what a wait waits for and what arrays hold afterwards.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/run_executable.h"

namespace tessera::test {
namespace {

// Four tiles in a row that are only routers: what enters in the west leaves in the east.
std::string layout_with(const std::string& host) {
  return R"~({
  "schema": "tessera-wse-layout-1", "grid": [4, 1],
  "arrays": {"a": {"dtype": "u32", "shape": [3], "init": "iota() + 1"},
             "b": {"dtype": "u32", "shape": [5], "init": "iota() + 10"},
             "c": {"dtype": "u32", "shape": [3]}, "d": {"dtype": "u32", "shape": [5]}},
  "routes": [{"rect": [0, 0, 4, 1], "color": 1, "rx": "WEST", "tx": "EAST"}],
  "host": [)~" +
         host + "]}";
}

std::string in(const std::string& name) {
  return R"({"stream_in": {"color": 1, "rect": [0, 0, 1, 1], "name": ")" + name + "\"}}, ";
}
std::string out(const std::string& name) {
  return R"({"stream_out": {"color": 1, "rect": [3, 0, 1, 1], "name": ")" + name + "\"}}, ";
}
std::string wait(const std::string& name) {
  return R"({"wait": ")" + name + "\"}, ";
}
std::string check(const std::string& name, const std::string& value) {
  return R"({"check": {"name": ")" + name + R"(", "value": ")" + value + "\"}}";
}

Finished run(const std::string& host) {
  const TemporaryFolder folder;
  write_file(folder.file("layout.json"), layout_with(host));
  return run_executable("wse_platform", {folder.file("layout.json"), "--quiet"});
}

TEST(WseHostProgram, StreamsOfOneEdgeAndColorFollowEachOther) {
  const Finished result = run(in("a") + in("b") + out("c") + out("d") + wait("d") +
                              check("c", "a") + ", " + check("d", "b"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

// The second stream is longer than what the fabric buffers and is only read after the wait for the first one.
TEST(WseHostProgram, WaitForAStreamInEndsWithItsOwnLastWavelet) {
  const TemporaryFolder folder;
  folder.copy_from("tests/platforms/wse/programs/stream");
  write_file(folder.file("layout.json"), R"~({
  "schema": "tessera-wse-layout-1", "grid": [1, 1],
  "arrays": {"a": {"dtype": "u32", "shape": [2], "init": "iota()"},
             "b": {"dtype": "u32", "shape": [64], "init": "iota() + 2"},
             "got": {"dtype": "u32", "shape": [66]}},
  "tiles": [{"rect": [0, 0, 1, 1], "code": "receiver.tasm", "params": {"B": 66}}],
  "routes": [{"rect": [0, 0, 1, 1], "color": 5, "rx": "WEST", "tx": "RAMP"}],
  "symbols": {"got": {"symbol": "words", "rect": [0, 0, 1, 1]}},
  "host": [{"stream_in": {"color": 5, "rect": [0, 0, 1, 1], "name": "a"}},
           {"stream_in": {"color": 5, "rect": [0, 0, 1, 1], "name": "b"}},
           {"wait": "a"}, {"launch": "main"}, {"wait": "idle"}, {"copy_out": "got"},
           {"check": {"name": "got", "value": "iota()"}}]})~");
  const Finished result = run_executable("wse_platform", {folder.file("layout.json"), "--quiet"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(WseHostProgram, AnArrayIsWrittenByItsStreamOnce) {
  const Finished result =
      run(out("c") + in("a") + wait("c") + out("c") + in("a") + wait("idle") + check("c", "a"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(WseHostProgram, AStreamThatIsNotCompleteIsADeadlock) {
  const Finished result = run(out("d") + in("a") + wait("d") + check("d", "0"));
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_NE(result.err.find("3 of 5 wavelets"), std::string::npos) << result.err;
}

// Through the four routers: what the host packs and takes apart, and in which order.
Finished run_16_bits(const std::string& out_array, const std::string& in_simd,
                     const std::string& out_simd, const std::string& expected) {
  const TemporaryFolder folder;
  write_file(folder.file("layout.json"), R"~({
  "schema": "tessera-wse-layout-1", "grid": [4, 1],
  "arrays": {"a": {"dtype": "u16", "shape": [5], "init": "iota() + 1"},
             "out": )~" + out_array + R"~(},
  "routes": [{"rect": [0, 0, 4, 1], "color": 1, "rx": "WEST", "tx": "EAST"}],
  "host": [{"stream_in": {"color": 1, "rect": [0, 0, 1, 1], "name": "a")~" +
                                             in_simd + R"~(}},
           {"stream_out": {"color": 1, "rect": [3, 0, 1, 1], "name": "out")~" +
                                             out_simd + R"~(}},
           {"wait": "out"}, {"check": {"name": "out", "value": ")~" +
                                             expected + R"~("}}]})~");
  return run_executable("wse_platform", {folder.file("layout.json"), "--quiet"});
}

TEST(WseHostProgram, TwoElementsOf16BitsShareAWavelet) {
  const Finished packed = run_16_bits(R"({"dtype": "u16", "shape": [5]})", "", "", "a");
  EXPECT_EQ(packed.exit_code, 0) << packed.err;
  // 1, 2 and 3, 4 with the first one in the low half; the last product takes the 6 beside 5 away.
  const Finished words = run_16_bits(R"({"dtype": "u32", "shape": [3]})", "", "",
                                     "(2 * iota() + 1) + 65536 * (2 * iota() + 2) - 6 * 65536 * "
                                     "iota() * (iota() - 1) / 2");
  EXPECT_EQ(words.exit_code, 0) << words.err;
}

TEST(WseHostProgram, WithoutSimdAWaveletCarriesOneElementOf16Bits) {
  const Finished words =
      run_16_bits(R"({"dtype": "u32", "shape": [5]})", R"(, "simd": false)", "", "a");
  EXPECT_EQ(words.exit_code, 0) << words.err;
  const Finished halves = run_16_bits(R"({"dtype": "u16", "shape": [5]})", R"(, "simd": false)",
                                      R"(, "simd": false)", "a");
  EXPECT_EQ(halves.exit_code, 0) << halves.err;
}

// A program whose data has one 16-bit format, and a host array that shall hold it.
Finished run_half_format(const std::string& format, const std::string& dtype) {
  const TemporaryFolder folder;
  write_file(folder.file("a.tasm"),
             "half " + format + "\ndata x: f16[2] = 6, -2\nfn main\n    ret\n");
  write_file(folder.file("layout.json"), R"~({
  "schema": "tessera-wse-layout-1", "grid": [1, 1],
  "arrays": {"y": {"dtype": ")~" + dtype + R"~(", "shape": [2]}},
  "tiles": [{"rect": [0, 0, 1, 1], "code": "a.tasm"}],
  "symbols": {"y": {"symbol": "x", "rect": [0, 0, 1, 1]}},
  "host": [{"copy_out": "y"}, {"check": {"name": "y", "value": "6 - 8 * iota()"}}]})~");
  return run_executable("wse_platform", {folder.file("layout.json"), "--quiet"});
}

TEST(WseHostProgram, AnF16ArrayTakesIeeeNumbersOnly) {
  const Finished same = run_half_format("f16", "f16");
  EXPECT_EQ(same.exit_code, 0) << same.err;
  const Finished other = run_half_format("bf16", "f16");
  EXPECT_NE(other.exit_code, 0);
  EXPECT_NE(other.err.find("is bf16, the host array 'y' IEEE f16; give the host array dtype u16 to "
                           "have the bits"),
            std::string::npos)
      << other.err;
  EXPECT_EQ(run_half_format("bf16", "u16").exit_code, 1);  // 0x40C0 is no 6: the check fails
}

// One tile adds 1.5 to five numbers of 16 bits; program and streams agree on the packing.
Finished run_f16_stream(const std::string& preset, const std::string& dsd_option,
                        const std::string& stream_option) {
  const TemporaryFolder folder;
  write_file(folder.file("a.tasm"), "queue in_q  input 2 color=1\n"
                                    "queue out_q output 3 color=2\n"
                                    "dsd source fabin in_q extent=5 " +
                                        dsd_option + "\ndsd sink fabout out_q extent=5 " +
                                        dsd_option +
                                        "\nfn main\n"
                                        "    lddsr dds1, sink\n"
                                        "    lddsr s1ds1, source\n"
                                        "    faddh dds1, s1ds1, 1.5\n"
                                        "    ret\n");
  write_file(folder.file("layout.json"), R"~({
  "schema": "tessera-wse-layout-1", "grid": [1, 1],
  "arrays": {"a": {"dtype": "f16", "shape": [5], "init": "iota() / 4"},
             "y": {"dtype": "f16", "shape": [5]}},
  "tiles": [{"rect": [0, 0, 1, 1], "code": "a.tasm"}],
  "routes": [{"rect": [0, 0, 1, 1], "color": 1, "rx": "WEST", "tx": "RAMP"},
             {"rect": [0, 0, 1, 1], "color": 2, "rx": "RAMP", "tx": "EAST"}],
  "host": [{"stream_in": {"color": 1, "rect": [0, 0, 1, 1], "name": "a")~" +
                                             stream_option + R"~(}},
           {"stream_out": {"color": 2, "rect": [0, 0, 1, 1], "name": "y")~" +
                                             stream_option + R"~(}},
           {"launch": "main"}, {"wait": "y"},
           {"check": {"name": "y", "value": "a + 1.5", "rtol": 0, "atol": 0}}]})~");
  return run_executable("wse_platform",
                        {folder.file("layout.json"), "--preset", preset, "--quiet"});
}

TEST(WseHostProgram, TheHostPacksF16AsDsdOperationsDo) {  // wse.md 5.10
  for (const char* preset : {"wse2", "wse3"}) {
    const Finished off = run_f16_stream(preset, "simd=off", R"(, "simd": false)");
    EXPECT_EQ(off.exit_code, 0) << preset << ": " << off.err;
    const Finished packed = run_f16_stream(preset, "", "");
    EXPECT_EQ(packed.exit_code, 0) << preset << ": " << packed.err;
  }
}

}  // namespace
}  // namespace tessera::test
