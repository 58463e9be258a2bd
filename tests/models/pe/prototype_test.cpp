// Engines that run one image dispatch an operation from a prototype, once one of them has dispatched it
// (DecodedImage::prototype): each still has its own registers and queues.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "models/pe/decoded_image.h"
#include "tests/models/pe/bench.h"

namespace tessera::pe::test {
namespace {

constexpr unsigned kSharers = 24;

const std::string kSharedProgram = R"(data v: f32[8] = 1, 2, 3, 4, 5, 6, 7, 8
data w: f32[8]
data last: f32[8]
queue i1 input 1 color=1
queue o4 output 4 color=14
dsd in1 fabin i1 extent=8
dsd out4 fabout o4 extent=8
dsd mv mem1d v
dsd mw mem1d w
dsr dds0 mw
dsr s1ds0 mv
dsr dds1 mw
dsr s0ds1 mw
dsr s1ds1 in1
dsr dds2 out4
dsr s1ds2 mw
dsr s1ds3 mv
dsr s1ds4 mv
fn main                                  ; d0: a factor; r4: where the last product goes
scale: fmuls dds0, s1ds0, d0
receive: fadds dds1, s0ds1, s1ds1 async activate=sent
tail: fmuls [r4], d0, s1ds4
sum: fadds d0, d0, s1ds3
loaded: setdsa s1ds3, v
    ret
task sent local 24
send: fmovs dds2, s1ds2 async
    end
)";

void begin(Bench& bench, unsigned number) {
  const std::uint32_t last = bench.core.image().find_symbol("last")->address;
  bench.launch("main", {bits_of(1.0F + static_cast<float>(number)), 0, last + 4 * (number % 8)},
               3 + number % 5);
  for (unsigned i = 0; i < 8; ++i)
    bench.queues.arrive(1, bits_of(static_cast<float>(i * number)), 20 + i * (1 + number % 3));
}

TEST(PePrototype, EnginesThatShareAnImageDoWhatEachWouldDoAlone) {
  const Image image = assembled(kSharedProgram);
  const PeTiming timing = wse3_timing();
  const auto shared =
      std::make_shared<const DecodedImage>(std::make_shared<const Image>(image), timing);
  std::vector<std::unique_ptr<Bench>> benches;
  for (unsigned i = 0; i < kSharers; ++i) benches.push_back(std::make_unique<Bench>(shared));
  const auto is_kept = [&](const Bench& bench, const char* label) {
    const DecodedImage& of = *bench.program;
    return of.prototype(of.decoded(bench.pc(label))) != nullptr;
  };
  for (unsigned i = 0; i < kSharers; ++i) {
    Bench alone(image);
    begin(*benches[i], i);
    begin(alone, i);
    benches[i]->run();
    alone.run();
    ASSERT_EQ(benches[i]->events, alone.events) << "engine " << i;
    EXPECT_EQ(benches[i]->queues.payloads_sent(), alone.queues.payloads_sent());
    for (const char* data : {"v", "w", "last"})
      EXPECT_EQ(benches[i]->contents(data), alone.contents(data)) << data << " of engine " << i;
    EXPECT_FALSE(is_kept(alone, "scale")) << "an image of one engine keeps nothing";
  }
  for (const char* label : {"scale", "receive", "tail", "send"})
    EXPECT_TRUE(is_kept(*benches[0], label)) << label;
  EXPECT_FALSE(is_kept(*benches[0], "sum")) << "its DSR may be changed by the program";
}

}  // namespace
}  // namespace tessera::pe::test
