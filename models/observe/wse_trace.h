// Text trace in the form of the vendor's simulator log, which the public WSE visualizer opens: the
// grammar of wse.md 9.2, field meanings of wse.md 9.3.
//
// Written: the dimensions line first; then, in order of cycles: writes to output queues and sends
// out of them, landings, wavelet lines (one a cycle, tile and wavelet: where it landed, through
// which ports it leaves), stalls of threads (stall.h) where they begin, [IS OP] and [EX OP] lines.
// What the event stream does not carry is left out: operands, register interlocks.
//
//   * A wavelet is known by its serial number (Event::ident), so that equal payloads are told apart.
//   * A wavelet lands at a neighbour one cycle after its departure line, as the visualizer wants
//     it. With a hop latency above 1 the departure line therefore stands hop_latency - 1 cycles
//     after the landing line.
//   * idx and data are the halves of the payload; the number in parentheses is the payload as f32.
//   * Issue and execute lines carry the cycle in which the issue slot was used.
//   * The PC is in 16-bit words: twice the number of the instruction (wse.md 6.1).
#pragma once

#include <array>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/observe/names.h"
#include "models/observe/scope.h"
#include "models/observe/sorted_sink.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::observe {

struct WseTraceOptions {
  unsigned width = 1;            ///< tiles
  unsigned height = 1;           ///< tiles
  unsigned hop_latency = 2;      ///< cycles, landing to landing
  unsigned on_ramp_latency = 3;  ///< cycles, leaving an output queue to landing at the router
  Generation generation = Generation::kWse3;  ///< gives the pipeline stage numbers (wse.md 0.2)
  Scope scope = {};
};

class WseTrace final : public SortedSink {
 public:
  /// Only the mnemonics of `names` are used. `out` must outlive the trace.
  WseTrace(std::ostream& out, const WseTraceOptions& options, Names names = {});

 protected:
  void on_sorted_event(const Event& e) override;
  void on_machine_reset(Cycle origin) override;
  void on_end() override;

 private:
  /// One wavelet line in the making: departures of one cycle share a line.
  struct Hop {
    unsigned color = 0;
    bool control = false;
    bool half = false;
    bool local_flip = false;  ///< only set by a landing from the ramp
    std::uint32_t payload = 0;
    char landing = '-';
    DirectionSet departing;
  };
  /// What is to be written for one cycle. It stays open for a while, because a hop tells of cycles
  /// before and after.
  struct Lines {
    std::vector<std::string> queues;
    std::map<std::pair<std::uint32_t, std::uint64_t>, Hop> hops;  // by tile and ident
    std::vector<std::string> stalls;
    std::vector<std::string> issues;
    std::map<std::uint32_t, std::string> executes;  // by tile: one issue slot
  };
  /// A wavelet in an output queue or on its way from there to the router.
  struct Written {
    Cycle cycle = 0;
    unsigned queue = 0;
  };
  /// An instruction, or a DSD operation with the groups executed so far.
  struct Operation {
    std::uint32_t pc = 0;
    std::uint64_t number = 0;
    unsigned task = 0;
    unsigned groups = 0;
  };
  struct Tile {
    Operation issued;  ///< the instruction issued last; its task: the one that runs
    std::array<Operation, kThreadCount> operations;
    /// By thread: what holds it back, as Event::a; 0: nothing since its last group or instruction.
    std::array<std::uint32_t, kThreadCount> stalled{};
  };

  void on_tile_event(const Event& e);
  bool shows(std::uint32_t place) const { return options_.scope.has_place(place, options_.width); }
  /// Whether something that happens in `cycle` may be told in a line of a cycle that is shown.
  bool is_near(Cycle cycle) const;
  void write_to_queue(const Event& e);
  void hop(const Event& e);
  void leave_ramp(const Event& e);
  Hop& land(std::uint32_t place, Direction from, Cycle cycle, const Event& e);
  Hop& hop_line(Cycle cycle, std::uint32_t place, const Event& e);
  std::optional<std::uint32_t> neighbour_of(std::uint32_t place, Direction d) const;
  void stall(const Event& e);
  void issue(const Event& e);
  void start_operation(const Event& e);
  void execute_group(const Event& e);
  std::string instruction(const char* stage, const Event& e, const Operation& op) const;
  /// What lines begin with: cycle and tile; some with the number of the tile too.
  std::string at(Cycle cycle, std::uint32_t place) const;
  std::string at_id(Cycle cycle, std::uint32_t place) const;

  void write_before(Cycle end);
  void write_cycle(Cycle cycle, const Lines& lines);
  void write_hop(Cycle cycle, std::uint32_t place, std::uint64_t ident, const Hop& hop);
  void write_idle(Cycle cycle, const Lines* lines);

  std::ostream& out_;
  WseTraceOptions options_;
  Names names_;
  std::unordered_map<std::uint64_t, Written> written_to_queue_;  ///< by ident
  std::map<Cycle, Lines> cycles_;
  std::unordered_map<std::uint32_t, Tile> tiles_;
  std::vector<std::uint32_t> busy_;  ///< tiles that executed in the cycle written last, sorted
  Cycle written_ = 0;
};

}  // namespace tessera::observe
