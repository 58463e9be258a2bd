// Commands that ask, as a prompt has them (docs/debugger.md): print, x, info, where, why, pe, frame, hits, set, list, disas.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platforms/debug/debugger.h"
#include "platforms/debug/focus.h"

namespace tessera::debug {

class Commands {
 public:
  /// Both must outlive it.
  Commands(Debugger& debugger, Focus& focus) : debugger_(debugger), focus_(focus) {}

  /// Whether `text` begins with a command.
  static bool is_command(const std::string& text);
  /// Whether it is the command that chooses the place in focus, by one of its names.
  static bool chooses_place(const std::string& text);
  /// Whether it is one that chooses the frame in focus.
  static bool chooses_frame(const std::string& text);
  /// The lines of the answer. Throws UserError.
  std::string answer(const std::string& text);
  /// "y[0..8]", "left + 1", "&y" in a place. Throws UserError.
  std::string print(std::uint32_t place, const std::string& text);

 private:
  using Handler = std::string (Commands::*)(const std::string& rest);
  static const std::map<std::string, Handler>& handlers();

  std::string print_here(const std::string& rest) { return print(focus_.place, rest); }
  std::string examine(const std::string& rest);
  std::string info(const std::string& rest);
  std::string info_breakpoints() const;
  std::string where(const std::string& rest);
  std::string why(const std::string& rest);
  std::string choose_place(const std::string& rest);
  std::string choose_frame(const std::string& rest);
  std::string go_up(const std::string& rest);
  std::string go_down(const std::string& rest);
  std::string hits(const std::string& rest);
  std::string set(const std::string& rest);
  std::string list(const std::string& rest);
  std::string disassemble(const std::string& rest);
  std::uint32_t place_in(const std::string& text) const;
  std::string present() const;
  /// The frame in focus and those around it; none: the place has no task.
  std::vector<Frame> frames_here() const;
  SourceLine present_line() const;

  Debugger& debugger_;
  Focus& focus_;
  SourceLine listed_;       // the last line that `list` has shown
  SourceLine listed_from_;  // where the place stood then
};

/// The lines of a source; empty: it cannot be read.
std::vector<std::string> lines_of(const Target& target, const std::string& file);

}  // namespace tessera::debug
