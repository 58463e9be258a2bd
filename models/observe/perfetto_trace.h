// Trace of a wafer for ui.perfetto.dev and chrome://tracing (perfetto_writer.h).
//
// Every tile that did something is a process "tile (x, y)". Its threads: "main" with the tasks as
// slices and synchronous DSD operations nested in them, "microthread 0" .. "microthread 7" with
// asynchronous DSD operations and, in grey, what they wait for, and a thread for each input queue, with a slice for wavelets that
// entered it less than kGapCycles apart. An arrow leads from an operation to the queues that its first
// wavelet entered. Counter tracks "hops" show how many wavelets left the router per direction (E, W, N,
// S and R for the ramp) in each stretch of kBinCycles cycles.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "models/observe/names.h"
#include "models/observe/perfetto_writer.h"
#include "models/observe/scope.h"
#include "models/observe/sorted_sink.h"
#include "models/observe/wait_book.h"

namespace tessera::observe {

class PerfettoTrace final : public SortedSink, public WaitListener {
 public:
  static constexpr Cycle kBinCycles = 16;
  static constexpr Cycle kGapCycles = 16;

  /// `width`: tiles in a row of the machine, to turn places into coordinates. `out` must outlive
  /// the trace.
  PerfettoTrace(std::ostream& out, unsigned width, Names names = {}, const Scope& scope = {});

  /// Waits for another block or thread are shown. They come in the cycle in which they end.
  void on_wait(const WaitSpan& span) override;

 protected:
  bool takes(Event& e) override;
  void on_sorted_event(const Event& e) override;
  void on_machine_reset(Cycle origin) override;
  void on_end() override;

 private:
  // A wafer has up to a million tiles, each with several slices under way.
  static constexpr std::uint32_t kNone = ~0U;

  /// An operation that has sent a wavelet: the first one, and where an arrow from it begins.
  struct Send {
    Cycle cycle = kNever;
    std::uint32_t number = 0;  ///< the lower half of the wavelet's ident
    std::uint8_t row = 0;
    bool is_over = true;
  };
  struct Tile {
    std::uint32_t named = 0;      ///< rows announced so far, a bit each
    std::uint32_t issued_pc = 0;  ///< pc of the instruction issued last
    std::uint32_t bin = ~0U;      ///< the stretch that `hops` counts
    std::uint32_t open = kNone;   ///< the first of its slices under way, in `slices_`
    std::array<std::uint8_t, kDirectionCount> hops{};
    std::uint8_t next_send = 0;
    std::array<Send, 2> sends;  ///< the last ones
  };
  /// A task, an operation, or wavelets that enter a queue.
  struct Slice {
    Cycle start = 0;
    std::uint32_t length = 0;  ///< for wavelets: cycles from the first to the last one
    std::uint32_t count = 0;   ///< elements, or wavelets
    std::uint32_t pc = 0;
    std::uint32_t what = 0;  ///< task, opcode or color
    std::uint32_t next = kNone;
    std::uint8_t row = 0;

    Cycle last() const { return start + length; }
  };
  /// Wavelets that a group has just written to output queues.
  struct Written {
    std::uint32_t place = 0;
    Cycle cycle = kNever;
    std::uint64_t ident = 0;
  };

  PerfettoWriter::Track track(std::uint32_t place, unsigned thread) const;
  Tile& tile_at(std::uint32_t place);
  void name_row(std::uint32_t place, unsigned row, unsigned color = 0);
  /// The slice under way in a row; nullptr: there is none.
  Slice* open_slice(std::uint32_t place, unsigned row);
  void open_slice(std::uint32_t place, unsigned row, Slice slice);
  std::optional<Slice> take_slice(std::uint32_t place, unsigned row);
  void start_slice(const Event& e, unsigned row, const Slice& slice);
  void end_slice(std::uint32_t place, unsigned row, Cycle end);
  void write_slice(std::uint32_t place, unsigned row, const Slice& slice, Cycle end,
                   PerfettoWriter::Args& args);
  void write_wait(const Event& e);
  void end_operation(const Event& e);
  void note_send(const Event& e);
  void enter_queue(const Event& e);
  void draw_arrow(const Event& e, unsigned row);
  void end_unfinished(Cycle end);
  void count_hop(const Event& e);
  void close_bin();
  void write_hops(std::uint32_t place, std::uint32_t bin, const Tile& tile);

  PerfettoWriter out_;
  unsigned width_;
  Names names_;
  Scope scope_;
  std::deque<Tile> tiles_;    ///< by place
  std::deque<Slice> slices_;  ///< those under way, a list for each tile, and those to be used again
  std::uint32_t free_ = kNone;  ///< the first slice to be used again
  Written written_;
  std::uint32_t bin_ = ~0U;             ///< the stretch whose hops are counted
  std::vector<std::uint32_t> counted_;  ///< tiles with hops in it
  std::vector<std::uint32_t>
      was_counted_;  ///< in stretch `was_counted_bin_`, which was the last one
  std::uint32_t was_counted_bin_ = 0;
  Cycle newest_ = 0;
};

}  // namespace tessera::observe
