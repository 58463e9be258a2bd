// The host of a compiled CSL program (csl.md 11): commands to the PEs of its rectangle, strictly one
// after the other. A PE takes a command when its main thread is free between two tasks. A copy moves
// data at the value that the exported pointer has then; a launch is complete when every PE that has
// the function has asked for the next command; streams pass between the PE and its router.
//
// A command lets the machine run until it is complete. Between commands simulated time stands still.
// The costs are WseConfig::memcpy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "frontends/compiled/program.h"
#include "models/pe/program.h"
#include "models/state/fwd.h"
#include "platforms/run/run_control.h"
#include "platforms/wse/observed_machine.h"
#include "platforms/wse/region.h"
#include "platforms/wse/workload.h"
#include "platforms/wse/wse_config.h"

namespace tessera::wse {

/// A command could not be completed: everything is stuck, or a bound of the run was reached. The text
/// says which command, why, and who waits for what.
class CommandError : public std::runtime_error {
 public:
  CommandError(run::Stop why, const std::string& text) : std::runtime_error(text), stop(why) {}
  const run::Stop stop;
};

/// A launch was left in the middle (CommandStream::set_hold); complete_launch() goes on.
class LaunchHeld {};

class CommandStream {
 public:
  /// All arguments must outlive the stream. `control` runs the machine. There is one stream for a
  /// machine.
  CommandStream(const compiled::Program& program, const Workload& workload, const WseConfig& config,
                ObservedMachine& observed, run::RunControl& control,
                Checkpoints* checkpoints = nullptr);
  ~CommandStream();
  CommandStream(const CommandStream&) = delete;
  CommandStream& operator=(const CommandStream&) = delete;

  // Commands. All throw UserError with a sentence for an unknown symbol, a region outside of the
  // rectangle, a wrong number of words or arguments, before anything runs, and for more elements than
  // the variable has to which the exported pointer points; CommandError when the command cannot be completed; and what the kernel
  // reports (sc_core::sc_report) when the program does what is undefined.

  /// Words of the host to the memory of the PEs, at the value of the exported pointer.
  void copy_to(const std::string& symbol, const Region& region,
               const std::vector<std::uint32_t>& words);
  /// The other way; upper halves of 16-bit elements are 0.
  std::vector<std::uint32_t> copy_from(const std::string& symbol, const Region& region);
  /// Runs a function on all PEs that have it. Each argument is a word: 16-bit values in the low
  /// half, f32 as its bits.
  void launch(const std::string& function, const std::vector<std::uint32_t>& arguments);
  /// SDK 0.6: words on a streaming color to a task of every PE of the program, which starts what they say. It is complete when
  /// each PE has called `unblock_cmd_stream`, as a launch.
  void launch_on(Color color, const std::vector<std::uint32_t>& words);
  /// From now on a launch after which nothing moves and nobody waits is complete, although PEs have not called
  /// `unblock_cmd_stream` (wse.md 7.3). It is the last command: a further one throws what the launch would throw otherwise.
  void allow_silent_launch() { allows_silent_launch_ = true; }
  /// What the last launch lacks; empty: nothing.
  const std::string& silent_launch() const { return silent_launch_; }
  /// Words into the PEs of a region on a streaming color.
  void stream_to(Color color, const Region& region, const std::vector<std::uint32_t>& words);
  /// The next words that each PE of the region sends on the color.
  std::vector<std::uint32_t> stream_from(Color color, const Region& region);

  // The same without waiting: a stream of words that the PEs take or send only after later commands stays open beside these.

  using OpenId = std::size_t;
  OpenId open_stream_to(Color color, const Region& region, const std::vector<std::uint32_t>& words);
  OpenId open_stream_from(Color color, const Region& region);
  /// Runs until all words have passed, or nothing moves; false: some have not. With `must_end` the latter throws CommandError.
  bool follow(OpenId stream, bool must_end);
  /// What a complete stream of open_stream_from() has brought.
  std::vector<std::uint32_t> words_of(OpenId stream) const;

  // Streams at other links of the program (compiled::Program::links), which run beside commands.
  // They throw UserError if the program has no such link.

  using StreamId = std::size_t;
  /// Begins to send words, after those of earlier calls for the same link and color. The last one is a control wavelet if
  /// `ends_with_control`.
  StreamId send(TileCoord tile, Direction side, Color color,
                const std::vector<std::uint32_t>& words, bool ends_with_control = false);
  /// Begins to receive `count` words, after those of earlier calls.
  StreamId receive(TileCoord tile, Direction side, Color color, std::size_t count);
  bool is_done(StreamId stream) const;
  /// Runs until the stream has ended. Throws CommandError when it cannot end.
  void wait(StreamId stream);
  /// Ends a stream of receive() with the words that it has brought.
  void end(StreamId stream) { streams_.at(stream).count = streams_.at(stream).moved(); }
  /// What a stream of receive() has brought so far.
  std::vector<std::uint32_t> received(StreamId stream) const;

  /// Ends the run: streams that are open, and those of send() and receive(), end, then the machine runs until nothing moves. Answers who
  /// waits for ever, in words; empty: nobody. `help` says whether a further command of a host could let PEs at
  /// rest go on, as published programs leave it. Throws CommandError if a stream cannot end or a bound is reached.
  std::string finish(observe::Help help = observe::Help::kHost);

  // Without a command, in no time. Tiles are counted in the whole fabric. All throw UserError.

  /// A variable of the program of a tile.
  const pe::Symbol& symbol(TileCoord tile, const std::string& name) const;
  std::vector<std::byte> read_symbol(TileCoord tile, const std::string& name) const;
  /// As many bytes as the variable has.
  void write_symbol(TileCoord tile, const std::string& name, const std::vector<std::byte>& bytes);
  std::vector<std::byte> read_memory(TileCoord tile, std::uint32_t address,
                                     std::uint32_t bytes) const;
  /// The variable to which the exported pointer points now, and after it the elements up to its end,
  /// as `element`s of the export.
  std::size_t elements_behind(const std::string& symbol, TileCoord tile) const;

  /// The next cycle.
  Cycle now() const { return machine_.domain().next_free_cycle(); }
  // Checkpoints: `checkpoints` of the constructor saves the state while the machine runs for a launch, or for finish().
  // The other commands hold words of the host that a state does not have.

  /// Saves or restores how far it is (models/state/archive.h).
  void visit(state::Archive& archive);
  /// The first cycle before which that can be done; kNever: not while the present command runs.
  Cycle saved_from() const { return streams_.empty() && !has_open() ? saved_from_ : kNever; }
  /// Completes the launch in which the state was saved, or that is held.
  void complete_launch(const std::string& function);
  /// A launch that runs throws LaunchHeld between two cycles as soon as `hold` answers true, which is asked whenever the
  /// clock domain pauses.
  void set_hold(std::function<bool()> hold) { hold_ = std::move(hold); }

  /// Commands that have been completed.
  std::size_t completed() const { return completed_; }

 private:
  struct Copy;
  struct HostStream {
    host::Edge* edge = nullptr;
    Color color;
    std::size_t first = 0;  ///< number of its first word among those of the edge and color
    std::size_t count = 0;
    bool is_out = false;
    std::size_t moved() const;
  };
  /// What a command does when a PE of a region takes it; `x`, `y`: the place of the PE among the receivers.
  struct Offer {
    std::function<void(int x, int y, pe::Sram& sram, Cycle now)> act;
    /// The same where another process has the PE: what the PE does, and what this process does then.
    std::function<wafer::HostOrder(int x, int y)> order;
    std::function<void(int x, int y, const wafer::OrderTaken& taken)> taken;
  };

  TileCoord tile_of(const Region& region, int x, int y) const;
  const compiled::Export& exported(const std::string& name, bool is_function) const;
  std::uint32_t pointer_of(const std::string& symbol, TileCoord tile) const;
  /// Why the elements of a region do not lie at an address of a PE; empty: they do.
  std::string why_not_copied(const Region& region, TileCoord tile, std::uint32_t address,
                             bool into_pes) const;
  /// That the elements reach beyond the array to which the address leads; empty: they do not.
  std::string beyond_array(const Region& region, TileCoord tile, std::uint32_t address) const;
  void check_region(const Region& region, const std::string& command) const;
  void check_words(const Region& region, std::size_t words, const std::string& command) const;
  void copy(const std::string& symbol, const Region& region, const std::shared_ptr<Copy>& copy,
            bool into_pes);
  /// A stream between the host and the PEs of a region.
  struct OpenStream {
    std::string command;
    Region region;
    Color color;
    std::vector<HostStream> of_pes;    ///< by row, then column; empty: it is complete
    std::vector<std::uint32_t> words;  ///< that it has brought, when it is complete
  };
  OpenId open(Color color, const Region& region, const std::vector<std::uint32_t>& words,
              bool into_pes);
  bool has_open() const;
  static std::vector<std::uint32_t> words_from(const OpenStream& open);
  HostStream begin(host::Edge& edge, Color color, std::size_t count, bool is_out);
  StreamId add_stream(TileCoord tile, Direction side, Color color, std::size_t count, bool is_out);
  /// The PEs of the region may take a command `before` cycles after the last one, at the pace of its words.
  void offer(const Region& region, unsigned before, const CopyPace& pace, const Offer& offer);
  void take_ready(std::uint32_t place);
  run::Stop run_command(const std::function<bool()>& done, const std::string& command);
  void run_until(const std::function<bool()>& done, const std::string& command);
  /// False: nothing moves any more.
  bool runs_until(const std::function<bool()>& done, const std::string& command);
  /// Nothing moves any more, and somebody in the rectangle waits whom `help` cannot help.
  bool is_stuck(observe::Help help);
  void run_launch(const std::string& command);
  /// A PE owes its answer to one launch more.
  void expect_answer(TileCoord tile) {
    if (++missing_[workload_.layout.tile_index(tile)] == 1) ++unready_;
  }
  void write_arguments(TileCoord tile, const std::string& function,
                       const std::vector<std::uint32_t>& arguments, Cycle at);
  run::Stop run_saved(Cycle from, const std::function<bool()>& done, bool unwatched);
  /// The cycle from which PEs may take the next command.
  /// `before`: cycles from the end of a command until PEs may take this one.
  Cycle next_command_from(unsigned before);
  [[noreturn]] void fail(run::Stop stop, const std::string& command,
                         observe::Help help = observe::Help::kNone) const;
  /// Why the command is not complete, and who waits for what.
  std::string why_incomplete(run::Stop stop, const std::string& command,
                             observe::Help help = observe::Help::kNone) const;
  std::string name_of(std::uint32_t place) const;
  /// The program of a tile. Throws UserError if it has none.
  const pe::Image& image_at(TileCoord tile) const;
  /// Throws UserError for what a copy cannot do, as far as that is known before it begins.
  void require_copies(const Region& region, const std::string& symbol, const std::string& command,
                      bool into_pes) const;
  Offer offer_of(const std::string& symbol, const std::shared_ptr<Copy>& copy, bool into_pes);

  const compiled::Program& program_;
  const Workload& workload_;
  const MemcpyTiming timing_;
  ObservedMachine& observed_;
  Machine& machine_;
  run::RunControl& control_;
  Checkpoints* const checkpoints_;          ///< nullptr: nothing is saved
  Cycle saved_from_ = kNever;               ///< see saved_from(), but for streams
  Cycle free_from_ = timing_.start_cycles;  ///< when the last command was complete
  Cycle ready_at_ = 0;                      ///< when the last PE of a launch was ready
  bool is_ahead_ = false;     ///< tiles may have been stepped some cycles beyond free_from_
  std::vector<int> missing_;  ///< by tile: launches without the answer of the PE; < 0: it was first
  std::size_t unready_ = 0;   ///< PEs with a missing answer
  bool allows_silent_launch_ = false;
  std::string silent_launch_;
  std::vector<HostStream> streams_;
  std::vector<OpenStream> open_;
  std::size_t completed_ = 0;
  std::function<bool()> hold_;
};

}  // namespace tessera::wse
