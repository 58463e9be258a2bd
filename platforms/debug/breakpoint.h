// Where a run is to stop, and under which condition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platforms/debug/expression.h"
#include "platforms/debug/target.h"

namespace tessera::debug {

/// Places by their coordinates: "3,0", "(0..7,0)", "row 3", "col 0", "(*,0)", "(2,0,1)", "3" on a line, "all".
class PlaceFilter {
 public:
  PlaceFilter() = default;
  /// Throws UserError.
  explicit PlaceFilter(const std::string& text);

  /// Throws UserError where places have another number of coordinates.
  void require_rank(std::size_t rank) const;
  bool has(const std::vector<int>& at) const;
  bool is_all() const { return ranges_.empty(); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool names_axis_ = false;  // "row 3": the other coordinates are any
  std::vector<std::optional<std::pair<int, int>>> ranges_;
};

/// "pe=(0..7,0) if left < 4", each part may be absent, and so may "if".
struct Condition {
  Condition() = default;
  /// Throws UserError.
  explicit Condition(const std::string& text);

  PlaceFilter places;
  std::optional<Expression> expression;
};

/// Which hits count: "3" and "=3" the third, ">=3" it and all later ones, ">3" the later ones, "%3" every third.
class HitCondition {
 public:
  HitCondition() = default;
  /// Throws UserError.
  explicit HitCondition(const std::string& text);
  /// Of hit number `hits`, from 1 on.
  bool holds(std::uint64_t hits) const;

 private:
  enum class Kind : std::uint8_t { kAll, kEqual, kFrom, kEvery };
  Kind kind_ = Kind::kAll;
  std::uint64_t number_ = 0;
};

struct Breakpoint {
  enum class Kind : std::uint8_t { kCode, kData };
  /// What it watches in one place, and what that was in the end of the last cycle.
  struct Watched {
    std::uint32_t place = 0;
    Bytes bytes;  ///< count 0: the value of the expression
    std::vector<std::byte> contents;
    std::optional<Value> value;  ///< none: bytes that are several
  };

  int id = 0;  ///< 0: the client leaves it to the debugger
  Kind kind = Kind::kCode;
  std::string given;  ///< all that the client has said: an equal one keeps id and hits
  bool is_verified = false;
  std::string message;  ///< why it is not
  SourceLine at;
  Condition condition;
  HitCondition counts;
  std::string log;                                                 ///< printed instead of a stop
  std::vector<std::pair<std::uint32_t, std::uint32_t>> positions;  ///< program, instruction
  std::optional<Expression> watched;
  std::vector<Watched> places;
  std::string change;  ///< what its last hit has seen: "left has changed from 4 to 3"
  std::uint64_t hits = 0;
};

// How code is found. They set positions, at, is_verified and message.
/// `file`: a path, or a name without folders. The next line with code counts.
void find_line(const std::vector<ProgramText>& programs, const std::string& file,
               std::uint32_t line, Breakpoint& breakpoint);
/// A function or a task: "reduce", "task reduce".
void find_function(const std::vector<ProgramText>& programs, const std::string& name,
                   Breakpoint& breakpoint);
/// Instruction `pc` of a program.
void find_instruction(const std::vector<ProgramText>& programs, std::uint32_t program,
                      std::uint32_t pc, Breakpoint& breakpoint);

/// Whether `asked`, a path or a name without folders, means the source `file`.
bool is_same_file(const std::string& asked, const std::string& file);
/// The path of a source for a client; that of the library stays as it is.
std::string path_of(const std::string& file);

}  // namespace tessera::debug
