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
  folder.copy_from("tests/platforms/programs/stream");
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

}  // namespace
}  // namespace tessera::test
