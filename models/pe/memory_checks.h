// Checks of what programs do with SRAM (docs/checks.md): operands of DSD operations and scalar accesses beyond their
// object, and reads of words that nobody has written. They change nothing in a run: they know the objects of the
// image, and which words were written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::pe {

class DecodedImage;
struct DecodedInstruction;
struct EngineState;
struct Image;
struct Operand;
struct Operation;

/// Words of SRAM, a bit each, by page.
class WordSet {
 public:
  static constexpr unsigned kPageBytes = 256;
  /// Adds the words of `count` bytes from `address` on.
  void add(std::uint32_t address, std::uint32_t count);
  /// Whether it has all of them.
  bool has(std::uint32_t address, std::uint32_t count) const;

 private:
  static constexpr unsigned kBits = 64;
  struct Page {
    std::uint32_t number = 0;
    std::uint64_t words[kPageBytes / 2 / kBits] = {};
  };
  const Page* find(std::uint32_t page) const;
  std::vector<Page> pages_;  // sorted
};

/// The checks of a machine. Engines of different places may call it at the same time.
class MemoryChecks {
 public:
  /// What a finding does: IllegalBehaviour, or a diagnosis once for each operand of an instruction and place.
  enum class Mode : std::uint8_t { kStop, kReport };
  static constexpr const char* kBounds = "/tessera/pe/object_bounds";
  static constexpr const char* kUnwritten = "/tessera/pe/unwritten_memory";

  MemoryChecks(std::size_t places, Mode mode);
  ~MemoryChecks();

  /// An engine of `image` is among the places. Before the run.
  void add(const DecodedImage& image);
  /// The main thread issues an instruction in cycle `now` and has not executed it yet.
  void issue(const EngineState& pe, const DecodedInstruction& in, Cycle now);
  /// `op` has been dispatched and has moved nothing yet.
  void dispatch(const EngineState& pe, const Operation& op, Cycle now);
  /// The host has written memory of a place.
  void wrote(std::uint32_t place, std::uint32_t address, std::uint32_t count);
  /// Nothing was written and no descriptor loaded, as in a machine after a reset.
  void reset();

 private:
  struct Objects;
  struct Place;
  class Check;

  const Mode mode_;
  std::vector<Place> places_;
  std::unordered_map<const Image*, std::unique_ptr<Objects>> objects_;
};

}  // namespace tessera::pe
