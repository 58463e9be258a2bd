// Runs a random fabric (random.h) and compares it with the walk that knows no time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "models/observe/digest.h"
#include "tests/models/fabric/random.h"

namespace tessera::fabric::bench {

struct Trial {
  std::uint64_t digest = 0;  ///< digest of all events
  std::string problem;       ///< empty: as it should be
};

inline std::string place_text(const RandomFabric::Place& place) {
  return "tile " + to_string(RandomFabric::at(place.first)) + ", color " +
         std::to_string(place.second);
}

inline RandomFabric::Arrivals arrivals_in(Mesh& mesh) {
  RandomFabric::Arrivals arrivals;
  mesh.for_each_tile([&](TileCoord tile) {
    for (const Delivery& d : mesh.endpoint(tile).deliveries()) {
      arrivals[{RandomFabric::number(tile), d.wavelet.color.value()}].push_back(d.wavelet);
    }
  });
  return arrivals;
}

/// The first difference between what came and what the walk says.
inline std::string difference(const RandomFabric::Arrivals& got,
                              const RandomFabric::Arrivals& expected) {
  for (const auto& [place, wavelets] : expected) {
    const auto found = got.find(place);
    const std::size_t count = found == got.end() ? 0 : found->second.size();
    for (std::size_t i = 0; i < std::min(count, wavelets.size()); ++i) {
      if (!(found->second[i] == wavelets[i])) {
        return place_text(place) + ": wavelet " + std::to_string(i) + " differs";
      }
    }
    if (count != wavelets.size()) {
      return place_text(place) + ": " + std::to_string(count) + " wavelets of " +
             std::to_string(wavelets.size());
    }
  }
  return got.size() == expected.size() ? "" : "wavelets where none should be";
}

inline std::string wrong_position(Mesh& mesh, const RandomFabric& fabric) {
  for (const auto& [place, route] : fabric.routes()) {
    const unsigned position =
        mesh.router(RandomFabric::at(place.first)).switch_position(Color(place.second));
    if (position == fabric.position_after_walk(place)) continue;
    return place_text(place) + ": switch position " + std::to_string(position);
  }
  return "";
}

/// Nothing lost, doubled or reordered per color and path, every switch where it should be, all
/// credits back. `expected`: what fabric.walk() says. `shuffle` 0: blocks in the order of their
/// wake-ups, else a seed of their order.
inline Trial run_trial(const RandomFabric& fabric, const RandomFabric::Arrivals& expected,
                       std::uint64_t shuffle) {
  observe::Digest digest;
  Mesh mesh(RandomFabric::kSide, RandomFabric::kSide, fabric.timing, &digest);
  fabric.build(mesh);
  if (shuffle != 0) mesh.scheduler().shuffle_step_order(shuffle);
  mesh.run();
  Trial trial;
  trial.problem = difference(arrivals_in(mesh), expected);
  if (trial.problem.empty() && mesh.held() != 0) trial.problem = "wavelets are left";
  if (trial.problem.empty()) trial.problem = wrong_position(mesh, fabric);
  const std::string credits = mesh.missing_credits();
  if (trial.problem.empty() && !credits.empty()) trial.problem = "missing credits: " + credits;
  trial.digest = digest.value();
  return trial;
}

}  // namespace tessera::fabric::bench
