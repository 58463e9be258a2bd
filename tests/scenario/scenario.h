// A scenario: a small tile assembly program that shows one rule of a reference page, with what
// happens around it and what must come out written in its `;!` comments. README.md in this folder
// is the manual of the directives. Malformed ones are UserErrors with file and line.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::scenario {

/// A number as it is written: an integer, a float, or 0x.. raw bits.
struct Number {
  enum class Kind { kInteger, kFloat, kBits };
  Kind kind = Kind::kInteger;
  std::int64_t integer = 0;
  double real = 0;
  std::uint32_t bits = 0;
};

struct Launch {
  unsigned line = 0;
  std::string function;
  std::vector<std::uint32_t> arguments;
  Cycle at = 0;
};

/// Wavelets that may be read from an input queue from cycle `at` on, one every `every` cycles.
struct Arrivals {
  unsigned line = 0;
  std::string queue;
  Cycle at = 0;
  Cycle every = 1;
  std::vector<link::Wavelet> wavelets;
};

/// What takes the wavelets out of an output queue.
struct SinkSetting {
  unsigned line = 0;
  std::string queue;
  unsigned capacity = 0;
  Cycle open = 0;
  unsigned interval = 1;
};

/// The router says in cycle `at` that a color has entered teardown.
struct TeardownNotice {
  unsigned line = 0;
  Color color;
  Cycle at = 0;
};

struct Override {
  unsigned line = 0;
  std::string setting;  ///< "pe.picker=round_robin"
};

struct MemoryExpectation {
  unsigned line = 0;
  std::string symbol;
  std::vector<Number> values;
};

struct SentWavelet {
  link::Wavelet wavelet;       ///< payload and flags count
  std::optional<Color> color;  ///< if it counts too
};
struct SentExpectation {
  unsigned line = 0;
  std::string queue;
  std::vector<SentWavelet> wavelets;
};

struct TasksExpectation {
  unsigned line = 0;
  std::vector<std::string> names;
};

/// A cycle that the program text names.
struct Moment {
  enum class Kind {
    kIssue,  ///< the instruction after a label issues
    kEnd,    ///< the DSD operation that it starts completes
    kGroup,  ///< a group of that operation executes
  };
  Kind kind = Kind::kIssue;
  std::string label;
  /// From 1: the n-th issue; kGroup: the n-th group. Absent: the only issue; the first group.
  std::optional<unsigned> number;
};
struct TimeExpectation {
  unsigned line = 0;
  Moment moment;
  std::optional<Moment> since;
  std::int64_t cycles = 0;
};

/// A message that must come.
struct MessageExpectation {
  enum class Kind { kIllegal, kDiagnosis, kWaits, kRefused };
  unsigned line = 0;
  Kind kind = Kind::kIllegal;
  std::string id;                  ///< kIllegal, kDiagnosis
  std::vector<std::string> texts;  ///< all must be in it
};

inline constexpr Cycle kDefaultUntil = 5000;

/// What one generation does with the program.
struct Plan {
  std::vector<Launch> launches;
  std::vector<Arrivals> arrivals;
  std::vector<SinkSetting> sinks;
  std::vector<TeardownNotice> teardowns;
  std::vector<Override> overrides;
  Cycle until = kDefaultUntil;
  std::vector<MemoryExpectation> memory;
  std::vector<SentExpectation> sent;
  std::vector<TasksExpectation> tasks;
  std::vector<TimeExpectation> times;
  std::vector<MessageExpectation> messages;

  bool expects_anything() const {
    return !memory.empty() || !sent.empty() || !tasks.empty() || !times.empty() ||
           !messages.empty();
  }
};

struct Scenario {
  std::string path;
  std::string name;     ///< "3.3.high_priority_first": the file name without .tasm
  std::string section;  ///< "3.3"
  std::string program;  ///< the whole text
  std::vector<Generation> machines;
  std::array<Plan, 2> plans;  ///< by generation

  Plan& plan(Generation generation) { return plans.at(static_cast<unsigned>(generation)); }
  const Plan& plan(Generation generation) const {
    return plans.at(static_cast<unsigned>(generation));
  }
};

/// Throws UserError: file name, first line or a directive is not as README.md says, or a generation
/// has nothing to expect.
Scenario parse_scenario(const std::string& path, const std::string& text);
Scenario read_scenario(const std::string& path);
/// Only Scenario::machines of the file. Throws UserError.
std::vector<Generation> machines_of(const std::string& path);

/// The scenarios of the processing element: all files below tests/scenario/wse but C++ sources,
/// ordered by file name.
std::vector<std::filesystem::path> wse_scenario_files();

/// What went wrong, at a line of the scenario.
struct Problem {
  unsigned line = 0;
  std::string text;
};

/// Runs the program on a compute engine with the timing of the preset of `generation`; answers what
/// is not as expected.
std::vector<Problem> run_scenario(const Scenario& scenario, Generation generation);

}  // namespace tessera::scenario
