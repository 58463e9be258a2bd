// libFuzzer entry point of the fabric.
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/fabric_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const tessera::fabric::fuzz::Outcome outcome = tessera::fabric::fuzz::run_fabric(data, size);
  if (outcome.problem.empty()) return 0;
  std::fprintf(stderr, "%s\n", outcome.problem.c_str());
  std::abort();
}
