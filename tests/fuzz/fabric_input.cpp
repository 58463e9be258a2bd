#include "tests/fuzz/fabric_input.h"

#include "tests/models/fabric/trial.h"

namespace tessera::fabric::fuzz {
namespace {

constexpr unsigned kMaxPerColor = 64;

}  // namespace

Outcome run_fabric(const std::uint8_t* data, std::size_t size) {
  bench::Choices choices(data, size);
  const unsigned shuffle = choices.below(4) == 0 ? choices.pick(1, 255) : 0;
  const unsigned colors = choices.pick(1, bench::RandomFabric::kMaxColors);
  const unsigned per_color = choices.pick(1, kMaxPerColor);
  bench::RandomFabric fabric(choices, colors, per_color);
  bench::WalkCounts counts;
  const bench::RandomFabric::Arrivals expected = fabric.walk(counts);
  const bench::Trial trial = run_trial(fabric, expected, 0);
  Outcome outcome{counts.sent, trial.problem};
  if (shuffle == 0 || !outcome.problem.empty()) return outcome;
  const bench::Trial shuffled = run_trial(fabric, expected, shuffle);
  outcome.problem = shuffled.problem;
  if (outcome.problem.empty() && shuffled.digest != trial.digest)
    outcome.problem = "the step order changes the events";
  return outcome;
}

}  // namespace tessera::fabric::fuzz
