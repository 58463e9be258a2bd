// Remarks of a model on a program that goes on all the same: the machine leaves the case undefined
// (wse.md) or the result is probably not what was meant. What cannot go on is an IllegalBehaviour
// instead.
#pragma once

#include <cstdint>
#include <string>

#include "models/observe/print.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::observe {

struct Diagnosis {
  Cycle cycle = 0;
  std::uint32_t place = 0;  ///< linear index of the tile
  std::string id;           ///< stable name of the rule for scripts: "/tessera/pe/memory_access"
  std::string text;         ///< for people, with PE and source line: "PE (1, 2), f.tasm:3: ..."
  /// The place says it once, with the number of times.
  bool once = false;
  std::uint64_t times = 1;
};

/// Receives diagnoses, and what programs tell the host. In one cycle those of different places come in any order.
class Diagnoses {
 public:
  virtual ~Diagnoses() = default;
  virtual void on_diagnosis(const Diagnosis& diagnosis) = 0;
  /// The machine was reset; see Sink::on_reset.
  virtual void on_reset(Cycle /*origin*/) {}
  /// `print.text` is valid during the call. Default: nobody reads it.
  virtual void on_print(const Print& print) { static_cast<void>(print); }
  /// The program of a tile is ready for the next command of the host. Default: nobody asks.
  virtual void on_ready(std::uint32_t place) { static_cast<void>(place); }
};

}  // namespace tessera::observe
