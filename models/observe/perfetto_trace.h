// Trace of a wafer for ui.perfetto.dev and chrome://tracing (perfetto_writer.h).
//
// Every tile that did something is a process "tile (x, y)". Its threads: "main" with the tasks as
// slices and synchronous DSD operations nested in them, "microthread 0" .. "microthread 7" with
// asynchronous DSD operations and, in grey, what they wait for, and a thread for each input queue, with a slice for wavelets that
// entered it less than kGapCycles apart. An arrow leads from an operation to the queues that its first
// wavelet entered. Counter tracks "hops" show how many wavelets left the router per direction (E, W, N,
// S and R for the ramp) in each stretch of kBinCycles cycles.
#pragma once

#include <boost/container/deque.hpp>

#include <array>
#include <cstdint>
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
  PerfettoTrace(PerfettoWriter::Target out, unsigned width, Names names = {},
                const Scope& scope = {});

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

  using Hops = std::array<std::uint8_t, kDirectionCount>;
  struct Tile {
    static constexpr std::size_t kSends = 2;
    static constexpr std::uint8_t kOver = 0x80;  ///< in `send_rows`: the operation has ended
    std::uint32_t named = 0;                     ///< rows announced so far, a bit each
    std::uint32_t open = kNone;  ///< the first of its slices under way, in `slices_`
    // The last operations that have sent a wavelet: where an arrow from each begins, the lower half of the
    // ident of its first wavelet, and its row.
    std::array<Cycle, kSends> send_cycles{kNever, kNever};
    std::array<std::uint32_t, kSends> send_numbers{};
    std::array<std::uint8_t, kSends> send_rows{kOver, kOver};
    std::uint8_t next_send = 0;
    Hops hops{};  ///< in the stretch `bin_`
  };
  static_assert(sizeof(Tile) == 40);
  /// A task, an operation, or wavelets that enter a queue.
  struct Slice {
    Cycle start = 0;
    std::uint32_t count = 0;  ///< elements, or wavelets
    std::uint32_t at = 0;     ///< pc; for wavelets: cycles from the first to the last one
    std::uint32_t next = kNone;
    std::uint16_t what = 0;  ///< task, opcode or color
    std::uint8_t row = 0;

    Cycle last() const { return start + at; }
  };
  static_assert(sizeof(Slice) == 24);
  /// Wavelets that a group has just written to output queues.
  struct Written {
    std::uint32_t place = 0;
    Cycle cycle = kNever;
    std::uint64_t ident = 0;
  };

  PerfettoWriter::Track track(std::uint32_t place, unsigned thread) const;
  Tile& tile_at(std::uint32_t place);
  void begin_part();
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
  void write_hops(std::uint32_t place, std::uint32_t bin, const Hops& hops);

  PerfettoWriter out_;
  unsigned width_;
  Names names_;
  Scope scope_;
  // In blocks, which are never moved to a larger place.
  template <class T>
  using Blocks = boost::container::deque<
      T, void, boost::container::deque_options_t<boost::container::block_size<1024>>>;
  Blocks<Tile> tiles_;    ///< by place
  Blocks<Slice> slices_;  ///< those under way, a list for each tile, and those to be used again
  std::uint32_t free_ = kNone;   ///< the first slice to be used again
  std::uint32_t issued_pc_ = 0;  ///< pc of the instruction issued last; its operation starts next
  Written written_;
  std::uint32_t bin_ = ~0U;             ///< the stretch whose hops are counted
  std::vector<std::uint32_t> counted_;  ///< tiles with hops in it
  /// In stretch `was_counted_bin_`, which was the last one.
  std::vector<std::uint32_t> was_counted_;
  std::uint32_t was_counted_bin_ = 0;
  Cycle newest_ = 0;
};

}  // namespace tessera::observe
