// examples/rtl_router/router.sv behind pins, in lock step with RouterCore. One TEST a process.
#include <gtest/gtest.h>

#include "Vrouter.h"
#include "tests/models/fabric/pin_bench.h"

namespace tessera::fabric::bench {
namespace {

class VerilogRouterBySeed : public ::testing::TestWithParam<unsigned> {};

TEST_P(VerilogRouterBySeed, IsInLockStepForHundredThousandCycles) {
  const unsigned seed = GetParam();
  FabricTiming timing;
  timing.hop_latency = 1 + seed % 3;
  timing.credit_latency = 1 + seed % 2;
  if (seed % 2 == 0) timing.arbitration = Arbitration::kFixed;
  PinBench bench(seed, 100000, timing);
  Vrouter rtl("rtl");
  bench.router.connect(rtl);
  sc_core::sc_start();
  EXPECT_GE(bench.domain.now(), 100000U);
  EXPECT_GT(bench.sent(), 40000U);
  EXPECT_EQ(bench.router.held(), 0U);
}
INSTANTIATE_TEST_SUITE_P(Seeds, VerilogRouterBySeed, ::testing::Range(1U, 4U));

}  // namespace
}  // namespace tessera::fabric::bench
