// What a debugger needs to know about a machine: its places, their programs, where each stands, and what can be seen and
// changed there. A platform has one (platforms/wse/debug_target.h). All is asked between two cycles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/observe/place_watch.h"
#include "platforms/debug/value.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::debug {

/// A line of a source. "<time>" is a source of the library.
struct SourceLine {
  std::string file;
  std::uint32_t line = 0;  ///< 0: none
  bool operator==(const SourceLine& other) const {
    return line == other.line && file == other.file;
  }
};

/// What stops and frames need of a program.
struct ProgramText {
  struct Function {
    std::string name;
    std::uint32_t entry = 0;
    bool is_task = false;
  };
  std::string name;                ///< its file
  std::vector<std::string> files;  ///< in which its lines stand
  /// By instruction: index into `files`, and line; line 0: none.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lines;
  std::vector<Function> functions;  ///< tasks too, by entry
  /// By instruction: a piece of code of its line begins, where a breakpoint holds. Empty: where the line is another one than that of
  /// the instruction before, or a function begins.
  std::vector<bool> begins;
  /// A call in whose place the code of its function stands.
  struct Call {
    std::string function;
    SourceLine at;
    std::uint32_t parent = 0;  ///< the call in whose code it stands: 1 + index; 0: none
  };
  std::vector<Call> calls;
  std::vector<std::uint32_t>
      call_at;  ///< by instruction: the innermost call, 1 + index; empty: none

  /// The innermost call whose code an instruction belongs to, 1 + index; 0: none.
  std::uint32_t call_of(std::uint32_t pc) const { return pc < call_at.size() ? call_at[pc] : 0; }
  /// The line of an instruction in its function: of code in place of a call, that of the call.
  SourceLine outer_line_of(std::uint32_t pc) const;
  /// Whether a call stands in the code of another one, or is that one. All stand in 0.
  bool is_within(std::uint32_t call, std::uint32_t other) const;

  SourceLine line_of(std::uint32_t pc) const;
  bool begins_line(std::uint32_t pc) const;
  /// The function that an instruction belongs to; nullptr: none.
  const Function* function_of(std::uint32_t pc) const;
};

/// How an instruction goes on.
enum class Flow : std::uint8_t {
  kNext,
  kCall,
  kReturn,
  kEnd,
  kMayEnd  ///< ends the task, or goes on
};

struct Frame {
  std::string name;
  SourceLine at;
  std::uint32_t pc = 0;
  std::uint32_t call = 0;   ///< its code stands in place of this call, as ProgramText::call_of says
  bool has_called = false;  ///< another function runs, which it has called
};

/// Something that has a value.
struct Variable {
  std::string name;
  std::string value;
  std::string type;
  std::optional<std::uint32_t> address;  ///< of its first byte in memory
  std::uint32_t elements = 0;            ///< of an array; 0: it is none
};

/// A name as expressions have it, with an index or without: "y", "y[3]".
struct Name {
  std::string text;
  std::optional<std::int64_t> index;
};

/// Bytes of memory that an expression names.
struct Bytes {
  std::uint32_t address = 0;
  std::uint32_t count = 0;
};

class Target {
 public:
  virtual ~Target() = default;

  // Places
  virtual std::size_t place_count() const = 0;
  virtual std::vector<int> coordinates(std::uint32_t place) const = 0;
  virtual std::optional<std::uint32_t> place_at(const std::vector<int>& coordinates) const = 0;
  virtual std::string name_of(std::uint32_t place) const = 0;  ///< "PE (3, 0)"
  /// Index into programs(); no value: it has none.
  virtual std::optional<std::uint32_t> program_of(std::uint32_t place) const = 0;

  // Programs
  virtual const std::vector<ProgramText>& programs() const = 0;
  virtual std::string instruction_text(std::uint32_t program, std::uint32_t pc) const = 0;
  virtual Flow flow_of(std::uint32_t program, std::uint32_t pc) const = 0;
  /// The text of a source that is no file; no value: it is none of the library.
  virtual std::optional<std::string> library_text(const std::string& file) const = 0;

  // Stops
  /// `watch` hears from now on of places that come to `stops`, one set for each program. Both outlive the target or the
  /// next call.
  virtual void set_stops(observe::PlaceWatch& watch,
                         const std::vector<observe::StopSet>& stops) = 0;
  /// It hears of this place at every instruction, and no longer of another one so.
  virtual void follow(observe::PlaceWatch& watch, std::optional<std::uint32_t> place) = 0;
  /// From now on nothing that the place does in a cycle is put off to a later one.
  virtual void look_closely(std::uint32_t place) = 0;

  // What is there, at the end of cycle `now`
  virtual void set_now(Cycle now) = 0;
  /// The instruction at which the place stands; no value: it has no task, or its last one still runs.
  virtual std::optional<std::uint32_t> pc(std::uint32_t place) = 0;
  /// All instructions at which it stands; places of some machines do several things side by side.
  virtual std::vector<std::uint32_t> stands_at(std::uint32_t place) {
    const auto at = pc(place);
    return at ? std::vector<std::uint32_t>{*at} : std::vector<std::uint32_t>();
  }
  /// The innermost first. Empty: it has no task.
  virtual std::vector<Frame> frames(std::uint32_t place) = 0;
  /// What is said of a place without frames.
  virtual std::string at_rest(std::uint32_t /*place*/) { return "no task"; }
  /// What it does or waits for, a sentence each.
  virtual std::vector<std::string> state(std::uint32_t place) = 0;
  virtual std::vector<std::string> scopes() const = 0;
  virtual std::vector<Variable> variables(std::uint32_t place, const std::string& scope) = 0;
  /// Elements of an array. Throws UserError.
  virtual std::vector<Variable> elements(std::uint32_t place, const std::string& name,
                                         std::uint32_t first, std::uint32_t count) = 0;
  /// Throws UserError for what the place does not have.
  virtual Variable variable(std::uint32_t place, const Name& name) = 0;
  virtual Value value(std::uint32_t place, const Name& name) = 0;
  virtual Value length(std::uint32_t place, const std::string& name) = 0;
  virtual Bytes bytes_of(std::uint32_t place, const Name& name) = 0;
  virtual void assign(std::uint32_t place, const Name& name, const Value& value) = 0;
  /// Of which frame names mean locals, from the innermost one, 0, on. Until the run goes on.
  void choose_frame(std::uint32_t frame) { frame_ = frame; }
  std::uint32_t chosen_frame() const { return frame_; }
  /// Memory, as much of `count` bytes as there is.
  virtual std::vector<std::byte> read(std::uint32_t place, std::uint32_t address,
                                      std::uint32_t count) = 0;
  virtual void write(std::uint32_t place, std::uint32_t address,
                     const std::vector<std::byte>& bytes) = 0;
  /// Names that value() knows, for completion.
  virtual std::vector<std::string> names(std::uint32_t place) = 0;
  /// How the place passes wavelets on; for `info routes`.
  virtual std::vector<std::string> routes(std::uint32_t place) = 0;
  /// Who waits for what in the whole machine, causes first, a line each.
  virtual std::vector<std::string> why() = 0;

 private:
  std::uint32_t frame_ = 0;
};

}  // namespace tessera::debug
