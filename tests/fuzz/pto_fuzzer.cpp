// libFuzzer entry point of the PTO front-end. The first byte chooses profile and options, the rest is text.
// Kernels of examples/ascend are a corpus to start from: pto.dict has the words.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/pto_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string problem;
  tessera::test::lowers(text, data[0], problem);
  if (problem.empty()) return 0;
  std::fprintf(stderr, "%s\n", problem.c_str());
  std::abort();
}
