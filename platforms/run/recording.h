// The recording of a run for the live view: what every part of the machine counted in each of up to 256
// intervals, and when the host gave commands (docs/live-view.md#the-recording).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platforms/run/live_machine.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::run {

class View;

class Recording {
 public:
  static constexpr std::size_t kMostIntervals = 256;
  static constexpr std::size_t kMostSquares = 12000;

  /// A command of the host: cycles `begin` to `end` - 1.
  struct Command {
    std::string name;
    Cycle begin = 0;
    Cycle end = kNever;
  };
  /// The recording of cells, or, on a large machine, of squares of block x block of them.
  struct Shape {
    unsigned block = 1;
    unsigned columns = 0;
    unsigned rows = 0;
    std::size_t squares() const { return std::size_t{columns} * rows; }
  };

  /// `view` must outlive it.
  explicit Recording(View& view);

  /// Called after each cycle: closes an interval when it is long enough.
  void after_cycle(Cycle now);
  /// An empty name ends the command. Boundaries of commands are boundaries of intervals, as far as these
  /// suffice.
  void on_command(const std::string& name, Cycle at);
  /// The run has had `cycles` cycles: closes the last interval.
  void finish(Cycle cycles);

  /// Intervals from cycle `from` on, and the one that has not ended, in the form TSR1: "TSR1", the length of a JSON
  /// head as u32, the head, and for each layer and interval the values of all squares, u16. A value divided by the
  /// scale of its layer is what a cell of the square has counted in the interval, in the mean.
  std::string frames(Cycle from, Cycle now);
  /// What the watched cells said and what lay in their queues at the ends of intervals: a JSON object.
  std::string sentences() const;
  const std::vector<Command>& commands() const { return commands_; }
  /// Cells of a square with a program: cycles of the square are means of these, wavelets of all cells.
  std::uint32_t programs_in(std::size_t square) const;
  const Shape& shape() const { return shape_; }
  const LiveGrid& grid() const { return grid_; }
  /// Changes when intervals that were handed out have become one.
  unsigned generation() const { return generation_; }

 private:
  using Counts = std::vector<std::uint32_t>;
  /// Number of a sentence, and the cell that it leads to; -1: none.
  using Sentence = std::pair<std::uint32_t, std::int64_t>;
  struct Interval {
    Cycle end = 0;                            ///< the cycle after its last one
    std::vector<Counts> layers;               ///< sums of squares; empty: all of them are 0
    std::vector<std::vector<Sentence>> said;  ///< by watched cell
    /// Of its input queues, by watched cell: how many wavelets lie there, and the number of the word of the first.
    std::vector<std::vector<std::pair<unsigned, std::uint32_t>>> queues;
  };

  std::vector<Counts> read(Cycle now) const;
  std::vector<double> divisors(bool of_programs) const;
  Interval interval_until(Cycle end, const std::vector<Counts>& counts) const;
  double append_layer(std::size_t layer, const std::vector<const Interval*>& shown,
                      const std::vector<double>& divisors, std::string& values) const;
  void close(Cycle end);
  void halve();
  bool join(bool across_commands);
  bool is_boundary(Cycle cycle) const;
  void note_watched(Interval& interval, Cycle now);
  std::uint32_t number_of(const std::string& word);
  Cycle begin_of(std::size_t interval) const {
    return interval == 0 ? 0 : intervals_[interval - 1].end;
  }
  Cycle recorded() const { return intervals_.empty() ? 0 : intervals_.back().end; }
  std::uint32_t cells_in(std::size_t square) const;

  View& view_;
  const LiveGrid grid_;
  Shape shape_;
  std::vector<Interval> intervals_;
  std::vector<Counts> before_;  ///< counts at the end of the last interval
  std::vector<Command> commands_;
  std::vector<std::string> words_;
  std::map<std::string, std::uint32_t> word_numbers_;
  Cycle length_ = 1;  ///< of an interval, at least
  unsigned generation_ = 0;
  bool is_finished_ = false;
};

}  // namespace tessera::run
