// Where source lines begin in a program: one place for coverage, which counts a line there, and for breakpoints.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/pe/program.h"

namespace tessera::pe {

/// Whether `pc` is the first instruction of its line: the one before stands in another line, or a task or
/// function begins here. A line whose code stands in several places, as that of an inlined function, has several.
inline bool begins_line(const Image& image, std::uint32_t pc) {
  const Instruction& here = image.code[pc];
  if (here.line == 0) return false;
  if (pc == 0) return true;
  const Instruction& before = image.code[pc - 1];
  if (before.line != here.line || before.file != here.file) return true;
  const auto is_here = [pc](const auto& named) { return named.entry == pc; };
  return std::any_of(image.functions.begin(), image.functions.end(), is_here) ||
         std::any_of(image.tasks.begin(), image.tasks.end(), is_here);
}

}  // namespace tessera::pe
