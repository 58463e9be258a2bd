// The result of a run as people and scripts read it (docs/report-and-traces.md#the-report, schema
// tessera-report-1). Everything outside `wall` is the same for the same program, config and seed,
// on any machine and in any structure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::report {

/// How a run ended; the value is the exit code.
enum class Status : int {
  kFinished = 0,
  kCheckFailed = 1,
  kUserInput = 2,
  kIntegration = 3,
  kCouldNotFinish = 4,
  kInternal = 5,
};
const char* to_string(Status status);
inline int exit_code(Status status) {
  return static_cast<int>(status);
}

struct Counter {
  std::string name;
  std::uint64_t value = 0;
  std::string unit;
  std::string description;
};

/// Counters of every place (tile, core or node). A wafer has 745,500: the numbers of all places lie
/// one after the other.
struct Places {
  std::vector<std::string> counters;  ///< names
  std::size_t rank = 2;               ///< coordinates of a place: [x, y] of a tile
  std::vector<int> at;                ///< `rank` a place
  std::vector<std::uint64_t> values;  ///< one a counter and place

  std::size_t size() const { return at.size() / rank; }
  bool empty() const { return at.empty(); }
};

/// Numbers of a platform that are no counters of places: a member of the report, which has a member
/// for each entry: a number, or an object of numbers.
struct Group {
  struct Entry {
    std::string name;
    std::vector<std::pair<std::string, double>> values;  ///< one without a name: the number itself
    std::vector<std::pair<std::string, std::string>> texts = {};
  };
  std::string key;
  std::vector<Entry> entries;

  Entry& entry(std::string name) {
    entries.push_back({std::move(name), {}, {}});
    return entries.back();
  }
  void add(std::string name, double value) { entry(std::move(name)).values = {{"", value}}; }
};

struct Output {
  std::string name;
  std::string dtype;
  std::vector<std::size_t> shape;
  std::string file;  ///< empty: not written
};

struct Check {
  std::string name;
  bool passed = false;
  std::string detail;
};

/// What the device would have reported for the same mistake.
struct DeviceError {
  unsigned number = 0;
  std::string name;  ///< "AI-core time-out"
};

/// One line of a diagnosis: who waits for what.
struct Wait {
  std::vector<int> at;
  std::string who;
  std::string what;
};

/// Waits that differ in their place and in how far they have come.
struct WaitGroup {
  std::string part;  ///< "never", "ring", "rest", "follows", "unread" or "idle"
  bool is_cause = false;
  std::uint64_t count = 0;
  Wait first;                            ///< the one nearest to a cause
  std::string why;                       ///< of a cause; may be empty
  std::vector<std::vector<int>> places;  ///< up to kMostPlaces
  static constexpr std::size_t kMostPlaces = 1'000;
};
/// "WHO waits for WHAT: WHY".
std::string sentence(const WaitGroup& group);
/// One line a group, at most kMostGroups, with "and 3 more groups" as the last: the same in every output.
/// `name_of` names a place.
std::vector<std::string> lines(const std::vector<WaitGroup>& groups,
                               const std::function<std::string(const std::vector<int>&)>& name_of);
/// "1 cause, 1,022 places wait for it"; empty: no cause is known.
std::string summary_of_causes(std::size_t causes, std::size_t places_that_follow);

/// Where the cycles of a run went (docs/waits.md), added over all units.
struct WaitSummary {
  struct Reason {
    std::string name;  ///< key in the report
    std::string what;  ///< "a wavelet on an input queue"
    std::uint64_t cycles = 0;
  };
  /// A source line that waited, or another thing with a name.
  struct Line {
    std::string place;   ///< "gemv.tasm:31"
    std::string thread;  ///< "main thread", "microthread 2"; may be empty
    std::string reason;  ///< Reason::name
    std::string what;    ///< "a wavelet on input queue 3 (color 4)"
    std::uint64_t cycles = 0;
    std::uint64_t busy = 0;  ///< cycles in which this line of this thread worked
  };
  /// A source line that worked, whether it waited or not.
  struct BusyLine {
    std::string place, thread;  ///< as those of Line
    std::uint64_t busy = 0;
  };
  /// A link of a router. What the wavelets at the front of its buffers waited for, in cycles of wavelets.
  struct Link {
    std::vector<int> at;
    std::string direction;
    std::uint64_t wavelets = 0;
    std::uint64_t credit = 0;  ///< room behind the link
    std::uint64_t taken = 0;   ///< the link, through which others left
  };
  std::string unit;  ///< what has the cycles: "tile", "pipe", "node"
  std::uint64_t units =
      0;  ///< busy, idle and all reasons add up to units * Report::cycles; 0: none
  std::uint64_t busy = 0;
  std::uint64_t idle = 0;
  std::vector<Reason> reasons;  ///< sorted by cycles, none with 0
  std::vector<Line> lines;      ///< sorted by cycles; the first ones
  std::vector<BusyLine>
      busy_lines;           ///< sorted by cycles; the first ones; none: not counted by line
  std::vector<Link> links;  ///< sorted by wavelets; the first ones
  /// Those that wavelets waited for, sorted by cycles; the first ones.
  std::vector<Link> waiting_links;
  /// What the wavelets at the front of the buffers of all routers waited for.
  std::vector<Reason> routers;
  bool shown = false;  ///< print_text() shows it

  /// Puts reasons and lines in order, without those that have no cycle; keeps the first lines.
  void sort();
};

/// What a place waited for in one cycle (--why).
struct Why {
  Cycle cycle = 0;
  std::vector<int> at;
  std::vector<std::string> lines;  ///< sentences
};

/// A remark of a model on a program that went on all the same.
struct Diagnosis {
  Cycle cycle = 0;
  std::vector<int> at;
  std::string id;  ///< "/tessera/pe/memory_access"
  std::string text;
};
struct Diagnoses {
  std::uint64_t count = 0;       ///< number of all diagnoses
  std::vector<Diagnosis> first;  ///< sorted by cycle, then place
};

/// Which run a report is of: two runs with equal members, `argv` and `threads` aside, give equal
/// results.
struct Run {
  std::vector<std::string> argv;
  std::string version;                          ///< version of Tessera
  std::string commit;                           ///< commit; empty: its sources were no checkout
  std::map<std::string, std::string> params;    ///< parameters of the program, defaults included
  std::map<std::string, std::string> settings;  ///< --set
  /// The values of other options on which results depend, by name, in the order of the command line.
  std::map<std::string, std::vector<std::string>> options;
  // Digests of 16 hex digits; empty: the run ended before it was known.
  std::string config_digest;                 ///< digest of all values of the configuration
  std::string program_digest;                ///< digest of `files`
  std::map<std::string, std::string> files;  ///< texts of the program, seen from its folder: digest
  std::map<std::string, std::string> inputs;  ///< arrays, by name or by file: digest
  std::uint64_t seed = 1;                     ///< seed of --shuffle-step-order
  unsigned threads = 1;                       ///< threads of this process
  unsigned ranks = 1;                         ///< processes that shared the machine

  /// Takes the parameters of a program: pairs of a name and a whole number.
  template <class Params>
  void set_params(const Params& all) {
    for (const auto& [name, value] : all) params[name] = std::to_string(value);
  }
};

/// Cost of the run on the host machine.
struct Wall {
  double elaborate_s = 0;
  std::optional<double> destroy_s;  ///< none: the machine is left to the end of the process
  double run_s = 0;
  std::uint64_t tiles = 0;  ///< for tile_cycles_per_s
  std::uint64_t hops = 0;   ///< for hops_per_s
};
std::uint64_t peak_rss_bytes();

struct Report {
  std::string platform;  ///< "wse"
  std::string preset;
  std::string program;
  std::string structure;
  Status status = Status::kFinished;
  std::string message;
  std::optional<DeviceError> device_error;
  Cycle cycles = 0;
  std::string digest;
  std::uint64_t clock_period_ps = 0;
  std::uint64_t clock_khz = 0;  ///< instead of the period, where that is no whole number of ps
  Wall wall;
  Run run;
  std::vector<Counter> counters;
  std::vector<Group> groups;
  std::string places_key = "tiles";  ///< "tiles", "cores" or "nodes"
  Places places;                     ///< empty without --report-detail
  std::vector<Output> outputs;
  std::vector<Check> checks;
  Diagnoses diagnoses;
  WaitSummary waits;
  std::optional<Why> why;
  /// The same in groups, causes first (observe::find_causes).
  std::vector<WaitGroup> wait_groups;
  std::size_t causes = 0;              ///< groups that are causes
  std::size_t places_that_follow = 0;  ///< places that wait for others who wait
  std::vector<Wait> stuck;             ///< who waits for what in a run that could not finish
  std::uint64_t wait_count = 0;        ///< number of all waits, also those that `stuck` leaves out
};

/// A name as keys of a report have it: "mte2" for "MTE2".
std::string lower_case(std::string text);
/// "1 wait", "3 waits".
std::string plural(std::uint64_t count, const std::string& noun);
/// Simulated time: cycles times the clock period, or by the clock.
double time_ns(const Report& report);
/// 0 when nothing ran.
double per_second(std::uint64_t count, const Wall& wall);

/// The report as text, and its waits alone as an array.
std::string to_json(const Report& report);
std::string stuck_to_json(const Report& report);
/// Throws UserError when the file cannot be written.
void write_json(const Report& report, const std::string& path);
/// A short summary for people.
void print_text(const Report& report, std::ostream& out);
/// What it says about Report::why, if that was asked for.
void print_why(const Report& report, std::ostream& out);
/// What the models remarked, a line each: the first ones, and how many there are more. print_text() has them too.
void print_warnings(const Report& report, std::ostream& out);

}  // namespace tessera::report
