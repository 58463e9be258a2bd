// Stops and steps of a run: which hits end a cycle with a stop, and how the run goes on afterwards. Knows no protocol.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/observe/place_watch.h"
#include "platforms/debug/breakpoint.h"
#include "platforms/debug/target.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::debug {

/// Why a run is held.
struct Stop {
  enum class Reason : std::uint8_t { kEntry, kBreakpoint, kWatch, kStep, kPause, kGoto, kEnd };
  Reason reason = Reason::kEntry;
  Cycle cycle = 0;
  std::string text;                   ///< "breakpoint 1, pe.csl:73, 64 PEs, first (0, 0)"
  std::vector<int> breakpoints;       ///< ids
  std::vector<std::uint32_t> places;  ///< all that have the stop, in the order of their numbers
};

/// How a held run goes on.
enum class Go : std::uint8_t {
  kOn,           ///< until something stops it
  kInstruction,  ///< of one place
  kInto,         ///< to another line of one place
  kOver,         ///< the same, but not into functions that it calls
  kOut,          ///< to the end of its function or task
  kTask,         ///< to its next task
  kCycle         ///< to the end of a cycle
};

class Debugger final : private observe::PlaceWatch {
 public:
  /// `target` must outlive it.
  explicit Debugger(Target& target);

  Target& target() { return target_; }
  /// The last cycle that was stepped; no value: none has been.
  std::optional<Cycle> now() const { return now_; }

  // Breakpoints. A group is replaced as a whole: those of one source, all on functions, ..
  const std::vector<Breakpoint>& replace(const std::string& group,
                                         std::vector<Breakpoint> breakpoints);
  /// All of them; in the order of their ids.
  std::vector<const Breakpoint*> breakpoints() const;
  void remove_all();
  /// The machine is another one: it was reset or restored. Breakpoints and their hits stay. `now`: as now().
  void begin_again(std::optional<Cycle> now);
  /// Finds what a data breakpoint watches: `expression` in every place of its condition. Throws UserError.
  void find_watched(const std::string& expression, Breakpoint& breakpoint);

  // The run goes on when the caller returns to it.
  void go(Go how, std::uint32_t place);
  void go_to(Cycle cycle);
  /// Stops at the end of the next cycle.
  void pause() { pause_ = true; }

  /// Where places stand that begin with the run. No value: the run begins. `print`: as after_cycle().
  std::optional<Stop> before_run(const std::function<void(const std::string&)>& print);
  /// At the end of a cycle. No value: the run goes on. `print` takes what log points say.
  std::optional<Stop> after_cycle(Cycle now, const std::function<void(const std::string&)>& print);

  /// What names mean in a place; `hits` of a breakpoint.
  Names names_at(std::uint32_t place, std::uint64_t hits = 0) const;
  /// "{left} of {N}": texts in braces are expressions.
  std::string filled(const std::string& text, std::uint32_t place, std::uint64_t hits = 0) const;

 private:
  struct Arrival {
    std::uint32_t place = 0;
    std::uint32_t pc = 0;
  };
  struct Step {
    Go how = Go::kOn;
    std::uint32_t place = 0;
    SourceLine line;
    std::uint32_t function = 0;       ///< entry
    std::uint32_t call = 0;           ///< in whose place the code stands
    std::optional<std::uint32_t> at;  ///< the last instruction at which it stood
    int depth = 0;                    ///< calls that have not returned
    bool done = false;
  };
  void arrives(std::uint32_t place, std::uint32_t pc, Cycle now) override;
  void follow(std::uint32_t pc);
  bool is_end_of_step(std::uint32_t pc, bool ends_task);
  void install();
  bool holds(const Breakpoint& breakpoint, std::uint32_t place, std::string& problem) const;
  void hit(Breakpoint& breakpoint, std::uint32_t place,
           const std::function<void(const std::string&)>& print, Stop& stop);
  void check_code(const std::function<void(const std::string&)>& print, Stop& stop);
  void check_data(const std::function<void(const std::string&)>& print, Stop& stop);
  void begin_watching(Breakpoint::Watched& watched, const Breakpoint& breakpoint);
  /// "left has changed from 4 to 3"; no value: it has not, or an expression has become false.
  std::optional<std::string> change_of(const Breakpoint& breakpoint, Breakpoint::Watched& watched);
  std::string changed_element(const Breakpoint& breakpoint, const Breakpoint::Watched& watched,
                              std::size_t byte);
  std::string describe(const Stop& stop) const;
  std::uint32_t entry_of(std::uint32_t program, std::uint32_t pc) const;

  Target& target_;
  std::optional<Cycle> now_;
  std::map<std::string, std::vector<Breakpoint>> groups_;
  int last_id_ = 0;
  std::vector<observe::StopSet> stops_;  // by program
  // By program and instruction.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Breakpoint*>> at_;
  std::vector<Arrival> arrivals_;  // of the present cycle
  std::optional<Step> step_;
  std::optional<Cycle> until_;
  bool pause_ = false;
};

}  // namespace tessera::debug
