// What the live view shows of a machine, whatever it models (docs/live-view.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::run {

/// What is recorded of every cell: a count that grows over the run.
struct LiveLayer {
  std::string key;   ///< "busy", "wait:wavelet", "east"
  std::string name;  ///< for people: "a wavelet on an input queue"
  std::string unit;  ///< "cycles", "wavelets", "words"
};

/// Cells in rows, numbered row by row.
struct LiveGrid {
  std::string kind;      ///< how the page shows it: "fabric", "cores" or "mesh"
  std::string machine;   ///< "wse3"
  double period_ps = 0;  ///< length of a cycle
  unsigned columns = 0;
  unsigned rows = 0;
  std::vector<LiveLayer> layers;
  /// Where the cells with a program lie: x, y, width, height.
  std::array<unsigned, 4> used{};
  std::vector<bool> has_program;  ///< by cell; empty: all have one
  /// Cells whose slices and sentences are recorded.
  std::vector<std::size_t> watched;

  std::size_t cells() const { return std::size_t{columns} * rows; }
};

/// A named piece of the memory of a place.
struct LiveSymbol {
  std::string name;
  std::string type;  ///< "f32"
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t count = 0;          ///< elements
  std::vector<std::string> values;  ///< the first kMostLiveValues of them
};
inline constexpr std::uint32_t kMostLiveValues = 64;

/// An input queue of a place.
struct LiveQueue {
  std::string name;
  unsigned number = 0;
  std::optional<unsigned> color;
  unsigned places = 0;
  unsigned filled = 0;
  std::string first;  ///< the oldest wavelet, for people; empty: there is none
};

/// Cells that are watched, at most.
inline constexpr std::size_t kMostWatched = 64;

}  // namespace tessera::run
