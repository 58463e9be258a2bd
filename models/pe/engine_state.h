// What the units of a compute engine share: what the engine is connected to, and the state that its
// program sees (reference wse.md 3, 5.11, 6.1, 6.2).
//
// The units (TaskUnit, ScalarUnit, VectorUnit, ConfigRegisters) get the shared state with every
// call. They keep no references to it or to each other, because a large wafer has 745,500 engines
// and a reference in each of them costs memory.
#pragma once

#include <cstdint>
#include <memory>
#include <sstream>
#include <string>

#include "models/observe/diagnosis.h"
#include "models/observe/event.h"
#include "models/observe/probe.h"
#include "models/observe/wait_book.h"
#include "models/pe/decoded_image.h"
#include "models/pe/dsr.h"
#include "models/pe/illegal.h"
#include "models/pe/main_thread.h"
#include "models/pe/pe_ports.h"
#include "models/pe/sram.h"
#include "models/pe/task_table.h"
#include "tlm_ifaces/vocabulary/tile_coord.h"

namespace tessera::observe {
class PlaceWatch;
class StopSet;
}  // namespace tessera::observe

namespace tessera::pe {

/// Who hears what an engine does, beyond its events. Engines that run one image may share it.
struct Listeners {
  observe::Sink* stalls = nullptr;          ///< hears of stalls when they begin (observe/stall.h)
  observe::PlaceWatch* watch = nullptr;     ///< hears where the main thread stands
  const observe::StopSet* stops = nullptr;  ///< at which instructions; nullptr: at all
};

struct EngineState {
  /// Stands for the instruction in messages that are about none.
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

  /// Places the data of the image in SRAM and carries out its initial loads of DSRs. `queues_of_pe`
  /// must outlive the state.
  EngineState(TileCoord tile, std::shared_ptr<const DecodedImage> decoded, PeQueues& queues_of_pe,
              observe::Probe probe_of_pe);

  const Image& image() const { return program->image(); }
  const PeTiming& timing() const { return program->timing(); }
  /// Whether wavelets of some input queue may start a task.
  bool has_open_channel() const { return (program->channels() & ~tasks.blocked()) != 0; }

  /// SRAM as instruction `pc` accesses it in cycle `now`: `bytes` is 2 or 4. An access that is not
  /// possible stops the run, or is reported and reads 0 (PeTiming::memory_errors). A store to the
  /// task table or the code always stops the run.
  [[gnu::always_inline]] std::uint32_t load(std::uint32_t pc, std::uint32_t address, unsigned bytes,
                                            Cycle now) const {
    std::uint32_t value = 0;
    return sram.read_near(address, bytes, value) ? value : load_far(pc, address, bytes, now);
  }
  [[gnu::always_inline]] void store(std::uint32_t pc, std::uint32_t address, unsigned bytes,
                                    std::uint32_t value, Cycle now) {
    if (address < program->data_begin() || !sram.write_near(address, bytes, value))
      store_far(pc, address, bytes, value, now);
  }

  /// load() and store() at an address that Sram::read_near() and write_near() do not take, or below the data.
  std::uint32_t load_far(std::uint32_t pc, std::uint32_t address, unsigned bytes, Cycle now) const;
  void store_far(std::uint32_t pc, std::uint32_t address, unsigned bytes, std::uint32_t value,
                 Cycle now);

  /// Throws IllegalBehaviour with the PE, the place of instruction `pc`, `words` one after the
  /// other and the id of `rule`.
  template <class... Words>
  [[noreturn, gnu::cold, gnu::noinline]] void fail(Illegal rule, std::uint32_t pc,
                                                   const Words&... words) const {
    std::ostringstream text;
    (text << ... << words);
    stop(rule, pc, text.str());
  }

  const std::shared_ptr<const DecodedImage> program;
  PeQueues& queues;
  const observe::Probe probe;
  const Listeners* listeners = nullptr;  ///< who hears what it does (stalls.h); nullptr: nobody
  observe::TileWaits* waits = nullptr;   ///< account of its cycles; nullptr: nobody reads it
  Sram sram;
  TaskTable tasks;
  MainThread main;
  DsrFiles dsrs;
  const TileCoord at;
  PeConfig* router = nullptr;               ///< its registers; nullptr: there is no router
  observe::Diagnoses* diagnoses = nullptr;  ///< nullptr: nobody reads them

 private:
  void refuse_store(std::uint32_t pc, std::uint32_t address, unsigned bytes, Cycle now) const;
  void memory_error(std::uint32_t pc, std::uint32_t address, unsigned bytes, const char* what,
                    Cycle now) const;
  std::string text_of(std::uint32_t pc, const std::string& what) const;
  [[noreturn]] void stop(Illegal rule, std::uint32_t pc, const std::string& what) const;
};

}  // namespace tessera::pe
