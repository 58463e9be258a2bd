// Engines that run one image dispatch an operation from a prototype, once one of them has dispatched it
// (DecodedImage::prototype): each still has its own registers, DSRs and queues.
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
dsd strided mem1d v extent=3 stride=2
dsr dds0 mw
dsr s1ds0 mv
dsr dds1 mw
dsr s0ds1 mw
dsr s1ds1 in1
dsr dds2 out4
dsr s1ds2 mw
dsr s1ds3 mv
dsr s1ds4 mv
fn main    ; d0: a factor; r4: where the last product goes; r2, r6, r7: of another one source, place and length
scale: fmuls dds0, s1ds0, d0
receive: fadds dds1, s0ds1, s1ds1 async activate=sent
tail: fmuls [r4], d0, s1ds4
sum: fadds d0, d0, s1ds3
    setdsa s1ds3, v
    lddsr dds4, mw
    lddsr s1ds5, mv
    setdsl s1ds5, r7
    setdsa s1ds5, r2
    setdsa dds4, r6
loaded: fmuls dds4, s1ds5, d0
    lddsr s1ds5, strided
other: fmuls dds4, s1ds5, d0
    ret
task sent local 24
send: fmovs dds2, s1ds2 async
    end
)";

void begin(Bench& bench, unsigned number) {
  const auto at = [&](const char* data, unsigned element) {
    return bench.core.image().find_symbol(data)->address + 4 * element;
  };
  const std::uint32_t length = 1 + number % 4;
  bench.launch("main",
               {bits_of(1.0F + static_cast<float>(number)), at("v", number % 3),
                at("last", number % 8), at("w", number % 4) | length << 16},
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
  for (const char* label : {"scale", "receive", "tail", "send", "sum", "loaded", "other"})
    EXPECT_TRUE(is_kept(*benches[0], label)) << label;
}

}  // namespace
}  // namespace tessera::pe::test
