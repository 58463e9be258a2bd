// A WSE fabric in one of two structures, as the host side sees it: a module for every block, or all
// tiles in one module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/host/edge.h"
#include "models/observe/diagnosis.h"
#include "models/observe/event_stream.h"
#include "models/observe/link_waits.h"
#include "models/observe/wait.h"
#include "models/observe/wait_book.h"
#include "models/pe/compute_engine_core.h"
#include "models/state/fwd.h"
#include "models/timing/clock_domain.h"
#include "models/wafer/sharing/remote_part.h"
#include "platforms/wse/options.h"
#include "platforms/wse/workload.h"
#include "platforms/wse/wse_config.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/tile_coord.h"

namespace tessera::wse {

struct Replacements;

class Machine {
 public:
  virtual ~Machine() = default;
  /// "modules", "dense": the name of the structure in reports.
  virtual const char* structure() const = 0;
  /// How many threads step it.
  virtual unsigned threads() const { return 1; }
  /// How many processes share it; this one has the host.
  virtual unsigned ranks() const { return 1; }
  /// Which of the threads, from 0, steps a tile.
  virtual unsigned thread_of(TileCoord /*tile*/) const { return 0; }
  /// Whether it may be destroyed before the process ends: the kernel finds what to unregister by
  /// linear search, which takes quadratic time when every block is a module.
  virtual bool is_quick_to_destroy() const = 0;
  virtual timing::ClockDomain& domain() = 0;
  /// Steps the blocks of a cycle in an order drawn from `seed`: results must not change.
  virtual void shuffle_step_order(std::uint64_t seed) = 0;

  /// What becomes of the SRAM of all tiles in a reset.
  enum class Memory { kClear, kKeep };
  /// Everything is as in a new machine: fabric, queues, engines, launches, streams and expectations of
  /// the host. Simulated time goes on; the clock domain counts from cycle 0 again, which is the
  /// present one. At any time between two cycles, also after a deadlock or a failure. Take pointers to
  /// memory anew; references to engines and edges stay valid.
  void reset(Memory memory);
  /// The same with another program, on the same grid; `next` must outlive the machine or the next
  /// load(). Throws UserError, and changes nothing, if the machine does not have what `next` needs:
  /// its host edges, and in `modules` the queues of each tile.
  void load(const Workload& next);

  /// Called at the end of reset() and load(): what was set in engines and edges by hand has to be set again.
  /// `same_program`: it is that of the construction.
  void set_reset_listener(std::function<void(bool same_program)> listener) {
    reset_listener_ = std::move(listener);
  }

  /// Where the compute engines send their diagnoses; nullptr, the default: nowhere.
  void set_diagnoses(observe::Diagnoses* diagnoses) {
    diagnoses_ = diagnoses;
    connect_diagnoses();
  }
  /// The compute engine of a tile; nullptr where a tile is only a router, has the engine of a
  /// user, or belongs to another process.
  virtual pe::ComputeEngineCore* engine(TileCoord tile) = 0;
  /// Memory of a tile with a program of ours, whichever process has the tile. Requires that the bytes lie
  /// in it.
  virtual void read_memory(TileCoord tile, std::uint32_t address, std::vector<std::byte>& bytes);
  virtual void write_memory(TileCoord tile, std::uint32_t address,
                            const std::vector<std::byte>& bytes);
  /// Words of 16 bits of tiles with programs of ours, each at an address of its own.
  virtual std::vector<std::uint16_t>
  read_half_words(const std::vector<wafer::RemotePart::HalfWord>& places);
  // What other processes do and have recorded.
  virtual void catch_up_others(Cycle /*end*/) {}
  virtual void observe_others(const wafer::ObservedParts& /*what*/,
                              const std::vector<std::uint32_t>& /*shown*/,
                              const wafer::TraceListeners& /*listeners*/) {}
  /// What a tile does, where another process has it.
  virtual std::string state_elsewhere(std::uint32_t /*place*/, Cycle /*now*/) { return {}; }
  /// Whether the accounts of waits are those of the last cycle (wafer::Strips::knows_waits).
  virtual bool knows_waits() const { return true; }
  virtual void collect(observe::EventStream& /*events*/) {}
  virtual void collect_waits(observe::WaitBook& /*book*/, observe::LinkWaits* /*links*/,
                             Cycle /*cycles*/) {}
  // The accounts with which tiles of other processes go on.
  virtual void go_on_with_waits(std::uint32_t /*place*/, observe::TileWaits& /*waits*/) {}
  virtual void go_on_with_link_waits(const std::vector<observe::LinkWaits::Tile>& /*tiles*/) {}
  /// The routers of this process tell `waits`, which outlives the machine, what their wavelets wait for. After each
  /// reset() again.
  virtual void set_link_waits(observe::LinkWaits& waits) = 0;
  /// Adds what has waited in the cycles before `end` and still does.
  virtual void add_lasting_waits(observe::LinkWaits& waits, Cycle end) const = 0;
  /// Runs `function` on the tile from cycle `at` on. Requires engine(tile) != nullptr.
  virtual void launch(TileCoord tile, const pe::Function& function,
                      const std::vector<std::uint32_t>& arguments, Cycle at) = 0;
  /// Has the tile take a command of the host as soon as its main thread is free, from cycle `at` on.
  /// Requires engine(tile) != nullptr.
  virtual void access(TileCoord tile, pe::HostAccess access, Cycle at) = 0;
  /// Whether another process has the tile, which takes a command of the host by order() then.
  virtual bool is_elsewhere(TileCoord /*tile*/) const { return false; }
  virtual void order(TileCoord /*tile*/, const wafer::HostOrder& /*order*/, Cycle /*at*/,
                     wafer::TakenListener /*listener*/) {}
  /// Where the present program has host edges.
  const std::vector<layout::HostLink>& links() const { return workload_->links; }
  /// The host's end of a link. Requires that the machine was built with a host edge there.
  virtual host::Edge& edge(TileCoord tile, Direction side) = 0;

  /// Wavelets in routers, queues and ramps.
  virtual std::size_t wavelets_held() const = 0;
  /// Saves the state between two cycles, of which `next` is the second; or restores it in a machine of the same program
  /// and structure that has started and not stepped. Engines are to be caught up before. Throws state::Mismatch for
  /// what cannot be saved, or does not fit.
  virtual void visit(state::Archive& archive, Cycle next);
  /// Who is stuck now, tile by tile.
  virtual void describe_waits(observe::Waits& waits) const = 0;

 protected:
  /// All outlive the machine; `events` may be nullptr.
  Machine(const WseConfig& config, const Workload& workload, observe::Sink* events)
      : config_(config), built_for_(workload), workload_(&workload), events_(events) {}
  const WseConfig& config() const { return config_; }
  /// What the machine was built for, and what it runs.
  const Workload& built_for() const { return built_for_; }
  const Workload& workload() const { return *workload_; }
  observe::Sink* events() const { return events_; }
  observe::Diagnoses* diagnoses() const { return diagnoses_; }

 private:
  /// Tells diagnoses() to the compute engines.
  virtual void connect_diagnoses() = 0;
  /// Throws UserError if a tile has no blocks for its program in `next`.
  virtual void require_blocks(const Workload& /*next*/) const {}
  /// Makes all blocks anew for workload(), and lets them start.
  virtual void rebuild(Memory memory) = 0;
  void begin_again(Memory memory);

  const WseConfig& config_;
  const Workload& built_for_;
  const Workload* workload_;
  observe::Sink* events_;
  observe::Diagnoses* diagnoses_ = nullptr;
  std::function<void(bool)> reset_listener_;
};

/// Brings all compute engines up to date: they execute groups of operations late
/// (pe::ComputeEngineCore), here those that are due before cycle `end`.
void catch_up(Machine& machine, const layout::Layout& layout, Cycle end);

/// What is said of a run that ended well and left wavelets: "3 wavelets left in the fabric that no PE reads: PE (1, 0),
/// input queue 2 (color 3)"; empty: there are none. `name_of` names the PE of a place.
std::string unread_wavelets(const Machine& machine, const observe::Waits& waits,
                            const std::function<std::string(std::uint32_t)>& name_of);

/// What --structure accepts. "auto": modules for layouts of up to kAutoModuleTiles tiles, or where only
/// modules have what the options ask for, else dense. CSL programs are dense at every size: it is quicker.
inline const std::vector<std::string> kStructures = {"modules", "dense", "auto"};
inline constexpr std::size_t kAutoModuleTiles = 1024;
/// Tiles that `modules` is built for: about 4 GB.
inline constexpr std::size_t kMaxModuleTiles = 65536;

/// Throws UserError when the structure cannot hold the layout, cannot have the configuration, or
/// lacks a check that `options` ask for.
void check_structure(const std::string& structure, const FabricOptions& options,
                     const Workload& workload, const WseConfig& config);

/// The machine of a workload. `events` may be nullptr; all arguments must outlive the machine.
/// `replacements`: the modules that FabricOptions::replace may name; nullptr: none. Throws UserError as
/// check_structure() and Replacements do.
std::unique_ptr<Machine> build_machine(const std::string& structure, const FabricOptions& options,
                                       const WseConfig& config, const Workload& workload,
                                       observe::EventStream* events,
                                       Replacements* replacements = nullptr);

}  // namespace tessera::wse
