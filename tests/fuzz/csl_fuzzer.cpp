// libFuzzer entry point of the CSL parser and printer. Programs of tests/frontends/csl/programs are a
// corpus to start from: csl.dict has the words.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/csl_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string problem;
  tessera::test::parses_csl({reinterpret_cast<const char*>(data), size}, problem);
  if (problem.empty()) return 0;
  std::fprintf(stderr, "%s\n", problem.c_str());
  std::abort();
}
